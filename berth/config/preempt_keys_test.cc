// PreemptType, PreemptMode, PreemptExemptTime, PreemptParameters, and berth.yaml's `preemption`.
#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Two partitions, of which one stands above the other.
Loaded load_preempt_keys(const std::string& keys, const std::string& yaml = "") {
    return load_slurm(
        "ClusterName=lab\nNodeName=n1 CPUs=4\n"
        "PartitionName=low Nodes=ALL Default=YES PreemptMode=CANCEL GraceTime=20\n"
        "PartitionName=high Nodes=ALL PriorityTier=5\n" +
            keys,
        "", "", "", yaml);
}
const std::string kByPartition = "PreemptType=preempt/partition_prio\nPreemptMode=requeue\n";
const std::string kByQos = "PreemptType=preempt/qos\nPreemptMode=REQUEUE\n";

const PreemptionSpec& preemption_of(const Loaded& loaded) {
    return loaded.spec.scheduling.preemption;
}

std::string setting(const Loaded& loaded, const std::string& name) {
    for (const auto& [key, value] : loaded.spec.settings) {
        if (key == name) return value;
    }
    return {};
}

TEST(PreemptKeys, SetWhatTheySay) {
    const Loaded partition =
        load_preempt_keys(kByPartition +
                          "PreemptExemptTime=10:00\n"
                          "PreemptParameters=youngest_first,min_exempt_priority=77\n");
    EXPECT_EQ(text_of(partition), "");
    EXPECT_EQ(preemption_of(partition).by, PreemptBy::partition);
    EXPECT_EQ(preemption_of(partition).mode, PreemptMode::requeue);
    EXPECT_EQ(preemption_of(partition).exempt, minutes(10));
    EXPECT_EQ(preemption_of(partition).exempt_priority, 77);
    EXPECT_TRUE(preemption_of(partition).youngest_first);
    EXPECT_FALSE(preemption_of(partition).user_signal);
    EXPECT_EQ(partition.spec.partitions[0].preempt_mode, PreemptMode::cancel);
    EXPECT_EQ(partition.spec.partitions[0].grace_time, seconds(20));
    EXPECT_EQ(partition.spec.partitions[1].preempt_mode, std::nullopt);

    const Loaded qos = load_preempt_keys(
        "PreemptType=preempt/qos\nPreemptMode=within,cancel\n"
        "PreemptParameters=send_user_signal,reclaim_licenses\n");
    EXPECT_FALSE(qos.has_errors) << text_of(qos);
    EXPECT_EQ(preemption_of(qos).by, PreemptBy::qos);
    EXPECT_EQ(preemption_of(qos).mode, PreemptMode::cancel);
    EXPECT_TRUE(preemption_of(qos).within);
    EXPECT_TRUE(preemption_of(qos).user_signal);
    EXPECT_TRUE(preemption_of(qos).reclaims_licenses);

    EXPECT_FALSE(preemption_of(load_preempt_keys("")).enabled());
    EXPECT_FALSE(preemption_of(load_preempt_keys("PreemptType=preempt/none\n")).enabled());
}

TEST(PreemptKeys, AreWordsOfSchedulerParametersToo) {
    const Loaded loaded = load_preempt_keys(
        kByPartition + "SchedulerParameters=preempt_youngest_first,preempt_send_user_signal\n");
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_TRUE(preemption_of(loaded).youngest_first);
    EXPECT_TRUE(preemption_of(loaded).user_signal);
    for (const char* key :
         {"SchedulerParameters=preempt_strict_order", "SchedulerParameters=preempt_reorder_count=3",
          "PreemptParameters=strict_order", "PreemptParameters=reorder_count=3"}) {
        const Loaded said = load_preempt_keys(kByPartition + key + "\n");
        EXPECT_FALSE(said.has_errors) << text_of(said);
        EXPECT_NE(text_of(said).find("the search always finds the fewest jobs to preempt"),
                  std::string::npos)
            << key << text_of(said);
    }
}

