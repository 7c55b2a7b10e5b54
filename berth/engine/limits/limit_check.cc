#include "berth/engine/limits/limit_check.h"

#include "berth/base/size_text.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "berth/policy/tres.h"

namespace berth {
namespace {

using R = PendingReason;

// What the job asks for, as limits count it.
struct Asked {
    std::int64_t nodes = 0, cpus = 0, memory = 0;  // Memory in MiB.
    std::vector<std::pair<DimensionSet, std::int64_t>> gres;
    Resources amount;  // The same, for billing. GRES of any type count as the first type.
};

// The dimensions of each GRES that is allocated whole: "gpu" stands for all its types.
std::vector<DimensionSet> gres_by_name(const ClusterSpec& spec) {
    std::map<std::string_view, DimensionSet> by_name;
    for (std::uint32_t d = kMemoryDimension.value() + 1; d < spec.dimensions.size(); ++d) {
        const std::string& name = spec.dimensions.at(DimensionId(d)).name;
        if (!is_share_name(name)) by_name[name] |= dimension_bit(DimensionId(d));
    }
    std::vector<DimensionSet> sets;
    sets.reserve(by_name.size());
    for (const auto& [name, set] : by_name) sets.push_back(set);
    return sets;
}

std::int64_t amount_in(const Resources& amount, DimensionSet set) {
    std::int64_t sum = 0;
    for (; set != 0; set &= set - 1) {
        sum += amount[DimensionId(static_cast<std::uint32_t>(std::countr_zero(set)))];
    }
    return sum;
}

// An exclusive job holds its nodes whole, whatever it asks for: at least as much as the smallest
// nodes that it may have.
void add_whole_nodes(const ClusterSpec& spec, const Demand& demand, Asked& asked) {
    const std::vector<DimensionSet> names = gres_by_name(spec);
    std::int64_t least = INT64_MAX;
    std::vector<std::int64_t> least_gres(names.size(), INT64_MAX);
    for (const BitSet& choice : demand.choices) {
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            least = std::min<std::int64_t>(least, spec.nodes[n].cpus());
            for (std::size_t i = 0; i < names.size(); ++i) {
                least_gres[i] =
                    std::min(least_gres[i], amount_in(spec.nodes[n].capacity, names[i]));
            }
        }
    }
    if (least == INT64_MAX) return;
    asked.cpus = std::max(asked.cpus, least * asked.nodes);
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::int64_t more = least_gres[i] * asked.nodes;
        for (const auto& [dimensions, count] : asked.gres) {
            if ((dimensions & ~names[i]) == 0) more -= count;
        }
        if (more <= 0) continue;
        asked.gres.emplace_back(names[i], more);
        const auto first = static_cast<std::uint32_t>(std::countr_zero(names[i]));
        asked.amount[DimensionId(first)] += more;
    }
}

Asked asked_by(const ClusterSpec& spec, const Demand& demand) {
    Asked asked{.nodes = demand.nodes_min};
    const std::int64_t tasks =
        demand.tasks ? *demand.tasks : std::int64_t{demand.nodes_min} * demand.tasks_per_node;
    asked.cpus = tasks * demand.cpus_per_task;
    const std::int64_t times = demand.memory_rule == MemoryRule::per_cpu ? asked.cpus : asked.nodes;
    const bool counted =
        demand.memory_rule == MemoryRule::per_cpu || demand.memory_rule == MemoryRule::per_node;
    if (counted) asked.memory = (demand.memory.count() >> 20) * times;
    const auto add = [&](const std::vector<GresDemand>& demands, std::int64_t factor) {
        for (const GresDemand& one : demands) {
            asked.gres.emplace_back(one.dimensions, one.count * factor);
            if (one.dimensions == 0) continue;
            const auto first = static_cast<std::uint32_t>(std::countr_zero(one.dimensions));
            asked.amount[DimensionId(first)] += one.count * factor;
        }
    };
    add(demand.gres_per_node, asked.nodes);
    add(demand.gres_per_task, tasks);
    add(demand.gres_total, 1);
    if (demand.exclusive) add_whole_nodes(spec, demand, asked);
    asked.amount.set_cpu(cores(asked.cpus));
    asked.amount.set_memory(Bytes(asked.memory << 20));
    return asked;
}

