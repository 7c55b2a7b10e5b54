// Every key of slurm.conf that is taken either changes something or is named in a warning. This is
// the table of the keys that change something, with who reads them; tests/effects shows the same by
// real programs.
#include "berth/config/known_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "berth/base/text.h"
#include "berth/config/config_rig.h"
#include "berth/config/load.h"
#include "berth/config/log_settings.h"

namespace berth::config {
namespace {

struct Consumer {
    std::string_view key, value, who;
};
// Those whose value ends up in ClusterSpec elsewhere than in the list for `scontrol show config`.
constexpr Consumer kInSpec[] = {
    {"AccountingStorageEnforce", "associations", "engine/admission_names"},
    {"ClusterName", "other", "site_variables, accounting"},
    {"DebugFlags", "gres", "control/debug_lines"},
    {"DefCpuPerGPU", "2", "engine/admission_gpus"},
    {"DefMemPerCPU", "1000", "engine/demand"},
    {"DefMemPerGPU", "1000", "engine/admission_gpus"},
    {"DefMemPerNode", "1000", "engine/demand"},
    {"DependencyParameters", "kill_invalid_depend", "engine/due"},
    {"DisableRootJobs", "YES", "engine/admission_names"},
    {"EnforcePartLimits", "ALL", "engine/admission_request"},
    {"Epilog", "/x", "host/hook_plan"},
    {"EpilogSlurmctld", "/x", "control/controller_hooks"},
    {"FairShareDampeningFactor", "3", "policy/fairness/classic"},
    {"FirstJobId", "100", "engine/job_ids"},
    {"HealthCheckInterval", "60", "control/node_care"},
    {"HealthCheckNodeState", "IDLE", "control/node_care"},
    {"HealthCheckProgram", "/x", "control/node_care"},
    {"InactiveLimit", "60", "control/attendance"},
    {"JobAcctGatherFrequency", "7", "agent: how often runs are measured"},
    {"JobAcctGatherType", "jobacct_gather/none", "agent: whether runs are measured"},
    {"JobDefaults", "DefCpuPerGPU=2", "engine/admission_gpus"},
    {"JobRequeue", "0", "engine/apply_runs"},
    {"JobSubmitPlugins", "require_timelimit", "server/job_submit"},
    {"KillOnBadExit", "1", "slurm/step_run"},
    {"KillWait", "61", "agent/attempt_ends"},
    {"Licenses", "matlab:3", "engine/license_book"},
    {"MailDomain", "example.org", "control/notice_text"},
    {"MailProg", "/bin/true", "apps/berthd/notice_sender"},
    {"MaxArraySize", "50", "engine/admission"},
    {"MaxJobCount", "50", "engine/admission"},
    {"MaxJobId", "5000", "engine/job_ids"},
    {"MaxMemPerCPU", "1000", "engine/demand"},
    {"MaxMemPerNode", "1000", "engine/demand, cycle_gates"},
    {"MaxNodeCount", "50", "control/dynamic_nodes"},
    {"MaxStepCount", "10", "control/step_command"},
    {"MaxTasksPerNode", "10", "control/step_command"},
    {"MinJobAge", "61", "control/controller"},
    {"MpiDefault", "pmi2", "mpi"},
    {"OverTimeLimit", "5", "engine/plan_book"},
    {"PreemptExemptTime", "5", "engine/preempt_rules"},
    {"PreemptMode", "CANCEL", "engine/preempt_rules"},
    {"PreemptParameters", "youngest_first", "engine/preempt_rules"},
    {"PreemptType", "preempt/partition_prio", "engine/preempt_rules"},
    {"PriorityCalcPeriod", "5", "engine/outlook"},
    {"PriorityDecayHalfLife", "1-0", "engine/apply_usage"},
    {"PriorityFavorSmall", "YES", "policy/priority/size"},
    {"PriorityFlags", "FAIR_TREE", "policy/fairness"},
    {"PriorityMaxAge", "1-0", "policy/priority/age"},
    {"PriorityType", "priority/basic", "config/priority_keys"},
    {"PriorityUsageResetPeriod", "DAILY", "engine/apply_usage"},
    {"PriorityWeightAge", "7", "policy/priority/age"},
    {"PriorityWeightAssoc", "7", "policy/priority/association"},
    {"PriorityWeightFairShare", "7", "policy/priority/fair_share"},
    {"PriorityWeightJobSize", "7", "policy/priority/size"},
    {"PriorityWeightPartition", "7", "policy/priority/partition"},
    {"PriorityWeightQOS", "7", "policy/priority/qos"},
    {"PriorityWeightTRES", "cpu=7", "policy/priority/tres"},
    {"PrivateData", "jobs", "server/privacy"},
    {"Prolog", "/x", "host/hook_plan"},
    {"PrologEpilogTimeout", "60", "host/hook_plan"},
    {"PrologSlurmctld", "/x", "control/controller_hooks"},
    {"PropagateResourceLimits", "CORE", "control/orders"},
    {"PropagateResourceLimitsExcept", "NOFILE", "control/orders"},
    {"RebootProgram", "/x", "control/node_care"},
    {"RequeueExit", "3,5-8", "engine/apply_runs"},
    {"RequeueExitHold", "7", "engine/apply_runs"},
    {"ResumeTimeout", "61", "control/node_care"},
    {"ReturnToService", "0", "control/node_care"},
    {"SchedulerParameters", "bf_window=100", "engine/cycle"},
    {"SchedulerTimeSlice", "60", "engine/rotation"},
    {"SchedulerType", "sched/builtin", "engine/cycle"},
    {"SlurmctldHost", "head", "server/cluster_rows, clients"},
    {"SlurmdTimeout", "61", "control/nodes"},
    {"SlurmUser", "games", "server/peer"},
    {"SrunEpilog", "/x", "slurm/step_run"},
    {"SrunProlog", "/x", "slurm/step_run"},
    {"TaskEpilog", "/x", "host/task_exec"},
    {"TaskProlog", "/x", "host/task_exec"},
    {"TopologyPlugin", "topology/flat", "config/topology_conf"},
    {"UsePam", "1", "host/account_check"},
    {"UnkillableStepProgram", "/x", "control/run_reports"},
    {"UnkillableStepTimeout", "61", "agent/attempt_ends"},
    {"WaitTime", "10", "slurm/step_run"},
};
// Those that are read out of that list, or matter while the files are read.
constexpr Consumer kElsewhere[] = {
    {"AccountingStorageTRES", "gres/gpu", "server/tres"},
    {"GresTypes", "gpu,fpga", "config/node_line, control/dynamic_nodes"},
    {"JobFileAppend", "1", "host: how output files are opened"},
    {"PrologFlags", "Alloc", "config/hook_keys: what it asks for is so in any case"},
    {"SlurmctldDebug", "debug", "apps/daemon/configured_log"},
    {"SlurmctldLogFile", "/x", "apps/daemon/configured_log"},
    {"SlurmctldParameters", "rl_enable", "server/user_rates"},
    {"SlurmctldPort", "7000", "apps/berthd/listening"},
    {"SlurmdDebug", "debug", "apps/daemon/configured_log"},
    {"SlurmdLogFile", "/x", "apps/daemon/configured_log"},
};

constexpr const char* kBase =
    "GresTypes=gpu\nPriorityFlags=DEPTH_OBLIVIOUS\n"
    "PreemptType=preempt/qos\nPreemptMode=REQUEUE\n"
    "PriorityType=priority/multifactor\nPriorityWeightAge=1\nPriorityWeightJobSize=1\n"
    "PriorityWeightFairShare=1\n"
    "NodeName=n[1-2] CPUs=16 Sockets=2 CoresPerSocket=8 RealMemory=64000 Gres=gpu:a100:4\n"
    "PartitionName=main Nodes=ALL Default=YES\n";

Loaded load_key(std::string_view key, std::string_view value) {
    std::string text;
    for (const std::string_view line : split(std::string_view(kBase), '\n')) {
        const bool replaced = starts_with_icase(line, std::string(key) + "=");
        if (!replaced) text += std::string(line) + "\n";
    }
    if (!key.empty()) text += std::string(key) + "=" + std::string(value) + "\n";
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf", text};
    files.topology = ConfigText{"topology.conf", "SwitchName=s1 Nodes=n[1-2]\n"};
    Loaded loaded = load(files);
    loaded.spec.settings.clear();
    return loaded;
}

TEST(KnownKeys, ThoseActedOnChangeTheCluster) {
    const ClusterSpec base = load_key("", "").spec;
    for (const Consumer& one : kInSpec) {
        const Loaded loaded = load_key(one.key, one.value);
        EXPECT_FALSE(loaded.has_errors) << one.key << ": " << text_of(loaded);
        EXPECT_FALSE(loaded.spec == base) << one.key << "=" << one.value << " changes nothing";
    }
}

TEST(KnownKeys, EachActedOnHasItsConsumer) {
    for (const KnownKey& key : known_keys()) {
        const auto is = [&](const Consumer& one) { return iequals(one.key, key.name); };
        const bool listed = std::ranges::any_of(kInSpec, is) || std::ranges::any_of(kElsewhere, is);
        EXPECT_EQ(listed, key.use == KeyUse::acted_on) << key.name;
    }
}

TEST(KnownKeys, AllOthersAreNamedInAWarning) {
    for (const KnownKey& key : known_keys()) {
        if (key.use == KeyUse::acted_on) continue;
        const Loaded loaded = load_key(key.name, "/some/thing");
        const std::string said = text_of(loaded);
        EXPECT_FALSE(loaded.has_errors) << said;
        EXPECT_NE(said.find("warning: "), std::string::npos) << key.name;
        EXPECT_NE(said.find(key.name), std::string::npos) << key.name << ": " << said;
        EXPECT_NE(said.find("no effect"), std::string::npos) << key.name << ": " << said;
    }
}

TEST(KnownKeys, WhatIsSoAnywayIsNoWarning) {
    for (const KnownKey& key : known_keys()) {
        if (key.use == KeyUse::acted_on || key.shown.empty()) continue;
        EXPECT_EQ(text_of(load_key(key.name, key.shown.substr(0, key.shown.find(' ')))), "")
            << key.name;
    }
    for (const auto& [key, value] :
         std::vector<std::pair<const char*, const char*>>{{"DisableRootJobs", "NO"},
                                                          {"TrackWCKey", "no"},
                                                          {"JobCompType", "jobcomp/none"},
                                                          {"MCSPlugin", "mcs/none"},
                                                          {"PowerPlugin", "none"},
                                                          {"SuspendTime", "NONE"},
                                                          {"SelectTypeParameters", "CR_Core"}}) {
        EXPECT_EQ(text_of(load_key(key, value)), "") << key;
    }
    for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
             {"AccountingStorageType", "accounting_storage/none"},
             {"AuthType", "auth/none"},
             {"CliFilterPlugins", "lua"},
             {"ProctrackType", "proctrack/none"},
             {"TaskPlugin", "task/none"},
             {"TaskPlugin", "none"}}) {
        EXPECT_NE(text_of(load_key(key, value)).find(std::string("warning: ") + key),
                  std::string::npos)
            << key;
    }
}