TEST(PreemptKeys, WhatDoesNotFitTogetherIsRefusedAtItsLine) {
    struct Case {
        const char *keys, *says;
    };
    for (const auto& [keys, says] : {
             Case{"PreemptMode=REQUEUE\n",
                  "slurm.conf:5: error: PreemptMode=REQUEUE needs "
                  "PreemptType=preempt/partition_prio or preempt/qos beside it"},
             Case{"PreemptType=preempt/qos\n",
                  "slurm.conf:5: error: PreemptType=preempt/qos needs PreemptMode=CANCEL, REQUEUE "
                  "or SUSPEND,GANG beside it"},
             Case{"PreemptType=preempt/none\nPreemptMode=CANCEL\n", "slurm.conf:6: error: "},
             Case{"PreemptType=preempt/partition_prio\nPreemptMode=CANCEL,WITHIN\n",
                  "slurm.conf:6: error: PreemptMode=CANCEL,WITHIN: WITHIN needs "
                  "PreemptType=preempt/qos"},
             Case{"PreemptType=preempt/best\n",
                  "PreemptType=preempt/best should be preempt/none, preempt/partition_prio or "
                  "preempt/qos"},
             Case{"PreemptType=preempt/qos\nPreemptMode=PRIORITY\n",
                  "slurm.conf:6: error: PreemptMode=PRIORITY should be OFF, CANCEL, REQUEUE, "
                  "SUSPEND or CHECKPOINT"},
             Case{"PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND\n",
                  "slurm.conf:6: error: PreemptMode=SUSPEND needs GANG beside it, as in Slurm: "
                  "SUSPEND,GANG"},
             Case{"PreemptMode=SUSPEND,GANG\n",
                  "slurm.conf:5: error: PreemptMode=SUSPEND,GANG needs "
                  "PreemptType=preempt/partition_prio or preempt/qos beside it"},
             Case{"PreemptType=preempt/qos\nPreemptMode=SUSPEND,GANG,REQUEUE\n", "has two modes"},
             Case{"PreemptType=preempt/qos\nPreemptMode=CHECKPOINT\n",
                  "slurm.conf:6: error: PreemptMode=CHECKPOINT is no mode of Slurm's: set "
                  "preemption: {mode: checkpoint} in berth.yaml"},
             Case{"PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n"
                  "PartitionName=x Nodes=ALL PreemptMode=Checkpoint\n",
                  "slurm.conf:7: error: PreemptMode=Checkpoint is no mode of Slurm's"},
             Case{"PreemptType=preempt/qos\nPreemptMode=CANCEL,REQUEUE\n", "has two modes"},
             Case{"PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptExemptTime=soon\n",
                  "slurm.conf:7: error: PreemptExemptTime=soon should be a time"},
             Case{"PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptParameters=oldest_first\n",
                  "slurm.conf:7: error: there is no option oldest_first in PreemptParameters"},
             Case{"PreemptType=preempt/qos\nPreemptMode=CANCEL\n"
                  "PreemptParameters=min_exempt_priority=much\n",
                  "slurm.conf:7: error: min_exempt_priority=much"},
             Case{"PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n"
                  "PartitionName=x Nodes=ALL PreemptMode=GANG\n",
                  "slurm.conf:7: error: PreemptMode=GANG: GANG goes with SUSPEND here"},
         }) {
        const Loaded loaded = load_preempt_keys(keys);
        EXPECT_TRUE(loaded.has_errors) << keys;
        EXPECT_NE(text_of(loaded).find(says), std::string::npos) << keys << text_of(loaded);
    }
}

