#include "berth/config/queues.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/micro.h"

namespace berth::config {
namespace {

std::optional<std::int64_t> count_of(const TresLimits& counts, const std::string& tres) {
    const auto found = std::ranges::find(counts, tres, &TresLimits::value_type::first);
    return found == counts.end() ? std::nullopt : std::optional(found->second);
}

std::string number_of(const std::string& tres, std::int64_t count) {
    return tres == "mem" ? format_size(mib(count)) : std::to_string(count);
}

// How much of it all nodes have, or the cluster of a license. nullopt: there is no such TRES.
std::optional<std::int64_t> capacity_of(const ClusterSpec& spec, const std::string& tres) {
    if (tres.starts_with("license/")) {
        const auto found = std::ranges::find(spec.licenses, tres.substr(8), &LicenseSpec::name);
        return found == spec.licenses.end() ? std::nullopt
                                            : std::optional<std::int64_t>(found->total);
    }
    std::vector<DimensionId> dimensions;
    if (tres.starts_with("gres/")) {
        const std::string gres = tres.substr(5), name = gres.substr(0, gres.find(':'));
        for (const DimensionId d : spec.dimensions.of_name(name)) {
            if (gres == name || spec.dimensions.at(d).type == gres.substr(name.size() + 1))
                dimensions.push_back(d);
        }
        if (dimensions.empty()) return std::nullopt;
    }
    std::int64_t sum = 0;
    for (const NodeSpec& node : spec.nodes) {
        if (tres == "node") ++sum;
        if (tres == "cpu") sum += node.cpus();
        if (tres == "mem") sum += node.capacity.memory().count() >> 20;
        for (const DimensionId d : dimensions) sum += node.capacity[d];
    }
    return sum;
}

class QueueReader {
public:
    explicit QueueReader(Draft& draft) : draft_(draft) {}

    void read() {
        for (const auto& [name, line] : draft_.yaml.queues) read_queue(name, line);
        for (const auto& [name, line] : draft_.yaml.queues) check_queue(name, line);
        for (const auto& [name, line] : draft_.yaml.queues) check_parent(name, line);
        if (draft_.yaml.queues.empty()) return;
        check_root();
        if (draft_.spec.scheduling.enforce_limits) return;
        draft_.warning(draft_.yaml.queues.front().second,
                       "queues have no effect, because limits are not enforced; set "
                       "enforce_limits: yes, or AccountingStorageEnforce=limits");
    }

private:
    void read_queue(const std::string& name, const Line& line) {
        QueueSpec queue{.name = name};
        for (const Pair& pair : line.pairs) {
            const std::string key = to_lower(pair.key);
            if (key == "max_borrow_ratio") {
                read_ratio(line, pair, queue);
            } else if (TresLimits* const counts = counts_of(queue, key)) {
                read_counts(line, pair, *counts);
            } else {
                draft_.error(line, pair,
                             "there is no option " + pair.key +
                                 " of a queue; there are nominal, guarantee, limit, lend_max, "
                                 "borrow_max, max_borrow_ratio");
            }
        }
        if (find_account(name) == nullptr) {
            draft_.warning(line, "queue " + name +
                                     " has no account of that name among accounts; its quota "
                                     "counts once sacctmgr adds it");
        }
        draft_.spec.queues.push_back(std::move(queue));
    }

    static TresLimits* counts_of(QueueSpec& queue, std::string_view key) {
        if (key == "nominal") return &queue.nominal;
        if (key == "guarantee") return &queue.guarantee;
        if (key == "limit") return &queue.limit;
        if (key == "lend_max") return &queue.lend_max;
        if (key == "borrow_max") return &queue.borrow_max;
        return nullptr;
    }

    void read_counts(const Line& line, const Pair& pair, TresLimits& into) {
        const auto counts = parse_tres_counts(*pair.value);
        const auto wrong = [&](const std::string& why) {
            draft_.error(line, pair, pair.key + ": " + *pair.value + " " + why);
        };
        if (!counts) return wrong("should be a list like 'cpu=64,mem=512G,gres/gpu=8'");
        for (const auto& [tres, count] : *counts) {
            if (tres == "billing") return wrong("names billing, which has no quota");
            if (count < 0) return wrong("should have no negative numbers");
            if (!capacity_of(draft_.spec, tres))
                return wrong("names " + tres + ", which this cluster does not have");
        }
        into = *counts;
    }

    // 0.25; as parts per million.
    void read_ratio(const Line& line, const Pair& pair, QueueSpec& queue) {
        const auto parts = parse_micro(*pair.value);
        if (!parts) {
            return draft_.error(line, pair,
                                pair.key + ": " + *pair.value +
                                    " should be a fraction of the nominal quota, like 0.25");
        }
        queue.borrow_ratio_max = Ppm(*parts);
    }