DimensionSet dimensions_named(const ClusterSpec& spec, std::string_view gres) {
    const std::size_t colon = gres.find(':');
    DimensionSet set = 0;
    for (const DimensionId d : spec.dimensions.of_name(gres.substr(0, colon))) {
        const bool meant =
            colon == std::string_view::npos || spec.dimensions.at(d).type == gres.substr(colon + 1);
        if (meant) set |= dimension_bit(d);
    }
    return set;
}

class Checking {
public:
    Checking(const ClusterState& state, const Job& job, const Demand& demand, bool alone,
             const LimitHolders* holders = nullptr)
        : state_(state),
          holders_(holders),
          spec_(state.spec()),
          job_(job),
          demand_(demand),
          asked_(asked_by(spec_, demand)),
          alone_(alone) {}

    std::optional<Excess> of_start() {
        if (const QosSpec* qos = qos_of_job()) check_qos(*qos);
        check_associations();
        return found_;
    }
    std::vector<Excess> all_of_start() {
        std::vector<Excess> all;
        all_ = &all;
        of_start();
        return all;
    }
    std::optional<Excess> of_submission() {
        submitting_ = true;
        const QosSpec* qos = qos_of_job();
        if (qos != nullptr) check_submitted_of_qos(qos->limits, "qos " + qos->name);
        check_associations();
        if (found_ || qos == nullptr || !qos->deny_on_limit) return found_;
        return Checking(state_, job_, demand_, true).of_start();
    }

private:
    const QosSpec* qos_of_job() const {
        return job_.qos.index() < spec_.qos.size() ? &spec_.qos[job_.qos.index()] : nullptr;
    }

    void note(R reason, const std::string& holder, std::string what, std::int64_t asked,
              std::int64_t used, std::int64_t most, bool at_least = false) {
        if (found_) return;
        Excess excess{reason, holder, std::move(what), asked, used, most, at_least};
        if (all_ != nullptr) {
            all_->push_back(std::move(excess));
        } else {
            found_ = std::move(excess);
        }
    }

    // Limits on the number of running or submitted jobs.
    void check_count(const std::optional<std::uint32_t>& most, R reason, const std::string& holder,
                     std::int64_t used, std::string_view what, std::int64_t more = 1) {
        if (!most || found_ || used + more <= std::int64_t{*most}) return;
        note(reason, holder, std::string(what), more, used, *most);
    }

    std::int64_t asked_of(std::string_view tres) const {
        if (tres == "cpu") return asked_.cpus;
        if (tres == "mem") return asked_.memory;
        if (tres == "node") return asked_.nodes;
        if (tres == "billing") {
            return billing_of(spec_, job_.partition, {asked_.nodes, asked_.amount}).whole;
        }
        std::int64_t sum = 0;
        if (tres.starts_with("license/")) {
            for (const LicenseCount& one : demand_.licenses.counts) {
                if (one.name == tres.substr(8)) sum += one.count;
            }
            return sum;
        }
        const DimensionSet meant = dimensions_named(spec_, tres.substr(5));
        for (const auto& [dimensions, count] : asked_.gres) {
            if (dimensions != 0 && (dimensions & ~meant) == 0) sum += count;
        }
        return sum;
    }

    std::int64_t used_of(std::string_view tres, const LimitUse& use) const {
        if (tres == "cpu") return use.amount.cpu().count() / 1000;
        if (tres == "mem") return use.amount.memory().count() >> 20;
        if (tres == "node") return use.nodes;
        if (tres == "billing") {
            return billing_of(spec_, job_.partition, {use.nodes, use.amount}).whole;
        }
        if (tres.starts_with("license/")) {
            const auto known = use.licenses.find(std::string(tres.substr(8)));
            return known == use.licenses.end() ? 0 : known->second;
        }
        std::int64_t sum = 0;
        const DimensionSet meant = dimensions_named(spec_, tres.substr(5));
        for (std::uint32_t d = 0; d < spec_.dimensions.size(); ++d) {
            if ((meant & dimension_bit(DimensionId(d))) != 0) sum += use.amount[DimensionId(d)];
        }
        return sum;
    }

    // `over`: limits of the QOS. Those of the same kind override the ones checked here.
    void check_tres(const TresLimits& most, R block, const std::string& holder, const LimitUse& use,
                    const TresLimits* over = nullptr) {
        for (const auto& [tres, count] : most) {
            if (found_ || is_over(over, tres)) continue;
            const std::int64_t asked = asked_of(tres), used = alone_ ? 0 : used_of(tres, use);
            if (asked == 0 || asked + used <= count) continue;
            note(reason_for(block, tres), holder, tres, asked, used, count);
        }
    }

