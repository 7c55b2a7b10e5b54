#include "berth/config/load.h"

#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

TEST(Load, ReadsASmallClusterWithoutAWord) {
    const Loaded loaded = load_slurm(kSmall);
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_EQ(loaded.spec.nodes.size(), 2U);
    EXPECT_EQ(loaded.spec.nodes[1].devices.size(),
              4U);  // GPUs have an identity, counted GRES has none.
    EXPECT_EQ(loaded.spec.nodes[1].capacity[*loaded.spec.dimensions.find("fpga", "")], 2);
    EXPECT_EQ(loaded.spec.qos.front().name, "normal");
}

struct Wrong {
    const char* what;
    std::string slurm, gres, cgroup, topology, yaml;
    const char* says;
};
const Wrong kWrong[] = {
    {"priority flag", std::string(kSmall) + "PriorityFlags=FAIR_TREES\n", "", "", "", "",
     "slurm.conf:5: error: PriorityFlags: there is no FAIR_TREES; there are ACCRUE_ALWAYS, "},
    {"flags at odds", std::string(kSmall) + "PriorityFlags=FAIR_TREE,DEPTH_OBLIVIOUS\n", "", "", "",
     "", "slurm.conf:5: error: PriorityFlags: FAIR_TREE excludes NO_FAIR_TREE and DEPTH_OBLIVIOUS"},
    {"usage reset", std::string(kSmall) + "PriorityUsageResetPeriod=NOW\n", "", "", "", "",
     "slurm.conf:5: error: PriorityUsageResetPeriod=NOW should be NONE, DAILY, WEEKLY, MONTHLY, "
     "QUARTERLY or YEARLY; to clear usage once, run `berth usage clear`"},
    {"TRES", std::string(kSmall) + "PriorityWeightTRES=gres/tpu=3\n", "", "", "", "",
     "slurm.conf:5: error: PriorityWeightTRES: there is no TRES gres/tpu here; there are cpu, mem, "
     "node, and gres/NAME of GresTypes"},
    {"TRES weight", std::string(kSmall) + "PriorityWeightTRES=cpu=much\n", "", "", "", "",
     "slurm.conf:5: error: PriorityWeightTRES: cpu=much should be TRES=WEIGHT, such as cpu=1.0, "
     "mem=0.25G or gres/gpu=2"},
    {"misspelt key", std::string(kSmall) + "MinJobAg=3\n", "", "", "", "",
     "slurm.conf:5: error: there is no option MinJobAg in slurm.conf; did you mean MinJobAge?"},
    {"key without value", std::string(kSmall) + "KillWait\n", "", "", "", "",
     "slurm.conf:5: error: KillWait has no value"},
    {"number", std::string(kSmall) + "KillWait=soon\n", "", "", "", "",
     "slurm.conf:5: error: KillWait=soon should be a whole number from 0 to 65533"},
    {"node key", std::string(kSmall) + "NodeName=x CPU=1\n", "", "", "", "",
     "slurm.conf:5: error: there is no option CPU on a NodeName line; did you mean CPUs?"},
    {"node twice", std::string(kSmall) + "NodeName=n2 CPUs=1\n", "", "", "", "",
     "slurm.conf:5: error: node n2 is described twice"},
    {"processors", std::string(kSmall) + "NodeName=x CPUs=7 Sockets=2 CoresPerSocket=4\n", "", "",
     "", "",
     "slurm.conf:5: error: CPUs=7 does not agree with Sockets × CoresPerSocket × "
     "ThreadsPerCore = 8"},
    {"gres type", std::string(kSmall) + "NodeName=x CPUs=1 Gres=tpu:2\n", "", "", "", "",
     "slurm.conf:5: error: Gres=tpu:2: add tpu to GresTypes"},
    {"unknown node", std::string(kSmall) + "PartitionName=p Nodes=n9\n", "", "", "", "",
     "slurm.conf:5: error: Nodes= names n9, which no NodeName line and no NodeSet line describes"},
    {"node set's key", std::string(kSmall) + "NodeSet=s Features=x\n", "", "", "", "",
     "slurm.conf:5: error: there is no option Features on a NodeSet line: there are Feature= and "
     "Nodes="},
    {"empty node set", std::string(kSmall) + "NodeSet=s\n", "", "", "", "",
     "slurm.conf:5: error: NodeSet=s needs Feature= or Nodes="},
    {"node set twice", std::string(kSmall) + "NodeSet=s Nodes=n1\nNodeSet=s Nodes=n1\n", "", "", "",
     "", "slurm.conf:6: error: NodeSet s is described twice"},
    {"node set of nobody", std::string(kSmall) + "NodeSet=s Nodes=n9\nPartitionName=p Nodes=s\n",
     "", "", "", "", "slurm.conf:6: error: NodeSet=s names n9"},
    {"most nodes", std::string(kSmall) + "MaxNodeCount=many\n", "", "", "", "",
     "slurm.conf:5: error: MaxNodeCount=many should be a whole number from 1 to 65536"},
    {"second default", std::string(kSmall) + "PartitionName=p Nodes=n1 Default=YES\n", "", "", "",
     "", "slurm.conf:5: error: a second default partition; the first is main"},
    {"partition state", std::string(kSmall) + "PartitionName=p Nodes=n1 State=OPEN\n", "", "", "",
     "", "slurm.conf:5: error: State=OPEN should be UP, DOWN, DRAIN or INACTIVE"},
    {"time", std::string(kSmall) + "PartitionName=p Nodes=n1 MaxTime=1:2:3:4\n", "", "", "", "",
     "slurm.conf:5: error: MaxTime: "},
    {"scheduler", std::string(kSmall) + "SchedulerParameters=bf_max_jobtest=5\n", "", "", "", "",
     "slurm.conf:5: error: there is no option bf_max_jobtest in SchedulerParameters; did you "
     "mean bf_max_job_test?"},
    {"scheduler value", std::string(kSmall) + "SchedulerParameters=bf_window=x\n", "", "", "", "",
     "slurm.conf:5: error: bf_window=x should be a whole number"},
    {"priority type", std::string(kSmall) + "PriorityType=priority/magic\n", "", "", "", "",
     "slurm.conf:5: error: PriorityType=priority/magic should be"},
    {"quote", std::string(kSmall) + "ClusterName=\"a\n", "", "", "", "",
     "slurm.conf:5: error: a quote is opened and not closed"},
    {"include", std::string(kSmall) + "Include other.conf\n", "", "", "", "",
     "slurm.conf:5: error: Include other.conf: there is no such file"},
    {"files of MIG", kSmall, "Name=gpu Type=1g.5gb File=/dev/nvidia0 MultipleFiles=/dev/nvidia0\n",
     "", "", "", "gres.conf:1: error: File and MultipleFiles are mutually exclusive"},
    {"what AutoDetect would find", kSmall, "AutoDetect=nvml\n", "", "", "",
     "gres.conf:1: note: AutoDetect cannot reach the nodes from here and knows only the number of "
     "GPUs of n1"},
    {"gres cores", kSmall, "Name=gpu Type=a100 File=/dev/nvidia0 Cores=10-20\n", "", "", "",
     "gres.conf:1: error: Cores=10-20 on n1, which has cores 0 to 15"},
    {"links", kSmall, "Name=gpu Type=a100 File=/dev/nvidia0 Links=a,b\n", "", "", "",
     "gres.conf:1: error: Links=a,b should be a row of link counts"},
    {"too many files", kSmall, "Name=gpu Type=a100 File=/dev/nvidia[0-7]\n", "", "", "",
     "gres.conf:1: warning: File=/dev/nvidia4 exceeds the 4 of"},
    {"cgroup flag", kSmall, "", "ConstrainCores=maybe\n", "", "",
     "cgroup.conf:1: error: ConstrainCores=maybe should be yes or no"},
    {"cgroup key", kSmall, "", "ConstrainGPUs=yes\n", "", "",
     "cgroup.conf:1: error: there is no option ConstrainGPUs"},
    {"switch", kSmall, "", "", "SwitchName=s Nodes=n7\n", "",
     "topology.conf:1: error: switch s has n7, which no NodeName line describes"},
    {"switch circle", kSmall, "", "",
     "SwitchName=a Switches=b\nSwitchName=b Switches=a\nSwitchName=c Nodes=n1\n", "", ""},
    {"yaml", kSmall, "", "", "", "accounts: [{name: a, shars: 3}]\n",
     "berth.yaml:1: error: there is no option shars of an account"},
    {"yaml syntax", kSmall, "", "", "", "accounts: [\n", "berth.yaml:"},
    {"yaml parent", kSmall, "", "", "", "accounts:\n  - name: a\n    parent: b\n",
     "berth.yaml:2: error: account a is under b"},
};

