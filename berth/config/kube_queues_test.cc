#include "berth/config/kube_queues.h"

#include <gtest/gtest.h>

#include "berth/config/kube_rig.h"

namespace berth::config {
namespace {

constexpr const char* kLabQueue =
    "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: lab}\n";

std::string child_yaml(const std::string& name, const std::string& parent,
                       const std::string& more = "") {
    return "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " + name +
           "}\nspec: {parent: " + parent + more + "}\n---\n";
}

std::string cluster_queue_yaml(const std::string& name, const std::string& spec) {
    return "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " + name +
           "}\nspec: {" + spec + "}\n---\n";
}
const std::string kFlavor =
    "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: any}\n---\n";
constexpr const char* kCpus =
    "resourceGroups: [{coveredResources: [cpu], flavors: [{name: any, resources: [{name: cpu, "
    "nominalQuota: 4}]}]}]";

TEST(QueueImport, SaysWhereAFileIsNoYamlOrNoObject) {
    expect_says("kind: [\n", "q.yaml:");
    expect_says("- a\n- b\n", "q.yaml:1: error: should be a Kubernetes object: a map with");
    expect_says("\nwords: {more: 1}\n", "q.yaml:2: error: there is no Kubernetes object here");
    expect_says(std::string(kLabQueue) + "---\njust words\n",
                "q.yaml:5: error: should be a Kubernetes object");
    expect_says("kind: List\nitems: [5]\n", "q.yaml:2: error: items should be objects");
    expect_says(std::string(kLabQueue) + "kind: Pod\n", "q.yaml:4: error: kind stands there twice");
    EXPECT_TRUE(import_text("").text.empty());
    EXPECT_EQ(findings_of(import_text("---\n---\n# nothing\n")), "");
    // Nothing behind an empty document is lost, nor behind one that is wrong; "---" in a text is
    // no mark.
    const QueueImport found =
        import_text("%YAML 1.2\n---\n# empty\n---\n" + child_yaml("a", "root") + "...\n" +
                    child_yaml("b", "root") + "kind: [\n---\n" + child_yaml("c", "root") +
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  x: |\n"
                    "    ---\n    kind: 5\n");
    EXPECT_EQ(found.queues.size(), 3U);
    const std::string all_said = findings_of(found);
    EXPECT_TRUE(found.has_errors);
    EXPECT_NE(all_said.find("q.yaml:23: warning: ConfigMap x has no volcano-scheduler.conf"),
              std::string::npos)
        << all_said;
    const QueueImport large =
        import_queues({{.name = "large.yaml", .text = std::string(5 << 20, '#')}});
    EXPECT_EQ(findings_of(large), "large.yaml: error: is larger than 4 MiB, the limit\n");
}

// Aliases of aliases, which a few bytes make billions of.
TEST(QueueImport, ReadsNoMoreThanItCanAfford) {
    std::string yaml = "a0: &a0 {x: {y: 1}}\n";
    for (int i = 1; i < 9; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        std::string line = "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {";
        for (int j = 0; j < 9; ++j) {
            line.append(j == 0 ? "" : ", ").append("k").append(std::to_string(j));
            line.append(": ").append(before);
        }
        yaml += line + "}\n";
    }
    EXPECT_TRUE(import_text(yaml).has_errors);
    // A long list that many lists name, and a map of very many keys.
    std::string lists = "l: &l [";
    for (int i = 0; i < 5'000; ++i) lists += "1,";
    lists += "1]\n";
    for (int i = 0; i < 2'000; ++i)
        lists += "a" + std::to_string(i) + ": {kind: AList, items: *l}\n";
    expect_says(lists, "error: has more than a million keys and items: split the file");
    std::string keys = std::string(kLabQueue) + "spec:\n";
    for (int i = 0; i <= 1'000; ++i) keys += "  k" + std::to_string(i) + ": 1\n";
    expect_says(keys, "q.yaml:1005: error: spec of Queue lab has more than 1000 keys");
}

TEST(QueueImport, LooksAtTheApiVersion) {
    // KAI's Queue is another one.
    expect_says("apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: a}\n",
                "q.yaml:1: error: Queue of scheduling.run.ai/v2 is not imported; right would be: "
                "Queue of scheduling.volcano.sh/v1beta1");
    expect_says("kind: Queue\nmetadata: {name: a}\n", "Queue of no apiVersion is not imported");
    expect_says("apiVersion: kueue.x-k8s.io/v1alpha2\nkind: ClusterQueue\nmetadata: {name: a}\n",
                "ClusterQueue of kueue.x-k8s.io/v1alpha2 is not imported; right would be: "
                "ClusterQueue of kueue.x-k8s.io/v1beta1 or v1beta2");
    expect_says("apiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkloadPriorityClass\n",
                "error: WorkloadPriorityClass is not imported; right would be: PriorityClass");
    expect_says("apiVersion: v1\nkind: ResourceQuota\n",
                "error: ResourceQuota is not imported; right would be: queues with quotas");
    expect_says("apiVersion: v1\nkind: Pod\n", "warning: Pod is no queue, no priority class");
    const QueueImport cohort = import_text(
        "apiVersion: kueue.x-k8s.io/v1alpha1\nkind: Cohort\nmetadata: {name: hello-cohort}\n");
    EXPECT_EQ(findings_of(cohort), "");
    EXPECT_EQ(cohort.text, "accounts:\n  - {name: hello-cohort}\n");
}

TEST(QueueImport, RefusesTreesThatAreNone) {
    expect_says(child_yaml("lab", "vision") + child_yaml("vision", "lab"),
                "q.yaml:4: error: the queue lab is above itself");
    expect_says(child_yaml("lab", "lab"), "q.yaml:4: error: the queue lab is above itself");
    expect_says(child_yaml("a", "root") + child_yaml("a", "root"),
                "q.yaml:6: error: queue a already exists: Queue at q.yaml:1");
    expect_says(child_yaml("a", "nosuch"), "q.yaml:4: error: parent queue nosuch not found");
    expect_says(
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: a}\n"
        "spec: {clusterQueue: nosuch}\n",
        "q.yaml:4: error: queue nosuch not found; right would be: its ClusterQueue");
    expect_says(kFlavor + cluster_queue_yaml("a", std::string("cohortName: a, ") + kCpus),
                "queue a already exists: Cohort at");
    expect_says(kFlavor + cluster_queue_yaml("a", std::string("cohortName: root, ") + kCpus),
                "Cohort root: an account cannot be called root");
    std::string deep = child_yaml("q0", "root");
    for (int i = 1; i < 70; ++i)
        deep += child_yaml("q" + std::to_string(i), "q" + std::to_string(i - 1));
    expect_says(deep, "error: queue q65 lies more than 64 levels below the root");
    EXPECT_EQ(findings_of(import_text(deep)).find("queue q64 lies"), std::string::npos);
}

// What berth.yaml would refuse is refused at the object's line.
TEST(QueueImport, RefusesQuotasThatContradictEachOther) {
    const auto guaranteed = [](const std::string& name, const std::string& parent, int cpus) {
        return child_yaml(name, parent,
                          ", guarantee: {resource: {cpu: " + std::to_string(cpus) + "}}");
    };
    expect_says(child_yaml("lab", "root", ", deserved: {cpu: 10}") + guaranteed("a", "lab", 8) +
                    guaranteed("b", "lab", 8),
                "q.yaml:1: error: guarantees of cpu add up to 16 (8 of a, 8 of b), above the "
                "nominal quota of queue lab, 10");
    expect_says(child_yaml("lab", "root", ", deserved: {cpu: 10}") +
                    child_yaml("a", "lab", ", deserved: {cpu: 11}"),
                "q.yaml:1: warning: nominal quotas of cpu add up to 11 (11 of a), above the "
                "nominal quota of queue lab, 10");
    expect_says(kFlavor + cluster_queue_yaml(
                              "a",
                              "cohortName: all, resourceGroups: [{coveredResources: [cpu], "
                              "flavors: [{name: any, resources: [{name: cpu, nominalQuota: 4, "
                              "lendingLimit: 5}]}]}]"),
                "error: queue a: its lend_max of cpu, 5, is above its nominal quota, 4");
    // Each is within bounds, but no text would hold their sum.
    std::string sum;
    for (int i = 0; i < 9; ++i)
        sum += child_yaml("q" + std::to_string(i), "all", ", deserved: {memory: 1Ei}");
    sum += child_yaml("all", "root", ", guarantee: {resource: {memory: 1Gi}}");
    expect_says(sum, "too large");
}

TEST(QueueImport, RefusesKeysOfKueueThatItCannotMean) {
    struct Key {
        const char *spec, *says;
    };
    for (const auto& [spec, says] : {
             Key{"namespaceSelector: {matchLabels: {team: a}}",
                 "namespaceSelector: with labels is not imported; right would be: {}, and the "
                 "users of these namespaces in the account: sacctmgr add user NAME account=a"},
             Key{"queueingStrategy: StrictFIFO", "queueingStrategy: StrictFIFO is not imported"},
             Key{"queueingStrategy: Lottery", "Lottery should be BestEffortFIFO or StrictFIFO"},
             Key{"stopPolicy: HoldAndDrain",
                 "stopPolicy: HoldAndDrain is not imported; right would be: Hold, and scancel -A a "
                 "for its jobs"},
             Key{"stopPolicy: Never", "stopPolicy: Never should be None or Hold or HoldAndDrain"},
             Key{"preemption: {reclaimWithinCohort: LowerPriority}",
                 "preemption of spec of ClusterQueue a: reclaimWithinCohort: LowerPriority is not"},
             Key{"preemption: {reclaimWithinCohort: Sometimes}", "Sometimes should be Never or"},
             Key{"preemption: {withinClusterQueue: LowerOrNewerEqualPriority}",
                 "withinClusterQueue: LowerOrNewerEqualPriority is not imported"},
             Key{"preemption: {withinClusterQueue: Any}", "Any should be Never or LowerPriority"},
             Key{"preemption: {borrowWithinCohort: {policy: LowerPriority}}",
                 "borrowWithinCohort: LowerPriority is not imported"},
             Key{"preemption: {borrowWithinCohort: {maxPriorityThreshold: 5}}",
                 "maxPriorityThreshold: is not imported"},
             Key{"preemption: {nosuch: 5}", "has no key nosuch; it has reclaimWithinCohort"},
             Key{"fairSharing: {weight: -1}", "weight: -1 is negative"},
             Key{"fairSharing: {weight: 5000000000}", "weight of ClusterQueue a should have three"},
             Key{"fairSharing: {weight: 0.0001}", "weight of ClusterQueue a should have three"},
             Key{"admissionChecks: [a]", "admissionChecks: is not imported"},
             Key{"admissionChecksStrategy: {admissionChecks: [{name: a}]}",
                 "admissionChecksStrategy: is not imported"},
             Key{"excludeResourcePrefixes: [example.com]", "excludeResourcePrefixes: is not"},
             Key{"flavorFungibility: {whenCanBorrow: Perhaps}", "Perhaps should be Borrow or"},
             Key{"flavorFungibility: {whenCanBorrow: TryNextFlavor}",
                 "warning: spec of ClusterQueue a: flavorFungibility: has no effect"},
             Key{"admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}",
                 "warning: spec of ClusterQueue a: admissionScope: is what fair share does here"},
             Key{"cohort: b, cohortName: c", "cohort: and cohortName exclude each other"},
             Key{"quota: 5", "spec of ClusterQueue a has no key quota; it has cohort, cohortName"},
         }) {
        expect_says(kFlavor + cluster_queue_yaml("a", std::string(spec) + ", " + kCpus), says);
    }
    const std::string neutral =
        "namespaceSelector: {}, stopPolicy: None, queueingStrategy: BestEffortFIFO, preemption: "
        "{}, "
        "admissionChecks: [], ";
    EXPECT_EQ(findings_of(import_text(kFlavor + cluster_queue_yaml("a", neutral + kCpus))), "");
}

TEST(QueueImport, RefusesGroupsOfResourcesThatAreNotWhole) {
    struct Groups {
        const char *spec, *says;
    };
    for (const auto& [spec, says] : {
             Groups{"resourceGroups: []", "resourceGroups: is missing: Kueue starts nothing"},
             Groups{"resourceGroups: 5", "resourceGroups: should be a list"},
             Groups{"resourceGroups: [{flavors: []}]", "coveredResources: should name resources"},
             Groups{"resourceGroups: [{coveredResources: cpu, flavors: []}]",
                    "coveredResources: should be a list"},
             Groups{"resourceGroups: [{coveredResources: [cpu, cpu], flavors: []}]",
                    "coveredResources: cpu is covered twice"},
             Groups{"resourceGroups: [{coveredResources: [cpu], flavors: []}]",
                    "flavors: should be flavors with quotas"},
             Groups{"resourceGroups: [{coveredResources: [cpu], flavors: [{name: any, resources: "
                    "[{name: cpu}]}]}]",
                    "nominalQuota: is missing; 0 is none"},
             Groups{"resourceGroups: [{coveredResources: [cpu], flavors: [{name: any, resources: "
                    "[{name: memory, nominalQuota: 1Gi}]}]}]",
                    "name: is not among coveredResources"},
             Groups{"resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: any, "
                    "resources: [{name: cpu, nominalQuota: 1}]}]}]",
                    "resources: memory is covered and has no quota here; 0 is none"},
             Groups{"resourceGroups: [{coveredResources: [cpu], flavors: [{name: nosuch, "
                    "resources: [{name: cpu, nominalQuota: 1}]}]}]",
                    "ResourceFlavor nosuch not found; right would be: its object in the files"},
             Groups{"resourceGroups: [{coveredResources: [cpu], flavors: [{name: any, resources: "
                    "[{name: cpu, nominalQuota: 1, borrowingLimit: 1}]}]}]",
                    "borrowingLimit: has no meaning outside of a cohort"},
             Groups{"resourceGroups: [{coveredResources: [pods], flavors: [{name: any, resources: "
                    "[{name: pods, nominalQuota: 5}]}]}]",
                    "pods is no TRES; right would be: max_jobs of the queue"},
             Groups{"resourceGroups: [{coveredResources: [nvidia.com/gpu, amd.com/gpu], flavors: "
                    "[{name: any, resources: [{name: nvidia.com/gpu, nominalQuota: 1}, {name: "
                    "amd.com/gpu, nominalQuota: 1}]}]}]",
                    "amd.com/gpu is gres/gpu, and so is nvidia.com/gpu"},
             Groups{"resourceGroups: [{coveredResources: [cpu], flavors: [{name: any, resources: "
                    "[{name: cpu, nominalQuota: 500m}]}]}]",
                    "cpu of flavor any: 500m should be a whole number"},
         }) {
        expect_says(kFlavor + cluster_queue_yaml("a", spec), says);
    }
    expect_says("apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: a}\n",
                "resourceGroups: is missing");
    expect_says("apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: a}\n",
                "clusterQueue: is missing");
}

TEST(QueueImport, TakesFlavorsForGpusAndRefusesTaints) {
    const auto flavor = [](const std::string& spec) {
        return "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: a}\n"
               "spec: {" +
               spec + "}\n";
    };
    const std::string taint = "nodeTaints: [{key: spot, value: 'true', effect: NoSchedule}]";
    expect_says(flavor(taint), "error: spec of ResourceFlavor a: nodeTaints: keep jobs off");
    expect_says(flavor(taint + ", tolerations: [{key: spot, operator: Exists}]"),
                "warning: spec of ResourceFlavor a: nodeTaints: nodes have no taints here");
    for (const char* const toleration :
         {"{key: spot, operator: Exists}", "{operator: Exists}",
          "{key: spot, operator: Equal, value: 'true', effect: NoSchedule}"}) {
        EXPECT_FALSE(import_text(flavor(taint + ", tolerations: [" + toleration + "]")).has_errors)
            << toleration;
    }
    for (const char* const toleration :
         {"{key: other, operator: Exists}", "{key: spot, value: 'false'}",
          "{key: spot, operator: Exists, effect: NoExecute}"}) {
        EXPECT_TRUE(import_text(flavor(taint + ", tolerations: [" + toleration + "]")).has_errors)
            << toleration;
    }
    expect_says(flavor("topologyName: default"), "warning: spec of ResourceFlavor a: topologyName");
    expect_says(flavor("resourceWeights: {cpu: 2}"), "warning: spec of ResourceFlavor a: resource");
    expect_says(flavor("nodes: 5"), "spec of ResourceFlavor a has no key nodes");
    expect_says(flavor("") + "---\n" + flavor(""), "ResourceFlavor a already exists: one may be");
}

}  // namespace
}  // namespace berth::config
