// What options come to together.
#include <gtest/gtest.h>

#include <sstream>
#include <utility>

#include "berth/slurm/options/job_options.h"
#include "berth/slurm/options/layout_options.h"
#include "berth/slurm/options/near_options.h"
#include "berth/slurm/options/step_options.h"

namespace berth::slurm {
namespace {

std::vector<GresRequest> some_gpus(std::int64_t count) {
    return {{.name = "gpu", .type = {}, .count = count}};
}

// --ntasks-per-gpu=2 with the options that `change` sets.
struct TasksPerGpu {
    template <class Change>
    explicit TasksPerGpu(Change change) {
        draft.per_gpu.tasks = 2;
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

// --mincpus=`least` with the options that `change` sets.
template <class Change>
std::optional<std::uint32_t> cpus_of_task(std::uint32_t least, Change change) {
    JobDraft draft;
    draft.of_cpus.least_on_node = least;
    change(draft.spec.request.edit());
    if (!check_together(draft).ok()) return std::nullopt;
    return draft.spec.request->cpus_per_task.value_or(1);
}

// The threads of a core that a job of this --hint uses, 0: all; or what is wrong.
std::string threads_by_hint(const char* hint) {
    JobDraft draft;
    if (const Status set = set_hint(draft, hint); !set.ok()) return set.error().message;
    for (int i = 0; i < 2; ++i) {  // Twice is as once.
        if (const Status checked = check_together(draft); !checked.ok())
            return checked.error().message;
    }
    return std::to_string(draft.spec.request->nearness->node.threads_per_core);
}

TEST(TogetherOptions, AHintSaysHowManyThreadsOfACoreAreUsed) {
    EXPECT_EQ(threads_by_hint("nomultithread"), "1");
    EXPECT_EQ(threads_by_hint("Compute_Bound"), "1");
    EXPECT_EQ(threads_by_hint("multithread"), "0");
    EXPECT_EQ(threads_by_hint("fast"), "unrecognized --hint argument \"fast\", see --hint=help");
    EXPECT_EQ(threads_by_hint("memory_bound"), "1");
}

TEST(TogetherOptions, GpusPerSocketAreThoseOfTheSocketsOfANode) {
    JobDraft draft;
    ASSERT_TRUE(set_gpus_per_socket(draft, "a100:2").ok());
    JobDraft without = draft, beside = draft, by_task = draft;
    ASSERT_TRUE(set_sockets(draft, "2").ok());
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(check_together(draft).ok());  // Twice is as once.
    const JobRequest& request = draft.spec.request;
    EXPECT_EQ(*request.gpus_per_node, (std::vector<GresRequest>{{"gpu", "a100", 4}}));
    EXPECT_EQ(request.nearness->layout.gpus_per_socket, 2U);
    EXPECT_EQ(check_together(without).error().message,
              "--gpus-per-socket option requires --sockets-per-node specification\n"
              "Invalid generic resource (gres) specification");
    ASSERT_TRUE(set_sockets(beside, "2").ok());
    beside.spec.request.edit().gpus = {{"gpu", "", 4}};
    EXPECT_FALSE(check_together(beside).ok());
    by_task.per_gpu.tasks = 1;
    EXPECT_TRUE(check_together(by_task).error().message.starts_with(
        "--gpus-per-socket is mutually exclusive with --ntasks-per-gpu"));
    EXPECT_FALSE(set_gpus_per_socket(draft, "0").ok());
    EXPECT_FALSE(set_gpus_per_socket(draft, "a:1,b:1").ok());
}

TEST(TogetherOptions, AMemoryBoundJobUsesOneCoreOfEachSocket) {
    JobDraft draft;
    ASSERT_TRUE(set_hint(draft, "memory_bound").ok());
    JobDraft several = draft, other = draft;
    EXPECT_TRUE(check_together(draft).ok());
    EXPECT_EQ(draft.spec.request->nearness->layout.per_socket, 1U);
    several.spec.request.edit().cpus_per_task = 2;
    const Status no = check_together(several);
    ASSERT_FALSE(no.ok());
    EXPECT_TRUE(no.error().message.starts_with(
        "--hint=memory_bound is not supported with 2 CPUs per task"));
    EXPECT_TRUE(set_threads_per_core(other, "2").ok());  // It makes the hint void.
    other.spec.request.edit().cpus_per_task = 2;
    EXPECT_TRUE(check_together(other).ok());
    EXPECT_EQ(other.spec.request->nearness->layout.per_socket, 0U);
}

// The threads of a core with --hint=nomultithread and --threads-per-core=2 from there, and what is
// said of it.
std::pair<std::uint32_t, std::string> beside_a_hint(OfCpus::From hint, OfCpus::From threads) {
    JobDraft draft;
    draft.of_cpus.reading = hint;
    EXPECT_TRUE(set_hint(draft, "nomultithread").ok());
    draft.of_cpus.reading = threads;
    EXPECT_TRUE(set_threads_per_core(draft, "2").ok());
    EXPECT_TRUE(check_together(draft).ok());
    return {draft.spec.request->nearness->node.threads_per_core, draft.of_cpus.note};
}

TEST(TogetherOptions, AHintGivesWayToOptionsThatSayTheSameUnlessTheyAreOfTheEnvironment) {
    using From = OfCpus::From;
    const auto both = beside_a_hint(From::command_line, From::command_line);
    EXPECT_EQ(both.first, 2U);
    EXPECT_EQ(both.second,
              "Following options are mutually exclusive with --hint: --ntasks-per-core, "
              "--threads-per-core, -B and --cpu-bind (other than --cpu-bind=verbose). Ignoring "
              "--hint.");
    const auto variables = beside_a_hint(From::environment, From::environment);
    EXPECT_EQ(variables.first, 2U);
    EXPECT_TRUE(variables.second.ends_with("by environment variables. Ignoring SLURM_HINT."));
    EXPECT_EQ(beside_a_hint(From::command_line, From::environment), std::pair(1U, std::string()));
    EXPECT_EQ(beside_a_hint(From::environment, From::command_line), std::pair(2U, std::string()));
}

TEST(TogetherOptions, AHintGivesWayToTheBindingOfTasksButNotToANumberOfSockets) {
    JobDraft bound;
    EXPECT_TRUE(set_hint(bound, "nomultithread").ok());
    JobDraft of_sockets = bound, shaped = bound;
    EXPECT_TRUE(set_cpu_bind(bound, "none").ok());
    EXPECT_TRUE(check_together(bound).ok());
    EXPECT_EQ(bound.spec.request->nearness->node.threads_per_core, 0U);
    EXPECT_TRUE(set_sockets(of_sockets, "2").ok());
    EXPECT_TRUE(check_together(of_sockets).ok());
    EXPECT_EQ(of_sockets.spec.request->nearness->node.threads_per_core, 1U);
    EXPECT_TRUE(set_node_shape(shaped, "2").ok());
    EXPECT_TRUE(check_together(shaped).ok());
    EXPECT_EQ(shaped.spec.request->nearness->node.threads_per_core, 0U);
}

TEST(TogetherOptions, GiveATaskTheCpusThatItsNodeIsToHave) {
    EXPECT_EQ(cpus_of_task(3, [](JobRequest&) {}), 3U);
    EXPECT_EQ(cpus_of_task(3, [](JobRequest& r) { r.cpus_per_task = 4; }), 4U);
    EXPECT_EQ(cpus_of_task(3, [](JobRequest& r) { r.tasks_per_node = 1; }), 3U);
    EXPECT_EQ(cpus_of_task(8, [](JobRequest& r) { r.tasks_per_node = 4, r.cpus_per_task = 2; }),
              2U);
    EXPECT_EQ(cpus_of_task(9, [](JobRequest& r) { r.tasks_per_node = 4, r.cpus_per_task = 2; }),
              std::nullopt);
    EXPECT_EQ(cpus_of_task(2, [](JobRequest& r) { r.tasks = 3; }), std::nullopt);
}

// --cpus-per-gpu=4 or --mem-per-gpu=8G with the options that `change` sets.
struct ByGpus {
    template <class Change>
    explicit ByGpus(Change change, bool of_cpus = true) {
        if (of_cpus) draft.per_gpu.cpus = 4;
        if (!of_cpus) draft.per_gpu.memory = gib(8);
        change(draft.spec.request.edit());
        status = check_together(draft);
    }
    const JobRequest& request() const { return draft.spec.request; }
    JobDraft draft;
    Status status = Done{};
};

std::optional<std::uint32_t> cpus(auto change) {
    const ByGpus made(change);
    EXPECT_TRUE(made.status.ok());
    return made.request().cpus_per_task;
}

TEST(TogetherOptions, CountCpusByTheGpusOfATaskOrOfANode) {
    EXPECT_EQ(cpus([](JobRequest& r) { r.gpus_per_task = some_gpus(2); }), 8U);
    EXPECT_EQ(cpus([](JobRequest& r) { r.gpus_per_node = some_gpus(3); }), 12U);
    EXPECT_EQ(cpus([](JobRequest& r) { r.gpus = some_gpus(1); }), 4U);
    EXPECT_EQ(cpus([](JobRequest& r) {
                  r.gres_per_node = some_gpus(2);
                  r.tasks_per_node = 3;
              }),
              3U)
        << "8 CPUs for three tasks";
    EXPECT_EQ(cpus([](JobRequest& r) {
                  r.gpus_per_node = some_gpus(4);
                  r.nodes_min = 2;
                  r.nodes_max = 2;
                  r.tasks = 8;
              }),
              4U);
    EXPECT_EQ(cpus([](JobRequest& r) {
                  r.gpus = some_gpus(8);
                  r.nodes_max = 1;
                  r.tasks = 2;
              }),
              16U);
}

TEST(TogetherOptions, CountMemoryByTheGpusOfANodeOrOfATask) {
    const ByGpus node([](JobRequest& r) { r.gpus_per_node = some_gpus(3); }, false);
    EXPECT_EQ(node.request().memory_per_node, gib(24));
    const ByGpus task(
        [](JobRequest& r) {
            r.gpus_per_task = some_gpus(2);
            r.cpus_per_task = 4;
        },
        false);
    EXPECT_EQ(task.request().memory_per_cpu, gib(4));
    EXPECT_EQ(task.request().memory_per_node, std::nullopt);
}

TEST(TogetherOptions, RefusePerGpuWhatNobodyCanCount) {
    for (const bool of_cpus : {true, false}) {
        EXPECT_FALSE(ByGpus([](JobRequest&) {}, of_cpus).status.ok()) << "no GPUs";
        const ByGpus spread([](JobRequest& r) { r.gpus = some_gpus(8); }, of_cpus);
        EXPECT_NE(spread.status.error().message.find("say --gpus-per-task"), std::string::npos);
    }
    EXPECT_FALSE(ByGpus([](JobRequest& r) {
                     r.gpus_per_node = some_gpus(2);
                     r.tasks = 4;
                 }).status.ok())
        << "how many of the tasks each node has is not known";
    JobDraft huge;
    huge.per_gpu.memory = Bytes(INT64_MAX);
    huge.spec.request.edit().gpus_per_task = some_gpus(1);
    huge.spec.request.edit().cpus_per_task = 2;
    EXPECT_EQ(check_together(huge).error().message, "--mem-per-gpu comes to too much memory");
    EXPECT_EQ(ByGpus(
                  [](JobRequest& r) {
                      r.gpus_per_node = some_gpus(2);
                      r.memory_per_cpu = gib(1);
                  },
                  false)
                  .status.error()
                  .message,
              "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
}

TEST(TogetherOptions, TakeForTheScriptsNodeWhatAllNodesHave) {
    const auto said = [](const char* constraint, const char* batch) {
        JobDraft draft;
        draft.spec.request.edit().constraint = constraint;
        draft.of_script.batch_features = batch;
        const Status checked = check_together(draft);
        return checked.ok() ? std::string() : checked.error().message;
    };
    const std::string not_asked =
        "Batch job submission failed: Job --batch option is invalid or not a subset of "
        "--constraints";
    EXPECT_EQ(said("ib&ssd", "ssd"), "");
    EXPECT_EQ(said("ib&ssd", "ib&ssd"), "");
    EXPECT_EQ(said("ib,ssd", "ib|ssd"), "");
    EXPECT_EQ(said("ib&ssd", "sd"), not_asked);
    EXPECT_EQ(said("", "ssd"), not_asked);
    EXPECT_EQ(said("[rack1|rack2]", "rack3"), not_asked);
    EXPECT_TRUE(said("[rack1|rack2]", "rack1").starts_with("--batch=rack1 is not supported with "));
    EXPECT_EQ(said("a|b", ""), "");
}

// -S and --thread-spec of these places, "" for none: what is said, or what is wrong.
std::string said_of_specialized(OfCpus::From core, OfCpus::From thread) {
    JobDraft draft;
    const std::pair<OfCpus::From, Status (*)(JobDraft&, const char*)> given[] = {
        {core, set_core_spec}, {thread, set_thread_spec}};
    for (const auto& [from, set] : given) {
        draft.of_cpus.reading = from;
        if (from == OfCpus::From::nowhere) continue;
        EXPECT_TRUE(set(draft, "2").ok());
    }
    const Invocation call{.name = "sbatch", .arguments = {}, .environment = {}};
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    const Status checked = check_together(draft, call, streams);
    return checked.ok() ? err.str() : checked.error().message;
}

// As Slurm where AllowSpecResourcesUsage is not set.
TEST(TogetherOptions, IgnoreSpecializedCoresAndSaySo) {
    using enum OfCpus::From;
    const std::string core =
        "sbatch: error: Ignoring -S since it's not allowed by configuration "
        "(AllowSpecResourcesUsage = No)\n";
    const std::string thread =
        "sbatch: error: Ignoring --thread-spec since it's not allowed by configuration "
        "(AllowSpecResourcesUsage = No)\n";
    EXPECT_EQ(said_of_specialized(nowhere, nowhere), "");
    EXPECT_EQ(said_of_specialized(command_line, nowhere), core);
    EXPECT_EQ(said_of_specialized(environment, nowhere), core);
    EXPECT_EQ(said_of_specialized(environment, command_line), thread);
    EXPECT_EQ(said_of_specialized(command_line, command_line),
              "-S/--core-spec and --thread-spec options are mutually exclusive");
    EXPECT_NE(said_of_specialized(environment, environment).find("environment variables"),
              std::string::npos);
    JobDraft draft;
    EXPECT_TRUE(set_core_spec(draft, "0").ok());
    EXPECT_EQ(set_core_spec(draft, "-1").error().message,
              "Invalid numeric value \"-1\" for --core-spec.");
    EXPECT_FALSE(set_thread_spec(draft, "0").ok());
    EXPECT_FALSE(set_thread_spec(draft, "two").ok());
}

TEST(TogetherOptions, WantTasksOrGpusBesideThoseOfATask) {
    JobDraft draft;
    draft.spec.request.edit().gpus_per_task = some_gpus(2);
    EXPECT_FALSE(check_gpus_of_tasks(draft).ok());
    draft.spec.request.edit().tasks_per_node = 1;
    EXPECT_TRUE(check_gpus_of_tasks(draft).ok());
}

}  // namespace
}  // namespace berth::slurm
