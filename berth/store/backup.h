// Backup: copies the whole state file as of one moment, beside a running controller, and restores
// it. A copy holds users' scripts and environments. It holds no keys or tokens, since the state
// file has none.
#pragma once

#include <cstdint>
#include <string>

#include "berth/base/result.h"
#include "berth/store/later.h"

namespace berth {

struct BackupSummary {
    std::uint64_t sequence = 0;  // Of the last record in it.
    std::size_t jobs = 0;        // Number of jobs that the controller knew then.
    std::int64_t bytes = 0;
    std::uint32_t next_job = 0;  // The id of the next job.
};

// Copies the state file of this directory to `to`, which must not exist. The copy is readable only
// by its owner and durable. A trial recovery shows that it is complete.
Result<BackupSummary> back_up(const std::string& directory, const std::string& to);

struct RestoreSettings {
    // The largest number of job ids that may have been issued since the copy was made. None of them
    // is issued again.
    std::uint32_t skip_jobs = kJobsSkipped;
};

// Creates the state file, and the directory, from a copy. The directory must not hold a state file.
// Agents may have obeyed the controller long after the copy was made, so the next controller starts
// far beyond its epoch.
Result<BackupSummary> restore(const std::string& from, const std::string& directory,
                              const RestoreSettings& settings);

}  // namespace berth
