#include "berth/config/kube_volcano.h"

#include <gtest/gtest.h>

#include "berth/config/kube_rig.h"

namespace berth::config {
namespace {

std::string queue_yaml(const std::string& name, const std::string& spec) {
    return "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " + name +
           "}\nspec: {" + spec + "}\n";
}

// Seed 002's, with the indentation that it lost.
constexpr const char* kSeedQueue = R"(apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: training-queue
spec:
  weight: 10
  capability:
    cpu: "512"
    memory: "2Ti"
    nvidia.com/gpu: "64"
  reclaimable: true
  guarantee:
    resource:
      cpu: "128"
      memory: "512Gi"
      nvidia.com/gpu: "16"
)";

TEST(VolcanoQueue, OfTheSeedHasItsGuaranteeByRightAndItsCapabilityAtMost) {
    const QueueImport found = import_text(kSeedQueue);
    const ImportedQueue& queue = queue_named(found, "training-queue");
    const TresLimits guaranteed = {{"cpu", 128}, {"mem", 512 * 1024}, {"gres/gpu", 16}};
    EXPECT_EQ(queue.parent, "root");
    EXPECT_EQ(queue.shares, 10);
    EXPECT_EQ(queue.quota.nominal, guaranteed);
    EXPECT_EQ(queue.quota.guarantee, guaranteed);
    EXPECT_EQ(queue.quota.limit,
              (TresLimits{{"cpu", 512}, {"mem", 2 * 1024 * 1024}, {"gres/gpu", 64}}));
    EXPECT_EQ(findings_of(found),
              "q.yaml:6: warning: spec of Queue training-queue: weight: divides in Volcano what no "
              "queue deserves; here that is borrowed, and the weight is the account's shares, for "
              "the order of jobs\n");
    EXPECT_EQ(found.text,
              "accounts:\n"
              "  - {name: training-queue, shares: 10}\n"
              "queues:\n"
              "  training-queue: {nominal: 'cpu=128,mem=512G,gres/gpu=16', "
              "guarantee: 'cpu=128,mem=512G,gres/gpu=16', "
              "limit: 'cpu=512,mem=2T,gres/gpu=64'}\n");
    expect_same_when_read_back(found);
}

// Volcano's documentation of hierarchical queues; its job is skipped.
TEST(VolcanoQueue, OfTheDocumentationIsATree) {
    const auto child = [](const std::string& name, const std::string& parent, int cpus) {
        return "---\n" + queue_yaml(name, "reclaimable: true, parent: " + parent +
                                              ", deserved: {cpu: " + std::to_string(cpus) +
                                              ", memory: " + std::to_string(2 * cpus) + "Gi}");
    };
    const QueueImport found = import_text(
        child("subchild-queue-a1", "child-queue-a", 32) + child("child-queue-a", "root", 64) +
        child("child-queue-b", "root", 64) + child("subchild-queue-a2", "child-queue-a", 32) +
        "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: job-a}\n");
    EXPECT_EQ(findings_of(found),
              "q.yaml:22: warning: Job is no queue, no priority class and no configuration of a "
              "scheduler: skipped\n");
    EXPECT_EQ(queue_named(found, "subchild-queue-a1").parent, "child-queue-a");
    EXPECT_EQ(queue_named(found, "child-queue-a").parent, "root");
    EXPECT_EQ(queue_named(found, "child-queue-a").quota.nominal,
              (TresLimits{{"cpu", 64}, {"mem", 128 * 1024}}));
    expect_same_when_read_back(found);
}

TEST(VolcanoQueue, KeepsWhatItGuaranteesWithinWhatItDeserves) {
    const auto quota = [](const std::string& spec) {
        return queue_named(import_text(queue_yaml("lab", spec)), "lab").quota;
    };
    // A guarantee above what is deserved is deserved; the capability bounds what is deserved.
    const QueueSpec both =
        quota("deserved: {cpu: 2}, guarantee: {resource: {cpu: 4, memory: 1Gi}}");
    EXPECT_EQ(both.nominal, (TresLimits{{"cpu", 4}, {"mem", 1024}}));
    EXPECT_EQ(quota("deserved: {cpu: 8}, capability: {cpu: 6}").nominal, (TresLimits{{"cpu", 6}}));
    // In the order of berth.yaml, whatever that of the file.
    EXPECT_EQ(quota("deserved: {nvidia.com/gpu: 4, memory: 2Ti, cpu: 8}").nominal,
              (TresLimits{{"cpu", 8}, {"mem", 2 * 1024 * 1024}, {"gres/gpu", 4}}));
    // A guarantee above other queues is no bound of what they deserve.
    const QueueImport tree =
        import_text(queue_yaml("lab", "guarantee: {resource: {cpu: 4}}") + "---\n" +
                    queue_yaml("a", "parent: lab, deserved: {cpu: 8}") + "---\n" +
                    queue_yaml("b", "parent: lab, deserved: {cpu: 8}"));
    EXPECT_EQ(queue_named(tree, "lab").quota.nominal, (TresLimits{{"cpu", 16}}));
    expect_same_when_read_back(tree);
}

TEST(VolcanoQueue, ThatIsNotReclaimableKeepsItsRunsForItsOwnJobs) {
    const auto preemptors = [](const QueueImport& found, const std::string& queue) {
        return queue_named(found, queue).quota.allow_preempt_from;
    };
    const QueueImport found =
        import_text(queue_yaml("lab", "reclaimable: false") + "---\n" +
                    queue_yaml("a", "parent: lab, reclaimable: true, deserved: {cpu: 1}") +
                    "---\n" + queue_yaml("b", "parent: lab, reclaimable: false"));
    EXPECT_TRUE(preemptors(found, "lab").empty());
    EXPECT_TRUE(preemptors(found, "a").empty());
    EXPECT_EQ(preemptors(found, "b"), (std::vector<std::string>{"b"}));
    EXPECT_EQ(findings_of(found),
              "q.yaml:1: warning: Queue lab: reclaimable: false has no effect: the jobs are in the "
              "queues beneath it\n");
    expect_same_when_read_back(found);
}

TEST(VolcanoQueue, ThatIsClosedTakesNoJobs) {
    const auto most = [](const std::string& more) {
        return queue_named(import_text(queue_yaml("lab", "weight: 1") + more), "lab")
            .quota.jobs_max;
    };
    EXPECT_EQ(most("status: {state: Closed, pending: 3}\n"), 0U);
    EXPECT_EQ(most("status: {state: Closing}\n"), 0U);
    EXPECT_EQ(most("status: {state: Open}\n"), std::nullopt);
    EXPECT_EQ(most(""), std::nullopt);
    expect_says(queue_yaml("lab", "weight: 1") + "status: {state: Ajar}\n",
                "q.yaml:5: error: Queue lab: state: Ajar should be Open, Closed, Closing or");
}

// kubectl get queues -o yaml.
TEST(VolcanoQueue, IsFoundInAnExport) {
    const QueueImport found = import_text(R"(apiVersion: v1
items:
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: Queue
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: "{}"
    creationTimestamp: "2026-01-01T00:00:00Z"
    generation: 1
    name: root
    uid: 1b4e
  spec:
    reclaimable: false
    weight: 1
  status:
    allocated: {cpu: "0"}
    state: Open
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: Queue
  metadata:
    name: default
  spec:
    capability:
      cpu: 4
kind: List
metadata:
  resourceVersion: ""
)");
    EXPECT_EQ(findings_of(found),
              "q.yaml:3: warning: Queue root is the whole cluster, which needs no queue: skipped\n"
              "q.yaml:5: warning: metadata of Queue: annotations, creationTimestamp, generation, "
              "uid: no meaning here\n");
    ASSERT_EQ(found.queues.size(), 1U);
    EXPECT_EQ(found.queues[0].quota.limit, (TresLimits{{"cpu", 4}}));
}

TEST(VolcanoQueue, RefusesWhatItCannotMean) {
    struct Refused {
        const char *spec, *says;
    };
    for (const auto& [spec, says] : {
             Refused{"weight: 0", "weight: 0 should be a whole number from 1 to 1000000000"},
             Refused{"weight: 2147483647", "weight: 2147483647 should be a whole number from 1"},
             Refused{"weight: 1.5", "weight: 1.5 should be a whole number"},
             Refused{"capability: {cpu: 500m}",
                     "capability of spec of Queue lab: cpu: 500m should "
                     "be a whole number"},
             Refused{"capability: {pods: 3}", "pods is no TRES; right would be: max_jobs"},
             Refused{"capability: {nvidia.com/gpu: 1, amd.com/gpu: 1}",
                     "amd.com/gpu: is gres/gpu, and so is nvidia.com/gpu"},
             Refused{"capability: {nvidia.com/gpu: 1, nvidia.com/mig-1g.5gb: 1}",
                     "counts GPUs of every type, so no type may stand beside it"},
             Refused{"capability: [1]", "capability of spec of Queue lab should be a map"},
             Refused{"guarantee: {cpu: 1}",
                     "guarantee of spec of Queue lab has no key cpu; it has "
                     "resource"},
             Refused{"guarantee: {resource: {cpu: 4}}, capability: {cpu: 2}",
                     "guarantee: cpu is above the capability of the queue"},
             Refused{"reclaimable: maybe", "reclaimable: maybe should be true or false"},
             Refused{"parent: nosuch", "q.yaml:4: error: parent queue nosuch not found"},
             Refused{"priority: 5", "priority: 5 is not imported; right would be: priority: of"},
             Refused{"dequeueStrategy: fifo", "dequeueStrategy: fifo is not imported"},
             Refused{"affinity: {nodeGroupAffinity: {}}",
                     "affinity: is not imported; right would "
                     "be: a partition"},
             Refused{"extendClusters: [{name: a}]", "extendClusters: is not imported"},
             Refused{"dra: {capability: {}}", "dra: is not imported; right would be: GPUs by type"},
             Refused{"quota: 5", "q.yaml:4: error: spec of Queue lab has no key quota; it has "},
             Refused{"weight: 1, weight: 2", "spec of Queue lab: weight stands there twice"},
         }) {
        expect_says(queue_yaml("lab", spec), says);
        EXPECT_TRUE(import_text(queue_yaml("lab", spec)).has_errors) << spec;
        EXPECT_EQ(import_text(queue_yaml("lab", spec)).text, "") << spec;
    }
    // A type that means nothing is warned of; without a spec there are the defaults.
    EXPECT_EQ(findings_of(import_text(queue_yaml("lab",
                                                 "type: x, dequeueStrategy: traverse, "
                                                 "priority: 0, extendClusters: []"))),
              "q.yaml:4: warning: spec of Queue lab: type: no meaning here\n");
    const QueueImport bare = import_text(
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: lab}\n");
    EXPECT_EQ(findings_of(bare), "");
    EXPECT_EQ(bare.text, "accounts:\n  - {name: lab}\n");
}

TEST(VolcanoQueue, CalledRootIsTheClusterAndHasNoQuotas) {
    expect_says(queue_yaml("root", "capability: {cpu: 8}"),
                "q.yaml:1: error: Queue root: quotas of the whole cluster are not imported");
    EXPECT_FALSE(import_text(queue_yaml("root", "weight: 1")).has_errors);
}

// H-DRF's tree is another one than that of `parent`.
TEST(VolcanoQueue, RefusesTheAnnotationsOfHdrf) {
    for (const char* const key : {"volcano.sh/hierarchy", "volcano.sh/hierarchy-weights"}) {
        expect_says(
            "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata:\n  name: a\n"
            "  annotations:\n    " +
                std::string(key) + ": root/a\n",
            "q.yaml:6: error: annotations of metadata of Queue: " + std::string(key) +
                ": is not imported; right would be: parent: and weight: in spec");
    }
}

}  // namespace
}  // namespace berth::config
