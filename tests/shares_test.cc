// sprio and sshare over a real socket, from slurm.conf and berth.yaml to the printed line.
#include <gtest/gtest.h>

#include <sstream>

#include "berth/config/load.h"
#include "berth/server/http/server_rig.h"
#include "berth/slurm/tables/table_commands.h"

namespace berth {
namespace {

constexpr const char* kSlurmConf =
    "ClusterName=oracle\nGresTypes=gpu\nPriorityType=priority/multifactor\n"
    "PriorityDecayHalfLife=0\nPriorityMaxAge=1-0\nPriorityWeightAge=1000\n"
    "PriorityWeightFairshare=10000\nPriorityWeightJobSize=1000\nPriorityWeightPartition=1000\n"
    "PriorityWeightQOS=2000\n"
    "NodeName=gpu[1-4] CPUs=32 Sockets=2 CoresPerSocket=16 RealMemory=256000 Gres=gpu:a100:8\n"
    "PartitionName=main Nodes=gpu[1-4] Default=YES PriorityJobFactor=10\n"
    "PartitionName=debug Nodes=gpu4 PriorityJobFactor=100\n";
constexpr const char* kBerthYaml =
    "accounts:\n"
    "  - {name: physics, shares: 60, users: [backup, games]}\n"
    "  - {name: bio, shares: 40, users: [news, {name: root}]}\n"
    "qos:\n  - {name: high, priority: 100}\n";

// The cluster of oracle/sshare-a.txt, with whole seconds of usage.
class Shares : public ServerRig {
protected:
    void install(std::string more = "") {
        config::ConfigFiles files;
        files.slurm = config::ConfigText{"slurm.conf", kSlurmConf + std::move(more)};
        files.berth = config::ConfigText{"berth.yaml", kBerthYaml};
        config::Loaded loaded = config::load(files);
        ASSERT_FALSE(loaded.has_errors);
        cluster.apply(SpecInstalled{std::move(loaded.spec)});
        cluster.apply(UsageSet{.entries = {{"bio", "news", 2175},
                                           {"physics", "backup", 67},
                                           {"physics", "games", 1323}}});
    }
    void submit(std::uint32_t id, const char* account, const char* user, std::uint32_t nodes,
                std::uint32_t cpus, std::uint32_t qos = 0) {
        Job job = SampleCluster::job(id);
        job.owner.edit().user = user;
        job.spec.account = account;
        job.spec.request =
            JobRequest{.nodes_min = nodes, .tasks = nodes, .cpus_per_task = cpus / nodes};
        job.qos = QosId(qos);
        cluster.submit(job);
        if (id != 99) cluster.apply(JobEligible{JobId(id)});
    }
    std::string run(slurm::Command command, const std::string& name,
                    std::vector<std::string> arguments) {
        std::istringstream in;
        std::ostringstream out, err;
        slurm::Streams streams{in, out, err};
        const slurm::Invocation call{.name = name,
                                     .arguments = std::move(arguments),
                                     .environment = {{"BERTH_SOCKET", options.socket}}};
        const int code = command(call, streams);
        return out.str() + err.str() + (code == 0 ? "" : "[exit " + std::to_string(code) + "]");
    }
    std::string sshare(std::vector<std::string> arguments) {
        return run(slurm::run_sshare, "sshare", std::move(arguments));
    }
    std::string sprio(std::vector<std::string> arguments) {
        return run(slurm::run_sprio, "sprio", std::move(arguments));
    }
};

TEST_F(Shares, ArePrintedAsSlurmDoes) {
    install();
    start();
    EXPECT_EQ(
        sshare({"-a"}),
        R"(Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare 
-------------------- ---------- ---------- ----------- ----------- ------------- ---------- 
root                                          0.000000        3565      1.000000            
 root                      root          1    0.009901           0      0.000000   1.000000 
 bio                                    40    0.396040        2175      0.610098            
  bio                      news          1    0.500000        2175      1.000000   0.200000 
  bio                      root          1    0.500000           0      0.000000   0.400000 
 physics                                60    0.594059        1390      0.389902            
  physics                backup          1    0.500000          67      0.048201   0.800000 
  physics                 games          1    0.500000        1323      0.951799   0.600000 
)");
    EXPECT_EQ(sshare({"-nPA", "physics", "-u", "games", "-o", "acc,user,rawu%5,LevelFS"}),
              " physics||1390|1.523613\n  physics|games|1323|0.525321\n");
    EXPECT_EQ(sshare({"-Uhp", "-u", "root", "-o", "account,user,rawshares,levelfs"}),
              " root|root|1|inf|\n  bio|root|1|inf|\n");
    EXPECT_EQ(sshare({"-o", "color"}),
              "sshare: error: Invalid field requested: \"color\"\n[exit 1]");
    EXPECT_NE(sshare({"-M", "other"}).find("No cluster 'other' known"), std::string::npos);
}

TEST_F(Shares, HaveALongForm) {
    install();
    submit(1, "physics", "games", 1, 8);
    cluster.start(1, 0);
    start();
    const std::string all = sshare({"-a", "-l"});
    EXPECT_EQ(
        all.substr(0, all.find('\n')),
        "Account                    User  RawShares  NormShares    RawUsage   NormUsage  "
        "EffectvUsage  FairShare    LevelFS                    GrpTRESMins                    "
        "TRESRunMins ");
    EXPECT_NE(all.find("\n  bio                      root          1    0.500000           0    "
                       "0.000000      0.000000   "),
              std::string::npos)
        << all;
    // It began at 1970 and is over its limit: nothing of it is to come.
    EXPECT_NE(all.find(" cpu=0,mem=0,energy=0,node=0,b+ \n"), std::string::npos) << all;
}

TEST_F(Shares, MayBeMultipliedDownTheTree) {
    install("PriorityFlags=NO_FAIR_TREE\n");
    start();
    const std::string all = sshare({"-a", "-n"});
    EXPECT_NE(all.find("  physics                backup          1    0.297030          67      "
                       "0.204348   0.620"),
              std::string::npos)
        << all;
}

TEST_F(Shares, AreTheAdministratorsToSet) {
    install();
    start();
    const Heard heard =
        call("POST", "/v1/usage", R"({"entries":[{"account":"bio","user":"news","billing":7}]})");
    if (::getuid() != 0) {
        EXPECT_EQ(heard.status, 403);
        return;
    }
    EXPECT_EQ(heard.status, 200) << heard.body;
    const auto asked = std::get<SetUsage>(controller.last().command);
    EXPECT_EQ(asked.entries.at(0), (UsageSet::Entry{"bio", "news", 7}));
}

TEST_F(Shares, MakePrioritiesThatSprioTakesApart) {
    install();
    submit(11, "physics", "backup", 2, 16);
    submit(12, "physics", "games", 4, 4, 1);
    submit(13, "bio", "news", 1, 1);
    submit(99, "bio", "news", 1, 1);  // Not eligible.
    start();
    // As oracle/sprio-l.txt, but for the age: those here have waited for decades.
    EXPECT_EQ(
        sprio({"-o", "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T"}),
        R"(          JOBID PARTITION     USER   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION        QOS        NICE                 TRES
             11 main        backup       9412          0       1000          0       8000        312        100          0           0                     
             12 main         games       9615          0       1000          0       6000        516        100       2000           0                     
             13 main          news       3228          0       1000          0       2000        129        100          0           0                     
)");
    EXPECT_EQ(
        sprio({"-w"}),
        R"(          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  PARTITION        QOS
        Weights                               1       1000      10000       1000       1000       2000
)");
    EXPECT_EQ(
        sprio({"-h", "-u", "news,games", "-S", "-Y"}),
        "             12 main         games       9615          0       1000       6000        "
        "516        100       2000\n             13 main          news       3228          0  "
        "     1000       2000        129        100          0\n");
    EXPECT_EQ(sprio({"-hn", "-j", "12", "-o", "%f %j %q %.9y"}),
              "0.6000000 0.5156250 1.0000000 0.0000022\n");
    EXPECT_EQ(sprio({"-j", "77"}), "Unable to find jobs matching user/id(s) specified\n");
    EXPECT_EQ(sprio({"-l", "-o", "%i"}).find("sprio: fatal: Options -o"), 0U);
    EXPECT_EQ(sprio({"-o", "%Z"}), "sprio: error: Invalid job format specification: Z\n[exit 1]");
}

TEST_F(Shares, WeighTres) {
    install("PriorityWeightTRES=cpu=1000,gres/gpu=4000\n");
    submit(11, "physics", "backup", 1, 32);
    start();
    EXPECT_EQ(sprio({"-h", "-o", "%T|%t|%A"}), "cpu=250|cpu=0.25|1000\n");
    EXPECT_NE(sprio({"-w"}).find("cpu=1000,gres/gpu=40"), std::string::npos);
}

TEST_F(Shares, AreNotForFifo) {
    config::ConfigFiles files;
    files.slurm = config::ConfigText{
        "slurm.conf", "PriorityType=priority/basic\nNodeName=a CPUs=1\nPartitionName=p Nodes=a\n"};
    cluster.apply(SpecInstalled{config::load(files).spec});
    start();
    EXPECT_EQ(sprio({}),
              "You are not running a supported priority plugin\n(priority/basic).\nOnly "
              "'priority/multifactor' is supported.\n[exit 1]");
}

}  // namespace
}  // namespace berth
