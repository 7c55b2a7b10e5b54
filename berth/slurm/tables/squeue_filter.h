// SqueueFilter: what squeue chooses jobs by that the controller does not choose by.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

struct SqueueFilter {
    std::vector<std::string> qos, licenses, reservations;  // The job has one of each.
    std::string not_user;                                  // --notme
    // --running-over, --running-under: running jobs that have run longer, or less long.
    std::optional<Duration> over, under;

    Status set_over(std::string_view text);   // Slurm's minutes, minutes:seconds, days-hours …
    Status set_under(std::string_view text);  // Likewise.
    bool takes(const api::JobRow& job, Time now) const;
    // The letters of -o whose fields it reads; nullopt: it reads what no letter has.
    std::optional<std::string> letters() const;
};

}  // namespace berth::slurm