TEST(PreemptKeys, SuspensionStandsBesideGang) {
    struct Case {
        const char *keys, *shown;
        PreemptBy by;
        bool within;
    };
    for (const auto& [keys, shown, by, within] : {
             Case{"PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n", "GANG,SUSPEND",
                  PreemptBy::partition, false},
             Case{"PreemptType=preempt/qos\nPreemptMode=gang,suspend\n", "GANG,SUSPEND",
                  PreemptBy::qos, false},
             Case{"PreemptType=preempt/qos\nPreemptMode=WITHIN,SUSPEND,GANG\n",
                  "WITHIN,GANG,SUSPEND", PreemptBy::qos, true},
         }) {
        const Loaded loaded = load_preempt_keys(keys);
        EXPECT_FALSE(loaded.has_errors) << text_of(loaded);
        EXPECT_EQ(preemption_of(loaded).by, by) << keys;
        EXPECT_EQ(preemption_of(loaded).mode, PreemptMode::suspend) << keys;
        EXPECT_EQ(preemption_of(loaded).within, within) << keys;
        EXPECT_EQ(setting(loaded, "PreemptMode"), shown);
    }
    // Of one partition, and in berth.yaml's words.
    const Loaded own = load_slurm(
        "ClusterName=lab\nNodeName=n1 CPUs=4\nPartitionName=a Nodes=ALL PreemptMode=SUSPEND\n"
        "PartitionName=b Nodes=ALL PriorityTier=2 PreemptMode=GANG,SUSPEND\n" +
        kByPartition);
    EXPECT_EQ(text_of(own), "");
    EXPECT_EQ(own.spec.partitions[0].preempt_mode, PreemptMode::suspend);
    EXPECT_EQ(own.spec.partitions[1].preempt_mode, PreemptMode::suspend);
    const Loaded yaml = load_preempt_keys("", "preemption: {by: partition, mode: suspend}\n");
    EXPECT_FALSE(yaml.has_errors) << text_of(yaml);
    EXPECT_EQ(preemption_of(yaml).mode, PreemptMode::suspend);
}

TEST(PreemptKeys, CheckpointsAreBerthYamlsWord) {
    const Loaded loaded =
        load_preempt_keys("",
                          "preemption: {by: partition, mode: checkpoint, reclaim: checkpoint}\n"
                          "partitions: [{name: spare, nodes: ALL, preempt_mode: checkpoint}]\n"
                          "qos: [{name: low, preempt_mode: checkpoint}]\n");
    EXPECT_FALSE(loaded.has_errors) << text_of(loaded);
    EXPECT_EQ(preemption_of(loaded).mode, PreemptMode::checkpoint);
    EXPECT_EQ(preemption_of(loaded).reclaim, PreemptMode::checkpoint);
    EXPECT_EQ(setting(loaded, "PreemptMode"), "CHECKPOINT");
    EXPECT_EQ(loaded.spec.partitions.back().preempt_mode, PreemptMode::checkpoint);
    EXPECT_EQ(loaded.spec.qos.back().preempt_mode, PreemptMode::checkpoint);
}

TEST(PreemptKeys, GangLetsJobsTakeTurns) {
    const auto gang = [](const Loaded& loaded) { return preemption_of(loaded).gang; };
    const Loaded both = load_preempt_keys("PreemptType=preempt/qos\nPreemptMode=GANG,REQUEUE\n");
    EXPECT_TRUE(gang(both));
    EXPECT_EQ(preemption_of(both).mode, PreemptMode::requeue);
    EXPECT_EQ(setting(both, "PreemptMode"), "GANG,REQUEUE");
    EXPECT_NE(text_of(both).find("warning: PreemptMode=GANG,REQUEUE: no jobs take turns unless"),
              std::string::npos)
        << text_of(both);
    const Loaded alone = load_slurm(
        "ClusterName=lab\nNodeName=n1 CPUs=4\nPreemptMode=GANG\nSchedulerTimeSlice=10\n"
        "PartitionName=a Nodes=ALL Default=YES OverSubscribe=FORCE:2\n");
    EXPECT_EQ(text_of(alone), "");
    EXPECT_TRUE(gang(alone));
    EXPECT_FALSE(preemption_of(alone).enabled());
    EXPECT_EQ(setting(alone, "PreemptMode"), "GANG");
    EXPECT_EQ(alone.spec.scheduling.time_slice, seconds(10));
    EXPECT_TRUE(
        gang(load_preempt_keys("PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n")));
    EXPECT_FALSE(gang(load_preempt_keys("", "preemption: {by: partition, mode: suspend}\n")));
    EXPECT_TRUE(gang(load_preempt_keys("", "preemption: {by: partition, mode: 'suspend,gang'}\n")));
}