TEST(Load, SaysWhatIsWrongAtItsLineAndWhatWouldBeRight) {
    for (const Wrong& c : kWrong) {
        SCOPED_TRACE(c.what);
        const Loaded loaded = load_slurm(c.slurm, c.gres, c.cgroup, c.topology, c.yaml);
        EXPECT_NE(text_of(loaded).find(c.says), std::string::npos) << text_of(loaded);
    }
}

TEST(Load, ReadsGresWithFilesCoresAndRowsOfLinks) {
    const Loaded loaded =
        load_slurm(kSmall,
                   "NodeName=n1 Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-7 Links=-1,4,0,0\n"
                   "NodeName=n1 Name=fpga File=/dev/fpga[0-1]\n");
    EXPECT_EQ(text_of(loaded), "");
    const NodeSpec& n1 = loaded.spec.nodes[0];
    ASSERT_EQ(n1.devices.size(), 6U);  // fpga0, fpga1, then GPUs 0–3, the last two without a file.
    EXPECT_EQ(n1.devices[0].file, "/dev/fpga0");
    EXPECT_EQ(n1.devices[2].file, "/dev/nvidia0");
    EXPECT_EQ(n1.devices[2].cores.to_list(), "0-7");
    EXPECT_EQ(n1.devices[2].links, (std::vector<std::int32_t>{-1, 4, 0, 0}));
    EXPECT_EQ(n1.devices[5].file, "");
    EXPECT_EQ(loaded.spec.nodes[1].devices.size(), 4U);
}

