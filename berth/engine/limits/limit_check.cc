#include "berth/engine/limits/limit_check.h"

#include <algorithm>

#include "berth/base/size_text.h"
#include "berth/engine/limits/limit_terms.h"
#include "berth/engine/state/job_queries.h"
#include "berth/policy/tres.h"

namespace berth {
namespace {

using R = PendingReason;

const QuotaLimits& no_limits() {
    static const QuotaLimits none;
    return none;
}

const QuotaUse& nothing() {
    static const QuotaUse none;
    return none;
}

// The reason that the block of reasons has for this kind of TRES; see reason_for().
R reason_of(R block, const TresLimit& limit) {
    return static_cast<R>(static_cast<std::size_t>(block) + static_cast<std::size_t>(limit.kind));
}

// What a holder uses of what the limit counts.
std::int64_t used_of(const ClusterSpec& spec, PartitionId partition, const TresLimit& limit,
                     const QuotaUse& use) {
    if (limit.kind != TresKind::billing) return amount_of(limit, *use.held);
    return billing_of(spec, partition, {use.held->nodes, use.held->amount}).whole;
}

// Whether a limit of the QOS on the same TRES overrides it.
bool is_replaced(const TresLimitList* over, const TresLimit& limit) {
    return over != nullptr && is_overridden(*over, limit);
}

// What a check found. Texts are made only where somebody reads them.
class Excesses {
public:
    enum class Wanted : std::uint8_t { first_reason, first, all };
    explicit Excesses(Wanted wanted) : wanted_(wanted) {}

    bool done() const { return wanted_ != Wanted::all && reason_ != R::none; }
    template <class Holder>
    void add(Excess excess, const Holder& holder, std::string_view what) {
        if (done()) return;
        reason_ = excess.reason;
        of_quota_ = excess.nominal.has_value();
        if (wanted_ == Wanted::first_reason) return;
        excess.holder = holder();
        excess.what = what;
        found_.push_back(std::move(excess));
    }
    R reason() const { return reason_; }  // Of the last one; none: there is none.
    bool of_quota() const { return of_quota_; }
    std::vector<Excess> take() { return std::move(found_); }

private:
    Wanted wanted_;
    R reason_ = R::none;
    bool of_quota_ = false;
    std::vector<Excess> found_;
};

class Checking {
public:
    Checking(const ClusterState& state, const Job& job, const Demand& demand,
             const LimitRequest& asked, Excesses& excesses, bool alone = false)
        : quota_(state.quota()),
          spec_(state.spec()),
          job_(job),
          demand_(demand),
          asked_(asked),
          place_(place_in_quota(state, job)),
          qos_(quota_.qos_limits(job.qos, job.partition)),
          over_(qos_.over == nullptr ? no_limits() : *qos_.over),
          excesses_(excesses),
          alone_(alone) {}

    void check_start() {
        for (const auto& [qos, limits] : qos_.each) {
            if (limits != nullptr) check_qos(qos, *limits);
        }
        each_group([&](const QuotaLimits& limits, const QuotaUse& use, const auto& holder,
                       QuotaTree::Index) { check_group(limits, use, holder); });
        if (const QuotaLimits* nearest = quota_.nearest_limits(place_)) check_nearest(*nearest);
        if (place_.account != QuotaTree::kNone) check_quotas();
    }