TEST(PreemptKeys, WhatTakesTurnsIsNotPreemptedWhichIsSaid) {
    const Loaded loaded = load_slurm(
        "ClusterName=lab\nNodeName=n1 CPUs=4\nPreemptType=preempt/partition_prio\n"
        "PreemptMode=SUSPEND,GANG\nPartitionName=a Nodes=ALL Default=YES OverSubscribe=FORCE:2\n"
        "PartitionName=b Nodes=ALL PriorityTier=2\n");
    EXPECT_EQ(text_of(loaded),
              "slurm.conf:5: warning: OverSubscribe=FORCE:2 of partition a: runs that take turns "
              "there are not preempted meanwhile\n");
}

TEST(PreemptKeys, ASliceIsSomeSecondsOfTurns) {
    for (const char* const wrong : {"4", "65534", "soon"}) {
        const Loaded loaded =
            load_preempt_keys("PreemptMode=GANG\nSchedulerTimeSlice=" + std::string(wrong) + "\n");
        EXPECT_TRUE(loaded.has_errors) << wrong;
        EXPECT_NE(
            text_of(loaded).find("slurm.conf:6: error: SchedulerTimeSlice=" + std::string(wrong) +
                                 " should be a number of seconds from 5 to 65533"),
            std::string::npos)
            << text_of(loaded);
    }
    const Loaded idle = load_preempt_keys("SchedulerTimeSlice=60\n");
    EXPECT_FALSE(idle.has_errors);
    EXPECT_NE(text_of(idle).find("warning: SchedulerTimeSlice is the time slice of gang "
                                 "scheduling, not how often the scheduler runs; it has no effect "
                                 "without PreemptMode=GANG"),
              std::string::npos)
        << text_of(idle);
}

TEST(PreemptKeys, TiersThatAreAllAlikeAreAWarning) {
    const std::string text = text_of(
        load_slurm("ClusterName=lab\nNodeName=n1 CPUs=4\nPartitionName=a Nodes=ALL Default=YES\n"
                   "PartitionName=b Nodes=ALL\n" +
                   kByPartition));
    EXPECT_NE(text.find("slurm.conf:5: warning: PreemptType=preempt/partition_prio preempts "
                        "nothing: all partitions have PriorityTier=1"),
              std::string::npos)
        << text;
    // A mode of a partition where partitions do not decide.
    EXPECT_NE(text_of(load_preempt_keys(kByQos))
                  .find("slurm.conf:3: warning: PreemptMode=CANCEL of partition low has no effect "
                        "without PreemptType=preempt/partition_prio"),
              std::string::npos);
}

TEST(PreemptKeys, ThatTurnNothingOnAreNoWarning) {
    EXPECT_EQ(text_of(load_slurm("ClusterName=lab\nNodeName=n1 CPUs=4\n"
                                 "PartitionName=a Nodes=ALL Default=YES PreemptMode=OFF\n"
                                 "PreemptType=preempt/none\nPreemptMode=OFF\n"
                                 "PreemptExemptTime=00:00:00\nPreemptParameters=\n")),
              "");
}

TEST(PreemptKeys, AreShownAsTheyAre) {
    const Loaded loaded = load_preempt_keys(
        "PreemptType=preempt/qos\nPreemptMode=requeue,within\nPreemptExemptTime=90\n"
        "PreemptParameters=youngest_first\n");
    EXPECT_EQ(setting(loaded, "PreemptType"), "preempt/qos");
    EXPECT_EQ(setting(loaded, "PreemptMode"), "WITHIN,REQUEUE");
    EXPECT_EQ(setting(loaded, "PreemptExemptTime"), "01:30:00");
    EXPECT_EQ(setting(loaded, "PreemptParameters"), "youngest_first");
    EXPECT_EQ(setting(load_preempt_keys(kByQos + "PreemptExemptTime=-1\n"), "PreemptExemptTime"),
              "NONE");
    EXPECT_EQ(setting(load_preempt_keys(""), "PreemptMode"), "OFF");
}

