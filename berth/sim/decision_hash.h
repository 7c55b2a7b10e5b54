// DecisionHash: a fingerprint of what the controller decided: which attempt of which job starts
// when, on which nodes, devices and cores, which start is planned, and when a run must end.
//
// It reads named fields of named facts and nothing else. A field or a fact that is added to the
// journal therefore changes no golden hash; only another decision does.
#pragma once

#include "berth/base/hash.h"
#include "berth/model/event.h"

namespace berth::sim {

class DecisionHash {
public:
    // Facts in the order of the journal, each with its record's time.
    void take(Time now, const Fact& fact);

    std::uint64_t value() const { return hash_.value(); }
    std::uint64_t decisions() const { return decisions_; }

private:
    enum class Kind : std::uint8_t { start = 1, plan, withdraw, end };

    void begin(Kind kind, Time now, JobId job);
    void start(Time now, const StartJob& fact);
    void plan(Time now, JobId job, const std::optional<PlannedStart>& planned);
    void end(Time now, const EndJob& fact);

    StateHash hash_;
    std::uint64_t decisions_ = 0;
};

}  // namespace berth::sim
