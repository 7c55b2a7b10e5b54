#include "berth/config/kube_tree.h"

#include <algorithm>
#include <map>

#include "berth/model/queue_check.h"
#include "berth/model/queue_options.h"

namespace berth::config {
namespace {

constexpr std::size_t kTreeLevelsMax = 64;
// The account and the quota of each are two of the 40 000 changes that the controller takes at
// once.
constexpr std::size_t kImportedMax = 10'000;
constexpr std::int64_t kSharesMax = 1'000'000'000;

std::string place_text(const KubePlace& place) {
    return place.file + ":" + std::to_string(place.line);
}

class TreeBuilder {
public:
    TreeBuilder(KubeFindings& findings, std::vector<KubeQueue>& queues,
                const std::vector<FlavorSpec>& flavors)
        : findings_(findings), queues_(queues), flavors_(flavors) {}

    std::vector<ImportedQueue> build() {
        if (queues_.size() > kImportedMax) {
            findings_.error(queues_[kImportedMax].place,
                            "there are more than 10000 queues; right would be: fewer at once");
            return {};
        }
        find_names();
        find_parents();
        if (!measure_depths()) return {};
        std::ranges::stable_sort(order_, {}, [&](std::size_t q) { return depths_[q]; });
        settle_inner_queues();
        const auto shares = settle_shares();
        std::vector<ImportedQueue> tree;
        tree.reserve(order_.size());
        for (const std::size_t q : order_) {
            tree.push_back({.parent = parents_[q] == kNone ? "root" : name_of(parents_[q]),
                            .shares = shares[q],
                            .quota = queues_[q].quota});
        }
        check_options(tree);
        if (!findings_.has_errors()) check_quotas(tree);
        return tree;
    }

private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    const std::string& name_of(std::size_t queue) const { return queues_[queue].quota.name; }

    void find_names() {
        for (std::size_t q = 0; q < queues_.size(); ++q) {
            const KubeQueue& queue = queues_[q];
            order_.push_back(q);
            if (name_of(q) == "root") {
                findings_.error(queue.place,
                                queue.kind +
                                    " root: an account cannot be called root; right would "
                                    "be: another name");
            }
            const auto [other, is_new] = by_name_.try_emplace(name_of(q), q);
            if (is_new) continue;
            const KubeQueue& first = queues_[other->second];
            findings_.error(queue.place, "queue " + name_of(q) + " already exists: " + first.kind +
                                             " at " + place_text(first.place));
        }
    }

    void find_parents() {
        parents_.assign(queues_.size(), kNone);
        for (std::size_t q = 0; q < queues_.size(); ++q) {
            const KubeQueue& queue = queues_[q];
            if (queue.parent.empty()) continue;
            const std::string kind = queue.kind == "LocalQueue"     ? "ClusterQueue"
                                     : queue.kind == "ClusterQueue" ? "Cohort"
                                                                    : queue.kind;
            const auto found = by_name_.find(queue.parent);
            if (found != by_name_.end() && queues_[found->second].kind == kind) {
                parents_[q] = found->second;
                continue;
            }
            std::string what = queue.kind == "LocalQueue" ? "queue " : "parent queue ";
            what += queue.parent + " not found; right would be: its " + kind;
            findings_.error(queue.parent_place, what + " in the files");
        }
    }

    bool measure_depths() {
        bool right = true;
        depths_.assign(queues_.size(), 0);
        for (std::size_t q = 0; q < queues_.size(); ++q) {
            std::size_t& depth = depths_[q];
            std::size_t above = parents_[q];
            while (above != kNone && above != q && depth <= kTreeLevelsMax) {
                ++depth;
                above = parents_[above];
            }
            if (above == q) {
                findings_.error(queues_[q].parent_place,
                                "the queue " + name_of(q) + " is above itself");
            } else if (depth > kTreeLevelsMax && ends_at_root(above)) {
                findings_.error(queues_[q].place,
                                "queue " + name_of(q) + " lies more than 64 levels below the root");
            }
            right = right && above == kNone && depth <= kTreeLevelsMax;
        }
        return right;
    }

    // False: it lies below a circle.
    bool ends_at_root(std::size_t queue) const {
        for (std::size_t steps = 0; queue != kNone && steps < queues_.size(); ++steps)
            queue = parents_[queue];
        return queue == kNone;
    }

