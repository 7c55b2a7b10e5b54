#include "berth/engine/derived/preemptions.h"

#include <algorithm>

namespace berth {

void Preemptions::rebuild(const ClusterSpec& spec) {
    rules.rebuild(spec);
    forget_failures();
}

void Preemptions::forget_failures() {
    failed_.clear();
    retry_at_.reset();
}

Preemptions::Key Preemptions::key_of(const PendingJob& job, QosId qos) const {
    return {job.shape.get(), qos, rules.depend_on_account() ? job.usage() : std::nullopt};
}

void Preemptions::note_failure(const PendingJob& job, QosId qos) {
    const auto [at, is_new] =
        failed_.try_emplace(key_of(job, qos), Failure{job.shape, job.priority()});
    if (!is_new) at->second.priority = std::max(at->second.priority, job.priority());
}

bool Preemptions::has_failed(const PendingJob& job, QosId qos) const {
    const auto known = failed_.find(key_of(job, qos));
    return known != failed_.end() && job.priority() <= known->second.priority;
}

void Preemptions::note_exempt(Time until) {
    if (until != kNever && (!retry_at_ || until < *retry_at_)) retry_at_ = until;
}

}  // namespace berth
