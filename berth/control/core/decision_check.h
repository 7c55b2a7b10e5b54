// DecisionCheck: plays a journal's records through an engine of its own, which decides everything
// again: whether the daemon decided what the rules say, record by record.
//
// What the journal does not hold cannot be decided again: when a long cycle was put off (it is the
// clock that says so), and what GPUs were seen doing, where a site's placement looks at that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/engine/cycle/engine.h"

namespace berth {

class DecisionCheck {
public:
    // The state before the first record that is taken.
    explicit DecisionCheck(ClusterState before) : engine_(std::move(before)) {}

    struct Difference {
        std::uint64_t sequence = 0;  // Of the record.
        std::string recorded, ours;  // What was decided, in a few words; empty: nothing.
    };
    // The first thing that this engine decides otherwise. Then it is over: no more is taken.
    std::optional<Difference> take(const Record& record);

    // Decisions that were the same.
    std::uint64_t decisions() const { return decisions_; }
    // Times at which this engine would have decided something, and the daemon did later.
    std::uint64_t put_off() const { return put_off_; }
    const ClusterState& state() const { return engine_.state(); }

private:
    bool is_of_a_cycle(const Fact& fact, Time now) const;
    std::optional<Difference> decide(const Record& record, std::size_t& at);
    void think(Time now);

    Engine engine_;
    std::uint64_t decisions_ = 0, put_off_ = 0;
};

}  // namespace berth