// ---- The keys of site_keys.cc.

TEST(SiteKeys, SayWhatIsWrongAndWhatWouldBeRight) {
    const std::vector<std::tuple<const char*, const char*, const char*>> cases = {
        {"PrivateData", "secrets",
         "PrivateData: there is no secrets; there are accounts, events, jobs"},
        {"DebugFlags", "everything", "DebugFlags: there is no everything"},
        {"SlurmUser", "a b", "SlurmUser=a b should be the name of one user"},
        {"SlurmctldDebug", "loud", "should be quiet, fatal, error, info"},
        {"ReturnToService", "3", "should be a whole number from 0 to 2"},
        {"JobSubmitPlugins", "lua,throttle", "JobSubmitPlugins: throttle is not supported: use"},
        {"JobSubmitPlugins", "mine", "there is no mine; there are lua, all_partitions"},
        {"JobSubmitPlugins", "lua,job_submit/lua", "JobSubmitPlugins names lua twice"},
        {"TopologyPlugin", "topology/torus", "should be topology/flat, topology/tree"},
    };
    for (const auto& [key, value, says] : cases) {
        const Loaded loaded = load_key(key, "\"" + std::string(value) + "\"");
        EXPECT_TRUE(loaded.has_errors) << key;
        EXPECT_NE(text_of(loaded).find(says), std::string::npos) << key << ": " << text_of(loaded);
    }
}

