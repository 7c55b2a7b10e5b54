#include "berth/sim/oracle_queues.h"

#include <algorithm>

namespace berth::sim {
namespace {

std::optional<std::int64_t> gpus_in(const TresLimits& counts) {
    const auto found =
        std::ranges::find(counts, "gres/gpu", [](const auto& one) { return one.first; });
    return found == counts.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t limit_of(const QueueSpec& queue) {
    std::int64_t most = gpus_in(queue.limit).value_or(INT64_MAX);
    const auto nominal = gpus_in(queue.nominal);
    const auto more = gpus_in(queue.borrow_max);
    return nominal && more ? std::min(most, *nominal + *more) : most;
}

std::string of(std::int64_t some, std::int64_t most) {
    return std::to_string(some) + " GPUs of " + std::to_string(most);
}

}  // namespace

OracleQueues::OracleQueues(const ClusterSpec& cluster) : gpus_(cluster.dimensions.of_name("gpu")) {
    for (const AccountSpec& one : cluster.accounts) {
        const bool is_top = one.parent == "root" || one.parent.empty();
        accounts_[one.name].parent = is_top ? "" : one.parent;
    }
    for (const AccountSpec& one : cluster.accounts)
        accounts_[accounts_[one.name].parent].children.push_back(one.name);
    for (const QueueSpec& queue : cluster.queues) queues_[queue.name] = queue;
}

void OracleQueues::edited(const AccountingEdits& edits) {
    for (const QueueSpec& queue : edits.queues) queues_[queue.name] = queue;
    for (const std::string& name : edits.removed_queues) queues_.erase(name);
}

// ---- Runs.

void OracleQueues::ended(JobId job, NodeId node) {
    const auto run = runs_.find(job);
    if (run == runs_.end()) return;
    run->second.gpus.erase(node);
    if (run->second.gpus.empty()) runs_.erase(run);
}

void OracleQueues::dying(JobId job) {
    const auto run = runs_.find(job);
    if (run != runs_.end()) run->second.dying = true;
}

void OracleQueues::expect(JobId preemptor, const std::string& account, std::int64_t asked) {
    expected_[preemptor] = {account, asked};
}

void OracleQueues::over(JobId job) { expected_.erase(job); }

OracleQueues::Uses OracleQueues::held() const {
    Uses uses;
    for (const auto& [id, run] : runs_) {
        for (const auto& [node, gpus] : run.gpus) uses[run.account] += gpus;
    }
    return uses;
}

OracleQueues::Uses OracleQueues::staying() const {
    Uses uses;
    for (const auto& [id, run] : runs_) {
        for (const auto& [node, gpus] : run.gpus) uses[run.account] += run.dying ? 0 : gpus;
    }
    for (const auto& [id, one] : expected_) uses[one.first] += one.second;
    return uses;
}

// ---- The tree.

std::vector<std::string> OracleQueues::chain(std::string account) const {
    std::vector<std::string> names;
    for (; !account.empty(); account = accounts_.at(account).parent) names.push_back(account);
    return names;
}

std::optional<std::int64_t> OracleQueues::nominal(const std::string& account) const {
    const auto own = queues_.find(account);
    if (own != queues_.end()) {
        if (const auto gpus = gpus_in(own->second.nominal)) return gpus;
    }
    std::optional<std::int64_t> sum;
    for (const std::string& below : accounts_.at(account).children) {
        if (const auto one = nominal(below)) sum = sum.value_or(0) + *one;
    }
    return sum;
}

std::int64_t OracleQueues::guarantee(const std::string& account) const {
    std::int64_t below = 0, own = 0;
    for (const std::string& child : accounts_.at(account).children) below += guarantee(child);
    const auto queue = queues_.find(account);
    if (queue != queues_.end()) {
        own = gpus_in(queue->second.guarantee).value_or(0);
        if (const auto lent = gpus_in(queue->second.lend_max))
            own = std::max(own, gpus_in(queue->second.nominal).value_or(0) - *lent);
    }
    return std::max(own, below);
}

std::int64_t OracleQueues::used(const Uses& uses, const std::string& account) const {
    const auto own = uses.find(account);
    std::int64_t sum = own == uses.end() ? 0 : own->second;
    for (const std::string& child : accounts_.at(account).children) sum += used(uses, child);
    return sum;
}

std::int64_t OracleQueues::by_right(const Uses& uses, const std::string& account) const {
    const auto own = uses.find(account);
    std::int64_t sum = own == uses.end() ? 0 : own->second;
    for (const std::string& child : accounts_.at(account).children) {
        const std::int64_t most = nominal(child).value_or(INT64_MAX);
        sum += std::min(by_right(uses, child), most);
    }
    return sum;
}

std::int64_t OracleQueues::reserved(const Uses& uses, const std::string& account) const {
    const auto own = uses.find(account);
    std::int64_t sum = own == uses.end() ? 0 : own->second;
    for (const std::string& child : accounts_.at(account).children)
        sum += std::max(reserved(uses, child), guarantee(child));
    return sum;
}

// ---- Checks.

// The limits of all queues above the run, and that it either takes what they have by right, or what
// is in the pool: without what others have guaranteed and do not use.
std::string OracleQueues::start(JobId job, const std::string& account, const Allocation& allocation,
                                bool bounded) {
    over(job);
    if (!accounts_.contains(account)) return "";
    const Uses before = held();
    Run& run = runs_[job] = {.account = account, .gpus = {}};
    for (const NodeShare& share : allocation.shares) {
        std::int64_t& gpus = run.gpus[share.node];
        for (const DimensionId gpu : gpus_) gpus += share.amount[gpu];
    }
    const Uses after = held();
    if (!bounded || used(after, account) == used(before, account)) return "";
    bool has_quota = false, right = true;
    for (const std::string& name : chain(account)) {
        const auto queue = queues_.find(name);
        const std::int64_t most = queue == queues_.end() ? INT64_MAX : limit_of(queue->second);
        if (used(after, name) > most)
            return "queue " + name + " uses " + of(used(after, name), most) + " at most";
        const auto own = nominal(name);
        has_quota = has_quota || own;
        right = right && (!own || by_right(after, name) <= *own);
    }
    if (!has_quota || right) return "";
    const std::int64_t pool = std::max(nominal("").value_or(0), reserved(before, ""));
    if (reserved(after, "") <= pool) return "";
    return "queue " + account + " borrows what nobody lends: with it and all guarantees " +
           of(reserved(after, ""), pool);
}

// Only from queues that are over their nominal quota, below the one that both share.
std::string OracleQueues::reclaim(JobId preemptor, const std::string& account, std::int64_t asked,
                                  JobId victim) {
    const auto run = runs_.find(victim);
    if (run == runs_.end()) return "";  // It holds no GPU any more, which is judged elsewhere.
    expect(preemptor, account, asked);
    const Uses uses = staying();
    const std::vector<std::string> own = chain(account);
    bool is_other = false;
    for (const std::string& name : chain(run->second.account)) {
        if (std::ranges::find(own, name) != own.end()) break;
        is_other = true;
        const std::int64_t most = nominal(name).value_or(0);
        if (used(uses, name) > most) continue;
        return "queue " + name + " gives back what it has by right, " + of(used(uses, name), most);
    }
    return is_other ? "" : "a queue takes from itself";
}

}  // namespace berth::sim
