#include "berth/slurm/text/print.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

TEST(NodeState, IsShownAsSinfoDoes) {
    struct Case {
        const char* state;
        std::vector<std::string> flags;
        const char* compact;
        const char* full;
    };
    const Case cases[] = {
        {"IDLE", {}, "idle", "idle"},
        {"MIXED", {}, "mix", "mixed"},
        {"ALLOCATED", {"NOT_RESPONDING"}, "alloc*", "allocated*"},
        {"IDLE", {"DRAIN"}, "drain", "drained"},
        {"MIXED", {"DRAIN"}, "drng", "draining"},
        {"IDLE", {"PLANNED"}, "plnd", "planned"},
        {"IDLE", {"COMPLETING"}, "comp", "completing"},
        {"IDLE", {"MAINTENANCE"}, "maint", "maint"},
        {"MIXED", {"MAINTENANCE"}, "mix", "mixed"},
        {"IDLE", {"RESERVED"}, "resv", "reserved"},
        {"ALLOCATED", {"RESERVED"}, "alloc", "allocated"},
        {"DOWN", {"NOT_RESPONDING"}, "down*", "down*"},
        {"UNKNOWN", {"NOT_RESPONDING"}, "unk*", "unknown*"},
    };
    for (const Case& c : cases) {
        api::NodeRow node;
        node.state = c.state;
        node.flags = c.flags;
        EXPECT_EQ(node_state(node, true), c.compact);
        EXPECT_EQ(node_state(node, false), c.full);
    }
}

}  // namespace
}  // namespace berth::slurm
