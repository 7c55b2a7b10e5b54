// Keys of node lines, gres.conf and lists of words that had no effect and did not say so.
#include <gtest/gtest.h>

#include "berth/config/config_rig.h"
#include "berth/config/load.h"

namespace berth::config {
namespace {

Loaded load_node(const std::string& slurm, const std::string& node, const std::string& gres = "",
                 const std::string& topology = "") {
    ConfigFiles files;
    files.slurm =
        ConfigText{"slurm.conf", "ClusterName=lab\nGresTypes=gpu\n" + slurm + "\nNodeName=n1 " +
                                     node + "\nPartitionName=main Nodes=n1 Default=YES\n"};
    if (!gres.empty()) files.gres = ConfigText{"gres.conf", gres};
    if (!topology.empty()) files.topology = ConfigText{"topology.conf", topology};
    return load(files);
}

const char* const kTwoSockets = "Sockets=2 CoresPerSocket=4 Gres=gpu:a100:4";

TEST(GresConf, ALineWithoutFilesIsAboutAsManyGpusAsItsCount) {
    const Loaded loaded = load_node("", kTwoSockets,
                                    "Name=gpu Type=a100 Count=2 Cores=0-3\n"
                                    "Name=gpu Type=a100 Count=2 Cores=4-7\n");
    EXPECT_EQ(text_of(loaded), "");
    const auto& devices = loaded.spec.nodes[0].devices;
    ASSERT_EQ(devices.size(), 4U);
    EXPECT_TRUE(devices[1].cores.test(0));
    EXPECT_TRUE(devices[2].cores.test(4));
    EXPECT_FALSE(devices[2].cores.test(0));
}

TEST(GresConf, ACountThatDoesNotAgreeWithTheFilesIsAnError) {
    const Loaded loaded =
        load_node("", kTwoSockets, "Name=gpu Type=a100 Count=3 File=/dev/nvidia[0-3]\n");
    EXPECT_TRUE(loaded.has_errors);
    EXPECT_EQ(text_of(loaded),
              "gres.conf:1: error: Count=3 does not agree with File, which names 4; leave Count "
              "out or correct it\n");
}

TEST(NodeLine, BoardsHaveSocketsEach) {
    const Loaded loaded = load_node("", "Boards=2 SocketsPerBoard=2 CoresPerSocket=3 Gres=gpu:1");
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_EQ(loaded.spec.nodes[0].cpus(), 12U);
}

TEST(NodeLine, TmpDiskIsWhatJobsMayAskFor) {
    const Loaded loaded = load_node("", "CPUs=1 TmpDisk=20000 Gres=gpu:1");
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_EQ(loaded.spec.nodes[0].tmp_disk, mib(20'000));
}

struct Unheeded {
    const char *slurm, *node, *topology, *says;
};

TEST(Configuration, WarnsOfWhatHasNoEffect) {
    for (const Unheeded& one : {
             Unheeded{"", "CPUs=1 Port=6818", "", "Port=6818 has no effect"},
             Unheeded{"AccountingStorageEnforce=associations,nosteps", "CPUs=1", "",
                      "nosteps has no effect: every job and step is accounted for"},
             Unheeded{"AccountingStorageEnforce=wckeys", "CPUs=1", "",
                      "wckeys has the effect of associations alone: any wckey is accepted"},
             Unheeded{"AccountingStorageEnforce=limits,safe", "CPUs=1", "",
                      "safe has the effect of limits alone: a job starts although GrpTRESMins may"},
             Unheeded{"AccountingStorageEnforce=all", "CPUs=1", "",
                      "all enforces associations, limits and qos: any wckey is accepted"},
             Unheeded{"SlurmctldParameters=rl_enable,rl_log_freq=1", "CPUs=1", "",
                      "SlurmctldParameters=rl_log_freq=1 has no effect"},
             Unheeded{"", "CPUs=1", "SwitchName=s Nodes=n1 LinkSpeed=100\n",
                      "LinkSpeed has no effect"},
             Unheeded{"TopologyPlugin=topology/block", "CPUs=1",
                      "BlockName=b Nodes=n1\nBlockSizes=1\n",
                      "topology.conf:2: warning: BlockSizes has no effect"},
         }) {
        const std::string text = text_of(load_node(one.slurm, one.node, "", one.topology));
        EXPECT_NE(text.find(one.says), std::string::npos) << one.says << ": " << text;
        EXPECT_EQ(text.find("error"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace berth::config