    static bool is_over(const TresLimits* over, const std::string& tres) {
        return over != nullptr &&
               std::ranges::any_of(*over, [&](const auto& entry) { return entry.first == tres; });
    }

    // Limits per node: the request spread evenly over the nodes.
    void check_per_node(const TresLimits& most, R block, const std::string& holder,
                        const TresLimits* over = nullptr) {
        for (const auto& [tres, count] : most) {
            if (found_ || is_over(over, tres) || tres == "node") continue;
            const std::int64_t nodes = std::max<std::int64_t>(1, asked_.nodes);
            const std::int64_t asked = (asked_of(tres) + nodes - 1) / nodes;
            if (asked > count)
                note(reason_for(block, tres), holder, tres + " per node", asked, 0, count);
        }
    }

    void check_minutes(const TresLimits& most, R block, const std::string& holder,
                       const TresLimits* over = nullptr) {
        const std::int64_t minutes = job_.time_limit == Duration::max()
                                         ? INT64_MAX
                                         : job_.time_limit / std::chrono::minutes(1);
        for (const auto& [tres, count] : most) {
            const std::int64_t asked = asked_of(tres);
            if (found_ || is_over(over, tres) || asked == 0) continue;
            if (minutes <= count / asked) continue;
            const bool endless = minutes > INT64_MAX / std::max<std::int64_t>(1, asked);
            note(reason_for(block, tres), holder, tres + " minutes",
                 endless ? INT64_MAX : asked * minutes, 0, count);
        }
    }

    void check_qos(const QosSpec& qos) {
        const Limits& limits = qos.limits;
        const std::string holder = "qos " + qos.name;
        const LimitUses& uses = state_.uses();
        for (const auto& [tres, least] : limits.min_tres_per_job) {
            if (asked_of(tres) >= least) continue;
            note(reason_for(R::qos_min, tres), holder, tres, asked_of(tres), 0, least, true);
        }
        check_per_node(limits.max_tres_per_node, R::qos_max_node, holder);
        check_tres(limits.max_tres_per_job, R::qos_max_job, holder, {});
        check_minutes(limits.max_tres_minutes_per_job, R::qos_max_minutes, holder);
        const bool of_user = limits.max_jobs || !limits.max_tres_per_user.empty();
        if (of_user && !found_) {
            const LimitUse use = alone_ ? LimitUse{} : uses.of_qos_user(job_.qos, job_.owner->user);
            const std::string who = holder + " for user " + job_.owner->user;
            check_count(limits.max_jobs, R::qos_max_jobs_user, who, use.running, "running jobs");
            check_tres(limits.max_tres_per_user, R::qos_max_user, who, use);
        }
        const bool of_account = limits.max_jobs_per_account || !limits.max_tres_per_account.empty();
        if (of_account && !found_) {
            const LimitUse use =
                alone_ ? LimitUse{} : uses.of_qos_account(job_.qos, job_.spec.account);
            const std::string who = holder + " for account " + job_.spec.account;
            check_count(limits.max_jobs_per_account, R::qos_max_jobs_account, who, use.running,
                        "running jobs");
            check_tres(limits.max_tres_per_account, R::qos_max_account, who, use);
        }
        if (found_ || (!limits.group_jobs && limits.group_tres.empty())) return;
        const LimitUse use = alone_ ? LimitUse{} : uses.of_qos(job_.qos);
        check_count(limits.group_jobs, R::qos_grp_jobs, holder, use.running, "running jobs");
        check_tres(limits.group_tres, R::qos_grp, holder, use);
    }

    std::int64_t tasks() const {
        return job_.spec.array ? static_cast<std::int64_t>(job_.spec.array->tasks.size()) : 1;
    }

    void check_submitted_of_qos(const Limits& limits, const std::string& holder) {
        const LimitUses& uses = state_.uses();
        if (limits.max_submitted) {
            check_count(limits.max_submitted, R::qos_max_submit_user,
                        holder + " for user " + job_.owner->user,
                        uses.of_qos_user(job_.qos, job_.owner->user).submitted, "submitted jobs",
                        tasks());
        }
        if (limits.max_submitted_per_account) {
            check_count(limits.max_submitted_per_account, R::qos_max_submit_account,
                        holder + " for account " + job_.spec.account,
                        uses.of_qos_account(job_.qos, job_.spec.account).submitted,
                        "submitted jobs", tasks());
        }
        if (limits.group_submitted) {
            check_count(limits.group_submitted, R::qos_grp_submit, holder,
                        uses.of_qos(job_.qos).submitted, "submitted jobs", tasks());
        }
    }