TEST(LoadGres, AMigInstanceIsOneDeviceOfSeveralFiles) {
    const Loaded loaded = load_slurm(
        "ClusterName=lab\nGresTypes=gpu\n"
        "NodeName=n1 CPUs=16 RealMemory=64000 Gres=gpu:1g.10gb:1,gpu:3g.40gb:1\n"
        "PartitionName=main Nodes=ALL\n",
        "Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap[66-67]\n"
        "Name=gpu Type=3g.40gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap[21-22]\n");
    const std::vector<Device>& devices = loaded.spec.nodes[0].devices;
    ASSERT_EQ(devices.size(), 2U);
    EXPECT_EQ(devices[0].file,
              "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66,/dev/nvidia-caps/nvidia-cap67");
    EXPECT_EQ(devices[1].index, 1U);
    EXPECT_NE(devices[0].dimension, devices[1].dimension);
}

TEST(Load, ReadsAccountsUsersAndQosFromBerthYaml) {
    const Loaded loaded = load_slurm(
        kSmall, "", "", "",
        "qos:\n  - {name: high, priority: 100, max_wall: 1-0}\n"
        "accounts:\n  - name: physics\n    shares: 60\n    users:\n"
        "      - ada\n      - {name: grace, shares: 3, default: yes, qos: [normal, high]}\n"
        "operators: [ada]\nenforce_accounts: yes\n");
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_EQ(loaded.spec.qos[1].max_wall, std::chrono::hours(24));
    ASSERT_EQ(loaded.spec.associations.size(), 2U);
    EXPECT_EQ(loaded.spec.associations[1].qos, (std::vector<std::string>{"normal", "high"}));
    EXPECT_EQ(loaded.spec.accounts[0].parent, "root");
    EXPECT_TRUE(loaded.spec.scheduling.enforce_accounts);
    EXPECT_EQ(loaded.spec.operators, std::vector<std::string>{"ada"});
}

