// AccountingTime: how long a job or step in accounting waited, ran and was suspended.
#pragma once

#include <optional>

#include "berth/api/messages.h"

namespace berth::api {

// From a start to its end, or until now; zero without a start.
Duration elapsed_between(std::optional<Time> from, std::optional<Time> to, Time now);
// Suspended time, and run time without it; until now if the job has not ended.
Duration suspended_for(const AccountingRow& job, Time now);
Duration ran_for(const AccountingRow& job, Time now);

}  // namespace berth::api
