// Defaults of jobs and steps, and limits that the site does not propagate: applied when the order
// is made.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

const ProcessLimit kFiles{.kind = RlimitKind::nofile, .soft = 1024};
const ProcessLimit kCore{.kind = RlimitKind::core, .soft = 0};
const ProcessLimit kAskedFiles{.kind = RlimitKind::nofile, .soft = 4096, .asked = true};

class LaunchDefaults : public ::testing::Test {
protected:
    static ClusterSpec site(bool append, RlimitSet propagated) {
        ClusterSpec spec = testing::make_cluster(1);
        spec.launch = {.append_output = append, .propagated_limits = propagated};
        return spec;
    }
    static JobCommand ordered(ControlRig& rig, const JobCommand& command) {
        rig.connect_all();
        JobSpec job = testing::make_job();
        job.command = command;
        rig.submit(std::move(job));
        return *rig.orders<LaunchAttempt>().at(0).second.spec.command;
    }
    static CreateStep step(std::uint32_t job) {
        CreateStep step{.job = {JobId(job), {}}};
        step.request.tasks = 1;
        step.request.overlap = true;
        step.launch.arguments = {"./train"};
        return step;
    }
};

TEST_F(LaunchDefaults, JobFileAppendIsForThoseWhoSayNothing) {
    struct Row {
        bool site, append, truncate, appends;
    };
    for (const Row& row : {Row{false, false, false, false}, Row{true, false, false, true},
                           Row{true, false, true, false}, Row{false, true, false, true}}) {
        ControlRig rig(site(row.site, kAllRlimits));
        JobCommand command;
        command.append_output = row.append;
        command.truncate_output = row.truncate;
        EXPECT_EQ(ordered(rig, command).append_output, row.appends);
        CreateStep wanted = step(rig.run());
        wanted.launch.append_output = row.append;
        wanted.truncate_output = row.truncate;
        const Answer answer = rig.ask(kAnn, wanted);
        EXPECT_EQ(std::get<StepPlaced>(answer).append_output, row.appends);
        EXPECT_EQ(rig.orders<LaunchStep>().at(0).second.append_output, row.appends);
    }
}

TEST_F(LaunchDefaults, LimitsThatTheSiteKeepsBackGoAlongOnlyWhereAskedFor) {
    const auto all_but_files =
        static_cast<RlimitSet>(kAllRlimits & ~rlimit_bit(RlimitKind::nofile));
    JobCommand command;
    command.inherited = {.umask = 027, .limits = {kFiles, kCore}};
    ControlRig open(site(false, kAllRlimits));
    EXPECT_TRUE(ordered(open, command).inherited == command.inherited);
    ControlRig closed(site(false, all_but_files));
    EXPECT_EQ(ordered(closed, command).inherited.limits, std::vector{kCore});
    command.inherited.limits = {kAskedFiles};
    ControlRig asked(site(false, 0));
    EXPECT_EQ(ordered(asked, command).inherited.limits, std::vector{kAskedFiles});
    CreateStep wanted = step(closed.run());
    wanted.launch.inherited.limits = {kFiles, kCore};
    closed.ask(kAnn, wanted);
    EXPECT_EQ(closed.orders<LaunchStep>().at(0).second.inherited.limits, std::vector{kCore});
}

TEST_F(LaunchDefaults, AnImpossibleUmaskOrAKindTwiceIsRefused) {
    ControlRig rig(1);
    rig.connect_all();
    JobSpec job = testing::make_job();
    job.command.edit().inherited.umask = 01000;
    EXPECT_EQ(why(rig.ask(kAnn, SubmitJob{job, {"#!/bin/sh\n", {}}})), Refusal::invalid_request);
    CreateStep wanted = step(rig.run());
    wanted.launch.inherited.limits = {kFiles, kFiles};
    EXPECT_EQ(why(rig.ask(kAnn, wanted)), Refusal::invalid_request);
}

}  // namespace
}  // namespace berth