    void check_queue(const std::string& name, const Line& line) {
        const QueueSpec& queue = *find_queue(name);
        const auto at_most = [&](const char* what, const TresLimits& some, const char* bound,
                                 const TresLimits& most) {
            for (const auto& [tres, count] : some) {
                const auto top = count_of(most, tres);
                if (!top || count <= *top) continue;
                draft_.error(line, "queue " + name + ": its " + what + " of " + tres + ", " +
                                       number_of(tres, count) + ", is above its " + bound + ", " +
                                       number_of(tres, *top));
            }
        };
        at_most("guarantee", queue.guarantee, "nominal quota", queue.nominal);
        at_most("guarantee", queue.guarantee, "limit", queue.limit);
        at_most("nominal quota", queue.nominal, "limit", queue.limit);
        at_most("lend_max", queue.lend_max, "nominal quota", queue.nominal);
        const auto needs_nominal = [&](const char* what, const TresLimits& some) {
            for (const auto& [tres, count] : some) {
                if (count_of(queue.nominal, tres)) continue;
                draft_.error(line, "queue " + name + ": " + what + " of " + tres +
                                       " needs a nominal quota of it");
            }
        };
        needs_nominal("guarantee", queue.guarantee);
        needs_nominal("lend_max", queue.lend_max);
        needs_nominal("borrow_max", queue.borrow_max);
        if (queue.borrow_ratio_max && queue.nominal.empty())
            draft_.error(line, "queue " + name + ": max_borrow_ratio needs a nominal quota");
    }

    // ---- What queues have together.
    struct Sum {
        std::int64_t all = 0;
        std::string parts;  // "8 of a, 8 of b"
    };
    using Sums = std::map<std::string, Sum>;  // By TRES.

    // Of the queues right below; a queue that names no quota stands for those beneath it.
    Sums sum_below(const std::string& parent, TresLimits QueueSpec::* what) const {
        Sums sums;
        for (const AccountSpec& account : draft_.spec.accounts) {
            if (account.parent != parent || account.name == parent) continue;
            const QueueSpec* const queue = find_queue(account.name);
            Sums own = sum_below(account.name, what);
            if (queue != nullptr) {
                for (const auto& [tres, count] : queue->*what)
                    own[tres] = {count, number_of(tres, count) + " of " + account.name};
            }
            for (const auto& [tres, sum] : own) {
                Sum& all = sums[tres];
                all.all += sum.all;
                all.parts += (all.parts.empty() ? "" : ", ") + sum.parts;
            }
        }
        return sums;
    }

    void check_parent(const std::string& name, const Line& line) {
        const QueueSpec& queue = *find_queue(name);
        check_sums(
            name, line, [&](const std::string& tres) { return count_of(queue.nominal, tres); },
            "the nominal quota of queue " + name);
    }
    void check_root() {
        const Line& line = draft_.yaml.queues.front().second;
        check_sums(
            "root", line, [&](const std::string& tres) { return capacity_of(draft_.spec, tres); },
            "what the cluster has");
    }

    template <class Most>
    void check_sums(const std::string& parent, const Line& line, Most most_of,
                    const std::string& bound) {
        for (const auto& [tres, sum] : sum_below(parent, &QueueSpec::guarantee)) {
            const auto most = most_of(tres);
            if (!most || sum.all <= *most) continue;
            draft_.error(line, "guarantees of " + tres + " add up to " + number_of(tres, sum.all) +
                                   " (" + sum.parts + "), above " + bound + ", " +
                                   number_of(tres, *most));
        }
        for (const auto& [tres, sum] : sum_below(parent, &QueueSpec::nominal)) {
            const auto most = most_of(tres);
            if (!most || sum.all <= *most) continue;
            draft_.warning(line, "nominal quotas of " + tres + " add up to " +
                                     number_of(tres, sum.all) + " (" + sum.parts + "), above " +
                                     bound + ", " + number_of(tres, *most) +
                                     ": not all can be met at once");
        }
    }

    const QueueSpec* find_queue(const std::string& name) const {
        const auto found = std::ranges::find(draft_.spec.queues, name, &QueueSpec::name);
        return found == draft_.spec.queues.end() ? nullptr : &*found;
    }
    const AccountSpec* find_account(const std::string& name) const {
        const auto found = std::ranges::find(draft_.spec.accounts, name, &AccountSpec::name);
        return found == draft_.spec.accounts.end() ? nullptr : &*found;
    }

    Draft& draft_;
};

std::size_t line_number(const YAML::Node& node) {
    return static_cast<std::size_t>(std::max(node.Mark().line, 0)) + 1;
}

}  // namespace

void note_queues(Draft& draft, const std::string& file, const YAML::Node& node) {
    const Line whole{.file = file, .number = line_number(node), .pairs = {}};
    if (!node.IsMap()) {
        return draft.error(whole, "should be a map of accounts, each with a nominal quota");
    }
    for (const auto& entry : node) {
        Line line{.file = file, .number = line_number(entry.first), .pairs = {}};
        const std::string name = to_lower(entry.first.as<std::string>());
        if (!entry.second.IsMap()) {
            draft.error(line, "queue " + name + " should be a map with nominal, guarantee, limit");
            continue;
        }
        for (const auto& option : entry.second) {
            line.pairs.push_back({.key = option.first.as<std::string>(),
                                  .value = option.second.IsScalar() ? option.second.Scalar() : "",
                                  .line = line_number(option.first)});
        }
        const bool is_known = std::ranges::any_of(
            draft.yaml.queues, [&](const auto& one) { return one.first == name; });
        if (is_known) {
            draft.error(line, "queue " + name + " is described twice");
        } else {
            draft.yaml.queues.emplace_back(name, std::move(line));
        }
    }
}

void read_queues(Draft& draft) { QueueReader(draft).read(); }

}  // namespace berth::config
