#include "berth/cli/sim_history.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

using namespace std::chrono_literals;

AccountingRecord ran(std::uint32_t id, Time submitted, Duration waited, Duration length) {
    AccountingRecord record{.job = JobId(id)};
    record.owner.user = "ann";
    record.account = "physics";
    record.name = "train";
    record.state = JobState::completed;
    record.submitted_at = submitted;
    record.started_at = submitted + waited;
    record.ended_at = submitted + waited + length;
    return record;
}

TEST(History, IsAWorkload) {
    AccountingRecord first = ran(7, from_seconds(1000), 60s, 3600s);
    first.request.nodes_min = 2;
    first.request.nodes_given = true;
    first.request.gres_per_node = {{"gpu", "A100", 4}};
    first.request.memory_per_node = gib(10);
    first.cpus = 16;
    first.time_limit = 2h;
    first.request.constraint = "a100&ib";
    first.request.exclude = {"gpu7"};
    first.request.reservation = "course";
    first.eligible_at = first.submitted_at + 40s;
    JobRequest asked = first.request;
    asked.reservation.clear();
    JobRequest asked_second;
    asked_second.gpus_per_task = {{"gpu", "", 2}};
    asked_second.tasks = 3;
    AccountingRecord second = ran(8, from_seconds(900), 0s, 5s);
    second.request.gpus_per_task = {{"gpu", "", 2}};
    second.request.tasks = 3;
    second.state = JobState::timeout;
    AccountingRecord never = ran(9, from_seconds(900), 0s, 5s);
    never.started_at.reset();
    AccountingRecord again = ran(10, from_seconds(900), 0s, 5s);
    again.requeued = true;
    AccountingRecord running = ran(11, from_seconds(900), 0s, 5s);
    running.state = JobState::running;

    const workload::Workload workload = workload_of({first, second, never, again, running});
    EXPECT_EQ(workload.rows, 5U);
    EXPECT_EQ(workload.skipped, 3U);
    EXPECT_EQ(workload.begin, 900);
    ASSERT_EQ(workload.jobs.size(), 2U);
    EXPECT_EQ(workload.jobs[0].gpus, 6);
    EXPECT_EQ(workload.jobs[0].outcome, workload::Outcome::failed);
    EXPECT_EQ(workload.jobs[0].delay, 0s);
    EXPECT_EQ(**workload.jobs[0].request, asked_second);
    EXPECT_EQ(workload.jobs[1], (workload::TraceJob{.number = 7,
                                                    .submit = 100s,
                                                    .run_time = 1h,
                                                    .limit = 2h,
                                                    .gpus = 8,
                                                    .gpu_types = {"a100"},
                                                    .cpu_milli = 16'000,
                                                    .memory = gib(20),
                                                    .nodes = 2,
                                                    .user = "ann",
                                                    .account = "physics",
                                                    .name = "train",
                                                    .delay = 40s,
                                                    .request = asked}));
}

}  // namespace
}  // namespace berth::cli
