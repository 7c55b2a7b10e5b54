// Preemptions: what the engine remembers of the search for victims, so that it is not repeated in
// vain: which shapes of jobs found none since something was last released.
#pragma once

#include <map>
#include <memory>
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
    // priority find no victims either.
    void note_failure(const PendingJob& job, QosId qos);
    bool has_failed(const PendingJob& job, QosId qos) const;

    // A run that would be a victim is exempt until then.
    void note_exempt(Time until);
    std::optional<Time> retry_at() const { return retry_at_; }

private:
    struct Failure {
        std::shared_ptr<const Shape>
            shape;                  // Keeps the shape, which is the key, from being reused.
        std::int64_t priority = 0;  // The highest that failed.
    };
    using Key = std::tuple<const Shape*, QosId, std::optional<std::size_t>>;
    Key key_of(const PendingJob& job, QosId qos) const;
    std::map<Key, Failure> failed_;
    std::optional<Time> retry_at_;
};

}  // namespace berth
