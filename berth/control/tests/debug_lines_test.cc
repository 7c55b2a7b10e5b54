// DebugFlags=gres: registration, refusals and allocations are in the log.
#include "berth/control/core/debug_lines.h"

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

std::string logged(const ControlRig& rig) {
    std::string all;
    for (const LogLine& line : rig.last.log) all += line.text + "\n";
    return all;
}

ControlRig rig_with(std::uint32_t flags) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.debug_flags = flags;
    return ControlRig(std::move(spec));
}

TEST(DebugLines, TellOfGresWhatRegistersIsRefusedAndIsAllocated) {
    ControlRig rig = rig_with(bit_of(DebugFlag::gres));
    rig.connect(0);
    EXPECT_EQ(logged(rig), "gres: node node1 registered with gpu:a100:8(IDX:0-7)\n");
    rig.ask(kAnn, SubmitJob{testing::make_job({.gpus = 9}), {"#!/bin/sh\n", {}}});
    EXPECT_NE(logged(rig).find("gres: refused to ann (node_configuration_unavailable): "),
              std::string::npos)
        << logged(rig);
    const std::uint32_t id = rig.submit({.gpus = 2});
    EXPECT_EQ(logged(rig), "gres: job 1 of ann has gpu:a100:2(IDX:0-1) of node node1\n");
    rig.report(0, end_report(id));
    EXPECT_EQ(logged(rig), "gres: job 1 gave back what it had of node node1\n");
}

TEST(DebugLines, TellOfStepsWhereTheyRunAndHowTheyEnd) {
    ControlRig rig = rig_with(bit_of(DebugFlag::steps));
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 2});
    CreateStep step{.job = {JobId(id), {}}};
    step.request.name = "train";
    rig.ask(kAnn, step);
    EXPECT_EQ(logged(rig), "steps: step 1.0 (train) begins on node1\n");
    rig.report(
        0, StepReport{.job = JobId(id), .attempt = Attempt(1), .step = StepId(0), .exit = {3, 0}});
    EXPECT_EQ(logged(rig), "steps: step 1.0 ended on node1 with 3:0\n");
}

TEST(DebugLines, AreNotThereWithoutTheFlags) {
    ControlRig rig = rig_with(0);
    rig.connect(0);
    rig.ask(kAnn, SubmitJob{testing::make_job({.gpus = 9}), {"#!/bin/sh\n", {}}});
    EXPECT_EQ(logged(rig), "");
    rig.submit({.gpus = 2});
    EXPECT_EQ(logged(rig), "");
}

}  // namespace
}  // namespace berth
