// For a state that may lag behind what agents have obeyed and users have been told: after a
// restore, and after records were lost.
#pragma once

#include "berth/store/recovery.h"

namespace berth {

// Default for the number of job ids that may have been issued and are not known.
inline constexpr std::uint32_t kJobsSkipped = 100'000;

// Makes the next controller's epoch far higher than any before, and skips `skip_jobs` job ids, so
// that none is issued twice. Returns the id of the next job.
Result<std::uint32_t> count_as_later(Database& database, const Recovered& recovered,
                                     std::uint32_t skip_jobs = kJobsSkipped);

// Rejects a file whose tables and indexes are inconsistent. Reads all of it.
Status check_sound(Database& database, const std::string& path);

}  // namespace berth
