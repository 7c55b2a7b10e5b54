// What the queues of one cohort mean to each other: cohorts that no object describes, what nobody
// outside of a tree of cohorts may borrow, and what a queue does not cover.
#include <algorithm>

#include "berth/config/kube_kueue.h"

namespace berth::config {
namespace {

constexpr std::size_t kCohortLevelsMax = 64;
constexpr std::int64_t kTotalMax = std::int64_t{1} << 60;

bool is_gpu_tres(const std::string& tres) {
    return tres == "gres/gpu" || tres.starts_with("gres/gpu:");
}

bool names_tres(const TresLimits& counts, const std::string& tres) {
    return std::ranges::find(counts, tres, &TresLimits::value_type::first) != counts.end();
}

}  // namespace

// A cohort is there once a queue names it.
void KueueReader::add_cohorts_without_object() {
    for (std::size_t i = 0; i < cohorts_.size(); ++i)
        cohort_at_.try_emplace(cohorts_[i].queue.quota.name, i);
    std::vector<Holder> named = cohorts_;
    named.insert(named.end(), cluster_queues_.begin(), cluster_queues_.end());
    for (const Holder& holder : named) {
        const std::string& name = holder.queue.parent;
        if (name.empty() || cohort_at_.contains(name)) continue;
        if (!is_kube_name(name)) {
            findings_.error(holder.queue.parent_place, "cohort '" + name + "' is no name");
            continue;
        }
        KubeQueue queue;
        queue.kind = "Cohort";
        queue.quota.name = name;
        queue.place = queue.parent_place = holder.queue.parent_place;
        cohort_at_.emplace(name, cohorts_.size());
        cohorts_.push_back({.queue = std::move(queue), .quotas = {}});
    }
}

// From the nearest to the root of the tree. A circle, which is an error elsewhere, ends after as
// many levels as may be.
std::vector<KueueReader::Holder*> KueueReader::those_above(const KubeQueue& queue) {
    std::vector<Holder*> above;
    for (const std::string* name = &queue.parent; above.size() <= kCohortLevelsMax;) {
        const auto found = cohort_at_.find(*name);
        if (found == cohort_at_.end()) break;
        Holder& cohort = cohorts_[found->second];
        above.push_back(&cohort);
        name = &cohort.queue.parent;
    }
    return above;
}

// A cohort's own quotas are additional to those of its queues; here a quota has all that lies
// beneath it. What the cohorts of a tree have stays in it: outside nobody borrows it, and they
// borrow nothing from outside.
void KueueReader::close_roots() {
    std::map<std::string, std::map<std::string, std::int64_t>> totals;  // By cohort and TRES.
    const auto add = [&](const std::string& cohort, const TresLimits& counts) {
        for (const auto& [tres, count] : counts) {
            std::int64_t& total = totals[cohort][tres];
            total = std::min(total + std::min(count, kTotalMax), kTotalMax);
        }
    };
    for (Holder& one : cohorts_) add(one.queue.quota.name, one.queue.quota.nominal);
    for (auto* const holders : {&cohorts_, &cluster_queues_}) {
        for (Holder& one : *holders) {
            for (const Holder* above : those_above(one.queue))
                add(above->queue.quota.name, one.queue.quota.nominal);
        }
    }
    for (Holder& one : cohorts_) {
        QueueSpec& quota = one.queue.quota;
        for (const auto& [tres, total] : totals[quota.name]) {
            if (one.queue.parent.empty() || names_tres(quota.nominal, tres))
                quota.nominal = changed(quota.nominal, {{tres, total}});
        }
    }
    for (auto* const holders : {&cohorts_, &cluster_queues_}) {
        for (Holder& one : *holders) {
            QueueSpec& quota = one.queue.quota;
            if (!one.queue.parent.empty()) continue;
            for (const auto& [tres, count] : quota.nominal) {
                quota.limit = changed(quota.limit, {{tres, count}});
                if (count > 0) quota.guarantee = changed(quota.guarantee, {{tres, count}});
            }
        }
    }
}

// Kueue starts no workload with a resource that the queue does not cover.
void KueueReader::forbid_uncovered() {
    std::set<std::string> named;
    for (auto* const holders : {&cohorts_, &cluster_queues_}) {
        for (const Holder& one : *holders) {
            for (const auto& [tres, count] : one.queue.quota.nominal) named.insert(tres);
        }
    }
    for (Holder& one : cluster_queues_) forbid_uncovered(one.queue, named);
}

void KueueReader::forbid_uncovered(KubeQueue& queue, const std::set<std::string>& named) {
    QueueSpec& quota = queue.quota;
    if (quota.nominal.empty()) return;
    const bool has_gpus =
        std::ranges::any_of(quota.nominal, [](const auto& one) { return is_gpu_tres(one.first); });
    std::set<std::string> uncovered;  // Of what every job has some.
    const auto covers = [&](const std::string& base) {
        return std::ranges::any_of(quota.nominal, [&](const auto& one) {
            return one.first.substr(0, one.first.find(':')) == base;
        });
    };
    for (const std::string& tres : named) {
        if (names_tres(quota.nominal, tres)) continue;
        const std::string base = tres.substr(0, tres.find(':'));
        if (!tres.starts_with("gres/") && base != tres && covers(base)) {
            quota.limit = changed(quota.limit, {{tres, 0}});
        } else if (!tres.starts_with("gres/")) {
            if (covers(base) || !uncovered.insert(base).second) continue;
            findings_.warning(queue.place, queue.kind + " " + quota.name + " does not cover " +
                                               base +
                                               ": it starts no jobs with it in Kueue; here "
                                               "every job has some, and it is not bounded");
        } else if (is_gpu_tres(tres) && !has_gpus) {
            quota.limit = changed(quota.limit, {{"gres/gpu", 0}});
        } else if (!is_gpu_tres(tres) ||
                   (tres != "gres/gpu" && !names_tres(quota.nominal, "gres/gpu"))) {
            quota.limit = changed(quota.limit, {{tres, 0}});
        }
    }
}

// GPUs without a type are GPUs of every type, so quotas of both kinds would count some twice.
void KueueReader::check_types() {
    struct Tree {
        const KubeQueue* typed = nullptr;
        const KubeQueue* untyped = nullptr;
    };
    std::map<std::string, Tree> trees;  // By the name of the root.
    for (auto* const holders : {&cohorts_, &cluster_queues_}) {
        for (const Holder& one : *holders) {
            const auto above = those_above(one.queue);
            Tree& tree = trees[(above.empty() ? one : *above.back()).queue.quota.name];
            for (const auto& [tres, count] : one.queue.quota.nominal) {
                if (!is_gpu_tres(tres)) continue;
                const auto flavor = flavors_.find(tres.substr(tres.find(':') + 1));
                const bool by_features =
                    flavor != flavors_.end() && !flavor->second.features.empty();
                const KubeQueue*& first =
                    tres == "gres/gpu" || by_features ? tree.untyped : tree.typed;
                if (first == nullptr) first = &one.queue;
            }
        }
    }
    for (const auto& [root, tree] : trees) {
        if (tree.typed == nullptr || tree.untyped == nullptr) continue;
        findings_.error(tree.untyped->place,
                        tree.untyped->kind + " " + tree.untyped->quota.name +
                            ": GPUs of a flavor without a type are GPUs of every type, and " +
                            tree.typed->quota.name +
                            " has them by type; right would be: a nodeLabel like "
                            "nvidia.com/gpu.product in each ResourceFlavor of GPUs");
    }
}

}  // namespace berth::config
