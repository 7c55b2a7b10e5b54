#include "berth/config/kube_quantity.h"

#include <gtest/gtest.h>

#include <string>

#include "berth/config/kube_resources.h"

namespace berth::config {
namespace {

TEST(KubeQuantity, IsReadAsKubernetesWritesIt) {
    struct Quantity {
        const char* text;
        std::int64_t whole, nano;
    };
    for (const auto& [text, whole, nano] : {
             Quantity{"0", 0, 0},
             Quantity{"8", 8, 0},
             Quantity{"+8", 8, 0},
             Quantity{"500m", 0, 500'000'000},
             Quantity{"1500m", 1, 500'000'000},
             Quantity{"64000m", 64, 0},
             Quantity{"1.5", 1, 500'000'000},
             Quantity{".5", 0, 500'000'000},
             Quantity{"5.", 5, 0},
             Quantity{"1e3", 1000, 0},
             Quantity{"1E3", 1000, 0},
             Quantity{"1E", 1'000'000'000'000'000'000, 0},
             Quantity{"12e-1", 1, 200'000'000},
             Quantity{"1e+2", 100, 0},
             Quantity{"2k", 2000, 0},
             Quantity{"1M", 1'000'000, 0},
             Quantity{"3G", 3'000'000'000, 0},
             Quantity{"2Ki", 2048, 0},
             Quantity{"2Ti", std::int64_t{2} << 40, 0},
             Quantity{"1.5Gi", std::int64_t{3} << 29, 0},
             Quantity{".5Ki", 512, 0},
             Quantity{"0.0001Ki", 0, 102'400'000},
             Quantity{"7u", 0, 7000},
             Quantity{"7n", 0, 7},
             Quantity{"1.0000000001", 1, 1},
             Quantity{"0.9999999999", 1, 0},
             Quantity{"007", 7, 0},
         }) {
        const auto read = parse_kube_quantity(text);
        ASSERT_TRUE(read.ok()) << text << ": " << read.error().message;
        EXPECT_EQ(read->whole, whole) << text;
        EXPECT_EQ(read->nano, nano) << text;
    }
}

TEST(KubeQuantity, SaysWhatIsWrong) {
    for (const char* const text : {"", ".", "m", "8 Gi", "8GI", "8K", "8gb", "0x8", "1e", "1e1000",
                                   "eight", "1.2.3", "Inf"}) {
        const auto read = parse_kube_quantity(text);
        ASSERT_FALSE(read.ok()) << text;
        EXPECT_EQ(read.error().message,
                  std::string(text) + " should be a quantity, like 8, 500m, 1.5 or 512Gi");
    }
    EXPECT_EQ(parse_kube_quantity("-1").error().message, "-1 is negative; it should be 0 or more");
    EXPECT_EQ(parse_kube_quantity("10E").error().message, "10E is too large");
    EXPECT_EQ(parse_kube_quantity("8Ei").error().message,
              "8Ei is too large, or has more than 15 decimal places");
    EXPECT_FALSE(parse_kube_quantity("1.0000000000000001Gi").ok());
    EXPECT_FALSE(parse_kube_quantity(std::string(200, '1')).ok());
}

TEST(KubeResource, IsTheTresThatCountsIt) {
    struct Resource {
        const char *name, *tres;
    };
    for (const auto& [name, tres] : {
             Resource{"cpu", "cpu"},
             Resource{"memory", "mem"},
             Resource{"gpu", "gres/gpu"},
             Resource{"nvidia.com/gpu", "gres/gpu"},
             Resource{"amd.com/gpu", "gres/gpu"},
             Resource{"nvidia.com/mig-1g.5gb", "gres/gpu:1g.5gb"},
             Resource{"example.com/FPGA", "gres/fpga"},
         }) {
        EXPECT_EQ(tres_of_resource(name).value_or("none"), tres);
    }
    struct Refused {
        const char *name, *right;
    };
    for (const auto& [name, right] : {
             Refused{"pods", "max_jobs of the queue, which counts jobs"},
             Refused{"ephemeral-storage", "a GRES or a license that counts it"},
             Refused{"hugepages-2Mi", "cpu, memory, or an extended resource like nvidia.com/gpu"},
             Refused{"nvidia.com/gpu.shared",
                     "whole GPUs, or shares of GPUs as gres.conf has them "
                     "(mps, shard, gpumem)"},
             Refused{"volcano.sh/vgpu-memory",
                     "whole GPUs, or shares of GPUs as gres.conf has "
                     "them (mps, shard, gpumem)"},
             Refused{"nvidia.com/", "a name like nvidia.com/gpu"},
         }) {
        const auto read = tres_of_resource(name);
        ASSERT_FALSE(read.ok()) << name;
        EXPECT_EQ(read.error().message,
                  std::string(name) + " is no TRES; right would be: " + right);
    }
}

TEST(KubeResource, IsCountedInTheUnitOfItsTres) {
    EXPECT_EQ(count_of_tres("cpu", "64000m").value_or(-1), 64);
    EXPECT_EQ(count_of_tres("mem", "2Ti").value_or(-1), 2 * 1024 * 1024);
    EXPECT_EQ(count_of_tres("mem", "1e9").value_or(-1), 953);
    EXPECT_EQ(count_of_tres("mem", "1Ei").value_or(-1), std::int64_t{1} << 40);
    EXPECT_EQ(count_of_tres("mem", "0").value_or(-1), 0);
    EXPECT_EQ(count_of_tres("gres/gpu", "16").value_or(-1), 16);
    EXPECT_EQ(count_of_tres("cpu", "500m").error().message,
              "500m should be a whole number: parts of one have no quota");
    EXPECT_EQ(count_of_tres("mem", "512").error().message,
              "512 is less than 1 MiB; bytes are counted, so it should be like 512Gi");
    EXPECT_EQ(count_of_tres("mem", "2E").error().message, "2E is too large");
    EXPECT_EQ(count_of_tres("cpu", "1P").error().message, "1P is too large");
}

TEST(KubeResource, KnowsTheTypeOfAGpuByItsProduct) {
    struct Product {
        const char *name, *type;
    };
    for (const auto& [name, type] : {
             Product{"NVIDIA-A100-SXM4-80GB", "a100"},
             Product{"Tesla-V100-SXM2-32GB", "v100"},
             Product{"nvidia-tesla-k80", "k80"},
             Product{"NVIDIA-H100-80GB-HBM3", "h100"},
             Product{"NVIDIA-GeForce-RTX-3090", "rtx3090"},
             Product{"NVIDIA-RTX-A6000", "a6000"},
             Product{"AMD_Instinct_MI250X", "mi250x"},
             Product{"NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "1g.5gb"},
             Product{"a100", "a100"},
             Product{"nvidia", ""},
             Product{"", ""},
         }) {
        EXPECT_EQ(gpu_type_in(name), type) << name;
    }
}

}  // namespace
}  // namespace berth::config
