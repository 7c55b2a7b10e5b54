#include "berth/slurm/tables/known_nodes.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

Invocation squeue_call(const std::string& said) {
    return {.name = "squeue", .arguments = {}, .environment = {{"BERTH_ADVICE", said}}};
}

TEST(KnownNodes, AreNamedWhereOneIsNot) {
    EXPECT_EQ(advice_on_node(squeue_call("yes"), "gpu-1", {"gpu1", "gpu2"}),
              "squeue: did you mean gpu1?\n");
    EXPECT_EQ(advice_on_node(squeue_call("yes"), "nosuch", {"gpu1", "gpu2"}),
              "squeue: the nodes are gpu[1-2]\n");
    EXPECT_EQ(advice_on_node(squeue_call("yes"), "nosuch", {}), "squeue: there are no nodes\n");
    EXPECT_EQ(advice_on_node(squeue_call("no"), "nosuch", {"gpu1"}), "");
}

}  // namespace
}  // namespace berth::slurm