    // Volcano's jobs are in the queues at the ends of the tree. What a queue above them guarantees
    // is no bound of what they deserve together.
    void settle_inner_queues() {
        std::vector<bool> is_inner(queues_.size());
        for (const std::size_t parent : parents_) {
            if (parent != kNone) is_inner[parent] = true;
        }
        std::vector<std::map<std::string, std::int64_t>> below(queues_.size());
        for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
            KubeQueue& queue = queues_[*at];
            QueueSpec& quota = queue.quota;
            if (is_inner[*at] && !queue.has_deserved && queue.kind == "Queue")
                raise_nominal(quota, below[*at]);
            auto nominal = below[*at];
            for (const auto& [tres, count] : quota.nominal) nominal[tres] = count;
            if (parents_[*at] != kNone) {
                for (const auto& [tres, count] : nominal) below[parents_[*at]][tres] += count;
            }
            if (is_inner[*at] && queue.is_protected) {
                findings_.warning(queue.place,
                                  "Queue " + quota.name +
                                      ": reclaimable: false has no effect: the jobs are in the "
                                      "queues beneath it");
            } else if (!is_inner[*at] && (queue.is_protected || queue.preempts_within)) {
                quota.allow_preempt_from = {quota.name};
            }
        }
    }

    // To what the queues beneath have together, within the queue's limit.
    static void raise_nominal(QueueSpec& quota, const std::map<std::string, std::int64_t>& below) {
        for (auto& [tres, count] : quota.nominal) {
            const auto sum = below.find(tres);
            if (sum == below.end() || sum->second <= count) continue;
            const auto limit = std::ranges::find(quota.limit, tres, &TresLimits::value_type::first);
            const bool is_bound = limit != quota.limit.end();
            count = is_bound ? std::max(count, std::min(sum->second, limit->second)) : sum->second;
        }
    }

    // Shares are whole numbers: if Kueue's weights are not, thousandths of them.
    std::vector<std::optional<std::int64_t>> settle_shares() {
        std::vector<std::optional<std::int64_t>> shares(queues_.size());
        const auto fraction = std::ranges::find_if(queues_, [](const KubeQueue& queue) {
            return queue.weight && queue.weight->nano != 0;
        });
        const bool in_thousandths = fraction != queues_.end();
        if (in_thousandths) {
            findings_.warning(fraction->weight_place,
                              "weights are no whole numbers, so the shares of Kueue's queues are "
                              "thousandths of them");
        }
        for (std::size_t q = 0; q < queues_.size(); ++q) {
            const KubeQueue& queue = queues_[q];
            const std::int64_t unit = in_thousandths && queue.kind != "Queue" ? 1000 : 1;
            if (!queue.weight) {
                if (unit > 1) shares[q] = unit;
                continue;
            }
            const auto& [whole, nano] = *queue.weight;
            if (whole < kSharesMax / unit && nano % 1'000'000 == 0) {
                shares[q] = whole * unit + nano / 1'000'000;
                continue;
            }
            findings_.error(queue.weight_place,
                            "weight of " + queue.kind + " " + name_of(q) +
                                " should have three decimal places at most, and be less than " +
                                std::to_string(kSharesMax / unit));
        }
        return shares;
    }

    const KubePlace& place_of(const std::string& queue) const {
        return queues_[by_name_.at(queue)].place;
    }

    // As berth.yaml and the controller will read them.
    void check_options(const std::vector<ImportedQueue>& tree) {
        for (const ImportedQueue& one : tree) {
            QueueSpec again{.name = one.quota.name};
            bool is_right = true;
            for (const auto& [option, value] : options_of(one.quota))
                is_right = set_queue_option(again, option, value).ok() && is_right;
            if (is_right && again == one.quota) continue;
            findings_.error(place_of(one.quota.name),
                            "queue " + one.quota.name +
                                ": its quotas are too large together, or a resource's name is");
        }
    }

