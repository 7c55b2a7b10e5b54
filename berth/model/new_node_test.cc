#include "berth/model/new_node.h"

#include <gtest/gtest.h>

#include "berth/model/new_node_text.h"

namespace berth {
namespace {

using Words = std::vector<std::string>;

NewNode read(const Words& words) {
    NewNode node;
    const Status done = read_new_node(words, node);
    EXPECT_TRUE(done.ok()) << done.error().message;
    return node;
}

TEST(NewNodeText, SaysItAsANodeNameLineDoes) {
    const NewNode node =
        read({"CPUs=16", "CoresPerSocket=4", "ThreadsPerCore=2", "RealMemory=1000", "TmpDisk=5",
              "Feature=a,b", "Weight=3", "NodeHostname=h", "NodeAddr=10.0.0.1",
              "Gres=gpu:a100:8(S:0-1),gpu:2,fpga,gpu:h100", "State=CLOUD"});
    EXPECT_EQ(node.sockets, 2U);
    EXPECT_EQ(node.memory, mib(1000).count());
    EXPECT_EQ(node.tmp_disk, mib(5).count());
    EXPECT_EQ(node.features, (Words{"a", "b"}));
    EXPECT_EQ(node.gres,
              (std::vector<NewGres>{
                  {"gpu", "a100", 8}, {"gpu", "", 2}, {"fpga", "", 1}, {"gpu", "h100", 1}}));
    EXPECT_EQ(node.hostname + node.address + node.state, "h10.0.0.1CLOUD");
    EXPECT_EQ(read({"CPUs=8", "CoresPerSocket=8", "ThreadsPerCore=2"}).threads_per_core, 1U);
    EXPECT_EQ(read({"SocketsPerBoard=2", "CoresPerSocket=2", "Boards=3"}).sockets, 6U);
}

TEST(NewNodeText, ChangesWhatItSaysAlone) {
    NewNode machine{.sockets = 2, .cores_per_socket = 8, .memory = 77};
    ASSERT_TRUE(read_new_node({"Feature=x"}, machine).ok());
    EXPECT_EQ(machine.sockets * machine.cores_per_socket, 16U);
    EXPECT_EQ(machine.memory, 77);
    ASSERT_TRUE(read_new_node({"CPUs=4"}, machine).ok());
    EXPECT_EQ(machine.sockets * machine.cores_per_socket, 4U);
}

TEST(NewNodeText, RefusesWhatItDoesNotUnderstand) {
    for (const char* word : {"CPUs", "CPUs=", "CPUs=0", "CPUs=many", "RealMemory=-1", "Port=7",
                             "Gres=:a:1", "Gres=gpu:a:b", "Gres=gpu:a:1:2", "CPUs=3 "}) {
        NewNode node;
        const Status done = read_new_node({word, "CoresPerSocket=2"}, node);
        EXPECT_FALSE(done.ok()) << word;
    }
    NewNode node;
    EXPECT_FALSE(read_new_node({"CPUs=16", "Sockets=2", "CoresPerSocket=4"}, node).ok());
}

Device device_of(DimensionId dimension, std::uint32_t index, const std::string& file) {
    return {.dimension = dimension, .index = index, .file = file};
}

TEST(NewNodes, HaveTheDevicesThatTheySayInTheClustersWords) {
    Dimensions cluster;
    (void)cluster.intern("fpga", "");
    JoiningNode joining{.node = read({"CPUs=4", "RealMemory=64", "Gres=gpu:a100:2,fpga:3"}),
                        .devices = {},
                        .dimensions = {}};
    const DimensionId a100 = *joining.dimensions.intern("gpu", "a100");
    joining.devices = {device_of(a100, 0, "/dev/nvidia0"), device_of(a100, 1, "/dev/nvidia1"),
                       device_of(a100, 2, "/dev/nvidia2")};
    const auto node = make_node("dyn1", joining, cluster);
    ASSERT_TRUE(node.ok()) << node.error().message;
    ASSERT_EQ(node->devices.size(), 2U);
    EXPECT_EQ(node->devices[1].file, "/dev/nvidia1");
    EXPECT_EQ(node->devices[1].index, 1U);
    EXPECT_EQ(cluster.at(node->devices[1].dimension).type, "a100");
    EXPECT_EQ(node->capacity[*cluster.find("fpga", "")], 3);
    EXPECT_EQ(node->capacity[*cluster.find("gpu", "a100")], 2);
    EXPECT_EQ(node->gres_text, "gpu:a100:2,fpga:3");
    EXPECT_EQ(node->hostname, "dyn1");
    EXPECT_TRUE(node->is_dynamic());
}

TEST(NewNodes, HaveMigInstancesToo) {
    const std::string files =
        "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66,/dev/nvidia-caps/nvidia-cap67";
    JoiningNode joining;
    joining.node = read({"Gres=gpu:1g.10gb:1"});
    joining.devices = {device_of(*joining.dimensions.intern("gpu", "1g.10gb"), 0, files.c_str())};
    Dimensions dimensions;
    const auto node = make_node("n1", joining, dimensions);
    ASSERT_TRUE(node.ok()) << node.error().message;
    EXPECT_EQ(node->devices.at(0).file, files);
}

TEST(NewNodes, AreRefusedWhereNoMachineIsLikeThat) {
    struct Case {
        const char* what;
        Words words;
        std::string file;
    };
    for (const Case& one : {Case{"memory", {"RealMemory=99999999999"}, ""},
                            {"parts of GPUs", {"Gres=gpu:1,mps:100"}, ""},
                            {"too many GPUs", {"Gres=gpu:65"}, ""},
                            {"a file that is no GPU's", {"Gres=gpu:1"}, "/dev/sda"},
                            {"a file elsewhere", {"Gres=gpu:1"}, "/dev/nvidia0/../sda"},
                            {"a driver's control file", {"Gres=gpu:1"}, "/dev/nvidiactl"},
                            {"a list that is no MIG instance",
                             {"Gres=gpu:1"},
                             "/dev/nvidia0,/dev/nvidia1,/dev/nvidia-caps/nvidia-cap66"},
                            {"the right to cut GPUs",
                             {"Gres=gpu:1"},
                             "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap1,"
                             "/dev/nvidia-caps/nvidia-cap66"},
                            {"a feature that is no word", {"Feature=a b"}, ""},
                            {"a state", {"State=DOWN"}, ""}}) {
        JoiningNode joining;
        Dimensions cluster;
        const Status said = read_new_node(one.words, joining.node);
        if (!said.ok()) continue;
        joining.devices = {device_of(*joining.dimensions.intern("gpu", ""), 0, one.file)};
        EXPECT_FALSE(make_node("n", joining, cluster).ok()) << one.what;
    }
    JoiningNode joining;
    Dimensions cluster;
    EXPECT_TRUE(make_node("n", joining, cluster).ok());
    for (const char* name : {"", "a b", "ALL", "default", "../x"})
        EXPECT_FALSE(make_node(name, joining, cluster).ok()) << name;
    joining.node.sockets = joining.node.cores_per_socket = joining.node.threads_per_core = 1024;
    EXPECT_FALSE(make_node("n", joining, cluster).ok());
    joining.node.sockets = 0;
    EXPECT_FALSE(make_node("n", joining, cluster).ok());
}

TEST(NewNodes, AreToldWhereTheirDevicesAre) {
    Dimensions cluster;
    JoiningNode made{
        .node = read({"Gres=gpu:a100:2", "State=CLOUD"}), .devices = {}, .dimensions = {}};
    NodeSpec node = *make_node("n", made, cluster);
    JoiningNode joining;
    const DimensionId gpu = *joining.dimensions.intern("gpu", "nvidia_a100");
    joining.devices = {device_of(gpu, 1, "/dev/nvidia7")};
    ASSERT_TRUE(find_devices(node, cluster, joining).ok());
    EXPECT_EQ(node.devices[0].file, "");
    EXPECT_EQ(node.devices[1].file, "/dev/nvidia7");
    EXPECT_EQ(node.devices[1].dimension, *cluster.find("gpu", "a100"));
    joining.devices[0].file = "/dev/mem";
    EXPECT_FALSE(find_devices(node, cluster, joining).ok());
}

}  // namespace
}  // namespace berth