TEST(PreemptKeys, BerthYamlHasThemAll) {
    const Loaded loaded = load_preempt_keys("", R"(
preemption:
  by: qos
  mode: requeue
  within: yes
  exempt: 5:00
  exempt_priority: 1000
  youngest_first: yes
  user_signal: yes
  reclaim_licenses: yes
  hold_timeout: 2:00
qos:
  - {name: normal, preempt_mode: cancel, grace_time: 30}
  - {name: high, preempt: [normal, low], preempt_exempt: 1:00}
  - {preempt: normal, name: low, preempt_mode: "off"}
)");
    EXPECT_FALSE(loaded.has_errors) << text_of(loaded);
    const PreemptionSpec& spec = preemption_of(loaded);
    EXPECT_EQ(spec.by, PreemptBy::qos);
    EXPECT_EQ(spec.mode, PreemptMode::requeue);
    EXPECT_TRUE(spec.within && spec.youngest_first && spec.user_signal && spec.reclaims_licenses);
    EXPECT_EQ(spec.exempt, minutes(5));
    EXPECT_EQ(spec.exempt_priority, 1000);
    EXPECT_EQ(spec.hold_timeout, minutes(2));
    EXPECT_EQ(setting(loaded, "PreemptType"), "preempt/qos");
    EXPECT_EQ(setting(loaded, "PreemptMode"), "WITHIN,REQUEUE");
    const std::vector<QosSpec>& qos = loaded.spec.qos;
    EXPECT_EQ(qos[0].preempt_mode, PreemptMode::cancel);
    EXPECT_EQ(qos[0].grace_time, seconds(30));
    EXPECT_EQ(qos[1].preempt, (std::vector<std::string>{"normal", "low"}));
    EXPECT_EQ(qos[1].preempt_exempt, minutes(1));
    EXPECT_EQ(qos[2].preempt_mode, PreemptMode::off);
    // It stands above slurm.conf.
    EXPECT_EQ(preemption_of(load_preempt_keys(kByQos, "preemption: {mode: cancel}\n")).mode,
              PreemptMode::cancel);
    EXPECT_FALSE(preemption_of(load_preempt_keys(kByQos, "preemption: {by: none, mode: \"off\"}\n"))
                     .enabled());
}

TEST(PreemptKeys, BerthYamlHasRulesOfItsOwn) {
    const Loaded loaded = load_preempt_keys("", R"(
preemption:
  by: priority
  mode: requeue
  min_difference: 100
  victims_max: 3
  unless_within: 10:00
)");
    EXPECT_FALSE(loaded.has_errors) << text_of(loaded);
    const PreemptionSpec& spec = preemption_of(loaded);
    EXPECT_EQ(spec.by, PreemptBy::priority);
    EXPECT_EQ(spec.min_difference, 100);
    EXPECT_EQ(spec.victims_max, 3U);
    EXPECT_EQ(spec.unless_within, minutes(10));
    EXPECT_EQ(spec.victims, VictimOrder::cheapest);
    EXPECT_EQ(setting(loaded, "PreemptType"), "berth/priority");
    EXPECT_EQ(preemption_of(load_preempt_keys(kByQos, "preemption: {mode: cancel}\n")).victims,
              VictimOrder::smallest);
    EXPECT_EQ(preemption_of(load_preempt_keys(kByQos, "preemption: {victims: cheapest_of_all}\n"))
                  .victims,
              VictimOrder::cheapest_of_all);
}

