// What options come to together.
#include <gtest/gtest.h>

#include "berth/slurm/options/job_options.h"

namespace berth::slurm {
namespace {

std::vector<GresRequest> some_gpus(std::int64_t count) {
    return {{.name = "gpu", .type = {}, .count = count}};
}

// --ntasks-per-gpu=2 with the options that `change` sets.
struct TasksPerGpu {
    template <class Change>
    explicit TasksPerGpu(Change change) {
        draft.tasks_per_gpu = 2;
        change(draft.spec.request.edit());
        status = check_together(draft);
    }
    const JobRequest& request() const { return draft.spec.request; }
    JobDraft draft;
    Status status = Done{};
};

TEST(TogetherOptions, CountTasksByGpusAndGpusByTasks) {
    const TasksPerGpu total([](JobRequest& r) { r.gpus = some_gpus(4); });
    EXPECT_TRUE(total.status.ok());
    EXPECT_EQ(total.request().tasks, 8U);
    EXPECT_EQ(total.draft.spec.command->gpu_bind, "single:2");
    const TasksPerGpu on_node([](JobRequest& r) { r.gres_per_node = some_gpus(3); });
    EXPECT_EQ(on_node.request().tasks_per_node, 6U);
    EXPECT_EQ(on_node.request().tasks, std::nullopt);
    const TasksPerGpu by_tasks([](JobRequest& r) { r.tasks = 6; });
    ASSERT_EQ(by_tasks.request().gpus->size(), 1U);
    EXPECT_EQ(by_tasks.request().gpus->front().count, 3);
}

TEST(TogetherOptions, RefuseTasksPerGpuThatDoNotComeOut) {
    EXPECT_FALSE(TasksPerGpu([](JobRequest&) {}).status.ok());
    EXPECT_FALSE(TasksPerGpu([](JobRequest& r) { r.tasks = 5; }).status.ok());
    EXPECT_FALSE(TasksPerGpu([](JobRequest& r) {
                     r.tasks = 6;
                     r.gpus = some_gpus(4);
                 }).status.ok());
    EXPECT_FALSE(TasksPerGpu([](JobRequest& r) { r.gpus_per_task = some_gpus(1); }).status.ok());
    EXPECT_FALSE(TasksPerGpu([](JobRequest& r) { r.tasks_per_node = 1; }).status.ok());
}

}  // namespace
}  // namespace berth::slurm
