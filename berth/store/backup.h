// Backup: the whole state file as of one moment, copied beside a running controller; and the way
// back. A copy holds users' scripts and environments, and no keys or tokens: there are none in the
// state file.
#pragma once

#include <cstdint>
#include <string>

#include "berth/base/result.h"
#include "berth/store/later.h"

namespace berth {

struct BackupSummary {
    std::uint64_t sequence = 0;  // Of the last record in it.
    std::size_t jobs = 0;        // That the controller knew then.
    std::int64_t bytes = 0;
    std::uint32_t next_job = 0;  // The id that the next job gets.
};

// Copies the state file of this directory into `to`, which must not be there yet: readable by its
// owner alone, on the disk, and recovered from once, so that the copy is known to be whole.
Result<BackupSummary> back_up(const std::string& directory, const std::string& to);

struct RestoreSettings {
    // At most so many ids were given since the copy was made: none of them is given a second time.
    std::uint32_t skip_jobs = kJobsSkipped;
};

// Makes the state file of a directory that has none, and the directory, from a copy. The agents may
// have obeyed the controller for long after the copy was made, so the next one starts far beyond
// its epoch.
Result<BackupSummary> restore(const std::string& from, const std::string& directory,
                              const RestoreSettings& settings);

}  // namespace berth