    // What berth.yaml would find, on a cluster that has enough of everything.
    void check_quotas(const std::vector<ImportedQueue>& tree) {
        ClusterSpec spec;
        NodeSpec node{.name = "all"};
        node.cores_per_socket = UINT32_MAX;
        node.capacity.set_memory(Bytes(INT64_MAX));
        for (const ImportedQueue& one : tree) {
            spec.accounts.push_back({.name = one.quota.name, .parent = one.parent});
            if (!options_of(one.quota).empty()) spec.queues.push_back(one.quota);
            for (const TresLimits* counts : {&one.quota.nominal, &one.quota.limit}) {
                for (const auto& [tres, count] : *counts) {
                    if (!tres.starts_with("gres/")) continue;
                    const std::string gres = tres.substr(5), name = gres.substr(0, gres.find(':'));
                    const bool is_typed = gres != name && !flavor_in(flavors_, tres);
                    const std::string type = is_typed ? gres.substr(name.size() + 1) : "";
                    if (const auto dimension = spec.dimensions.intern(name, type))
                        node.capacity[*dimension] = std::int64_t{1} << 56;
                }
            }
        }
        for (const FlavorSpec& flavor : flavors_) {
            NodeSpec of_flavor = node;
            of_flavor.name = "of " + flavor.name;
            spec.flavors.push_back(
                {.name = flavor.name, .nodes = {of_flavor.name}, .features = {}, .gpu_type = {}});
            spec.nodes.push_back(std::move(of_flavor));
        }
        spec.nodes.push_back(std::move(node));
        for (const QueueFault& fault : find_queue_faults(spec)) {
            if (fault.is_error) {
                findings_.error(place_of(fault.queue), fault.text);
            } else {
                findings_.warning(place_of(fault.queue), fault.text);
            }
        }
    }

    KubeFindings& findings_;
    std::vector<KubeQueue>& queues_;
    const std::vector<FlavorSpec>& flavors_;
    std::map<std::string, std::size_t> by_name_;
    std::vector<std::size_t> parents_, depths_, order_;
};

// Jobs that take back what is lent are jobs of other queues, so a queue cannot keep to its own.
void warn_of_preemption(KubeFindings& findings, const KubePreemption& one, bool within) {
    const std::string whose = one.queue.empty() ? "the scheduler" : "queue " + one.queue;
    if (one.within) {
        findings.warning(one.place, "by priority, a job preempts runs of every queue here, where " +
                                        whose + " lets it preempt those of its own alone");
    } else if (within) {
        findings.warning(one.place, "preemption by priority is one for all queues here; " + whose +
                                        " does not have it, and others do");
    }
    if (!one.reclaims) {
        findings.warning(one.place, "reclaim is one for all queues here; " + whose +
                                        " does not have it, and others do");
    }
}

// Nothing is reclaimed: runs make place for jobs of their own queue, or for none.
void keep_runs(std::vector<KubeQueue>& queues, const KubePreemption& one) {
    for (KubeQueue& queue : queues) {
        const bool is_meant = one.queue.empty()
                                  ? queue.kind == "Queue"
                                  : queue.kind == "ClusterQueue" && queue.quota.name == one.queue;
        if (!is_meant) continue;
        if (!one.within) {
            queue.quota.allow_preemption = false;
        } else if (queue.kind == "Queue") {
            queue.preempts_within = true;
        } else {
            queue.quota.allow_preempt_from = {queue.quota.name};
        }
    }
}

}  // namespace

std::vector<ImportedQueue> build_queue_tree(KubeFindings& findings, KubeDescription& description) {
    return TreeBuilder(findings, description.queues, description.flavors).build();
}

std::string settle_preemption(KubeFindings& findings, KubeDescription& description) {
    const std::vector<KubePreemption>& all = description.preemption;
    if (all.empty()) return {};
    const bool within = std::ranges::any_of(all, &KubePreemption::within);
    const bool reclaims = std::ranges::any_of(all, &KubePreemption::reclaims);
    const KubePreemption* scheduler = nullptr;
    for (const KubePreemption& one : all) {
        if (one.queue.empty() && scheduler != nullptr) {
            findings.error(one.place, "another configuration of the scheduler is at " +
                                          place_text(scheduler->place) + "; one may be");
        }
        if (one.queue.empty()) scheduler = &one;
        if (reclaims) {
            warn_of_preemption(findings, one, within);
        } else if (within) {
            keep_runs(description.queues, one);
        }
    }
    const std::string text = within ? "{by: priority, mode: requeue" : "{by: none, mode: off";
    return text + (reclaims ? ", reclaim: requeue}" : ", reclaim: off}");
}

}  // namespace berth::config
