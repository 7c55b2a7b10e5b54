// DecisionCheck: replays a journal through an engine of its own that makes every decision again,
// and compares: did the daemon decide what the rules say, record by record?
//
// Two things are not in the journal and cannot be checked: when a long cycle was put off (this
// depends on the clock), and measured GPU use, if a site's placement rule looks at it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/engine/cycle/engine.h"

namespace berth {

class DecisionCheck {
public:
    // `before`: the state before the first record.
    explicit DecisionCheck(ClusterState before) : engine_(std::move(before)) {}

    struct Difference {
        std::uint64_t sequence = 0;  // Of the record.
        // The two decisions in a few words; empty: no decision.
        std::string recorded, ours;
    };
    // The first decision of this engine that differs from the record. After a difference, call
    // take() no more.
    std::optional<Difference> take(const Record& record);

    // Number of equal decisions so far.
    std::uint64_t decisions() const { return decisions_; }
    // How often this engine would have decided something that the daemon decided later.
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
