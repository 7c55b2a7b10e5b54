#include "berth/engine/preempt/queue_terms.h"

#include <algorithm>
#include <vector>

namespace berth {
namespace {

// The account and all above it, the nearest first. The configuration has no circles.
std::vector<std::string> with_those_above(const ClusterSpec& spec, const std::string& account) {
    std::vector<std::string> all = {account};
    while (all.size() <= spec.accounts.size()) {
        const auto at = std::ranges::find(spec.accounts, all.back(), &AccountSpec::name);
        if (at == spec.accounts.end() || at->parent.empty() || at->parent == all.back()) break;
        all.push_back(at->parent);
    }
    return all;
}

bool says_something(const QueueSpec& queue) {
    return queue.allow_preemption || !queue.allow_preempt_from.empty() || queue.grace_period;
}

}  // namespace

void QueueTerms::rebuild(const ClusterSpec& spec) {
    *this = {};
    if (std::ranges::none_of(spec.queues, says_something)) return;
    std::map<std::string, std::vector<std::string>, std::less<>> above;
    for (const AccountSpec& account : spec.accounts)
        above.emplace(account.name, with_those_above(spec, account.name));
    const auto at_or_beneath = [&](const std::vector<std::string>& queues) {
        Names names;
        for (const auto& [account, those] : above) {
            if (std::ranges::find_first_of(those, queues) != those.end()) names.insert(account);
        }
        return names;
    };
    for (const auto& [account, those] : above) {
        Terms terms;
        bool allowed_is_known = false;
        for (const std::string& name : those) {
            const auto queue = std::ranges::find(spec.queues, name, &QueueSpec::name);
            if (queue == spec.queues.end()) continue;
            if (queue->allow_preemption && !allowed_is_known) {
                terms.preempted = *queue->allow_preemption;
                allowed_is_known = true;
            }
            if (!queue->allow_preempt_from.empty() && !terms.by)
                terms.by = at_or_beneath(queue->allow_preempt_from);
            if (!terms.grace) terms.grace = queue->grace_period;
        }
        name_preemptors_ = name_preemptors_ || terms.by;
        if (!terms.preempted || terms.by || terms.grace)
            of_account_.emplace(account, std::move(terms));
    }
}

const QueueTerms::Terms* QueueTerms::find(const Job& run) const {
    if (of_account_.empty()) return nullptr;
    const auto found = of_account_.find(*run.spec.account);
    return found == of_account_.end() ? nullptr : &found->second;
}

bool QueueTerms::lets_preempt(const Job& run) const {
    const Terms* const terms = find(run);
    return terms == nullptr || terms->preempted;
}

bool QueueTerms::lets_preempt(const Job& job, const Job& run) const {
    const Terms* const terms = find(run);
    if (terms == nullptr) return true;
    return terms->preempted && (!terms->by || terms->by->contains(*job.spec.account));
}

std::optional<Duration> QueueTerms::grace_of(const Job& run) const {
    const Terms* const terms = find(run);
    return terms == nullptr ? std::nullopt : terms->grace;
}

}  // namespace berth
