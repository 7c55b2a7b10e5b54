// AccountingTime: how long a job or step of the accounting waited, ran and stood still.
#pragma once

#include <optional>

#include "berth/api/messages.h"

namespace berth::slurm {

// From a start to its end, or until now; zero without a start.
Duration elapsed_between(std::optional<Time> from, std::optional<Time> to, Time now);
// How long a job stood still, and how long it ran without that; until now, if it is not over.
Duration suspended_for(const api::AccountingRow& job, Time now);
Duration ran_for(const api::AccountingRow& job, Time now);

}  // namespace berth::slurm
