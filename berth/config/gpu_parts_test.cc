#include <algorithm>

#include <gtest/gtest.h>

#include "berth/config/load.h"

namespace berth::config {
namespace {

Loaded load_gres(const std::string& gres, const std::string& gres_conf) {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf",
                             "ClusterName=lab\nGresTypes=gpu,mps,shard,gpumem\n"
                             "NodeName=n1 CPUs=16 RealMemory=64000 Gres=" +
                                 gres + "\nPartitionName=main Nodes=n1 Default=YES\n"};
    if (!gres_conf.empty()) files.gres = ConfigText{"gres.conf", gres_conf};
    return load(files);
}

// "mps:100 shard:4", GPU by GPU.
std::string parts_text(const ClusterSpec& spec) {
    std::string text;
    for (const Device& device : spec.nodes[0].devices) {
        text += text.empty() ? "" : " |";
        for (const ShareKind& own : device.shares) {
            text += (text.empty() ? "" : " ") + spec.dimensions.at(own.dimension).name + ":" +
                    std::to_string(own.parts);
        }
    }
    return text;
}

std::string kinds_of_gpus(std::size_t count) {
    std::string gres;
    for (std::size_t i = 0; i < count; ++i)
        gres += (i == 0 ? "gpu:t" : ",gpu:t") + std::to_string(i) + ":1";
    return gres;
}

TEST(KindsOfGres, AreThirtyInOneCluster) {
    const Loaded most = load_gres(kinds_of_gpus(30), "");
    EXPECT_FALSE(most.has_errors);
    EXPECT_EQ(most.spec.dimensions.size(), kDimensionsMax);
    EXPECT_EQ(most.spec.nodes[0].capacity[DimensionId::from_index(kDimensionsMax - 1)], 1);

    const Loaded beyond = load_gres(kinds_of_gpus(31), "");
    EXPECT_TRUE(std::ranges::any_of(beyond.findings, [](const Finding& finding) {
        return finding.message.find("more than 30 kinds of GRES") != std::string::npos;
    }));
}

TEST(GpuParts, AreSpreadEvenlyUnlessFilesAreNamed) {
    struct Case {
        const char *gres, *gres_conf, *parts, *finding;
    };
    const Case cases[] = {
        {"gpu:a100:2,mps:200", "", "mps:100 | mps:100", ""},
        {"gpu:a100:2,mps:200,shard:8", "", "mps:100 shard:4 | mps:100 shard:4", ""},
        {"gpu:a100:2,gpumem:160G", "", "gpumem:85899345920 | gpumem:85899345920", ""},
        {"gpu:a100:2,mps:300",
         "Name=gpu File=/dev/nvidia[0-1]\nName=mps Count=200 File=/dev/nvidia0\n"
         "Name=mps Count=100 File=/dev/nvidia1\n",
         "mps:200 | mps:100", ""},
        {"gpu:a100:2,mps:200", "Name=gpu File=/dev/nvidia[0-1]\nName=mps Count=200\n",
         "mps:100 | mps:100", ""},
        {"gpu:a100:2,mps:201", "", "mps:100 | mps:100",
         "node n1: Gres=mps:201 over 2 GPUs comes to 200; give each GPU the same number of parts"},
        {"gpu:a100:1,mps:a100:100", "", "",
         "Gres=mps:a100:100: parts of GPUs have no type; write mps:100"},
        {"mps:100", "", "",
         "node n1: Gres=mps:100 over 0 GPUs comes to 0; give each GPU the same number of parts"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.gres);
        const Loaded loaded = load_gres(c.gres, c.gres_conf);
        EXPECT_EQ(parts_text(loaded.spec), c.parts);
        std::string found;
        for (const Finding& finding : loaded.findings) {
            const bool unused = finding.message.starts_with("GresTypes names");
            if (finding.severity != Severity::note && !unused) found += finding.message;
        }
        EXPECT_EQ(found, c.finding);
    }
}

TEST(GpuParts, OfMemorySayHowMuchAGpuHas) {
    const Loaded loaded = load_gres("gpu:a100:2,gpumem:160G", "");
    EXPECT_EQ(loaded.spec.nodes[0].devices.at(1).memory, gib(80));
}

}  // namespace
}  // namespace berth::config