TEST(Load, ReadsNodesAndPartitionsFromBerthYamlAlone) {
    ConfigFiles files;
    files.berth =
        ConfigText{"berth.yaml",
                   "cluster: lab\nnodes:\n  - {name: 'gpu[1-3]', cpus: 8, memory_mb: 1000, gres: "
                   "'gpu:h100:8', features: [ib, nvme]}\n"
                   "partitions:\n  - {name: main, nodes: ALL, default: yes, max_time: 1-0}\n"};
    const Loaded loaded = load(files);
    EXPECT_EQ(text_of(loaded), "");
    ASSERT_EQ(loaded.spec.nodes.size(), 3U);
    EXPECT_EQ(loaded.spec.nodes[2].devices.size(), 8U);
    EXPECT_EQ(loaded.spec.nodes[2].features, (std::vector<std::string>{"ib", "nvme"}));
    EXPECT_EQ(loaded.spec.partitions[0].nodes.size(), 3U);
}

TEST(Load, MakesThePriorityRulesOfTheWeights) {
    const Loaded loaded = load_slurm(std::string(kSmall) +
                                     "PriorityWeightAge=1000\nPriorityMaxAge=1-"
                                     "0\nPriorityFavorSmall=YES\nPriorityWeightJobSize=500\n");
    const auto& rules = loaded.spec.scheduling.rules;
    std::string names;
    for (const RuleSpec& rule : rules) names += rule.name + "=" + std::to_string(rule.weight) + " ";
    EXPECT_EQ(names,
              "site=1 age=1000 association=0 fair_share=0 size=500 partition=0 qos=0 nice=1 ");
    EXPECT_EQ(rules[1].settings.front().second, 86400);
    EXPECT_EQ(rules[4].settings.front().second, 1);
    EXPECT_TRUE(load_slurm(std::string(kSmall) + "PriorityType=priority/basic\n")
                    .spec.scheduling.rules.empty());
}

TEST(Load, ReadsEveryPriorityFlag) {
    const auto spec_of = [](const char* lines) {
        const Loaded loaded = load_slurm(std::string(kSmall) + lines);
        EXPECT_EQ(text_of(loaded), "") << lines;
        return loaded.spec.scheduling;
    };
    const auto rule_text = [&](const char* lines) {
        std::string text;
        for (const RuleSpec& rule : spec_of(lines).rules) {
            for (const auto& [name, value] : rule.settings) {
                if (value == 1) text += rule.name + "." + name + " ";
            }
            if (rule.kind == "fairness") text += rule.name + " ";
        }
        return text;
    };
    EXPECT_EQ(rule_text("PriorityFlags=ACCRUE_ALWAYS,FAIR_TREE\n"), "age.from_submission ");
    EXPECT_EQ(rule_text("PriorityFlags=NO_FAIR_TREE\n"), "classic ");
    EXPECT_EQ(rule_text("PriorityFlags=depth_oblivious\n"), "classic.depth_oblivious classic ");
    EXPECT_EQ(rule_text("PriorityFlags=SMALL_RELATIVE_TO_TIME\n"), "size.per_minute ");
    EXPECT_EQ(rule_text("PriorityFlags=NO_NORMAL_ALL\nPriorityWeightTRES=cpu=1\n"),
              "association.plain partition.plain qos.plain tres.plain ");
    EXPECT_EQ(rule_text("PriorityFlags=NO_NORMAL_QOS\n"), "qos.plain ");
    EXPECT_TRUE(spec_of("PriorityFlags=INCR_ONLY\n").priorities_only_rise);
    EXPECT_TRUE(spec_of("PriorityFlags=CALCULATE_RUNNING\n").prioritize_running);
    EXPECT_EQ(spec_of("PriorityFlags=MAX_TRES\n").billing_sum, BillingSum::largest);
    EXPECT_EQ(spec_of("PriorityFlags=MAX_TRES_GRES\n").billing_sum, BillingSum::largest_and_gres);
    EXPECT_EQ(spec_of("PriorityUsageResetPeriod=MONTHLY\n").usage_decay.reset, UsageReset::monthly);
    EXPECT_EQ(spec_of("PriorityDecayHalfLife=0\n").usage_decay.half_life, Duration{});
    EXPECT_EQ(spec_of("PriorityCalcPeriod=5\n").priority_period, std::chrono::minutes(5));
    EXPECT_EQ(spec_of("PriorityWeightJobSize=-1\n").rules[4].weight, -1);
}

