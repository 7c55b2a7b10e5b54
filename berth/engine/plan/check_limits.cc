#include "berth/engine/plan/check_limits.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "berth/engine/limits/limit_request.h"
#include "berth/engine/placement/resolved_demand.h"
#include "berth/engine/plan/check_lent.h"
#include "berth/engine/state/job_queries.h"
#include "berth/policy/tres.h"

namespace berth {
namespace {

// A run or a planned start, and how much it takes of what limits name.
struct Taker {
    const Job* job = nullptr;
    Time start{}, end{};
    bool is_planned = false;
    // Of a planned start: limits of its QOS, in place of which no others count it. Where its
    // partition has a QOS, what the one that comes first sets does not count in the second, either.
    Limits over, first;
    std::optional<QosId> second;
    std::function<std::int64_t(const TresLimit&)> amount;
};

Taker taker_of_run(const ClusterState& state, const CheckedLoans& loans, const Job& run, Time now) {
    const std::optional<Time> ends = limit_ends(run);
    Taker taker{.job = &run, .start = now, .end = ends.value_or(kNever)};
    if (run.lends_cores() || loans.takes_turns(run)) {
        taker.end = loans.end_of(run);
    } else if (run.allocation->preempted) {
        taker.end = std::min(taker.end, run.allocation->preempted->ends_at);
    }
    QuotaUse::Held held{.nodes = static_cast<std::int64_t>(run.nodes.size()),
                        .amount = run.allocated,
                        .licenses = state.quota().licenses()->counts_of(run.allocation->licenses)};
    const std::int64_t billing =
        billing_of(state.spec(), run.partition, {held.nodes, held.amount}).whole;
    taker.amount = [held = std::move(held), billing, &state, &run](const TresLimit& limit) {
        if (limit.flavor != FlavorChoice::kNone)
            return amount_of_run(limit, state.quota().queues().flavors(), run, held.licenses);
        return limit.kind == TresKind::billing ? billing : amount_of(limit, held);
    };
    return taker;
}

bool names_tres(const TresLimits& limits, const std::string& tres) {
    return std::ranges::find(limits, tres, &TresLimits::value_type::first) != limits.end();
}

// That of its partition; nullopt: it has none, or the job's own is the same.
std::optional<QosId> other_qos(const ClusterSpec& spec, const Job& job) {
    const std::string& name = spec.partition(job.partition).qos;
    const auto found = name.empty() ? std::nullopt : spec.find_qos(name);
    return found == job.qos ? std::nullopt : found;
}

void set_order(Taker& taker, const ClusterSpec& spec) {
    const Job& job = *taker.job;
    if (job.qos.index() < spec.qos.size()) taker.over = spec.qos[job.qos.index()].limits;
    const std::optional<QosId> other = other_qos(spec, job);
    if (!other) return;
    const Limits own = taker.over, &theirs = spec.qos[other->index()].limits;
    const bool own_first =
        job.qos.index() < spec.qos.size() && spec.qos[job.qos.index()].over_partition_qos;
    taker.first = own_first ? own : theirs;
    taker.second = own_first ? *other : job.qos;
    taker.over.group_tres.insert(taker.over.group_tres.end(), theirs.group_tres.begin(),
                                 theirs.group_tres.end());
    if (theirs.group_jobs) taker.over.group_jobs = theirs.group_jobs;
    if (theirs.max_jobs) taker.over.max_jobs = theirs.max_jobs;
    if (theirs.max_jobs_per_account) taker.over.max_jobs_per_account = theirs.max_jobs_per_account;
}

Taker taker_of_planned(const ClusterState& state, const Job& job, const PlannedStart& planned,
                       Time now) {
    Demand demand = resolved_demand(state, job);
    LimitRequest asked = limit_request_of(state, job.partition, demand);
    demand.choices.clear();  // Amounts alone matter, and there may be many.
    Taker taker{.job = &job,
                .start = std::max(planned.start, now),
                .end = planned.end,
                .is_planned = true,
                .amount = [demand = std::move(demand), asked = std::move(asked)](
                              const TresLimit& limit) { return asked.of(limit, demand); }};
    set_order(taker, state.spec());
    return taker;
}

// One limit of one holder, and all that it counts.
struct Watched {
    std::int64_t most = 0;
    struct Count {
        Time start{}, end{};
        std::int64_t amount = 0;
        const Taker* taker = nullptr;
    };
    std::vector<Count> counts;
};

// The planned start at whose beginning there is more than the limit, and how much; nullptr: none.
std::pair<const Taker*, std::int64_t> first_beyond(Watched& limit) {
    std::ranges::stable_sort(limit.counts, {}, &Watched::Count::start);
    std::multimap<Time, std::int64_t> ends;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < limit.counts.size();) {
        const Time moment = limit.counts[i].start;
        for (; !ends.empty() && ends.begin()->first <= moment; ends.erase(ends.begin()))
            sum -= ends.begin()->second;
        const Taker* planned = nullptr;
        for (; i < limit.counts.size() && limit.counts[i].start == moment; ++i) {
            const Watched::Count& one = limit.counts[i];
            sum += one.amount;
            ends.emplace(one.end, one.amount);
            if (one.taker->is_planned) planned = one.taker;
        }
        if (planned != nullptr && sum > limit.most) return {planned, sum};
    }
    return {nullptr, 0};
}

class LimitChecking {
public:
    explicit LimitChecking(const ClusterState& state) : state_(state), spec_(state.spec()) {}

