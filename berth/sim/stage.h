// Stage: what all parts of the simulated world share: the time, the tally of faults, the trace, and
// the first violation.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "berth/sim/faults.h"
#include "berth/sim/virtual_time.h"

namespace berth::sim {

class Stage {
public:
    Stage(std::uint64_t seed, bool tracing)
        : time(from_seconds(1'800'000'000)), seed_(seed), tracing_(tracing) {}

    VirtualTime time;
    FaultTally tally{};

    Time now() const { return time.now(); }
    void count(Fault fault) { ++tally[static_cast<std::size_t>(fault)]; }

    // `line` makes the text; called only in traced runs.
    template <class Line>
    void trace(Line line) {
        if (!tracing_) return;
        trace_.push_back(stamp() + line());
        if (trace_.size() > kTraceMax) trace_.pop_front();
    }
    // Reports a broken invariant. The first one ends the run, unless it is in look_past.
    void violated(const std::string& invariant, const std::string& what) {
        if (violation_.empty() && !look_past_.contains(invariant)) {
            violation_ =
                invariant + ": " + what + " (seed " + std::to_string(seed_) + ", " + stamp() + ")";
        }
    }
    void look_past(std::set<std::string> invariants) { look_past_ = std::move(invariants); }
    const std::string& violation() const { return violation_; }
    const std::deque<std::string>& traced() const { return trace_; }

private:
    static constexpr std::size_t kTraceMax = 400;
    std::string stamp() const {
        const auto ms = (now() - from_seconds(1'800'000'000)).count();
        return "t=" + std::to_string(ms / 1000) + "." + std::to_string(ms % 1000) + "s ";
    }
    std::uint64_t seed_;
    bool tracing_;
    std::deque<std::string> trace_;
    std::string violation_;
    std::set<std::string> look_past_;
};

}  // namespace berth::sim
