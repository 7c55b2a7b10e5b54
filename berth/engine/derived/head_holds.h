// HeadHolds: nodes that are kept for a job which is first in its partition and has no known start,
// since what runs there has no end that is known. They empty one run after the other, until the
// job fits.
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
    const HeadHold* of(JobId job) const;  // nullptr: it holds nothing.

    // Instead of those before. Returns the nodes that nobody holds any more.
    std::vector<NodeId> replace(std::vector<HeadHold> holds, std::size_t nodes);

    // What of the usable nodes this job may have.
    BitSet open_to(JobId job, const BitSet& usable) const;

    std::optional<Time> next;  // When the next job will have waited long enough.

private:
    std::vector<HeadHold> holds_;
    BitSet held_;
};

}  // namespace berth
