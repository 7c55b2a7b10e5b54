// HeadHolds: nodes kept for a job that is first in its partition and has no known start, because
// the jobs running there have no known end. The nodes empty as these jobs end, until the job fits.
#pragma once

#include <optional>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth {

struct HeadHold {
    JobId job{0};
    BitSet nodes;
    friend bool operator==(const HeadHold&, const HeadHold&) = default;
};

class HeadHolds {
public:
    bool empty() const { return holds_.empty(); }
    const std::vector<HeadHold>& all() const { return holds_; }
    const HeadHold* of(JobId job) const;  // nullptr: the job holds no nodes.

    // Replaces all holds. Returns the nodes that no job holds any more.
    std::vector<NodeId> replace(std::vector<HeadHold> holds, std::size_t nodes);

    // The usable nodes that are open to this job: those that no other job holds.
    BitSet open_to(JobId job, const BitSet& usable) const;

    std::optional<Time> next;  // When the next job will have waited long enough for a hold.

private:
    std::vector<HeadHold> holds_;
    BitSet held_;
};

}  // namespace berth
