#include "berth/slurm/options/submit_environment.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

using Names = std::vector<std::string>;

TEST(Environment, IsExportedAsAsked) {
    const Invocation call{
        .name = "sbatch",
        .arguments = {},
        .environment = {{"A", "1"}, {"B", "2"}, {"SLURM_X", "3"}, {"SBATCH_Y", "4"}}};
    EXPECT_EQ(exported_environment(call, "ALL"), (Names{"A=1", "B=2", "SLURM_X=3"}));
    EXPECT_EQ(exported_environment(call, "NONE"), (Names{"SLURM_X=3"}));
    EXPECT_EQ(exported_environment(call, "NIL"), Names{});
    EXPECT_EQ(exported_environment(call, "A,C=5"), (Names{"A=1", "C=5", "SLURM_X=3"}));
    EXPECT_EQ(exported_environment(call, "ALL,B=7"), (Names{"A=1", "B=7", "SLURM_X=3"}));
}

}  // namespace
}  // namespace berth::slurm
