// Preemptions: what the engine remembers of the search for victims, so that it is not repeated in
// vain: which shapes of jobs found none since something was last released.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "berth/engine/derived/order.h"
#include "berth/engine/preempt/preempt_rules.h"

namespace berth {

class Preemptions {
public:
    PreemptRules rules;

    void rebuild(const ClusterSpec& spec);
    // Something was released, or an exemption is over: what failed may succeed.
    void forget_failures();

    // Jobs of the same shape, QOS, queue (if that decides whom they may preempt) and at most this
    // priority find no victims either. With PreemptAlways a job of the same priority that is older
    // may find some. `limited`: limits bounded the search, and only jobs of the same user in the
    // same account have the same ones.
    void note_failure(const PendingJob& pending, const Job& job, bool limited);
    bool has_failed(const PendingJob& pending, const Job& job) const;

    // Likewise of jobs that find no runs to take turns with: until something is released, which is
    // told by its number, or another run has begun.
    void note_no_turns(const PendingJob& pending, const Job& job, ReleaseNumber seen, bool limited);
    bool has_no_turns(const PendingJob& pending, const Job& job, ReleaseNumber seen) const;
    void forget_turns() { no_turns_.clear(); }

    // A run that would be a victim is exempt until then.
    void note_exempt(Time until);
    std::optional<Time> retry_at() const { return retry_at_; }

private:
    struct Failure {
        SharedShape shape;                // Keeps the shape, which is the key, from being reused.
        std::int64_t priority = 0;        // The highest that failed.
        PreemptRules::Submission oldest;  // Of that priority.
    };
    bool is_ahead(const PendingJob& pending, const Job& job, const Failure& known) const;
    // Also whether it may preempt its equals.
    using Key = std::tuple<const Shape*, QosId, bool, std::optional<std::size_t>>;
    Key key_of(const PendingJob& pending, const Job& job, bool of_user) const;
    std::map<Key, Failure> failed_;
    // By shape, QOS, --oversubscribe, and the priority and the queue where these decide whom it may
    // preempt.
    using TurnKey = std::tuple<const Shape*, QosId, bool, std::int64_t, std::optional<std::size_t>>;
    TurnKey turn_key_of(const PendingJob& pending, const Job& job, bool of_user) const;
    struct NoTurns {
        SharedShape shape;  // Kept, as of a failure.
        ReleaseNumber seen = 0;
    };
    std::map<TurnKey, NoTurns> no_turns_;
    std::optional<Time> retry_at_;
};

}  // namespace berth
