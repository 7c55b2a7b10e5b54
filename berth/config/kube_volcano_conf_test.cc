#include <gtest/gtest.h>

#include "berth/config/kube_rig.h"

namespace berth::config {
namespace {

// Seed 001 §4.2.2, below the words that stand above it there.
constexpr const char* kSeedConfigMap = R"(Scheduler配置:
  apiVersion: v1
  kind: ConfigMap
  metadata:
    name: volcano-scheduler-configmap
    namespace: volcano-system
  data:
    volcano-scheduler.conf: |
      actions: "enqueue, allocate, backfill"
      tiers:
      - plugins:
        - name: priority
        - name: gang
        - name: conformance
      - plugins:
        - name: drf
        - name: predicates
        - name: proportion
        - name: nodeorder
        - name: binpack
)";

// A configuration with these actions and plugins.
std::string scheduler_yaml(const std::string& actions, const std::string& plugins) {
    return "actions: '" + actions + "'\ntiers:\n- plugins: [" + plugins + "]\n";
}
constexpr const char* kUsual = "{name: priority}, {name: gang}";

TEST(VolcanoScheduler, OfTheSeedEvictsNobody) {
    const QueueImport found = import_text(kSeedConfigMap);
    EXPECT_EQ(found.text,
              "preemption: {by: none, mode: off, reclaim: off}\n"
              "placement: pack\n");
    EXPECT_EQ(findings_of(found),
              "q.yaml:10: warning: scheduler configuration: tiers: drf orders jobs of equal "
              "priority by the shares of their jobs; here fair share does, or the time of "
              "submission\n"
              "q.yaml:10: warning: scheduler configuration: tiers: binpack and nodeorder pull in "
              "opposite directions; placement: pack is what binpack means\n");
    EXPECT_TRUE(found.has_settings);
    expect_same_when_read_back(found);
}

// Seed 001 §4.3.2: drf alone.
TEST(VolcanoScheduler, OfDrfAloneOrdersByDominantShares) {
    const QueueImport found = import_text(R"(DRF调度:
  定义:
    - Dominant Resource Fairness
  配置:
    actions: "enqueue, allocate, backfill"
    tiers:
    - plugins:
      - name: drf
  优势:
    - 公平性保证
)");
    EXPECT_EQ(found.text,
              "preemption: {by: none, mode: off, reclaim: off}\n"
              "order: {rule: drf, by_account: 1}\n");
    EXPECT_EQ(findings_of(found),
              "q.yaml:2: warning: 定义, 优势: no Kubernetes object, skipped\n"
              "q.yaml:6: warning: scheduler configuration: tiers: the plugin priority is missing; "
              "it cannot be switched off here, where a job's priority counts\n");
    expect_same_when_read_back(found);
}

TEST(VolcanoScheduler, HasActionsThatSwitchStagesOn) {
    struct Actions {
        const char *actions, *preemption;
    };
    for (const auto& [actions, preemption] : {
             Actions{"enqueue, allocate, backfill", "{by: none, mode: off, reclaim: off}"},
             Actions{"enqueue, allocate, backfill, preempt",
                     "{by: priority, mode: requeue, reclaim: off}"},
             Actions{"enqueue, allocate, backfill, gangpreempt",
                     "{by: priority, mode: requeue, reclaim: off}"},
             Actions{"enqueue, allocate, backfill, reclaim",
                     "{by: none, mode: off, reclaim: requeue}"},
             Actions{"allocate, preempt, reclaim",
                     "{by: priority, mode: requeue, reclaim: requeue}"},
             Actions{"allocate,gangreclaim", "{by: none, mode: off, reclaim: requeue}"},
         }) {
        const QueueImport found = import_text(scheduler_yaml(actions, kUsual));
        EXPECT_EQ(found.text, std::string("preemption: ") + preemption + "\n") << actions;
        expect_same_when_read_back(found);
    }
}

TEST(VolcanoScheduler, SaysWhereItsOrderAndItsStagesAreOthers) {
    struct Said {
        const char *actions, *says;
    };
    for (const auto& [actions, says] : {
             Said{"enqueue, allocate, preempt, backfill",
                  "q.yaml:1: warning: scheduler configuration: actions: the order is Berth's own"},
             Said{"allocate", "actions: enqueue is missing; it cannot be switched off here"},
             Said{"enqueue, allocate", "actions: backfill is missing; it cannot be switched off"},
             Said{"enqueue, backfill",
                  "error: scheduler configuration: actions: should have "
                  "allocate"},
             Said{"enqueue, allocate, elect",
                  "warning: scheduler configuration: actions: elect has no effect: each job that "
                  "waits has a planned start"},
             Said{"enqueue, allocate, shuffle",
                  "error: scheduler configuration: actions: 'shuffle' is not imported"},
             Said{"enqueue, allocate, allocate", "actions: allocate stands there twice"},
             Said{"", "actions: '' is not imported; there are enqueue"},
             Said{"allocate, preempt",
                  "warning: scheduler configuration: tiers: the plugin gang "
                  "protects running gangs from preempt and reclaim"},
             Said{"allocate, preempt, reclaim",
                  "warning: by priority, a job preempts runs of every queue here, where the "
                  "scheduler lets it preempt those of its own alone"},
         }) {
        expect_says(scheduler_yaml(actions, kUsual), says);
    }
    EXPECT_EQ(findings_of(import_text(scheduler_yaml("enqueue, allocate, backfill", kUsual))), "");
    // Gangs that are not protected, or stages that take them as a whole, are Berth's own way.
    for (const auto& yaml : {scheduler_yaml("enqueue,allocate,backfill,preempt",
                                            "{name: priority}, {name: gang, enablePreemptable: "
                                            "false}"),
                             scheduler_yaml("enqueue,allocate,backfill,gangpreempt", kUsual)}) {
        EXPECT_EQ(findings_of(import_text(yaml)), "") << yaml;
    }
}

// Where nothing is reclaimed, a queue's runs make place for its own jobs alone, as in Volcano.
TEST(VolcanoScheduler, KeepsPreemptionWithinQueues) {
    const std::string queue =
        "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: lab}\n"
        "spec: {deserved: {cpu: 8}}\n";
    const auto preemptors = [&](const std::string& actions) {
        const QueueImport found = import_text(scheduler_yaml(actions, kUsual) + queue);
        expect_same_when_read_back(found);
        return queue_named(found, "lab").quota.allow_preempt_from;
    };
    EXPECT_EQ(preemptors("enqueue, allocate, backfill, preempt"),
              (std::vector<std::string>{"lab"}));
    EXPECT_TRUE(preemptors("enqueue, allocate, backfill, preempt, reclaim").empty());
}

TEST(VolcanoScheduler, HasPluginsThatMeanSomethingOrAreRefused) {
    struct Plugin {
        const char *plugin, *says;
    };
    for (const auto& [plugin, says] : {
             Plugin{"{name: tdm}",
                    "error: plugin tdm: name: is not imported; right would be: "
                    "reservations"},
             Plugin{"{name: sla}",
                    "plugin sla: name: is not imported; right would be: "
                    "--berth-max-wait of jobs"},
             Plugin{"{name: nosuch}", "plugin nosuch: name: there is no such plugin of Volcano"},
             Plugin{"{name: overcommit, arguments: {overcommit-factor: 1.2}}",
                    "warning: plugin overcommit: name: has no effect: each job"},
             Plugin{"{name: gang}", "plugin gang: name: stands there twice"},
             Plugin{"{name: binpack, arguments: {binpack.weight: 10}}",
                    "error: arguments of plugin binpack: binpack.weight: is not imported; right "
                    "would be: rules with weights in placement: of berth.yaml"},
             Plugin{"{name: predicates, arguments: {predicate.GPUSharingEnable: true}}",
                    "predicate.GPUSharingEnable: is not imported; right would be: without them: "
                    "gres.conf"},
             Plugin{"{name: proportion}, {name: capacity}", "proportion and capacity exclude each"},
             Plugin{"{name: drf, enableHierarchy: true}",
                    "error: plugin drf: enableHierarchy: is not imported; right would be: parent:"},
             Plugin{"{name: drf, enableJobOrder: false}",
                    "error: plugin drf: enableJobOrder: false is not imported"},
             Plugin{"{name: drf, enabled: true}", "plugin drf has no key enabled; it has name"},
             Plugin{"drf", "error: plugin should be a map"},
         }) {
        expect_says(
            scheduler_yaml("enqueue, allocate, backfill", std::string(kUsual) + ", " + plugin),
            says);
    }
    EXPECT_EQ(findings_of(import_text(scheduler_yaml(
                  "enqueue, allocate, backfill",
                  std::string(kUsual) + ", {name: capacity, enableHierarchy: true}, {name: "
                                        "conformance}, {name: drf, enablePreemptable: false}"))),
              "q.yaml:2: warning: scheduler configuration: tiers: drf orders jobs of equal "
              "priority by the shares of their jobs; here fair share does, or the time of "
              "submission\n");
    EXPECT_NE(import_text(scheduler_yaml("enqueue, allocate, backfill",
                                         std::string(kUsual) + ", {name: nodeorder}"))
                  .text.find("placement: spread\n"),
              std::string::npos);
    expect_says(scheduler_yaml("allocate, preempt", "{name: gang}"),
                "preempt without the plugin priority chooses runs by shares");
}

// Lines are those of the file, whatever lies above the text of the ConfigMap.
TEST(VolcanoScheduler, HasItsLinesInTheFile) {
    const std::string head =
        "# A comment.\napiVersion: v1\nkind: ConfigMap\nmetadata:\n"
        "  name: volcano-scheduler-configmap\ndata:\n";
    expect_says(head +
                    "  volcano-scheduler.conf: |\n    actions: allocate\n    tiers:\n"
                    "    - plugins:\n      - name: tdm\n",
                "q.yaml:11: error: plugin tdm:");
    expect_says(head + "  volcano-scheduler.conf: \"actions: allocate, nosuch\"\n",
                "q.yaml:7: error: scheduler configuration: actions: 'nosuch'");
    expect_says(head + "  volcano-scheduler.conf: |\n    actions: [\n    tiers:\n", "q.yaml:");
    expect_says(head + "  volcano-scheduler.conf: {actions: allocate}\n",
                "q.yaml:7: error: data of ConfigMap volcano-scheduler-configmap: "
                "volcano-scheduler.conf: should be a text, after '|'");
    expect_says(head + "  other.conf: x\n",
                "q.yaml:2: warning: ConfigMap volcano-scheduler-configmap has no "
                "volcano-scheduler.conf: skipped");
    expect_says(head + "  volcano-scheduler.conf: 'actions: allocate'\n  other.conf: x\n",
                "q.yaml:8: error: data of ConfigMap volcano-scheduler-configmap has no key "
                "other.conf");
    expect_says(head +
                    "  volcano-scheduler.conf: |\n    actions: allocate\n    tiers: []\n    ---\n"
                    "    actions: preempt\n",
                "q.yaml:10: error: Volcano reads the first document alone; right would be: one");
    expect_says(head + "  volcano-scheduler.conf: |\n    ,ctions: allocate\n    tiers: []\n",
                "q.yaml:8: error: scheduler configuration: actions:");
    EXPECT_EQ(
        findings_of(import_text(head + "  volcano-scheduler.conf: |\n    ---\n    actions: "
                                       "\"enqueue, allocate, backfill\"\n    tiers: [{plugins: "
                                       "[{name: priority}]}]\n    ---\n    # nothing\n")),
        "");
    const std::string one = scheduler_yaml("enqueue, allocate, backfill", kUsual);
    expect_says(one + "---\n" + one,
                "q.yaml:5: error: another configuration of the scheduler is at q.yaml:1; one may "
                "be");
    expect_says(one + "configurations:\n- {name: enqueue}\n",
                "q.yaml:4: error: scheduler configuration: configurations: is not imported");
    expect_says(one + "tires: 2\n", "q.yaml:4: error: scheduler configuration has no key tires");
    expect_says("actions: allocate\ntiers: 5\n",
                "q.yaml:2: error: scheduler configuration: tiers: should be a list");
}

}  // namespace
}  // namespace berth::config
