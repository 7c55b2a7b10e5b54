#include "berth/wire/link_messages.h"

#include <gtest/gtest.h>

#include <set>

namespace berth {
namespace {

Report of(ReportBody body) { return {.boot_id = "boot", .session = 9, .body = std::move(body)}; }

TEST(Messages, CarryEveryKindOfReportUnchanged) {
    Registration registration{.node = "gpu1",
                              .boot_id = "boot",
                              .session = 9,
                              .instance = "i",
                              .booted_at = from_seconds(5),
                              .version = "1",
                              .os = "Linux"};
    registration.found.devices.push_back({.index = 3, .file = "/dev/nvidia3", .links = {-1, 4}});
    registration.attempts.push_back({.job = JobId(1), .attempt = Attempt(2)});
    const std::vector<Report> reports = {
        of(registration),
        of(Heartbeat{}),
        of(Heartbeat{.gpus = {{1, 90, 40, 71, 85}, {3}}}),
        of(AttemptStarted{JobId(3), Attempt(4)}),
        of(StepStarted{JobId(3), Attempt(4), StepId(5)}),
        of(AttemptReport{.job = JobId(3),
                         .attempt = Attempt(4),
                         .live = false,
                         .batch_exit = ExitStatus{.code = -1, .signal = 9},
                         .out_of_memory = true,
                         .never_ran = true,
                         .not_begun = NotBegun::for_node,
                         .failure = "no such user",
                         .live_steps = {StepId(0), kBatchStep},
                         .failed_hook = Hook::epilog,
                         .hook_failure = "epilog ended with exit code 3",
                         .usage = RunUsage{.user = Duration(700), .rss_max = mib(3)},
                         .ended_at = from_seconds(1'000'000),
                         .checkpointed = true}),
        of(AttemptReport{.job = JobId(3), .attempt = Attempt(4), .batch_exit = ExitStatus{}}),
        of(AttemptReport{}),
        of(AttemptFrozen{JobId(3), Attempt(4), 5, true}),
        of(AttemptCheckpointed{JobId(3), Attempt(4)}),
        of(AttemptUnkillable{JobId(3), Attempt(4)}),
        of(StepReport{.job = JobId(3),
                      .attempt = Attempt(4),
                      .step = kBatchStep,
                      .exit = {.code = 2},
                      .out_of_memory = true,
                      .failure = "f",
                      .usage = RunUsage{.tasks = 4}}),
        of(GpusFaulted{.faults = {{.gpu = 2, .code = 79, .text = "gone", .number = 5}}}),
        of(UsageSampled{.runs = {{JobId(3), Attempt(4), StepId(0), {.system = Duration(9)}}}}),
        of(NodeProgramEnded{NodeProgram::reboot, "was not found"}),
    };
    for (const Report& report : reports) {
        const Result<Report> again = from_wire(to_wire(report));
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_EQ(*again, report);
    }
    std::set<std::size_t> kinds;
    for (const Report& report : reports) kinds.insert(report.body.index());
    EXPECT_EQ(kinds.size(), std::variant_size_v<ReportBody>) << "a kind without its test";
}

Order of(OrderBody body) {
    return {.epoch = Epoch(3), .boot_id = "boot", .session = 9, .body = std::move(body)};
}

TEST(Messages, CarryEveryKindOfOrderUnchanged) {
    LaunchAttempt launch{.job = JobId(1), .attempt = Attempt(2), .batch_host = true};
    launch.spec.name = "train";
    launch.ends_at = kNever;
    launch.payload = {.script = std::string("#!/bin/sh\n\0x", 12), .environment = {"A=\xff", ""}};
    const std::vector<Order> orders = {
        of(launch),
        of(LaunchStep{.job = JobId(1), .step = StepId(3), .arguments = {"true"}, .io_token = "t"}),
        of(EndAttempt{.job = JobId(1),
                      .attempt = Attempt(2),
                      .kill_wait = Duration(30'000),
                      .signal = 9,
                      .reason = EndReason::node_failed}),
        of(EndStep{.job = JobId(1),
                   .attempt = Attempt(2),
                   .step = StepId(0),
                   .kill_wait = Duration(1),
                   .reason = EndReason::time_limit}),
        of(SignalAttempt{.job = JobId(1), .attempt = Attempt(2), .step = StepId(0), .signal = 10}),
        of(SignalAttempt{.job = JobId(1), .attempt = Attempt(2), .whole_job = true}),
        of(SignalAttempt{.job = JobId(1), .attempt = Attempt(2), .signal = 15, .checkpoint = true}),
        of(AcknowledgeEnd{.job = JobId(1), .attempt = Attempt(2)}),
        of(AcknowledgeEnd{.job = JobId(1), .attempt = Attempt(2), .step = StepId(0)}),
        of(FreezeAttempt{JobId(1), Attempt(2), true, 3}),
        of(FreezeAttempt{JobId(1), Attempt(2), false, 4}),
        of(NotifyAttempt{JobId(1), Attempt(2), "save now"}),
        of(Welcome{.node = NodeId(7), .heartbeat = Duration(5), .oldest_live_job = JobId(6)}),
        of(Welcome{.node = NodeId(7), .sampling = Duration(30'000)}),
        of(Welcome{.node = NodeId(7), .over = {JobId(3), JobId(5)}}),
        of(RunNodeProgram{NodeProgram::reboot, "/sbin/reboot", Duration(60'000)}),
    };
    for (const Order& order : orders) {
        const Result<Order> again = from_wire(to_wire(order));
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_EQ(*again, order);
    }
    std::set<std::size_t> kinds;
    for (const Order& order : orders) kinds.insert(order.body.index());
    EXPECT_EQ(kinds.size(), std::variant_size_v<OrderBody>) << "a kind without its test";
}

TEST(Messages, RefuseTheEmptyOne) {
    EXPECT_FALSE(from_wire(wire::FromAgent()).ok());
    EXPECT_FALSE(from_wire(wire::FromController()).ok());
    wire::FromController launch;
    launch.mutable_launch_attempt();
    EXPECT_FALSE(from_wire(launch).ok());
}

}  // namespace
}  // namespace berth
