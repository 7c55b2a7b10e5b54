// The runs that a job may share cores with, to take turns on them: in a partition that lets its
// jobs share cores, and with GANG those that the job preempts by suspension, in its own partition.
#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "berth/engine/cycle/open_cycle.h"
#include "berth/engine/preempt/victim_search.h"

namespace berth {

class TurnCandidates {
public:
    explicit TurnCandidates(OpenCycle& cycle) : cycle_(cycle) {}

    // Whether there may be any for the job.
    bool may_have_any(const PendingJob& pending) const;

    // Finds them: those on whose cores the fewest wait first, then as victims are chosen.
    void list_for(const PendingJob& pending);
    const Victim* at(std::size_t place) const {
        return place < all_.size() ? &all_[place].victim : nullptr;
    }
    // Without those at these places, in order.
    void drop(std::span<const std::size_t> places);

private:
    struct Candidate {
        Victim victim;
        std::tuple<std::uint32_t, std::int64_t, std::size_t, JobId> order;
    };
    std::uint32_t most_on_core(const PendingJob& pending, const Job& run) const;
    bool is_preempted_by(const PendingJob& pending, const Job& run) const;
    bool can_take_turns(const Job& run) const;

    OpenCycle& cycle_;
    std::vector<Candidate> all_;
};

}  // namespace berth
