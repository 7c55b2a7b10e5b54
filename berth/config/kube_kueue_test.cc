#include "berth/config/kube_kueue.h"

#include <gtest/gtest.h>

#include "berth/config/kube_rig.h"

namespace berth::config {
namespace {

std::string kueue_yaml(const std::string& kind, const std::string& name, const std::string& spec) {
    return "apiVersion: kueue.x-k8s.io/v1beta1\nkind: " + kind + "\nmetadata: {name: " + name +
           "}\nspec: {" + (kind == "ClusterQueue" ? "namespaceSelector: {}, " : "") + spec +
           "}\n---\n";
}

// A flavor of GPUs, and one without labels.
const std::string kFlavors =
    kueue_yaml("ResourceFlavor", "a100",
               "nodeLabels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}") +
    kueue_yaml("ResourceFlavor", "v100",
               "nodeLabels: {cloud.google.com/gke-accelerator: nvidia-tesla-v100}") +
    kueue_yaml("ResourceFlavor", "default", "");

// One group: resources by flavor, "cpu: {nominalQuota: 8}".
std::string group_yaml(const std::string& covered, const std::string& flavors) {
    return "resourceGroups: [{coveredResources: [" + covered + "], flavors: [" + flavors + "]}]";
}
std::string cpus_yaml(const std::string& quota) {
    return group_yaml("cpu", "{name: default, resources: [{name: cpu, " + quota + "}]}");
}
std::string gpus_yaml(const std::string& flavor, const std::string& quota) {
    return group_yaml("nvidia.com/gpu",
                      "{name: " + flavor + ", resources: [{name: nvidia.com/gpu, " + quota + "}]}");
}

// Seed 002 §2.2, with the indentation that it lost.
constexpr const char* kSeedKueue = R"(apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: gpu-a100
spec:
  nodeLabels:
    nvidia.com/gpu.product: "NVIDIA-A100-SXM4-80GB"
  tolerations:
  - key: "nvidia.com/gpu"
    operator: "Exists"
    effect: "NoSchedule"
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: gpu-v100
spec:
  nodeLabels:
    nvidia.com/gpu.product: "Tesla-V100-SXM2-32GB"
  tolerations:
  - key: "nvidia.com/gpu"
    operator: "Exists"
    effect: "NoSchedule"
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: training-cluster-queue
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: ["cpu", "memory", "nvidia.com/gpu"]
    flavors:
    - name: gpu-a100
      resources:
      - name: "cpu"
        nominalQuota: 256
      - name: "memory"
        nominalQuota: 2Ti
      - name: "nvidia.com/gpu"
        nominalQuota: 64
        borrowingLimit: 16
    - name: gpu-v100
      resources:
      - name: "cpu"
        nominalQuota: 128
      - name: "memory"
        nominalQuota: 1Ti
      - name: "nvidia.com/gpu"
        nominalQuota: 32
  cohort: ai-platform
  preemption:
    reclaimWithinCohort: Any
    withinClusterQueue: LowerPriority
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  name: ml-research-queue
  namespace: ml-research
spec:
  clusterQueue: training-cluster-queue
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  name: ml-production-queue
  namespace: ml-production
spec:
  clusterQueue: training-cluster-queue
)";

TEST(Kueue, OfTheSeedHasQuotasByTypeOfGpuAndTwoNamespacesInOneQueue) {
    const QueueImport found = import_text(kSeedKueue);
    const TresLimits nominal = {
        {"cpu:gpu-a100", 256},         {"cpu:gpu-v100", 128}, {"mem:gpu-a100", 2 * 1024 * 1024},
        {"mem:gpu-v100", 1024 * 1024}, {"gres/gpu:a100", 64}, {"gres/gpu:v100", 32}};
    const ImportedQueue& queue = queue_named(found, "training-cluster-queue");
    EXPECT_EQ(queue.parent, "ai-platform");
    EXPECT_EQ(queue.quota.nominal, nominal);
    EXPECT_EQ(queue.quota.borrow_max, (TresLimits{{"gres/gpu:a100", 16}}));
    EXPECT_TRUE(queue.quota.lend_max.empty());
    EXPECT_TRUE(queue.quota.limit.empty());
    // Alone in its cohort it borrows nothing.
    const ImportedQueue& cohort = queue_named(found, "ai-platform");
    EXPECT_EQ(cohort.parent, "root");
    EXPECT_EQ(cohort.quota.nominal, nominal);
    EXPECT_EQ(cohort.quota.guarantee, nominal);
    EXPECT_EQ(cohort.quota.limit, nominal);
    EXPECT_EQ(queue_named(found, "ml-research.ml-research-queue").parent, "training-cluster-queue");
    EXPECT_EQ(queue_named(found, "ml-production.ml-production-queue").parent,
              "training-cluster-queue");
    EXPECT_NE(found.text.find("\nflavors:\n  gpu-a100: {gpu_type: a100}\n"
                              "  gpu-v100: {gpu_type: v100}\n"),
              std::string::npos)
        << found.text;
    EXPECT_NE(found.text.find("\npreemption: {by: priority, mode: requeue, reclaim: requeue}\n"),
              std::string::npos)
        << found.text;
    const std::string all_said = findings_of(found);
    for (const char* const says : {
             "q.yaml:8: warning: spec of ResourceFlavor gpu-a100: tolerations: nodes have no taint",
             "q.yaml:52: warning: by priority, a job preempts runs of every queue here, where "
             "queue training-cluster-queue lets it preempt those of its own alone\n",
         }) {
        EXPECT_NE(all_said.find(says), std::string::npos) << says << "\n" << all_said;
    }
    expect_same_when_read_back(found);
}

// Kueue's documentation: one queue that shares with nobody.
TEST(Kueue, OfTheDocumentationSharesOnlyWithinACohort) {
    const QueueImport alone = import_text(R"(apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: "default-flavor"
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: "cluster-queue"
spec:
  namespaceSelector: {} # match all.
  resourceGroups:
  - coveredResources: ["cpu", "memory"]
    flavors:
    - name: "default-flavor"
      resources:
      - name: "cpu"
        nominalQuota: 9
      - name: "memory"
        nominalQuota: 36Gi
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  namespace: "default"
  name: "user-queue"
spec:
  clusterQueue: "cluster-queue"
)");
    EXPECT_EQ(findings_of(alone), "");
    EXPECT_EQ(alone.text,
              "accounts:\n"
              "  - {name: cluster-queue}\n"
              "  - {name: default.user-queue, parent: cluster-queue}\n"
              "queues:\n"
              "  cluster-queue: {nominal: 'cpu=9,mem=36G', guarantee: 'cpu=9,mem=36G', "
              "limit: 'cpu=9,mem=36G'}\n"
              "preemption: {by: none, mode: off, reclaim: off}\n");
    expect_same_when_read_back(alone);
    // The example of borrowing: 9 and at most 1 more; 12, and all that the other has.
    const QueueImport pair = import_text(
        kFlavors +
        kueue_yaml("ClusterQueue", "team-a-cq",
                   "cohort: team-ab, " + cpus_yaml("nominalQuota: 9, borrowingLimit: 1")) +
        kueue_yaml("ClusterQueue", "team-b-cq",
                   "cohort: team-ab, " + cpus_yaml("nominalQuota: 12, lendingLimit: 4")));
    EXPECT_EQ(findings_of(pair), "");
    const QueueSpec a = queue_named(pair, "team-a-cq").quota;
    const QueueSpec b = queue_named(pair, "team-b-cq").quota;
    EXPECT_EQ(a.nominal, (TresLimits{{"cpu", 9}}));
    EXPECT_EQ(a.borrow_max, (TresLimits{{"cpu", 1}}));
    EXPECT_TRUE(a.guarantee.empty() && a.limit.empty() && a.lend_max.empty());
    EXPECT_EQ(b.lend_max, (TresLimits{{"cpu", 4}}));
    EXPECT_TRUE(b.borrow_max.empty());
    EXPECT_EQ(queue_named(pair, "team-ab").quota.guarantee, (TresLimits{{"cpu", 21}}));
    EXPECT_EQ(queue_named(pair, "team-ab").quota.limit, (TresLimits{{"cpu", 21}}));
    expect_same_when_read_back(pair);
}

// "Additional resources on top of those defined by ClusterQueues", and weights of organizations.
TEST(Kueue, HasCohortsWithQuotasOfTheirOwn) {
    const QueueImport found = import_text(
        kFlavors + kueue_yaml("Cohort", "root-cohort", cpus_yaml("nominalQuota: 12")) +
        kueue_yaml("Cohort", "important-org",
                   "parentName: root-cohort, fairSharing: {weight: '0.75'}, " +
                       cpus_yaml("nominalQuota: 2, borrowingLimit: 3, lendingLimit: 1")) +
        kueue_yaml("Cohort", "regular-org", "parent: root-cohort, fairSharing: {weight: '0.25'}") +
        kueue_yaml("ClusterQueue", "a", "cohort: important-org, " + cpus_yaml("nominalQuota: 5")) +
        kueue_yaml("ClusterQueue", "b",
                   "cohortName: regular-org, " + cpus_yaml("nominalQuota: 0")));
    const TresLimits all = {{"cpu", 19}};
    const QueueSpec root = queue_named(found, "root-cohort").quota;
    EXPECT_EQ(root.nominal, all);
    EXPECT_EQ(root.guarantee, all);
    EXPECT_EQ(root.limit, all);
    const ImportedQueue& important = queue_named(found, "important-org");
    EXPECT_EQ(important.quota.nominal, (TresLimits{{"cpu", 7}}));
    EXPECT_EQ(important.quota.borrow_max, (TresLimits{{"cpu", 3}}));
    EXPECT_EQ(important.quota.lend_max, (TresLimits{{"cpu", 1}}));
    EXPECT_EQ(important.shares, 750);
    EXPECT_EQ(queue_named(found, "regular-org").shares, 250);
    EXPECT_TRUE(queue_named(found, "regular-org").quota.nominal.empty());
    EXPECT_EQ(queue_named(found, "a").shares, 1000);
    EXPECT_EQ(queue_named(found, "b").quota.nominal, (TresLimits{{"cpu", 0}}));
    EXPECT_FALSE(found.has_errors) << findings_of(found);
    expect_same_when_read_back(found);
}

// Kueue starts nothing with a resource that the queue does not cover.
TEST(Kueue, KeepsAQueueFromWhatItDoesNotCover) {
    const QueueImport found =
        import_text(kFlavors + kueue_yaml("ClusterQueue", "cpus", cpus_yaml("nominalQuota: 8")) +
                    kueue_yaml("ClusterQueue", "new", gpus_yaml("a100", "nominalQuota: 4")) +
                    kueue_yaml("ClusterQueue", "old", gpus_yaml("v100", "nominalQuota: 2")) +
                    kueue_yaml("ClusterQueue", "fpgas",
                               group_yaml("x.com/fpga",
                                          "{name: default, resources: [{name: x.com/fpga, "
                                          "nominalQuota: 2}]}")));
    const auto limit = [&](const char* queue) { return queue_named(found, queue).quota.limit; };
    EXPECT_EQ(limit("cpus"), (TresLimits{{"cpu", 8}, {"gres/fpga", 0}, {"gres/gpu", 0}}));
    EXPECT_EQ(limit("new"),
              (TresLimits{{"gres/fpga", 0}, {"gres/gpu:a100", 4}, {"gres/gpu:v100", 0}}));
    EXPECT_EQ(limit("old"),
              (TresLimits{{"gres/fpga", 0}, {"gres/gpu:a100", 0}, {"gres/gpu:v100", 2}}));
    EXPECT_EQ(limit("fpgas"), (TresLimits{{"gres/fpga", 2}, {"gres/gpu", 0}}));
    EXPECT_NE(findings_of(found).find("warning: ClusterQueue new does not cover cpu: it starts no "
                                      "jobs with it in Kueue"),
              std::string::npos);
    expect_same_when_read_back(found);
}

// Of a TRES in several flavors the limits add up; without a limit in one of them there is none.
TEST(Kueue, AddsUpWhatSeveralFlavorsHaveOfATres) {
    const auto quota = [](const std::string& first, const std::string& second) {
        const QueueImport found = import_text(
            kueue_yaml("ResourceFlavor", "one", "") + kueue_yaml("ResourceFlavor", "two", "") +
            kueue_yaml("ClusterQueue", "a",
                       "cohort: all, " +
                           group_yaml("cpu", "{name: one, resources: [{name: cpu, " + first +
                                                 "}]}, {name: two, resources: [{name: cpu, " +
                                                 second + "}]}")));
        EXPECT_NE(findings_of(found).find("cpu of the flavors one, two is one quota here"),
                  std::string::npos);
        expect_same_when_read_back(found);
        return queue_named(found, "a").quota;
    };
    const QueueSpec both = quota("nominalQuota: 4, borrowingLimit: 1, lendingLimit: 2",
                                 "nominalQuota: 6, borrowingLimit: 2, lendingLimit: 3");
    EXPECT_EQ(both.nominal, (TresLimits{{"cpu", 10}}));
    EXPECT_EQ(both.borrow_max, (TresLimits{{"cpu", 3}}));
    EXPECT_EQ(both.lend_max, (TresLimits{{"cpu", 5}}));
    // All of the second's nominal quota may be lent.
    const QueueSpec one =
        quota("nominalQuota: 4, borrowingLimit: 1, lendingLimit: 2", "nominalQuota: 6");
    EXPECT_TRUE(one.borrow_max.empty());
    EXPECT_EQ(one.lend_max, (TresLimits{{"cpu", 8}}));
}

TEST(Kueue, TellsTypesOfGpusByTheLabelThatSaysSo) {
    const auto tres = [](const std::string& labels) {
        const QueueImport found =
            import_text(kueue_yaml("ResourceFlavor", "one", "nodeLabels: {" + labels + "}") +
                        kueue_yaml("ClusterQueue", "a", gpus_yaml("one", "nominalQuota: 4")));
        if (found.has_errors) return findings_of(found);
        return queue_named(found, "a").quota.nominal.front().first;
    };
    EXPECT_EQ(tres("nvidia.com/gpu.count: '8', nvidia.com/gpu.memory: '81920', "
                   "nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB"),
              "gres/gpu:a100");
    EXPECT_EQ(tres("gpu-type: h100, accelerator: nvidia-tesla-k80"), "gres/gpu:k80");
    EXPECT_EQ(tres("example.com/gpu-type: H100"), "gres/gpu:h100");
    EXPECT_EQ(tres(""), "gres/gpu");
    const std::string none = "none names the type of GPU of these nodes";
    EXPECT_NE(tres("nvidia.com/gpu.count: '8'").find(none), std::string::npos);
    EXPECT_EQ(tres("node-type: spot"), "gres/gpu:one");
    EXPECT_NE(tres("node-type: 'spot and cheap'").find("should be of letters, digits"),
              std::string::npos);
    EXPECT_NE(tres("nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB-SHARED").find("shared in turns"),
              std::string::npos);
    EXPECT_NE(tres("nvidia.com/gpu.product: nvidia").find("should name a type of GPU"),
              std::string::npos);
}

TEST(Kueue, RefusesGpusWithAndWithoutATypeInOneCohort) {
    const std::string says = "GPUs of a flavor without a type are GPUs of every type, and ";
    expect_says(
        kFlavors +
            kueue_yaml("ClusterQueue", "a",
                       "cohort: all, " + gpus_yaml("default", "nominalQuota: 4")) +
            kueue_yaml("ClusterQueue", "b", "cohort: all, " + gpus_yaml("a100", "nominalQuota: 4")),
        "error: ClusterQueue a: " + says + "b has them by type");
    expect_says(
        kFlavors + kueue_yaml("ClusterQueue", "a",
                              group_yaml("nvidia.com/gpu",
                                         "{name: default, resources: [{name: nvidia.com/gpu, "
                                         "nominalQuota: 1}]}, {name: a100, resources: [{name: "
                                         "nvidia.com/gpu, nominalQuota: 1}]}")),
        "error: ClusterQueue a: " + says + "a has them by type");
    const QueueImport apart = import_text(
        kFlavors + kueue_yaml("ClusterQueue", "a", gpus_yaml("default", "nominalQuota: 4")) +
        kueue_yaml("ClusterQueue", "b", gpus_yaml("a100", "nominalQuota: 4")));
    EXPECT_FALSE(apart.has_errors) << findings_of(apart);
}

// What one queue has is for all here, unless nobody reclaims: then each keeps to its own.
TEST(Kueue, HasOnePreemptionForAllQueues) {
    const auto imported = [](const std::string& a, const std::string& b) {
        return import_text(
            kFlavors +
            kueue_yaml("ClusterQueue", "a", a + "cohort: all, " + cpus_yaml("nominalQuota: 4")) +
            kueue_yaml("ClusterQueue", "b", b + "cohort: all, " + cpus_yaml("nominalQuota: 4")));
    };
    const std::string within = "preemption: {withinClusterQueue: LowerPriority}, ";
    const std::string reclaim = "preemption: {reclaimWithinCohort: Any}, ";
    const QueueImport one = imported(within, "");
    EXPECT_EQ(findings_of(one), "");
    EXPECT_NE(one.text.find("preemption: {by: priority, mode: requeue, reclaim: off}"),
              std::string::npos);
    EXPECT_EQ(queue_named(one, "a").quota.allow_preempt_from, (std::vector<std::string>{"a"}));
    EXPECT_EQ(queue_named(one, "b").quota.allow_preemption, false);
    expect_same_when_read_back(one);
    const QueueImport other = imported(reclaim, "");
    EXPECT_NE(findings_of(other).find("warning: reclaim is one for all queues here; queue b does "
                                      "not have it, and others do"),
              std::string::npos);
    EXPECT_EQ(queue_named(other, "b").quota.allow_preemption, std::nullopt);
    expect_same_when_read_back(other);
    EXPECT_EQ(findings_of(imported(reclaim, reclaim)), "");
    EXPECT_NE(findings_of(imported(reclaim, within))
                  .find("warning: preemption by priority is one for all queues here; queue a does "
                        "not have it, and others do"),
              std::string::npos);
}

TEST(Kueue, StopsAQueueThatHolds) {
    const QueueImport found = import_text(
        kFlavors +
        kueue_yaml("ClusterQueue", "a", "stopPolicy: Hold, " + cpus_yaml("nominalQuota: 4")) +
        kueue_yaml("LocalQueue", "x", "clusterQueue: a, stopPolicy: None") +
        kueue_yaml("LocalQueue", "y", "clusterQueue: a, stopPolicy: Hold"));
    EXPECT_EQ(queue_named(found, "a").quota.jobs_max, 0U);
    EXPECT_EQ(queue_named(found, "default.x").quota.jobs_max, std::nullopt);
    EXPECT_EQ(queue_named(found, "default.y").quota.jobs_max, 0U);
    EXPECT_NE(findings_of(found).find("stopPolicy: Hold is max_jobs: 0, which refuses new jobs"),
              std::string::npos);
    expect_same_when_read_back(found);
}

}  // namespace
}  // namespace berth::config