    // `moved`: see limit_on_submission().
    void check_submission(const ClusterState& state, const Job* moved) {
        for (const auto& [qos, limits] : qos_.each) {
            if (limits != nullptr) check_submitted_of_qos(qos, *limits, moved);
        }
        each_group([&](const QuotaLimits& limits, const QuotaUse& use, const auto& holder,
                       QuotaTree::Index account) {
            if (over_.group_submitted) return;
            if (moved != nullptr && is_counted_in(state, account, *moved)) return;
            check_count(limits.group_submitted, R::assoc_grp_submit, use.submitted, tasks(),
                        "submitted jobs", holder);
        });
        const QuotaLimits* const nearest = quota_.nearest_limits(place_);
        if (nearest == nullptr || over_.replaces_max_submitted()) return;
        check_count(nearest->max_submitted, R::assoc_max_submit,
                    quota_.use_of_leaf(place_.leaf).submitted, tasks(), "submitted jobs",
                    [&] { return own_name(); });
    }

private:
    // ---- Holders.
    std::string own_name() const {
        return "user " + job_.owner->user + " in account " + job_.spec.account;
    }
    std::string name_of(QosId qos) const { return "qos " + spec_.qos[qos.index()].name; }
    std::string user_of(QosId qos) const { return name_of(qos) + " for user " + job_.owner->user; }
    std::string account_of(QosId qos) const {
        return name_of(qos) + " for account " + job_.spec.account;
    }
    // The use of a holder; nothing, if the job is checked as if it ran alone.
    const QuotaUse& in_use(const QuotaUse& use) const { return alone_ ? nothing() : use; }

    // Visits the holders of group limits: the association (kNone), then each account up to the
    // root.
    template <class Visit>
    void each_group(Visit visit) {
        if (place_.association != QuotaTree::kNone) {
            visit(
                *quota_.nearest_limits(place_), in_use(quota_.use_of_leaf(place_.leaf)),
                [&] { return own_name(); }, QuotaTree::kNone);
        }
        for (auto a = place_.account; a != QuotaTree::kNone && !excesses_.done();
             a = quota_.account(a).parent) {
            const QuotaLimits* const limits = quota_.account(a).limits;
            if (limits == nullptr) continue;
            visit(
                *limits, in_use(quota_.account(a).use),
                [&] { return "account " + spec_.accounts[a].name; }, a);
        }
    }

    // ---- Kinds of limits.
    std::int64_t asked_of(const TresLimit& limit) const { return asked_.of(limit, demand_); }
    std::int64_t tasks() const {
        return job_.spec.array ? static_cast<std::int64_t>(job_.spec.array->tasks.size()) : 1;
    }

    template <class Holder>
    void check_count(const std::optional<std::uint32_t>& most, R reason, std::int64_t used,
                     std::int64_t more, std::string_view what, const Holder& holder) {
        if (!most || used + more <= std::int64_t{*most}) return;
        excesses_.add({.reason = reason, .asked = more, .used = used, .most = *most}, holder, what);
    }
    template <class Holder>
    void check_running(const std::optional<std::uint32_t>& most, R reason, const QuotaUse& use,
                       const Holder& holder) {
        check_count(most, reason, use.running, 1, "running jobs", holder);
    }

    // `over`: limits of the QOS. Those on the same TRES override the ones checked here.
    template <class Holder>
    void check_tres(const TresLimitList& most, R block, const QuotaUse& use, const Holder& holder,
                    const TresLimitList* over = nullptr) {
        for (const TresLimit& limit : most) {
            if (excesses_.done() || is_replaced(over, limit)) continue;
            const std::int64_t asked = asked_of(limit);
            if (asked == 0) continue;
            const std::int64_t used = used_of(spec_, job_.partition, limit, use);
            if (asked + used <= limit.most) continue;
            excesses_.add({.reason = reason_of(block, limit),
                           .asked = asked,
                           .used = used,
                           .most = limit.most},
                          holder, limit.tres);
        }
    }

    // Limits per node: the request spread evenly over the nodes.
    template <class Holder>
    void check_per_node(const TresLimitList& most, R block, const Holder& holder,
                        const TresLimitList* over = nullptr) {
        for (const TresLimit& limit : most) {
            if (excesses_.done() || limit.kind == TresKind::node || is_replaced(over, limit))
                continue;
            const std::int64_t nodes = std::max<std::int64_t>(1, demand_.nodes_min);
            const std::int64_t asked = (asked_of(limit) + nodes - 1) / nodes;
            if (asked <= limit.most) continue;
            excesses_.add({.reason = reason_of(block, limit), .asked = asked, .most = limit.most},
                          holder, limit.tres + " per node");
        }
    }