TEST(Load, ReadsTresWeights) {
    const Loaded loaded = load_slurm(
        "GresTypes=gpu\nNodeName=n CPUs=4 Gres=gpu:a100:4\n"
        "PartitionName=main Nodes=n TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu:a100=2.5\n"
        "PriorityWeightTRES=cpu=1000,mem=5\n");
    EXPECT_EQ(text_of(loaded), "");
    const std::vector<TresWeight> billing = {
        {"cpu", 1'000'000, 1}, {"mem", 250'000, 1 << 30}, {"gres/gpu:a100", 2'500'000, 1}};
    EXPECT_EQ(loaded.spec.partitions[0].billing_weights, billing);
    const std::vector<TresWeight> priority = {{"cpu", 1'000'000'000, 1},
                                              {"mem", 5'000'000, 1 << 20}};
    EXPECT_EQ(loaded.spec.scheduling.priority_tres, priority);
}

TEST(Load, ReadsTheOrderAndTheShares) {
    const Loaded loaded = load_slurm(
        kSmall, "", "", "",
        "order: {rule: drf, by_account: 1}\n"
        "accounts:\n"
        "  - {name: a, shares: parent, priority: 7, users: [{name: x, shares: 0, priority: 9}]}\n"
        "qos: [{name: half, usage_factor_ppm: 500000}]\n");
    EXPECT_EQ(text_of(loaded), "");
    const RuleSpec& rule = loaded.spec.scheduling.rules.front();
    EXPECT_EQ(rule.kind + " " + rule.name, "order drf");
    EXPECT_EQ(rule.settings,
              (std::vector<std::pair<std::string, std::int64_t>>{{"by_account", 1}}));
    EXPECT_TRUE(loaded.spec.accounts[0].shares_of_parent);
    EXPECT_EQ(loaded.spec.accounts[0].priority, 7);
    EXPECT_EQ(loaded.spec.associations[0].shares, 0);
    EXPECT_EQ(loaded.spec.associations[0].priority, 9);
    EXPECT_EQ(loaded.spec.qos[1].usage_factor, Ppm(500'000));
    EXPECT_EQ(
        text_of(load_slurm(kSmall, "", "", "", "order: shortest\n")),
        "berth.yaml:1: error: no order rule 'shortest'; there are shortest_first, round_robin, "
        "drf, weighted_fair, hierarchical_drf, deserved_rounds, least_attained, qssf, "
        "three_levels\n");
    EXPECT_EQ(load_slurm(kSmall, "", "", "", "order: shortest_first\n")
                  .spec.scheduling.rules.front()
                  .name,
              "shortest_first");
}

TEST(Load, ReadsThePlacement) {
    const auto rules = [](const std::string& yaml) {
        const Loaded loaded = load_slurm(kSmall, "", "", "", yaml);
        EXPECT_EQ(text_of(loaded), "");
        std::string text;
        for (const RuleSpec& rule : loaded.spec.scheduling.rules) {
            if (rule.kind != "placement") continue;
            text += rule.name + "*" + std::to_string(rule.weight);
            for (const auto& [key, value] : rule.settings) {
                text += " " + key + "=" + std::to_string(value);
            }
            text += ";";
        }
        return text;
    };
    EXPECT_EQ(rules("placement: spread\n"), "spread*1;");
    EXPECT_EQ(rules("placement: [{rule: least_loaded, weight: 3, hot: 80}, spread]\n"),
              "least_loaded*3 hot=80;spread*1;");
    EXPECT_EQ(text_of(load_slurm(kSmall, "", "", "", "placement: {weight: 3}\n")),
              "berth.yaml:1: error: should be a rule of kind placement; `berth policy list` names "
              "them\n");
    EXPECT_NE(text_of(load_slurm(kSmall, "", "", "", "placement: packing\n"))
                  .find("berth.yaml:1: error: no placement rule 'packing'; there are pack, "),
              std::string::npos);
}

TEST(Load, ReadsTheFence) {
    const auto fence = [](const std::string& yaml) {
        return load_slurm(kSmall, "", "", "", yaml).spec.fence;
    };
    EXPECT_EQ(fence(""), FenceSpec{});
    const FenceSpec all =
        fence("fence: {program: /sbin/off, timeout: 2:30, presume_dead_after: 1-0}");
    EXPECT_EQ(all.program, "/sbin/off");
    EXPECT_EQ(all.timeout, std::chrono::seconds(150));
    EXPECT_EQ(all.presume_dead_after, std::chrono::hours(24));
    EXPECT_EQ(fence("fence: {presume_dead_after: never}").presume_dead_after, std::nullopt);
    for (const char* wrong : {"fence: /sbin/off", "fence: {program: off}", "fence: {timeout: 0}",
                              "fence: {presume_dead_after: soon}", "fence: {script: /sbin/off}"}) {
        EXPECT_NE(text_of(load_slurm(kSmall, "", "", "", wrong)), "") << wrong;
    }
}

TEST(Load, ReadsWhoIsToldOfJobs) {
    const auto told = [](const std::string& keys, const std::string& yaml = "") {
        return load_slurm(kSmall + keys, "", "", "", yaml).spec.notifications;
    };
    EXPECT_EQ(told(""), NotificationSpec{});
    EXPECT_EQ(told("").mail_program, "/bin/mail");
    const NotificationSpec mail = told("MailProg=/usr/bin/mail\nMailDomain=example.org\n");
    EXPECT_EQ(mail.mail_program, "/usr/bin/mail");
    EXPECT_EQ(mail.mail_domain, "example.org");
    EXPECT_EQ(told("MailProg=None\n").mail_program, "");
    const NotificationSpec web = told(
        "", "notifications: {url: 'https://x.org/h', events: [END, TIME_LIMIT], secret_file: /s}");
    EXPECT_EQ(web.webhook, "https://x.org/h");
    EXPECT_EQ(web.webhook_events, 2U + 16U);
    EXPECT_EQ(web.webhook_secret_file, "/s");
    EXPECT_EQ(told("", "notifications: {url: 'http://x.org/h'}").webhook_events, 1U + 2U + 4U);
    for (const char* wrong :
         {"notifications: https://x.org", "notifications: {url: x.org}",
          "notifications: {events: END}", "notifications: {url: 'http://x', events: SOMETIMES}",
          "notifications: {url: 'http://x', events: ARRAY_TASKS}",
          "notifications: {url: 'http://x', secret_file: s}",
          "notifications: {url: 'http://x', user: me}"}) {
        EXPECT_TRUE(load_slurm(kSmall, "", "", "", wrong).has_errors) << wrong;
    }
    for (const char* wrong : {"MailProg=mail\n", "MailDomain=a b\n", "MailDomain=\n"}) {
        EXPECT_TRUE(load_slurm(std::string(kSmall) + wrong).has_errors) << wrong;
    }
}

TEST(Load, ReadsTheProgramsOnTheControllersHost) {
    const Loaded loaded = load_slurm(std::string(kSmall) +
                                     "PrologSlurmctld=/etc/a\nPrologSlurmctld=/etc/b\n"
                                     "EpilogSlurmctld=/etc/c\nInactiveLimit=90\n");
    EXPECT_EQ(loaded.spec.hooks.controller_prolog, (std::vector<std::string>{"/etc/a", "/etc/b"}));
    EXPECT_EQ(loaded.spec.hooks.controller_epilog, std::vector<std::string>{"/etc/c"});
    EXPECT_EQ(loaded.spec.scheduling.inactive_limit, std::chrono::seconds(90));
    EXPECT_TRUE(load_slurm(std::string(kSmall) + "PrologSlurmctld=a\n").has_errors);
    EXPECT_TRUE(load_slurm(std::string(kSmall) + "InactiveLimit=-1\n").has_errors);
}

TEST(Load, ReadsWhenWhoIsFirstHoldsNodes) {
    const auto hold_after = [](const std::string& yaml) {
        return load_slurm(kSmall, "", "", "", yaml).spec.scheduling.planning.hold_after;
    };
    EXPECT_EQ(hold_after(""), std::chrono::hours(1));
    EXPECT_EQ(hold_after("hold_after: 2-00:00:00\n"), std::chrono::hours(48));
    EXPECT_EQ(hold_after("hold_after: UNLIMITED\n"), Duration::max());
    EXPECT_NE(text_of(load_slurm(kSmall, "", "", "", "hold_after: soon\n")), "");
}

TEST(Load, ReadsWhatIsEnforced) {
    const Loaded all =
        load_slurm(std::string(kSmall) + "AccountingStorageEnforce=associations,limits,qos\n");
    EXPECT_EQ(text_of(all), "");
    EXPECT_TRUE(all.spec.scheduling.enforce_accounts);
    EXPECT_TRUE(all.spec.scheduling.enforce_limits);
    const Loaded some = load_slurm(std::string(kSmall) + "AccountingStorageEnforce=associations\n");
    EXPECT_FALSE(some.spec.scheduling.enforce_limits);
    EXPECT_EQ(text_of(load_slurm(std::string(kSmall) + "AccountingStorageEnforce=Nonsense\n")),
              "slurm.conf:5: error: AccountingStorageEnforce: there is no nonsense; there are "
              "associations, limits, qos, safe, all\n");
}

TEST(Load, WarnsOfWhatHasNoEffectYet) {
    const Loaded loaded = load_slurm(std::string(kSmall) + "ResumeProgram=/etc/resume.sh\n");
    EXPECT_EQ(text_of(loaded),
              "slurm.conf:5: warning: ResumeProgram=/etc/resume.sh has no effect yet\n");
    EXPECT_FALSE(loaded.has_errors);
}

TEST(Load, KnowsTheSitesProgramsAroundJobs) {
    const Loaded loaded = load_slurm(std::string(kSmall) +
                                     "Prolog=/etc/slurm/prolog.d/*\n"
                                     "Prolog=/etc/slurm/late.sh\n"
                                     "Epilog=/etc/slurm/epilog.sh\n"
                                     "TaskProlog=/etc/slurm/task.sh\n"
                                     "TaskEpilog=after.sh\n"
                                     "SrunProlog=/etc/slurm/srun.sh\n"
                                     "PrologEpilogTimeout=30\n"
                                     "PrologFlags=Alloc,Serial\n"
                                     "SchedulerParameters=nohold_on_prolog_fail\n");
    const HookSpec& hooks = loaded.spec.hooks;
    EXPECT_EQ(hooks.prolog,
              (std::vector<std::string>{"/etc/slurm/prolog.d/*", "/etc/slurm/late.sh"}));
    EXPECT_EQ(hooks.epilog, std::vector<std::string>{"/etc/slurm/epilog.sh"});
    EXPECT_EQ(hooks.task_prolog, "/etc/slurm/task.sh");
    EXPECT_EQ(hooks.srun_prolog, "/etc/slurm/srun.sh");
    EXPECT_EQ(hooks.timeout, std::chrono::seconds(30));
    EXPECT_FALSE(hooks.hold_on_failure);
    EXPECT_EQ(text_of(loaded),
              "slurm.conf:9: error: TaskEpilog=after.sh should be an absolute path, like "
              "/etc/slurm/taskepilog.sh\n"
              "slurm.conf:12: warning: PrologFlags=Serial has no effect yet\n");
}

TEST(Load, KnowsHowNodesAreCaredFor) {
    const auto care = [](const std::string& lines) {
        return load_slurm(std::string(kSmall) + lines).spec.care;
    };
    EXPECT_EQ(care("").sampling, std::chrono::seconds(30));
    const HealthCheckSpec all = care(
        "HealthCheckProgram=/sbin/check\nHealthCheckInterval=60\n"
        "HealthCheckNodeState=IDLE,mixed,CYCLE\nRebootProgram=/sbin/reboot\nResumeTimeout=600\n"
        "JobAcctGatherFrequency=task=10,energy=5\n");
    EXPECT_EQ(all.health_check, "/sbin/check");
    EXPECT_EQ(all.health_interval, std::chrono::seconds(60));
    EXPECT_EQ(all.health_states, HealthCheckSpec::kIdle | HealthCheckSpec::kMixed);
    EXPECT_TRUE(all.health_cycle);
    EXPECT_EQ(all.reboot, "/sbin/reboot");
    EXPECT_EQ(all.resume_timeout, std::chrono::seconds(600));
    EXPECT_EQ(all.sampling, std::chrono::seconds(10));
    EXPECT_EQ(care("JobAcctGatherFrequency=0\n").sampling, Duration{});
    EXPECT_EQ(care("JobAcctGatherType=jobacct_gather/none\n").sampling, Duration{});
    for (const char* wrong : {"HealthCheckProgram=check\n", "HealthCheckNodeState=BUSY\n",
                              "RebootProgram=reboot\n", "JobAcctGatherFrequency=soon\n"}) {
        EXPECT_NE(text_of(load_slurm(std::string(kSmall) + wrong)), "") << wrong;
    }
}

TEST(Load, ReadsWhatServesTheMpiOfSteps) {
    const auto loaded = [](const std::string& line) {
        return load_slurm(std::string(kSmall) + line);
    };
    EXPECT_EQ(loaded("").spec.mpi_default, "");
    EXPECT_EQ(loaded("MpiDefault=PMI2\n").spec.mpi_default, "pmi2");
    EXPECT_EQ(text_of(loaded("MpiDefault=pmi2\n")), "");
    EXPECT_NE(text_of(loaded("MpiDefault=exchange\n")).find("should be one of none, pmi2, pmix"),
              std::string::npos);
}

TEST(Load, FollowsIncludesButNotInCircles) {
    ConfigFiles files;
    files.slurm =
        ConfigText{"slurm.conf", "Include nodes.conf\nPartitionName=main Nodes=ALL Default=YES\n"};
    files.included.push_back({"nodes.conf", "NodeName=a CPUs=1\n"});
    EXPECT_EQ(load(files).spec.nodes.size(), 1U);
    files.included.front().text += "Include nodes.conf\n";
    EXPECT_TRUE(load(files).has_errors);
}

TEST(Load, DerivesSocketsFromCpus) {
    struct Case {
        const char* node;
        std::uint32_t sockets, cores, threads;
    };
    const Case cases[] = {
        {"CPUs=16", 16, 1, 1},
        {"Procs=16 CoresPerSocket=2 ThreadsPerCore=1", 8, 2, 1},
        {"Sockets=2 CoresPerSocket=8 ThreadsPerCore=2", 2, 8, 2},
        {"CPUs=16 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2", 2, 8, 1},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.node);
        const Loaded loaded =
            load_slurm("NodeName=x " + std::string(c.node) + "\nPartitionName=p Nodes=ALL\n");
        EXPECT_EQ(loaded.spec.nodes[0].sockets, c.sockets);
        EXPECT_EQ(loaded.spec.nodes[0].cores_per_socket, c.cores);
        EXPECT_EQ(loaded.spec.nodes[0].threads_per_core, c.threads);
    }
}

}  // namespace
}  // namespace berth::config
