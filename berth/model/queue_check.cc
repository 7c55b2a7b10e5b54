#include "berth/model/queue_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "berth/base/name_index.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/flavor_of.h"
#include "berth/model/unions.h"

namespace berth {
namespace {

std::optional<std::int64_t> count_of(const TresLimits& counts, const std::string& tres) {
    const auto found = std::ranges::find(counts, tres, &TresLimits::value_type::first);
    return found == counts.end() ? std::nullopt : std::optional(found->second);
}

std::string number_of(const std::string& tres, std::int64_t count) {
    return kind_of_tres(tres) == TresKind::mem ? format_size(mib(count)) : std::to_string(count);
}

const auto kNameOf = [](const auto& one) { return std::string_view(one.name); };

class Checking {
public:
    explicit Checking(const ClusterSpec& spec)
        : spec_(spec), accounts_(spec.accounts, kNameOf), queues_(spec.queues, kNameOf) {
        for (const AccountSpec& one : spec.accounts) {
            if (one.name != one.parent) below_[one.parent].push_back(&one);
        }
    }

    std::vector<QueueFault> run() {
        for (const QueueSpec& queue : spec_.queues) {
            check_account(queue);
            check_tres(queue);
            check_bounds(queue);
            check_preemptors(queue);
            check_lenders(queue);
        }
        check_lists_of_lenders();
        for (const QueueSpec& queue : spec_.queues) {
            check_sums(
                queue.name, queue.name,
                [&](const std::string& tres) { return count_of(queue.nominal, tres); },
                "the nominal quota of queue " + queue.name);
        }
        check_sums(
            "root", "", [&](const std::string& tres) { return capacity(tres); },
            "what the cluster has");
        return std::move(faults_);
    }

private:
    void error(const QueueSpec& queue, const std::string& option, const std::string& text) {
        faults_.push_back({.queue = queue.name, .option = option, .text = text});
    }
    void warning(const std::string& queue, const std::string& text) {
        faults_.push_back({.queue = queue, .option = {}, .is_error = false, .text = text});
    }
    bool is_account(const std::string& name) const { return accounts_.contains(name); }
    const QueueSpec* find_queue(const std::string& name) const {
        const auto* const found = queues_.find(name);
        return found == nullptr ? nullptr : &spec_.queues[found->first];
    }
    // All nodes are read once for each TRES, and not for each queue.
    std::optional<std::int64_t> capacity(const std::string& tres) {
        const auto [found, is_new] = capacities_.try_emplace(tres);
        if (is_new) found->second = cluster_capacity(spec_, tres);
        return found->second;
    }

    // ---- One queue.
    void check_account(const QueueSpec& queue) {
        if (is_account(queue.name)) return;
        warning(queue.name, "queue " + queue.name +
                                " has no account of that name among accounts; its quota counts "
                                "once sacctmgr adds it");
    }

    void check_tres(const QueueSpec& queue) {
        const auto check = [&](const char* option, const TresLimits& counts) {
            for (const auto& [tres, count] : counts) {
                if (capacity(tres)) continue;
                error(queue, option,
                      std::string(option) + ": " + to_text(counts) + " names " + tres +
                          ", which this cluster does not have");
            }
        };
        check("nominal", queue.nominal);
        check("guarantee", queue.guarantee);
        check("limit", queue.limit);
        check("lend_max", queue.lend_max);
        check("borrow_max", queue.borrow_max);
    }