    template <class Holder>
    void check_minutes(const TresLimitList& most, R block, const Holder& holder,
                       const TresLimitList* over = nullptr) {
        const bool endless = job_.time_limit == Duration::max();
        const std::int64_t minutes =
            endless ? INT64_MAX : job_.time_limit / std::chrono::minutes(1);
        for (const TresLimit& limit : most) {
            const std::int64_t asked = asked_of(limit);
            if (excesses_.done() || asked == 0 || is_replaced(over, limit)) continue;
            if (minutes <= limit.most / asked) continue;
            const bool beyond = minutes > INT64_MAX / asked;
            excesses_.add({.reason = reason_of(block, limit),
                           .asked = beyond ? INT64_MAX : asked * minutes,
                           .most = limit.most},
                          holder, limit.tres + " minutes");
        }
    }

    // ---- All limits of a QOS, in Slurm's order.
    void check_qos(QosId qos, const QuotaLimits& limits) {
        const auto holder = [&] { return name_of(qos); };
        for (const TresLimit& limit : limits.least_per_job) {
            const std::int64_t asked = asked_of(limit);
            if (asked >= limit.most) continue;
            excesses_.add({.reason = reason_of(R::qos_min, limit),
                           .asked = asked,
                           .most = limit.most,
                           .at_least = true},
                          holder, limit.tres);
        }
        check_per_node(limits.per_node, R::qos_max_node, holder);
        check_tres(limits.per_job, R::qos_max_job, nothing(), holder);
        check_minutes(limits.minutes_per_job, R::qos_max_minutes, holder);
        if (limits.limits_users() && !excesses_.done()) {
            const QuotaUse& use = in_use(quota_.use_of_qos(qos, place_).of_user);
            const auto who = [&] { return user_of(qos); };
            check_running(limits.max_jobs, R::qos_max_jobs_user, use, who);
            check_tres(limits.per_user, R::qos_max_user, use, who);
        }
        if (limits.limits_accounts() && !excesses_.done()) {
            const QuotaUse& use = in_use(quota_.use_of_qos(qos, place_).of_account);
            const auto who = [&] { return account_of(qos); };
            check_running(limits.max_jobs_per_account, R::qos_max_jobs_account, use, who);
            check_tres(limits.per_account, R::qos_max_account, use, who);
        }
        if (excesses_.done() || !limits.limits_all()) return;
        const QuotaUse& use = in_use(quota_.use_of_qos(qos, place_).all);
        check_running(limits.group_jobs, R::qos_grp_jobs, use, holder);
        check_tres(limits.group, R::qos_grp, use, holder);
    }

    void check_submitted_of_qos(QosId qos, const QuotaLimits& limits, const Job* moved) {
        constexpr std::string_view kWhat = "submitted jobs";
        const bool counted = moved != nullptr &&
                             (moved->qos == qos || quota_.partition_qos(moved->partition) == qos);
        if (!counted) {
            check_count(limits.max_submitted, R::qos_max_submit_user,
                        quota_.use_of_qos(qos, place_).of_user.submitted, tasks(), kWhat,
                        [&] { return user_of(qos); });
        }
        check_count(limits.max_submitted_per_account, R::qos_max_submit_account,
                    quota_.use_of_qos(qos, place_).of_account.submitted, tasks(), kWhat,
                    [&] { return account_of(qos); });
        if (counted) return;
        check_count(limits.group_submitted, R::qos_grp_submit,
                    quota_.use_of_qos(qos, place_).all.submitted, tasks(), kWhat,
                    [&] { return name_of(qos); });
    }

    // ---- Limits of associations.
    template <class Holder>
    void check_group(const QuotaLimits& limits, const QuotaUse& use, const Holder& holder) {
        if (!over_.group_jobs) check_running(limits.group_jobs, R::assoc_grp_jobs, use, holder);
        check_tres(limits.group, R::assoc_grp, use, holder, &over_.group);
    }