TEST(PreemptKeys, ThePolicySaysWhetherEqualsArePreempted) {
    const auto newer_by = [](const std::string& more) {
        const Loaded loaded =
            load_preempt_keys("", "preemption: {by: priority, mode: requeue" + more + "}\n");
        EXPECT_EQ(text_of(loaded).find("error"), std::string::npos) << text_of(loaded);
        return preemption_of(loaded).preempts_newer;
    };
    EXPECT_FALSE(newer_by(""));
    EXPECT_TRUE(newer_by(", preemption_policy: PreemptAlways"));
    EXPECT_TRUE(newer_by(", preemption_policy: PreemptAlways, min_difference: 1"));
    EXPECT_FALSE(newer_by(", preemption_policy: PreemptLower"));
    EXPECT_FALSE(newer_by(", preemption_policy: PreemptLowerPriority, min_difference: 9"));
}

TEST(PreemptKeys, BerthYamlSaysWhatIsWrongAtItsLine) {
    struct Case {
        const char *yaml, *says;
    };
    for (const auto& [yaml, says] : {
             Case{"preemption:\n  by: age\n",
                  "berth.yaml:2: error: by: age should be none, partition, qos or priority"},
             Case{"preemption:\n  by: qos\n  mode: cancel\n  min_difference: 5\n",
                  "berth.yaml:4: error: min_difference: 5 needs by: priority beside it"},
             Case{"preemption:\n  by: qos\n  mode: cancel\n  preemption_policy: PreemptAlways\n",
                  "berth.yaml:4: error: preemption_policy: PreemptAlways needs by: priority"},
             Case{"preemption:\n  by: priority\n  mode: cancel\n  preemption_policy: Never\n",
                  "berth.yaml:4: error: preemption_policy: Never should be PreemptLowerPriority or "
                  "PreemptAlways; by: none switches preemption off"},
             Case{"preemption:\n  by: priority\n  mode: cancel\n  min_difference: 5\n"
                  "  preemption_policy: PreemptAlways\n",
                  "berth.yaml:5: error: preemption_policy: PreemptAlways and min_difference: 5 "
                  "contradict each other"},
             Case{"preemption:\n  min_difference: 0\n",
                  "berth.yaml:2: error: min_difference=0 should be"},
             Case{"preemption:\n  victims_max: many\n",
                  "berth.yaml:2: error: victims_max=many should be"},
             Case{"preemption:\n  unless_within: -1\n",
                  "berth.yaml:2: error: unless_within: -1 should be a length of time"},
             Case{"preemption:\n  victims: old\n",
                  "berth.yaml:2: error: victims: old should be smallest, cheapest or"},
             Case{"preemption:\n  by: qos\n  mode: gang\n",
                  "berth.yaml:3: warning: mode=gang: no jobs take turns unless a partition has"},
             Case{"preemption:\n  by: qos\n  mode: cancel\n  when: now\n",
                  "berth.yaml:4: error: there is no option when here; there are by, mode"},
             Case{"preemption:\n  hold_timeout: 0\n",
                  "berth.yaml:2: error: hold_timeout: 0 should be a length of time"},
             Case{"preemption: always\n", "berth.yaml:1: error: should be a map with by, mode"},
             Case{"preemption:\n  within: perhaps\n", "berth.yaml:2: error: within: perhaps"},
             Case{"qos:\n- name: a\n  preempt: b\n",
                  "berth.yaml:3: error: QOS a preempts b, which is no QOS here"},
             Case{"qos:\n- name: a\n  preempt: b\n- {name: b, preempt: a}\n",
                  "berth.yaml:3: error: QOS a would preempt itself"},
             Case{"qos:\n- name: a\n  grace_time: soon\n",
                  "berth.yaml:3: error: GraceTime=soon should be a whole number of seconds"},
             Case{"qos:\n- name: a\n  preempt_mode: gang\n",
                  "berth.yaml:3: error: PreemptMode=gang: GANG goes with SUSPEND here"},
         }) {
        const std::string text = text_of(load_preempt_keys("", yaml));
        EXPECT_NE(text.find(says), std::string::npos) << yaml << text;
    }
}

}  // namespace
}  // namespace berth::config