    void check_bounds(const QueueSpec& queue) {
        const std::string name = "queue " + queue.name + ": ";
        const auto at_most = [&](const char* what, const TresLimits& some, const char* bound,
                                 const TresLimits& most) {
            for (const auto& [tres, count] : some) {
                const auto top = count_of(most, tres);
                if (!top || count <= *top) continue;
                std::string text = name + "its ";
                text.append(what).append(" of ").append(tres).append(", ");
                text.append(number_of(tres, count)).append(", is above its ").append(bound);
                error(queue, "", text.append(", ").append(number_of(tres, *top)));
            }
        };
        at_most("guarantee", queue.guarantee, "nominal quota", queue.nominal);
        at_most("guarantee", queue.guarantee, "limit", queue.limit);
        at_most("nominal quota", queue.nominal, "limit", queue.limit);
        at_most("lend_max", queue.lend_max, "nominal quota", queue.nominal);
        const auto needs_nominal = [&](const char* what, const TresLimits& some) {
            for (const auto& [tres, count] : some) {
                if (count_of(queue.nominal, tres)) continue;
                std::string text = name + what;
                error(queue, "",
                      text.append(" of ").append(tres).append(" needs a nominal quota of it"));
            }
        };
        needs_nominal("guarantee", queue.guarantee);
        needs_nominal("lend_max", queue.lend_max);
        needs_nominal("borrow_max", queue.borrow_max);
        if (queue.borrow_ratio_max && queue.nominal.empty())
            error(queue, "", name + "max_borrow_ratio needs a nominal quota");
    }

    void check_preemptors(const QueueSpec& queue) {
        for (const std::string& name : queue.allow_preempt_from) {
            if (is_account(name) || find_queue(name) != nullptr) continue;
            error(queue, "allow_preempt_from",
                  "allow_preempt_from: there is no queue and no account " + name);
        }
    }

    void check_lenders(const QueueSpec& queue) {
        if (queue.lenders.empty()) return;
        if (const std::string top = topmost_above(queue.name); top != queue.name) {
            error(queue, "lenders",
                  "lenders: queue " + queue.name + " shares the quota of " + top +
                      ", which alone can name lenders");
        }
        if (queue.nominal.empty())
            error(queue, "", "queue " + queue.name + ": lenders need a nominal quota to add to");
        for (const std::string& name : queue.lenders) {
            const std::string lender = "lenders: " + name;
            if (!is_account(name) && find_queue(name) == nullptr) {
                error(queue, "lenders", "lenders: there is no queue and no account " + name);
            } else if (is_at_or_below(queue.name, name)) {
                error(queue, "lenders", lender + " is the queue itself or above it");
            } else if (is_at_or_below(name, queue.name)) {
                error(queue, "lenders", lender + " is below the queue, whose quota it shares");
            } else if (const std::string top = topmost_above(name); top != name) {
                error(queue, "lenders", lender + " shares the quota of " + top + ": name that");
            }
        }
    }
    bool is_at_or_below(std::string name, const std::string& above) const {
        for (; name != above; name = parent_of(name)) {
            if (name.empty()) return false;
        }
        return true;
    }
    std::string topmost_above(std::string name) const {
        while (!parent_of(name).empty()) name = parent_of(name);
        return name;
    }
    std::string parent_of(const std::string& name) const {
        const auto* const found = accounts_.find(name);
        if (found == nullptr) return {};
        const AccountSpec& account = spec_.accounts[found->first];
        return account.parent == "root" ? std::string() : account.parent;
    }
    void check_lists_of_lenders() {
        std::set<std::vector<std::string>> lists;
        for (const QueueSpec& queue : spec_.queues) {
            if (queue.lenders.empty()) continue;
            std::vector<std::string> list = queue.lenders;
            std::ranges::sort(list);
            list.erase(std::ranges::unique(list).begin(), list.end());
            lists.insert(std::move(list));
            if (unions_of(lists, kLenderUnionsMost)) continue;
            error(queue, "lenders",
                  "lenders: " + join(queue.lenders, ",") +
                      " overlaps with those of other queues in more than " +
                      std::to_string(kLenderUnionsMost) +
                      " ways: give queues that borrow of the same ones the same list");
            return;
        }
    }

    // ---- What queues have together.
    struct Sum {
        std::int64_t all = 0;
        std::string parts;  // "8 of a, 8 of b"
        std::string first;  // The first of these queues.
    };
    using Sums = std::map<std::string, Sum>;  // By TRES.

