// What the options of one job come to together: those that exclude each other, and what follows
// from several of them.
#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/options/option_fault.h"
#include "berth/slurm/options/tres_per_task.h"

namespace berth::slurm {
namespace {

constexpr std::int64_t kCountMost = 1'000'000'000;  // So that products of two do not overflow.

std::int64_t gpus_in(const std::vector<GresRequest>& requests) {
    std::int64_t count = 0;
    for (const GresRequest& one : requests) {
        if (one.name == "gpu")
            count = std::min(count + std::min(one.count, kCountMost), kCountMost);
    }
    return count;
}

// --ntasks-per-gpu: the tasks follow from the GPUs, or the GPUs from the tasks.
Status count_tasks_by_gpus(JobDraft& draft) {
    if (!draft.per_gpu.tasks) return Done{};
    JobRequest& request = draft.spec.request.edit();
    const char* const other = !request.gpus_per_task.empty() ? "--gpus-per-task"
                              : request.tasks_per_node       ? "--ntasks-per-node"
                                                             : nullptr;
    if (other != nullptr) {
        return invalid_argument(
            std::string(other) +
            " is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU");
    }
    if (draft.spec.command->gpu_bind.empty()) {
        draft.spec.command.edit().gpu_bind = "single:" + std::to_string(*draft.per_gpu.tasks);
    }
    const std::int64_t each = std::min<std::int64_t>(*draft.per_gpu.tasks, kCountMost);
    const std::int64_t all = gpus_in(request.gpus);
    const std::int64_t on_node = gpus_in(request.gpus_per_node) + gpus_in(request.gres_per_node);
    const std::int64_t tasks = (all > 0 ? all : on_node) * each;
    if (tasks > UINT32_MAX) return invalid_argument("--ntasks-per-gpu comes to too many tasks");
    const auto given = request.tasks;
    if (all > 0) {
        request.tasks = static_cast<std::uint32_t>(tasks);
    } else if (on_node > 0) {
        request.tasks_per_node = static_cast<std::uint32_t>(tasks);
        if (given) return Done{};  // On so many nodes.
    } else if (given && *given % each == 0) {
        request.gpus = {GresRequest{.name = "gpu", .type = {}, .count = *given / each}};
    } else {
        return invalid_argument(given ? "-n/--ntasks has to be a multiple of --ntasks-per-gpu"
                                      : "--ntasks-per-gpu needs --ntasks or a number of GPUs");
    }
    if (given && request.tasks != given) {
        return invalid_argument("--ntasks-per-gpu and the GPUs come to " + std::to_string(tasks) +
                                " tasks, and --ntasks asks for " + std::to_string(*given));
    }
    return Done{};
}

// --gpus-per-socket: the GPUs of each node, by the number of its sockets.
Status count_gpus_by_sockets(JobDraft& draft) {
    const auto each = std::exchange(draft.per_gpu.of_socket, std::nullopt);
    if (!each) return Done{};
    if (draft.per_gpu.tasks) {
        return invalid_argument(
            "--gpus-per-socket is mutually exclusive with --ntasks-per-gpu and "
            "SLURM_NTASKS_PER_GPU");
    }
    JobRequest& request = draft.spec.request.edit();
    const std::uint32_t sockets = request.nearness->node.sockets;
    if (sockets == 0) {
        return Error{ErrorCode::failed_precondition,
                     "--gpus-per-socket option requires --sockets-per-node specification\n"
                     "Invalid generic resource (gres) specification"};
    }
    const bool others = gpus_in(request.gpus) + gpus_in(request.gpus_per_node) +
                            gpus_in(request.gpus_per_task) + gpus_in(request.gres_per_node) >
                        0;
    if (others || each->count > kCountMost) {
        return Error{ErrorCode::failed_precondition,
                     "--gpus-per-socket is not supported beside another number of GPUs; leave that "
                     "out"};
    }
    request.gpus_per_node = {*each};
    request.gpus_per_node.edit().front().count *= sockets;
    request.nearness.edit().layout.gpus_per_socket = static_cast<std::uint32_t>(each->count);
    return Done{};
}

// GPUs on each node of the job; nullopt: that depends on where it is placed. 0: it has none.
std::optional<std::int64_t> gpus_on_node(const JobRequest& request) {
    const std::int64_t on_node = gpus_in(request.gpus_per_node) + gpus_in(request.gres_per_node);
    const std::int64_t all = gpus_in(request.gpus);
    if (on_node > 0 || all == 0) return on_node;
    return request.nodes_max == 1U || all == 1 ? std::optional(all) : std::nullopt;
}

// Tasks on each node; nullopt: that depends on where it is placed.
std::optional<std::int64_t> tasks_on_node(const JobRequest& request) {
    if (request.tasks_per_node) return *request.tasks_per_node;
    const std::int64_t tasks = request.tasks.value_or(1);
    if (!request.tasks || tasks == 1) return 1;
    const bool is_fixed = request.nodes_max == request.nodes_min;
    if (!is_fixed || tasks % request.nodes_min != 0) return std::nullopt;
    return tasks / request.nodes_min;
}

Error depends_on_place(const char* option) {
    return invalid_argument(std::string(option) +
                            " is not supported yet where the GPUs or the tasks of each node depend "
                            "on which nodes the job gets; say --gpus-per-task, or --gpus-per-node "
                            "with --ntasks-per-node, or --nodes=1");
}

// --cpus-per-gpu: as many CPUs for each task as its GPUs have, or its part of those of its node.
Status count_cpus_by_gpus(JobDraft& draft) {
    if (!draft.per_gpu.cpus) return Done{};
    if (draft.cpus_per_task_given)
        return invalid_argument("--cpus-per-task and --cpus-per-gpu are mutually exclusive.");
    JobRequest& request = draft.spec.request.edit();
    const std::int64_t each = *draft.per_gpu.cpus, of_task = gpus_in(request.gpus_per_task);
    const auto on_node = gpus_on_node(request), tasks = tasks_on_node(request);
    if (of_task == 0 && on_node == 0)
        return invalid_argument("--cpus-per-gpu needs a number of GPUs, such as --gpus-per-node=1");
    if (of_task == 0 && (!on_node || !tasks)) return depends_on_place("--cpus-per-gpu");
    const std::int64_t cpus =
        of_task > 0 ? of_task * each : (*on_node * each + *tasks - 1) / *tasks;
    if (cpus > UINT32_MAX) return invalid_argument("--cpus-per-gpu comes to too many CPUs");
    request.cpus_per_task = static_cast<std::uint32_t>(cpus);
    return Done{};
}

// --mincpus: the task of each node has them. Where a node has several, they must have as many.
Status count_cpus_of_node(JobDraft& draft) {
    if (!draft.of_cpus.least_on_node) return Done{};
    JobRequest& request = draft.spec.request.edit();
    const std::int64_t least = *draft.of_cpus.least_on_node;
    const auto tasks = tasks_on_node(request);
    if (tasks && *tasks * request.cpus_per_task.value_or(1) >= least) return Done{};
    if (tasks != 1) {
        return Error{ErrorCode::failed_precondition,
                     "--mincpus is not supported where the tasks of each node are several and have "
                     "fewer CPUs; use --ntasks-per-node with --cpus-per-task"};
    }
    request.cpus_per_task = static_cast<std::uint32_t>(least);
    return Done{};
}

// --hint: what it says of the threads of a core. As in Slurm, it gives way to options that say the
// same, unless they are from the environment and the hint is not.
void take_hint(JobDraft& draft) {
    using From = OfCpus::From;
    OfCpus& cpus = draft.of_cpus;
    const From hint = std::exchange(cpus.hint, From::nowhere);
    if (hint == From::nowhere) return;
    if (cpus.instead < hint) {
        TopologyConstraint& near = draft.spec.request.edit().nearness.edit();
        near.node.threads_per_core = cpus.threads_of_core;
        cpus.gives_one_core = cpus.one_core_of_socket;
        if (cpus.gives_one_core) near.layout.per_socket = 1;
        return;
    }
    cpus.hint_text.clear();
    if (cpus.instead > hint) return;
    const bool of_line = hint == From::command_line;
    cpus.note =
        "Following options are mutually exclusive with --hint: --ntasks-per-core, "
        "--threads-per-core, -B and --cpu-bind";
    cpus.note += of_line ? " (other than --cpu-bind=verbose). Ignoring --hint."
                         : ", but more than one set by environment variables. Ignoring SLURM_HINT.";
}

// --hint=memory_bound: a task has one core, the only one that the job uses of a socket.
Status check_one_core(const JobDraft& draft) {
    const std::uint32_t cpus = draft.spec.request->cpus_per_task.value_or(1);
    if (!draft.of_cpus.gives_one_core || cpus == 1) return Done{};
    return Error{ErrorCode::failed_precondition,
                 "--hint=memory_bound is not supported with " + std::to_string(cpus) +
                     " CPUs per task, since it uses one core of each socket; use "
                     "--ntasks-per-socket=1 with --cpus-per-task"};
}

// -S and --thread-spec: the last counts, unless both come from one place.
Status check_specialized(const JobDraft& draft) {
    using From = OfCpus::From;
    const OfCpus& cpus = draft.of_cpus;
    if (cpus.core_spec == From::nowhere || cpus.core_spec != cpus.thread_spec) return Done{};
    return invalid_argument(
        cpus.core_spec == From::command_line
            ? "-S/--core-spec and --thread-spec options are mutually exclusive"
            : "Both --core-spec and --thread-spec set using environment variables. Those options "
              "are mutually exclusive.");
}

// --batch: features that the job asks for anyway. All of its nodes have them, so that the script
// may run on any, unless a node need have but some of what is asked for.
Status check_batch_features(const JobDraft& draft) {
    constexpr std::string_view kBetween = "&|,()[]*!";
    const std::string_view batch = draft.of_script.batch_features;
    const std::string_view constraint = draft.spec.request->constraint;
    if (batch.empty()) return Done{};
    std::vector<std::string_view> asked;
    for (std::size_t begin = 0; begin < constraint.size();) {
        const std::size_t end =
            std::min(constraint.find_first_of(kBetween, begin), constraint.size());
        if (end > begin) asked.push_back(constraint.substr(begin, end - begin));
        begin = end + 1;
    }
    for (std::size_t begin = 0; begin < batch.size();) {
        const std::size_t end = std::min(batch.find_first_of("&|", begin), batch.size());
        const std::string_view one = batch.substr(begin, end - begin);
        if (!one.empty() && std::ranges::find(asked, one) == asked.end())
            return not_submitted("Job --batch option is invalid or not a subset of --constraints");
        begin = end + 1;
    }
    if (constraint.find_first_of("|()[]*!") == std::string_view::npos) return Done{};
    return Error{ErrorCode::failed_precondition,
                 "--batch=" + std::string(batch) +
                     " is not supported with --constraint=" + std::string(constraint) +
                     ": the script runs on the first node; join what all nodes need by &"};
}

// --mem-per-gpu: memory for each node by its GPUs, or for each CPU by those of its task.
Status count_memory_by_gpus(JobDraft& draft) {
    if (!draft.per_gpu.memory) return Done{};
    JobRequest& request = draft.spec.request.edit();
    const std::int64_t of_task = gpus_in(request.gpus_per_task);
    const auto on_node = gpus_on_node(request);
    if (of_task == 0 && on_node == 0)
        return invalid_argument("--mem-per-gpu needs a number of GPUs, such as --gpus-per-node=1");
    if (of_task == 0 && !on_node) return depends_on_place("--mem-per-gpu");
    const std::int64_t gpus = of_task > 0 ? of_task : *on_node;
    const std::int64_t bytes = draft.per_gpu.memory->count();
    if (bytes > (INT64_MAX - std::int64_t{UINT32_MAX}) / gpus)  // With the rounding below.
        return invalid_argument("--mem-per-gpu comes to too much memory");
    if (of_task == 0) {
        request.memory_per_node = Bytes(bytes * gpus);
        return Done{};
    }
    const std::int64_t cpus = request.cpus_per_task.value_or(1);
    request.memory_per_cpu = Bytes((bytes * gpus + cpus - 1) / cpus);
    return Done{};
}

}  // namespace

Status check_gpus_of_tasks(const JobDraft& draft) {
    const JobRequest& request = draft.spec.request;
    const bool has_tasks = request.tasks || request.tasks_per_node || draft.per_gpu.tasks;
    if (request.gpus_per_task.empty() || !request.gpus.empty() || has_tasks) return Done{};
    return Error{ErrorCode::failed_precondition,
                 "Failed to validate job spec. --gpus-per-task used without either --gpus or "
                 "-n/--ntasks is not allowed."};
}

Status check_together(JobDraft& draft) {
    const JobRequest& request = draft.spec.request;
    const bool gres_gpu = std::ranges::count(request.gres_per_node, "gpu", &GresRequest::name) > 0;
    if (gres_gpu && !request.gpus_per_node.empty()) {
        return invalid_argument(
            "Invalid GRES specification (with and without type identification)");
    }
    const int memories = (request.memory_per_cpu ? 1 : 0) + (request.memory_per_node ? 1 : 0) +
                         (draft.per_gpu.memory ? 1 : 0);
    if (memories > 1)
        return invalid_argument("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
    BERTH_CHECK(take_tres_per_task(draft));
    BERTH_CHECK(check_batch_features(draft));
    BERTH_CHECK(check_specialized(draft));
    take_hint(draft);
    BERTH_CHECK(count_gpus_by_sockets(draft));
    BERTH_CHECK(count_tasks_by_gpus(draft));
    BERTH_CHECK(count_cpus_by_gpus(draft));
    BERTH_CHECK(count_cpus_of_node(draft));
    BERTH_CHECK(check_one_core(draft));
    return count_memory_by_gpus(draft);
}

Status check_together(JobDraft& draft, const Invocation& call, Streams& streams) {
    BERTH_CHECK(check_together(draft));
    const std::string note = std::exchange(draft.of_cpus.note, {});
    if (!note.empty() && draft.verbose > 0)
        streams.err << call.name + ": " + note + "\n" << std::flush;
    // As Slurm where the site does not allow it, which is its default.
    if (const char* const option = std::exchange(draft.of_cpus.specialized, nullptr)) {
        streams.err << call.name + ": error: Ignoring " + option +
                           " since it's not allowed by configuration "
                           "(AllowSpecResourcesUsage = No)\n"
                    << std::flush;
    }
    return Done{};
}

}  // namespace berth::slurm
