// OverSubscribe of a partition: whether its jobs may share cores, on which they take turns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/job.h"

namespace berth {

struct CoreSharing {
    std::uint32_t jobs = 1;  // So many at most hold one core.
    bool if_asked = false;   // YES: only jobs with --oversubscribe. FORCE: all.
};

// "NO", "EXCLUSIVE", "FORCE:1", "YES:4": as Slurm writes it. Without a number YES and FORCE mean 4.
// The error says what would be right.
Result<std::string> parse_oversubscribe(std::string_view text);

// Of a job: "NO" if it has its nodes to itself, "YES" if it shares cores where it may, else "OK".
std::string_view oversubscribe_text(const JobRequest& request);

// REQUIRES: the text is what parse_oversubscribe() returns; of any other, nobody shares.
CoreSharing core_sharing_of(std::string_view oversubscribe);

}  // namespace berth