    // Of the queues right below; a queue that names no quota stands for those beneath it.
    Sums sum_below(const std::string& parent, TresLimits QueueSpec::* what) const {
        Sums sums;
        const auto below = below_.find(parent);
        if (below == below_.end()) return sums;
        for (const AccountSpec* const account : below->second) {
            const QueueSpec* const queue = find_queue(account->name);
            Sums own = sum_below(account->name, what);
            if (queue != nullptr) {
                for (const auto& [tres, count] : queue->*what) {
                    own[tres] = {count, number_of(tres, count) + " of " + account->name,
                                 account->name};
                }
            }
            for (const auto& [tres, sum] : own) {
                Sum& all = sums[tres];
                if (all.parts.empty()) all.first = sum.first;
                all.all += sum.all;
                all.parts += (all.parts.empty() ? "" : ", ") + sum.parts;
            }
        }
        return sums;
    }

    // `at`: the queue whose line names the fault; empty: the first of those that add up.
    template <class Most>
    void check_sums(const std::string& parent, const std::string& at, Most most_of,
                    const std::string& bound) {
        const auto each_above = [&](TresLimits QueueSpec::* what, auto say) {
            for (const auto& [tres, sum] : sum_below(parent, what)) {
                const auto most = most_of(tres);
                if (!most || sum.all <= *most) continue;
                std::string text = " of " + tres;
                text.append(" add up to ").append(number_of(tres, sum.all)).append(" (");
                text.append(sum.parts).append("), above ").append(bound).append(", ");
                say(at.empty() ? sum.first : at, text.append(number_of(tres, *most)));
            }
        };
        each_above(&QueueSpec::guarantee, [&](const std::string& queue, const std::string& sum) {
            faults_.push_back({.queue = queue, .option = {}, .text = "guarantees" + sum});
        });
        each_above(&QueueSpec::nominal, [&](const std::string& queue, const std::string& sum) {
            warning(queue, "nominal quotas" + sum + ": not all can be met at once");
        });
    }

    const ClusterSpec& spec_;
    const NameIndex<std::string_view> accounts_, queues_;
    std::map<std::string_view, std::vector<const AccountSpec*>> below_;  // By parent, in order.
    std::map<std::string, std::optional<std::int64_t>> capacities_;      // By TRES.
    std::vector<QueueFault> faults_;
};

}  // namespace

std::optional<std::int64_t> cluster_capacity(const ClusterSpec& spec, std::string_view tres) {
    if (tres.starts_with("license/")) {
        const auto found = std::ranges::find(spec.licenses, tres.substr(8), &LicenseSpec::name);
        return found == spec.licenses.end() ? std::nullopt
                                            : std::optional<std::int64_t>(found->total);
    }
    const auto flavor = flavor_in(spec.flavors, tres);
    const std::string_view base = tres.substr(0, tres.find(':'));
    if (!flavor && base != tres && !tres.starts_with("gres/")) return std::nullopt;
    std::vector<DimensionId> dimensions;
    if (tres.starts_with("gres/")) {
        const std::string gres(tres.substr(5)), name = gres.substr(0, gres.find(':'));
        for (const DimensionId d : spec.dimensions.of_name(name)) {
            if (flavor || gres == name ||
                spec.dimensions.at(d).type == gres.substr(name.size() + 1))
                dimensions.push_back(d);
        }
        if (dimensions.empty()) return std::nullopt;
    }
    std::int64_t sum = 0;
    for (const NodeSpec& node : spec.nodes) {
        if (flavor && flavor_of(spec, node) != flavor) continue;
        if (base == "node") ++sum;
        if (base == "cpu") sum += node.cpus();
        if (base == "mem") sum += node.capacity.memory().count() >> 20;
        for (const DimensionId d : dimensions) sum += node.capacity[d];
    }
    return sum;
}

std::vector<QueueFault> find_queue_faults(const ClusterSpec& spec) {
    if (spec.queues.empty()) return {};
    return Checking(spec).run();
}

}  // namespace berth
