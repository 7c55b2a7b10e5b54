// What a state has to say of itself where the agents may have obeyed, and users been told of, more
// than it knows: after a restore, and after records were lost.
#pragma once

#include "berth/store/recovery.h"

namespace berth {

// Enough unless told otherwise: so many ids of jobs, at most, were given and are not known.
inline constexpr std::uint32_t kJobsSkipped = 100'000;

// The next controller's epoch is far beyond all that were, and no job id is given a second time: so
// many after the last one are left out. The next job's id.
Result<std::uint32_t> count_as_later(Database& database, const Recovered& recovered,
                                     std::uint32_t skip_jobs = kJobsSkipped);

// Refuses a file whose tables and indexes do not fit each other. Reads all of it.
Status check_sound(Database& database, const std::string& path);

}  // namespace berth
