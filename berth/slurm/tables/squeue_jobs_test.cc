#include "berth/slurm/tables/squeue_jobs.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

NamedJobs named(const std::string& text) {
    NamedJobs jobs;
    EXPECT_TRUE(jobs.add(text).ok()) << text;
    return jobs;
}

api::JobRow job(std::uint32_t id) {
    api::JobRow row;
    row.id = JobId(id);
    return row;
}

api::JobRow task(std::uint32_t id, std::uint32_t array, std::uint32_t index) {
    api::JobRow row = job(id);
    row.array_job = JobId(array);
    row.array_task = index;
    return row;
}

api::JobRow waiting_tasks(std::uint32_t array, const std::string& tasks) {
    api::JobRow row = job(array);
    row.array_job = JobId(array);
    row.array_pending = tasks;
    return row;
}

TEST(NamedJobs, NoneTakeAll) {
    EXPECT_TRUE(NamedJobs().takes(job(1)));
    EXPECT_TRUE(NamedJobs().takes(job(1), "0"));
}

TEST(NamedJobs, ATaskIsNotItsArray) {
    const NamedJobs one = named("22_1");
    EXPECT_EQ(one.ids(), std::vector<JobId>{JobId(22)});
    EXPECT_TRUE(one.takes(task(24, 22, 1)));
    EXPECT_FALSE(one.takes(task(23, 22, 0)));
    EXPECT_FALSE(one.takes(waiting_tasks(22, "2-5%2")));
    EXPECT_TRUE(named("22_3").takes(waiting_tasks(22, "2-5%2")));
    EXPECT_TRUE(named("22").takes(task(24, 22, 1)));
    EXPECT_TRUE(named("24").takes(task(24, 22, 1)));
}

TEST(NamedJobs, LeaveTheTasksThatWereNamed) {
    const auto left = [](const std::string& names) {
        api::JobRow row = waiting_tasks(22, "2-5%2");
        named(names).narrow(row);
        return row.array_pending.empty() ? "_" + std::to_string(row.array_task.value_or(99))
                                         : row.array_pending;
    };
    EXPECT_EQ(left("22_3"), "_3");
    EXPECT_EQ(left("22_2,22_4,22_5"), "2,4-5");
    EXPECT_EQ(left("22"), "2-5%2");
    EXPECT_EQ(left("22,22_3"), "2-5%2");
}

TEST(NamedJobs, ListsNameEach) {
    const NamedJobs some = named("3, 22_1");
    EXPECT_TRUE(some.takes(job(3)));
    EXPECT_TRUE(some.takes(task(24, 22, 1)));
    EXPECT_FALSE(some.takes(job(4)));
}

TEST(NamedJobs, AStepIsNotItsJob) {
    const NamedJobs step = named("7.1");
    EXPECT_TRUE(step.takes(job(7), "1"));
    EXPECT_FALSE(step.takes(job(7), "batch"));
    EXPECT_FALSE(step.takes(job(8), "1"));
    EXPECT_TRUE(named("7").takes(job(7), "batch"));
    EXPECT_TRUE(named("22_1.batch").takes(task(24, 22, 1), "batch"));
}

TEST(NamedJobs, RefuseWhatIsNoJob) {
    for (const char* wrong : {"abc", "0", "-1", "", "1,", "99999999999", ".1"}) {
        NamedJobs jobs;
        EXPECT_FALSE(jobs.add(wrong).ok()) << wrong;
    }
}

}  // namespace
}  // namespace berth::slurm
