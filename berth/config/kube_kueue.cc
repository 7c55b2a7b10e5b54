#include "berth/config/kube_kueue.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "berth/base/text.h"

namespace berth::config {
namespace {

constexpr const char* kKueueGroup = "kueue.x-k8s.io/";

KubeQueue queue_of_object(const KubeObject& object, const std::string& name) {
    KubeQueue queue;
    queue.kind = object.kind;
    queue.quota.name = name;
    queue.place = queue.parent_place = object.place;
    return queue;
}

// One of these words, or nothing; else an error.
std::string read_kueue_word(KubeFields& fields, std::string_view key,
                            const std::vector<std::string>& words) {
    std::string word = fields.read_text(key);
    if (word.empty() || std::ranges::find(words, word) != words.end()) return word;
    fields.error(key, word + " should be " + join(words, " or "));
    return {};
}

}  // namespace

bool is_kueue_api(const KubeObject& object) {
    if (!object.api.starts_with(kKueueGroup)) return false;
    const std::string version = object.api.substr(std::string_view(kKueueGroup).size());
    return version == "v1beta1" || version == "v1beta2" ||
           (version == "v1alpha1" && object.kind == "Cohort");
}

void KueueReader::read(const KubeObject& object) {
    if (object.kind == "ClusterQueue") {
        read_cluster_queue(object);
    } else if (object.kind == "Cohort") {
        read_cohort(object);
    } else if (object.kind == "LocalQueue") {
        read_local_queue(object);
    } else {
        read_resource_flavor(findings_, object, flavors_);
    }
}

void KueueReader::read_cluster_queue(const KubeObject& object) {
    KubeHead head;
    KubeFields top = open_object(findings_, object, head);
    KubeFields spec = top.read_map("spec");
    top.read("status");
    top.finish();
    Holder holder{.queue = queue_of_object(object, head.name), .quotas = {}};
    KubeQueue& queue = holder.queue;
    const std::string older = spec.read_text("cohort"), newer = spec.read_text("cohortName");
    queue.parent = newer.empty() ? older : newer;
    queue.parent_place = spec.place_of(newer.empty() ? "cohort" : "cohortName");
    if (!older.empty() && !newer.empty()) spec.error("cohort", "and cohortName exclude each other");
    holder.quotas = read_resource_groups(findings_, spec, !queue.parent.empty());
    if (!spec.says("resourceGroups")) {
        spec.error("resourceGroups",
                   "is missing: Kueue starts nothing in such a queue; right "
                   "would be: quotas of cpu, memory and GPUs");
    }
    read_weight(spec, queue);
    read_stop(spec, queue);
    read_admission(spec, head.name);
    read_preemption(spec, queue);
    spec.finish();
    cluster_queues_.push_back(std::move(holder));
}

void KueueReader::read_cohort(const KubeObject& object) {
    KubeHead head;
    KubeFields top = open_object(findings_, object, head);
    KubeFields spec = top.read_map("spec");
    top.read("status");
    top.finish();
    Holder holder{.queue = queue_of_object(object, head.name), .quotas = {}};
    const std::string older = spec.read_text("parent"), newer = spec.read_text("parentName");
    holder.queue.parent = newer.empty() ? older : newer;
    holder.queue.parent_place = spec.place_of(newer.empty() ? "parent" : "parentName");
    holder.quotas = read_resource_groups(findings_, spec, !holder.queue.parent.empty());
    read_weight(spec, holder.queue);
    spec.finish();
    cohorts_.push_back(std::move(holder));
}

// Users of a namespace submit to its LocalQueue: an account beneath that of the ClusterQueue.
void KueueReader::read_local_queue(const KubeObject& object) {
    KubeHead head;
    KubeFields top = open_object(findings_, object, head);
    KubeFields spec = top.read_map("spec");
    top.read("status");
    top.finish();
    KubeQueue queue =
        queue_of_object(object, (head.space.empty() ? "default" : head.space) + "." + head.name);
    if (!is_kube_name(queue.quota.name)) {
        findings_.error(object.place, "LocalQueue " + head.name + ": " + queue.quota.name +
                                          " is too long for an account, or no name");
    }
    queue.parent = spec.read_text("clusterQueue");
    queue.parent_place = spec.place_of("clusterQueue");
    if (queue.parent.empty()) spec.error("clusterQueue", "is missing");
    read_weight(spec, queue);
    read_stop(spec, queue);
    spec.refuse("wallTimePolicy", "MaxWall or MaxTRESMins of the account");
    spec.finish();
    local_queues_.push_back(std::move(queue));
}

void KueueReader::read_weight(KubeFields& spec, KubeQueue& queue) {
    KubeFields sharing = spec.read_map("fairSharing");
    const std::string weight = sharing.read_text("weight");
    queue.weight_place = sharing.place_of("weight");
    sharing.finish();
    if (weight.empty()) return;
    const auto value = parse_kube_quantity(weight);
    if (!value.ok()) return sharing.error("weight", value.error().message);
    queue.weight = *value;
}

void KueueReader::read_stop(KubeFields& spec, KubeQueue& queue) {
    const std::string policy =
        read_kueue_word(spec, "stopPolicy", {"None", "Hold", "HoldAndDrain"});
    if (policy == "Hold") {
        queue.quota.jobs_max = 0;
        spec.warning("stopPolicy",
                     "Hold is max_jobs: 0, which refuses new jobs; those that wait "
                     "already may start");
    } else if (policy == "HoldAndDrain") {
        spec.error("stopPolicy",
                   "HoldAndDrain is not imported; right would be: Hold, and scancel "
                   "-A " +
                       queue.quota.name + " for its jobs");
    }
}

// Who may use the queue, and what stands between a job and its start.
void KueueReader::read_admission(KubeFields& spec, const std::string& name) {
    const YAML::Node selector = spec.read("namespaceSelector");
    if (spec.says("namespaceSelector")) {
        spec.error("namespaceSelector",
                   "with labels is not imported; right would be: {}, and the "
                   "users of these namespaces in the account: sacctmgr add "
                   "user NAME account=" +
                       name);
    } else if (selector.IsNull()) {
        spec.warning("namespaceSelector",
                     "is missing, so no namespace may use the queue in Kueue; "
                     "here the users of its account may");
    }
    const std::string strategy =
        read_kueue_word(spec, "queueingStrategy", {"BestEffortFIFO", "StrictFIFO"});
    if (strategy == "StrictFIFO") {
        spec.error("queueingStrategy",
                   "StrictFIFO is not imported; right would be: BestEffortFIFO, since a job that "
                   "waits has a planned start, which no later job delays");
    }
    KubeFields fungibility = spec.read_map("flavorFungibility");
    read_kueue_word(fungibility, "whenCanBorrow", {"Borrow", "MayStopSearch", "TryNextFlavor"});
    read_kueue_word(fungibility, "whenCanPreempt", {"Preempt", "MayStopSearch", "TryNextFlavor"});
    read_kueue_word(fungibility, "preference",
                    {"BorrowingOverPreemption", "PreemptionOverBorrowing"});
    fungibility.finish();
    if (spec.says("flavorFungibility")) {
        spec.warning("flavorFungibility",
                     "has no effect: jobs name the type of their GPUs, and "
                     "all else is one quota");
    }
    KubeFields scope = spec.read_map("admissionScope");
    const std::string mode = read_kueue_word(
        scope, "admissionMode", {"UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"});
    scope.finish();
    if (mode == "UsageBasedAdmissionFairSharing") {
        spec.warning("admissionScope",
                     "is what fair share does here, for all accounts, once "
                     "PriorityWeightFairshare is set");
    }
    for (const char* const key : {"admissionChecks", "admissionChecksStrategy",
                                  "concurrentAdmissionPolicy", "excludeResourcePrefixes"}) {
        spec.refuse(key, "without it");
    }
}

void KueueReader::read_preemption(KubeFields& spec, const KubeQueue& queue) {
    KubeFields policies = spec.read_map("preemption");
    KubePreemption preemption{.place = spec.place_of("preemption"), .queue = queue.quota.name};
    const std::string reclaim =
        read_kueue_word(policies, "reclaimWithinCohort", {"Never", "LowerPriority", "Any"});
    const std::string within = read_kueue_word(
        policies, "withinClusterQueue", {"Never", "LowerPriority", "LowerOrNewerEqualPriority"});
    KubeFields borrow = policies.read_map("borrowWithinCohort");
    const std::string borrowing = read_kueue_word(borrow, "policy", {"Never", "LowerPriority"});
    borrow.refuse("maxPriorityThreshold", "without it");
    borrow.finish();
    policies.finish();
    preemption.reclaims = reclaim == "Any";
    preemption.within = within == "LowerPriority";
    if (reclaim == "LowerPriority") {
        policies.error("reclaimWithinCohort",
                       "LowerPriority is not imported: what was borrowed is taken back whatever "
                       "the priority; right would be: Any or Never");
    }
    if (within == "LowerOrNewerEqualPriority") {
        policies.error("withinClusterQueue",
                       "LowerOrNewerEqualPriority is not imported; right "
                       "would be: LowerPriority or Never");
    }
    if (borrowing == "LowerPriority") {
        policies.error("borrowWithinCohort",
                       "LowerPriority is not imported: a job that borrows takes nothing back; "
                       "right would be: Never");
    }
    preemption_.push_back(std::move(preemption));
}

void KueueReader::finish(KubeDescription& into) {
    add_cohorts_without_object();
    for (auto* const holders : {&cohorts_, &cluster_queues_}) {
        for (Holder& holder : *holders)
            take_flavor_quotas(findings_, flavors_, holder.quotas, holder.queue);
    }
    check_types();
    forbid_uncovered();
    close_roots();
    std::vector<const QueueSpec*> queues;
    for (auto* const holders : {&cohorts_, &cluster_queues_}) {
        for (const Holder& holder : *holders) queues.push_back(&holder.queue.quota);
    }
    into.flavors = named_flavors(flavors_, queues);
    for (auto* const holders : {&cohorts_, &cluster_queues_}) {
        for (Holder& holder : *holders) into.queues.push_back(std::move(holder.queue));
    }
    for (KubeQueue& queue : local_queues_) into.queues.push_back(std::move(queue));
    for (KubePreemption& one : preemption_) into.preemption.push_back(std::move(one));
}

}  // namespace berth::config