    // The limits of each user.
    void check_nearest(const QuotaLimits& limits) {
        const auto holder = [&] { return own_name(); };
        check_per_node(limits.per_node, R::assoc_max_node, holder, &over_.per_node);
        check_tres(limits.per_job, R::assoc_max_job, nothing(), holder, &over_.per_job);
        check_minutes(limits.minutes_per_job, R::assoc_max_minutes, holder, &over_.minutes_per_job);
        if (!over_.replaces_max_jobs() && !excesses_.done()) {
            check_running(limits.max_jobs, R::assoc_max_jobs,
                          in_use(quota_.use_of_leaf(place_.leaf)), holder);
        }
        const bool by_qos = wall_qos(spec_, job_.partition, job_.qos) != nullptr;
        if (!limits.max_wall || by_qos || job_.time_limit <= *limits.max_wall) return;
        constexpr auto kOne = std::chrono::minutes(1);
        const bool endless = job_.time_limit == Duration::max();
        excesses_.add({.reason = R::assoc_max_wall,
                       .asked = endless ? -1 : job_.time_limit / kOne,
                       .most = *limits.max_wall / kOne},
                      holder, "minutes");
    }

    // ---- Quotas of queues.
    void check_quotas() {
        const QueueQuotas& queues = quota_.queues();
        for (std::size_t i = 0; i < queues.tres().size() && !excesses_.done(); ++i) {
            const TresLimit& tres = queues.tres()[i];
            const std::int64_t asked = asked_of(tres);
            if (asked == 0) continue;
            const std::int64_t free =
                alone_ ? queues.most_of(place_.account, i) : queues.free_to(place_.account, i);
            if (asked <= free) continue;
            const QueueQuotas::Quota& quota = queues.of(place_.account, i);
            const std::int64_t used = alone_ ? 0 : quota.used;
            excesses_.add(
                {.reason = reason_of(R::assoc_grp, tres),
                 .asked = asked,
                 .used = used,
                 .most = used + free,
                 .nominal = quota.nominal.value_or(0)},
                [&] { return "queue " + job_.spec.account; }, tres.tres);
        }
    }