    const AssociationSpec* own_association() const {
        const std::string &account = job_.spec.account, &user = job_.owner->user;
        if (holders_ != nullptr) return holders_->association(account, user);
        const auto own = std::ranges::find_if(spec_.associations, [&](const auto& one) {
            return one.account == account && one.user == user;
        });
        return own == spec_.associations.end() ? nullptr : &*own;
    }

    const AccountSpec* find_account(const std::string& name) const {
        if (holders_ != nullptr) return holders_->account(name);
        const auto known = std::ranges::find(spec_.accounts, name, &AccountSpec::name);
        return known == spec_.accounts.end() ? nullptr : &*known;
    }

    // From the user's own association up to the root. Per-user limits come from the first
    // association that sets them; group limits apply at every level.
    void check_associations() {
        const QosSpec* qos = qos_of_job();
        const Limits none;
        const Limits& over = qos == nullptr ? none : qos->limits;
        Limits nearest;  // Per-user limits met first on the way up.
        std::string nearest_holder =
            "user " + job_.owner->user + " in account " + job_.spec.account;
        if (const AssociationSpec* const own = own_association()) {
            nearest = own->limits;
            check_group(own->limits, over, nearest_holder,
                        [&] { return state_.uses().of_user(own->account, own->user); });
        }
        std::string account = job_.spec.account;
        for (std::size_t depth = 0; depth < 64 && !account.empty() && !found_; ++depth) {
            const AccountSpec* const known = find_account(account);
            if (known == nullptr) break;
            inherit(nearest, known->limits);
            check_group(known->limits, over, "account " + account,
                        [&] { return state_.uses().of_accounts(beneath(known->name)); });
            account = known->parent;
        }
        check_nearest(nearest, over, nearest_holder);
    }

    template <class Use>
    void check_group(const Limits& limits, const Limits& over, const std::string& holder, Use use) {
        if (found_) return;
        if (submitting_) {
            if (!limits.group_submitted || over.group_submitted) return;
            return check_count(limits.group_submitted, R::assoc_grp_submit, holder, use().submitted,
                               "submitted jobs", tasks());
        }
        if (!limits.group_jobs && limits.group_tres.empty()) return;
        const LimitUse now = alone_ ? LimitUse{} : use();
        if (!over.group_jobs) {
            check_count(limits.group_jobs, R::assoc_grp_jobs, holder, now.running, "running jobs");
        }
        check_tres(limits.group_tres, R::assoc_grp, holder, now, &over.group_tres);
    }

    void check_nearest(const Limits& limits, const Limits& over, const std::string& holder) {
        const auto own = [&] { return state_.uses().of_user(job_.spec.account, job_.owner->user); };
        if (submitting_) {
            if (!limits.max_submitted || over.max_submitted) return;
            return check_count(limits.max_submitted, R::assoc_max_submit, holder, own().submitted,
                               "submitted jobs", tasks());
        }
        check_per_node(limits.max_tres_per_node, R::assoc_max_node, holder,
                       &over.max_tres_per_node);
        check_tres(limits.max_tres_per_job, R::assoc_max_job, holder, {}, &over.max_tres_per_job);
        check_minutes(limits.max_tres_minutes_per_job, R::assoc_max_minutes, holder,
                      &over.max_tres_minutes_per_job);
        if (limits.max_jobs && !over.max_jobs && !found_) {
            check_count(limits.max_jobs, R::assoc_max_jobs, holder, alone_ ? 0 : own().running,
                        "running jobs");
        }
        const QosSpec* qos = qos_of_job();
        const bool by_qos = qos != nullptr && qos->max_wall;
        if (limits.max_wall && !by_qos && job_.time_limit > *limits.max_wall) {
            constexpr auto kMinute = std::chrono::minutes(1);
            const bool endless = job_.time_limit == Duration::max();
            note(R::assoc_max_wall, holder, "minutes", endless ? -1 : job_.time_limit / kMinute, 0,
                 *limits.max_wall / kMinute);
        }
    }