TEST(SiteKeys, JobSubmitPluginsKeepTheirOrder) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(
        load_key("JobSubmitPlugins", "job_submit/lua,Require_TimeLimit").spec.job_submit.plugins,
        (Names{"lua", "require_timelimit"}));
    EXPECT_EQ(load_key("JobSubmitPlugins", "all_partitions,lua").spec.job_submit.plugins,
              (Names{"all_partitions", "lua"}));
    for (const char* const none : {"(null)", "none"})
        EXPECT_TRUE(load_key("JobSubmitPlugins", none).spec.job_submit.plugins.empty()) << none;
}

TEST(SiteKeys, TheScriptIsTakenWhereLuaIsNamed) {
    const auto script_with = [](const char* plugins) {
        ConfigFiles files;
        files.slurm = {.name = "slurm.conf",
                       .text = std::string("NodeName=n1 CPUs=2\nPartitionName=p Nodes=n1\n") +
                               "JobSubmitPlugins=" + plugins + "\n"};
        files.job_submit = {.name = "job_submit.lua", .text = "-- rules"};
        return load(files).spec.job_submit.script.plain();
    };
    EXPECT_EQ(script_with("lua"), "-- rules");
    EXPECT_EQ(script_with("require_timelimit"), "");
}

TEST(SiteKeys, PrivateDataKnowsItsKinds) {
    EXPECT_EQ(load_key("PrivateData", "jobs,usage").spec.private_data,
              bit_of(PrivateKind::jobs) | bit_of(PrivateKind::usage));
    const Loaded all = load_key("PrivateData", "ALL");
    EXPECT_NE(all.spec.private_data & bit_of(PrivateKind::reservations), 0U);
    EXPECT_NE(text_of(load_key("PrivateData", "cloud")).find("no effect yet"), std::string::npos);
}