    void add(const Taker& taker) {
        const Job& job = *taker.job;
        if (job.qos.index() < spec_.qos.size()) add_qos(taker, job.qos);
        if (const auto other = other_qos(spec_, job)) add_qos(taker, *other);
        add_association(taker, "account " + *job.spec.account + " user " + job.owner->user);
    }

    std::optional<std::string> first_wrong() {
        for (auto& [name, limit] : limits_) {
            const auto [planned, sum] = first_beyond(limit);
            if (planned == nullptr) continue;
            return "job " + to_string(planned->job->id) + " is planned for " +
                   std::to_string(planned->start.time_since_epoch().count()) + " ms, when " +
                   name.first + " would use " + std::to_string(sum) + " " + name.second + " of " +
                   std::to_string(limit.most);
        }
        return std::nullopt;
    }

private:
    void add_qos(const Taker& taker, QosId id) {
        const Limits none, &limits = spec_.qos[id.index()].limits;
        const Limits& over = taker.second == id ? taker.first : none;
        const std::string qos = "qos " + spec_.qos[id.index()].name;
        const std::string user = qos + " user " + taker.job->owner->user;
        const std::string account = qos + " account " + *taker.job->spec.account;
        if (!over.group_jobs) count_jobs(qos, limits.group_jobs, taker);
        count_tres(qos, limits.group_tres, taker, over.group_tres);
        if (!over.max_jobs) count_jobs(user, limits.max_jobs, taker);
        count_tres(user, limits.max_tres_per_user, taker, over.max_tres_per_user);
        if (!over.max_jobs_per_account) count_jobs(account, limits.max_jobs_per_account, taker);
        count_tres(account, limits.max_tres_per_account, taker, over.max_tres_per_account);
    }
    void add_association(const Taker& taker, const std::string& name) {
        const Job& job = *taker.job;
        std::optional<std::uint32_t> max_jobs;
        const auto own = associations().find({job.spec.account, job.owner->user});
        if (own != associations().end()) {
            add_group(name, own->second->limits, taker);
            max_jobs = own->second->limits.max_jobs;
        }
        for (const AccountSpec* at : accounts_above(job.spec.account)) {
            add_group("account " + at->name, at->limits, taker);
            if (!max_jobs) max_jobs = at->limits.max_jobs;
            for (const QueueSpec& queue : spec_.queues) {
                if (queue.name == at->name)
                    count_tres("queue " + queue.name, queue.limit, taker, {});
            }
        }
        if (!taker.over.max_jobs && !taker.over.max_jobs_per_account)
            count_jobs("each user: " + name, max_jobs, taker);
    }
    void add_group(const std::string& name, const Limits& limits, const Taker& taker) {
        if (!taker.over.group_jobs) count_jobs(name, limits.group_jobs, taker);
        count_tres(name, limits.group_tres, taker, taker.over.group_tres);
    }

    void count_jobs(const std::string& holder, std::optional<std::uint32_t> most,
                    const Taker& taker) {
        if (most) count(holder, "jobs", *most, 1, taker);
    }
    void count_tres(const std::string& holder, const TresLimits& most, const Taker& taker,
                    const TresLimits& over) {
        for (const auto& limit : most) {
            if (names_tres(over, limit.first)) continue;
            auto [at, is_new] = resolved_.try_emplace(limit.first);
            if (is_new) {
                at->second = tres_limits_of(spec_, *state_.quota().licenses(), {limit})[0];
            }
            const std::int64_t amount = taker.amount(at->second);
            if (amount != 0) count(holder, limit.first, limit.second, amount, taker);
        }
    }
    void count(const std::string& holder, const std::string& what, std::int64_t most,
               std::int64_t amount, const Taker& taker) {
        Watched& limit = limits_[{holder, what}];
        limit.most = most;
        limit.counts.push_back({taker.start, taker.end, amount, &taker});
    }

    // The account, and those above it. Found once for all of its jobs.
    using Accounts = std::vector<const AccountSpec*>;
    const Accounts& accounts_above(const std::string& name) {
        const auto [at, is_new] = above_.try_emplace(name);
        for (std::string next = name; is_new;) {
            const auto found = std::ranges::find(spec_.accounts, next, &AccountSpec::name);
            if (found == spec_.accounts.end()) break;
            at->second.push_back(&*found);
            if (found->parent == next) break;
            next = found->parent;
        }
        return at->second;
    }
    using Associations = std::map<std::pair<std::string, std::string>, const AssociationSpec*>;
    const Associations& associations() {
        if (associations_.empty()) {
            for (const AssociationSpec& one : spec_.associations)
                associations_.insert_or_assign({one.account, one.user}, &one);
        }
        return associations_;
    }

    const ClusterState& state_;
    const ClusterSpec& spec_;
    std::map<std::string, Accounts> above_;
    Associations associations_;
    std::map<std::string, TresLimit> resolved_;                      // By TRES.
    std::map<std::pair<std::string, std::string>, Watched> limits_;  // By holder and what.
};

}  // namespace

std::optional<std::string> check_limits(const ClusterState& state, Time now) {
    if (!state.quota().enforced()) return std::nullopt;
    std::vector<Taker> takers;
    const CheckedLoans loans(state);
    for (const JobId id : state.index().holding()) {
        Taker run = taker_of_run(state, loans, *state.find_job(id), now);
        if (run.end > now) takers.push_back(std::move(run));
    }
    for (const auto& [id, planned] : state.schedule().planned_starts())
        takers.push_back(taker_of_planned(state, *state.find_job(id), planned, now));
    LimitChecking checking(state);
    for (const Taker& one : takers) checking.add(one);
    return checking.first_wrong();
}

}  // namespace berth