    static void inherit(Limits& nearest, const Limits& above) {
        const auto each = [](TresLimits& own, const TresLimits& others) {
            for (const auto& entry : others) {
                if (!is_over(&own, entry.first)) own.push_back(entry);
            }
        };
        each(nearest.max_tres_per_job, above.max_tres_per_job);
        each(nearest.max_tres_per_node, above.max_tres_per_node);
        each(nearest.max_tres_minutes_per_job, above.max_tres_minutes_per_job);
        if (!nearest.max_jobs) nearest.max_jobs = above.max_jobs;
        if (!nearest.max_submitted) nearest.max_submitted = above.max_submitted;
        if (!nearest.max_wall) nearest.max_wall = above.max_wall;
    }

    // The account and all its descendants.
    std::vector<std::string> beneath(const std::string& account) const {
        std::vector<std::string> names = {account};
        for (std::size_t i = 0; i < names.size(); ++i) {
            for (const AccountSpec& one : spec_.accounts) {
                if (one.parent == names[i] && one.name != names[i]) names.push_back(one.name);
            }
            if (names.size() > spec_.accounts.size()) break;  // A cycle, which is never admitted.
        }
        return names;
    }

    const ClusterState& state_;
    const LimitHolders* holders_;
    const ClusterSpec& spec_;
    const Job& job_;
    const Demand& demand_;
    Asked asked_;
    bool alone_;  // As if nothing else ran.
    bool submitting_ = false;
    std::optional<Excess> found_;
    std::vector<Excess>* all_ = nullptr;  // If set, collects all of them.
};

}  // namespace

LimitHolders::LimitHolders(const ClusterSpec& spec) {
    for (const AssociationSpec& one : spec.associations) {
        if (!one.limits.none()) associations_.push_back(&one);
    }
    for (const AccountSpec& one : spec.accounts) accounts_.push_back(&one);
    std::ranges::stable_sort(associations_, {}, [](const AssociationSpec* one) {
        return std::tie(one->account, one->user);
    });
    std::ranges::stable_sort(accounts_, {},
                             [](const AccountSpec* one) { return std::tie(one->name); });
}

const AssociationSpec* LimitHolders::association(const std::string& account,
                                                 const std::string& user) const {
    const auto key = [](const AssociationSpec* one) { return std::tie(one->account, one->user); };
    const auto at = std::ranges::lower_bound(associations_, std::tie(account, user), {}, key);
    return at != associations_.end() && key(*at) == std::tie(account, user) ? *at : nullptr;
}

const AccountSpec* LimitHolders::account(const std::string& name) const {
    const auto key = [](const AccountSpec* one) { return std::tie(one->name); };
    const auto at = std::ranges::lower_bound(accounts_, std::tie(name), {}, key);
    return at != accounts_.end() && (*at)->name == name ? *at : nullptr;
}

std::optional<Excess> limit_on_start(const ClusterState& state, const Job& job,
                                     const Demand& demand, const LimitHolders* holders) {
    if (!state.has_limits()) return std::nullopt;
    return Checking(state, job, demand, false, holders).of_start();
}

std::vector<Excess> limits_on_start(const ClusterState& state, const Job& job,
                                    const Demand& demand) {
    if (!state.has_limits()) return {};
    return Checking(state, job, demand, false).all_of_start();
}

std::optional<Excess> limit_on_submission(const ClusterState& state, const Job& job,
                                          const Demand& demand) {
    if (!state.has_limits()) return std::nullopt;
    return Checking(state, job, demand, false).of_submission();
}

std::string in_words(const Excess& excess) {
    const bool is_memory = excess.what == "mem" || excess.what == "mem per node";  // In MiB.
    const auto number = [&](std::int64_t n) {
        if (n < 0 || n == INT64_MAX) return std::string("no end of them");
        return is_memory ? format_size(mib(n)) : std::to_string(n);
    };
    if (excess.at_least) {
        return excess.holder + " is for jobs of at least " + number(excess.most) + " " +
               excess.what + "; it asks for " + number(excess.asked);
    }
    std::string text = excess.holder + " allows " + number(excess.most) + " " + excess.what +
                       "; it asks for " + number(excess.asked);
    if (excess.used > 0) text += ", and " + number(excess.used) + " are in use";
    return text;
}

}  // namespace berth
