#include "berth/engine/derived/preemptions.h"

#include <algorithm>

namespace berth {

void Preemptions::rebuild(const ClusterSpec& spec) {
    rules.rebuild(spec);
    forget_failures();
}

void Preemptions::forget_failures() {
    failed_.clear();
    no_turns_.clear();
    retry_at_.reset();
}

Preemptions::Key Preemptions::key_of(const PendingJob& pending, const Job& job,
                                     bool of_user) const {
    return {pending.shape.get(), job.qos, rules.preempts_newer(job),
            of_user || rules.depend_on_account() ? pending.usage() : std::nullopt};
}

// Whether it may preempt more than any that has failed.
bool Preemptions::is_ahead(const PendingJob& pending, const Job& job, const Failure& known) const {
    if (pending.priority() != known.priority) return pending.priority() > known.priority;
    return rules.preempts_newer(job) && PreemptRules::submission_of(job) < known.oldest;
}

void Preemptions::note_failure(const PendingJob& pending, const Job& job, bool limited) {
    const Failure failed{pending.shape, pending.priority(), PreemptRules::submission_of(job)};
    const auto [at, is_new] = failed_.try_emplace(key_of(pending, job, limited), failed);
    if (!is_new && is_ahead(pending, job, at->second)) at->second = failed;
}

bool Preemptions::has_failed(const PendingJob& pending, const Job& job) const {
    const auto failed = [&](bool of_user) {
        const auto known = failed_.find(key_of(pending, job, of_user));
        return known != failed_.end() && !is_ahead(pending, job, known->second);
    };
    return failed(false) || failed(true);
}

Preemptions::TurnKey Preemptions::turn_key_of(const PendingJob& pending, const Job& job,
                                              bool of_user) const {
    return {pending.shape.get(), job.qos, job.spec.request->oversubscribe,
            rules.compares_priorities(job.qos) ? pending.priority() : 0,
            of_user || rules.depend_on_account() ? pending.usage() : std::nullopt};
}

void Preemptions::note_no_turns(const PendingJob& pending, const Job& job, ReleaseNumber seen,
                                bool limited) {
    no_turns_[turn_key_of(pending, job, limited)] = {pending.shape, seen};
}

bool Preemptions::has_no_turns(const PendingJob& pending, const Job& job,
                               ReleaseNumber seen) const {
    const auto found_none = [&](bool of_user) {
        const auto known = no_turns_.find(turn_key_of(pending, job, of_user));
        return known != no_turns_.end() && known->second.seen == seen;
    };
    return found_none(false) || found_none(true);
}

void Preemptions::note_exempt(Time until) {
    if (until != kNever && (!retry_at_ || until < *retry_at_)) retry_at_ = until;
}

}  // namespace berth