TEST(SiteKeys, TopologyPluginDecidesWhatIsReadOfTopologyConf) {
    const auto switches = [](const char* plugin) {
        return load_key("TopologyPlugin", plugin).spec.nodes[0].switches.size();
    };
    EXPECT_EQ(load_key("", "").spec.nodes[0].switches.size(), 1U);
    EXPECT_EQ(switches("topology/tree"), 1U);
    EXPECT_EQ(switches("topology/flat"), 0U);
    EXPECT_EQ(switches("topology/block"), 0U);
    EXPECT_NE(text_of(load_key("TopologyPlugin", "topology/block"))
                  .find("SwitchName lines have no effect with TopologyPlugin=topology/block"),
              std::string::npos);
}

TEST(LogSettings, AreThoseOfSlurmConf) {
    ConfigFiles files;
    files.slurm =
        ConfigText{"slurm.conf", std::string(kBase) +
                                     "SlurmctldLogFile=/var/log/ctld.log\nSlurmctldDebug=debug2\n"
                                     "SlurmdLogFile=/var/log/%h-%n.log\nSlurmdDebug=2\n"};
    const ClusterSpec spec = load(files).spec;
    EXPECT_EQ(controller_log(spec).file, "/var/log/ctld.log");
    EXPECT_EQ(controller_log(spec).least, LogLevel::debug);
    EXPECT_EQ(agent_log(spec, "n1", "host").file, "/var/log/host-n1.log");
    EXPECT_EQ(agent_log(spec, "n1", "host").least, LogLevel::error);
    files.slurm = ConfigText{"slurm.conf", kBase};
    EXPECT_EQ(controller_log(load(files).spec).file, "");
    EXPECT_EQ(controller_log(load(files).spec).least, std::nullopt);
}

TEST(SiteKeys, AccountsAreFoldedToLowerCase) {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf",
                             "NodeName=n1 CPUs=4 RealMemory=1000\n"
                             "PartitionName=main Nodes=ALL AllowAccounts=Physics,BIO\n"};
    files.berth = ConfigText{"berth.yaml",
                             "accounts:\n  - name: Physics\n    users: [ann]\n"
                             "  - name: Optics\n    parent: PHYSICS\n    users: [ben]\n"};
    const Loaded loaded = load(files);
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_EQ(loaded.spec.accounts[0].name, "physics");
    EXPECT_EQ(loaded.spec.accounts[1].parent, "physics");
    EXPECT_EQ(loaded.spec.associations[1].account, "optics");
    EXPECT_EQ(loaded.spec.partitions.at(0).allow_accounts,
              (std::vector<std::string>{"physics", "bio"}));
}

}  // namespace
}  // namespace berth::config