    const QuotaTree& quota_;
    const ClusterSpec& spec_;
    const Job& job_;
    const Demand& demand_;
    const LimitRequest& asked_;
    QuotaTree::Place place_;
    QuotaTree::QosLimits qos_;
    const QuotaLimits& over_;  // Of its QOS, or none.
    Excesses& excesses_;
    bool alone_;  // As if nothing else ran.
};

std::optional<Excess> first_of(Excesses& excesses) {
    std::vector<Excess> found = excesses.take();
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

// Whether a QOS of the job, or that of its partition, refuses what a limit would keep waiting.
bool denies_on_limit(const ClusterState& state, const Job& job) {
    const std::vector<QosSpec>& all = state.spec().qos;
    const auto denies = [&](QosId qos) {
        return qos.index() < all.size() && all[qos.index()].deny_on_limit;
    };
    const std::optional<QosId> other = state.quota().partition_qos(job.partition);
    return denies(job.qos) || (other && denies(*other));
}

}  // namespace

LimitReason limit_reason_on_start(const ClusterState& state, const Job& job, const Demand& demand,
                                  const LimitRequest& asked) {
    if (!state.quota().enforced()) return {};
    Excesses excesses(Excesses::Wanted::first_reason);
    Checking(state, job, demand, asked, excesses).check_start();
    return {excesses.reason(), excesses.of_quota()};  // Quotas are checked last.
}

bool may_start_alone(const ClusterState& state, const Job& job, const Demand& demand,
                     const LimitRequest& asked) {
    if (!state.quota().enforced()) return true;
    Excesses excesses(Excesses::Wanted::first_reason);
    Checking(state, job, demand, asked, excesses, true).check_start();
    return excesses.reason() == R::none;
}

std::vector<Excess> limits_on_start(const ClusterState& state, const Job& job,
                                    const Demand& demand) {
    if (!state.quota().enforced()) return {};
    const LimitRequest asked = limit_request_of(state, job.partition, demand);
    Excesses excesses(Excesses::Wanted::all);
    Checking(state, job, demand, asked, excesses).check_start();
    return excesses.take();
}

std::optional<Excess> limit_on_submission(const ClusterState& state, const Job& job,
                                          const Demand& demand, const Job* moved) {
    if (!state.quota().enforced()) return std::nullopt;
    const LimitRequest asked = limit_request_of(state, job.partition, demand);
    Excesses excesses(Excesses::Wanted::first);
    Checking(state, job, demand, asked, excesses).check_submission(state, moved);
    if (!excesses.done() && denies_on_limit(state, job))
        Checking(state, job, demand, asked, excesses, true).check_start();
    return first_of(excesses);
}

QueueAmounts queue_amounts_of(const QueueQuotas& queues, const Demand& demand,
                              const LimitRequest& asked) {
    QueueAmounts amounts;
    for (std::size_t i = 0; i < queues.tres().size(); ++i) {
        const std::int64_t amount = asked.of(queues.tres()[i], demand);
        if (amount > 0) amounts.emplace_back(i, amount);
    }
    return amounts;
}

QuotaStanding quota_standing(const QueueQuotas& queues, QueueQuotas::Index account,
                             const QueueAmounts& amounts) {
    if (account == QueueQuotas::kNone) return QuotaStanding::unbounded;
    QuotaStanding standing = QuotaStanding::unbounded;
    for (const auto& [tres, amount] : amounts) {
        if (queues.most_of(account, tres) == QueueQuotas::kUnlimited) continue;
        if (amount > queues.free_by_right(account, tres)) return QuotaStanding::beyond_right;
        standing = QuotaStanding::by_right;
    }
    return standing;
}

QuotaStanding quota_standing(const ClusterState& state, const Job& job, const Demand& demand,
                             const LimitRequest& asked) {
    const QueueQuotas& queues = state.quota().queues();
    if (queues.tres().empty()) return QuotaStanding::unbounded;
    return quota_standing(queues, place_in_quota(state, job).account,
                          queue_amounts_of(queues, demand, asked));
}

std::string untyped_under_quota(const ClusterState& state, const Job& job, const Demand& demand) {
    const QueueQuotas& queues = state.quota().queues();
    const QuotaTree::Index account = place_in_quota(state, job).account;
    if (account == QuotaTree::kNone) return {};
    for (std::size_t i = 0; i < queues.tres().size(); ++i) {
        const TresLimit& tres = queues.tres()[i];
        if (!tres.of_type || queues.most_of(account, i) == QueueQuotas::kUnlimited) continue;
        const auto may_be_this = [&](const GresDemand& one) {
            return (one.dimensions & tres.dimensions) != 0 &&
                   (one.dimensions & ~tres.dimensions) != 0;
        };
        for (const auto* gres :
             {&demand.gres_per_node, &demand.gres_per_task, &demand.gres_total}) {
            if (!std::ranges::any_of(*gres, may_be_this)) continue;
            return tres.tres.substr(0, tres.tres.find(':'));
        }
    }
    return {};
}

std::string in_words(const Excess& excess) {
    const bool is_memory =  // In MiB.
        excess.what == "mem per node" || kind_of_tres(excess.what) == TresKind::mem;
    const auto number = [&](std::int64_t n) {
        if (n < 0 || n == INT64_MAX) return std::string("no end of them");
        return is_memory ? format_size(mib(n)) : std::to_string(n);
    };
    if (excess.at_least) {
        return excess.holder + " is for jobs of at least " + number(excess.most) + " " +
               excess.what + "; it asks for " + number(excess.asked);
    }
    std::string text = excess.holder;
    if (excess.nominal) {
        text += " may use " + number(excess.most) + " " + excess.what + " now, " +
                number(*excess.nominal) + " of them by right";
    } else {
        text += " allows " + number(excess.most) + " " + excess.what;
    }
    if (excess.in_all) return text + ", and " + number(excess.used) + " have been used";
    text += "; it asks for " + number(excess.asked);
    if (excess.used > 0) text += ", and " + number(excess.used) + " are in use";
    return text;
}

}  // namespace berth
