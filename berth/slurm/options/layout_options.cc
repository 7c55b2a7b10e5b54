#include "berth/slurm/options/layout_options.h"

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/option_values.h"

namespace berth::slurm {
namespace {

Error invalid_distribution() { return invalid_argument("Invalid --distribution specification"); }

std::optional<CoreOrder> core_order_of(std::string_view word) {
    if (word == "*") return CoreOrder::as_fits;
    if (word == "block") return CoreOrder::block;
    if (word == "cyclic") return CoreOrder::cyclic;
    if (word == "fcyclic") return CoreOrder::fcyclic;
    return std::nullopt;
}

// The first part: over nodes.
Status set_task_order(TopologyConstraint& near, std::string_view word) {
    if (word == "*") {
        near.task_order = TaskOrder::as_fits;
    } else if (word == "block") {
        near.task_order = TaskOrder::block;
    } else if (word == "cyclic") {
        near.task_order = TaskOrder::cyclic;
    } else if (word.starts_with("plane=")) {
        const auto size = parse_positive(std::string(word.substr(6)).c_str());
        if (!size) return invalid_distribution();
        near.task_order = TaskOrder::plane;
        near.plane = *size;
    } else if (word == "arbitrary") {
        return Error{ErrorCode::failed_precondition,
                     "--distribution=arbitrary is not supported: name the nodes of each step with "
                     "--nodelist"};
    } else {
        return invalid_distribution();
    }
    return Done{};
}

Status set_count(std::uint32_t& target, const char* value, const char* name) {
    const auto count = parse_positive(value);
    if (!count) return invalid_number(value, name);
    target = *count;
    return Done{};
}

TaskLayout& layout_of(JobDraft& draft) { return draft.spec.request.edit().nearness.edit().layout; }

// Cores or threads kept for the system: a site allows them by AllowSpecResourcesUsage, and Berth's
// has them from CPUs= of the node.
Status set_specialized(JobDraft& draft, const char* value, std::int64_t least, bool of_threads) {
    const auto count = parse_int64(value);
    if (!count.ok() || *count < least || *count > INT32_MAX)
        return invalid_number(value, of_threads ? "thread-spec" : "core-spec");
    OfCpus& cpus = draft.of_cpus;
    (of_threads ? cpus.thread_spec : cpus.core_spec) = cpus.reading;
    cpus.specialized = of_threads ? "--thread-spec" : "-S";
    return Done{};
}

}  // namespace

Status set_core_spec(JobDraft& draft, const char* value) {
    return set_specialized(draft, value, 0, false);
}

Status set_distribution(JobDraft& draft, const char* value) {
    std::string text = to_lower(std::string(value));
    TopologyConstraint& near = draft.spec.request.edit().nearness.edit();
    TaskLayout& layout = near.layout;
    layout.pack = text.ends_with(",pack");
    if (layout.pack || text.ends_with(",nopack")) text.resize(text.rfind(','));
    const auto levels = split(text, ':');
    if (levels.size() > 3) return invalid_distribution();
    BERTH_CHECK(set_task_order(near, levels[0]));
    CoreOrder* const targets[] = {&layout.over_sockets, &layout.over_cores};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto order = core_order_of(i + 1 < levels.size() ? levels[i + 1] : "*");
        if (!order) return invalid_distribution();
        *targets[i] = *order;
    }
    if (layout.pack && near.task_order == TaskOrder::as_fits) near.task_order = TaskOrder::block;
    if (layout.pack && near.task_order != TaskOrder::block) {
        return invalid_argument("--distribution=" + std::string(value) +
                                ": Pack is for block: write block,Pack");
    }
    return Done{};
}

Status set_gpus_per_socket(JobDraft& draft, const char* value) {
    const auto gpus = parse_gpu_list(value);
    if (!gpus || gpus->empty() || gpus->front().count <= 0)
        return invalid_argument("Invalid --gpus-per-socket specification");
    if (gpus->size() > 1) {
        return Error{ErrorCode::failed_precondition,
                     "--gpus-per-socket=" + std::string(value) +
                         " is not supported: it takes one type of GPU"};
    }
    draft.per_gpu.of_socket = gpus->front();
    return Done{};
}

Status set_hint(JobDraft& draft, const char* value) {
    OfCpus& cpus = draft.of_cpus;
    for (const std::string_view word : split(std::string_view(value), ',')) {
        const bool one_core = iequals(word, "memory_bound");
        const bool one_thread =
            one_core || iequals(word, "nomultithread") || iequals(word, "compute_bound");
        if (!one_thread && !iequals(word, "multithread")) {
            return Error{
                ErrorCode::failed_precondition,
                "unrecognized --hint argument \"" + std::string(word) + "\", see --hint=help"};
        }
        cpus.hint = cpus.reading;
        cpus.hint_text = value;
        cpus.threads_of_core = one_thread ? 1 : 0;
        cpus.one_core_of_socket = one_core;
    }
    return Done{};
}

Status set_overcommit(JobDraft& draft, const char*) {
    layout_of(draft).overcommit = true;
    return Done{};
}

Status set_tasks_per_core(JobDraft& draft, const char* value) {
    draft.of_cpus.note_instead_of_hint();
    return set_count(layout_of(draft).per_core, value, "ntasks-per-core");
}

Status set_tasks_per_socket(JobDraft& draft, const char* value) {
    return set_count(layout_of(draft).per_socket, value, "ntasks-per-socket");
}

Status set_thread_spec(JobDraft& draft, const char* value) {
    return set_specialized(draft, value, 1, true);
}

}  // namespace berth::slurm
