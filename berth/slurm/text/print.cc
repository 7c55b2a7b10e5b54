#include "berth/slurm/text/print.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/slurm/text/time_format.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

struct StateName {
    std::string_view state, compact;
};
constexpr auto kStates = std::to_array<StateName>({
    {"PENDING", "PD"},
    {"RUNNING", "R"},
    {"SUSPENDED", "S"},
    {"COMPLETED", "CD"},
    {"CANCELLED", "CA"},
    {"FAILED", "F"},
    {"TIMEOUT", "TO"},
    {"NODE_FAIL", "NF"},
    {"PREEMPTED", "PR"},
    {"BOOT_FAIL", "BF"},
    {"DEADLINE", "DL"},
    {"OUT_OF_MEMORY", "OOM"},
    {"COMPLETING", "CG"},
    {"CONFIGURING", "CF"},
    // No job of Berth is in these, but for SPECIAL_EXIT (api/job_states.h); REQUEUED is of sacct's
    // earlier attempts alone.
    {"RESIZING", "RS"},
    {"RESV_DEL_HOLD", "RD"},
    {"REQUEUED", "RQ"},
    {"REQUEUE_FED", "RF"},
    {"REQUEUE_HOLD", "RH"},
    {"REVOKED", "RV"},
    {"SIGNALING", "SI"},
    {"SPECIAL_EXIT", "SE"},
    {"STAGE_OUT", "SO"},
    {"STOPPED", "ST"},
});

bool has_flag(const api::NodeRow& node, std::string_view flag) {
    return std::ranges::find(node.flags, flag) != node.flags.end();
}

struct NodeStateName {
    std::string_view state, shown, compact;
};
constexpr auto kNodeStateNames = std::to_array<NodeStateName>({
    {"IDLE", "idle", "idle"},
    {"MIXED", "mixed", "mix"},
    {"ALLOCATED", "allocated", "alloc"},
    {"DOWN", "down", "down"},
    {"UNKNOWN", "unknown", "unk"},
    {"FUTURE", "future", "futr"},
});

// The words before any suffix: a drain wins over the base state, completing and planned over idle.
NodeStateName node_words(const api::NodeRow& node) {
    const bool is_busy =
        node.state == "ALLOCATED" || node.state == "MIXED" || has_flag(node, "COMPLETING");
    if (has_flag(node, "DRAIN") && node.state != "DOWN") {
        return is_busy ? NodeStateName{"", "draining", "drng"}
                       : NodeStateName{"", "drained", "drain"};
    }
    if (has_flag(node, "MAINTENANCE") && node.state == "IDLE") return {"", "maint", "maint"};
    if (has_flag(node, "COMPLETING") && node.state == "IDLE") return {"", "completing", "comp"};
    if (has_flag(node, "RESERVED") && node.state == "IDLE") return {"", "reserved", "resv"};
    if (has_flag(node, "PLANNED") && node.state == "IDLE") return {"", "planned", "plnd"};
    const auto found = std::ranges::find(kNodeStateNames, node.state, &NodeStateName::state);
    return found == kNodeStateNames.end() ? NodeStateName{"", "unknown", "unk"} : *found;
}

}  // namespace

std::string local_time(const std::optional<Time>& at, std::string_view otherwise) {
    return at ? time_in_format(*at, wall_time()) : std::string(otherwise);
}

std::string local_date_line(Time at) { return formatted_time(at, "%a %b %d %H:%M:%S %Y"); }

std::string job_id_text(const api::JobRow& job) {
    if (!job.array_pending.empty())
        return to_string(job.array_job.value_or(job.id)) + "_[" + job.array_pending + "]";
    if (job.array_job && job.array_task)
        return to_string(*job.array_job) + "_" + std::to_string(*job.array_task);
    if (job.het) return to_string(job.het->first) + "+" + std::to_string(job.het->offset);
    return to_string(job.id);
}

std::string_view compact_state(std::string_view state) {
    const auto found = std::ranges::find(kStates, state, &StateName::state);
    return found == kStates.end() ? std::string_view("?") : found->compact;
}

std::string_view slurm_state(const api::JobRow& job) {
    return job.special_exit ? std::string_view("SPECIAL_EXIT") : std::string_view(job.state);
}

std::string_view state_from_text(std::string_view text) {
    const auto found = std::ranges::find_if(kStates, [&](const StateName& name) {
        return iequals(name.state, text) || iequals(name.compact, text);
    });
    return found == kStates.end() ? std::string_view() : found->state;
}

std::string state_names() {
    std::string names;
    for (const StateName& name : kStates) {
        if (!names.empty()) names += ',';
        names += name.state;
    }
    return names;
}

Duration run_time(const api::JobRow& job, Time now) {
    if (!job.started_at || job.state == "PENDING") return Duration::zero();
    if (job.state == "SUSPENDED") return job.ran_before;
    const bool runs = job.state == "RUNNING" || job.state == "CONFIGURING";
    const bool is_over = !runs && job.ended_at;
    const Time since =
        job.suspended_at ? std::max(*job.suspended_at, *job.started_at) : *job.started_at;
    const Duration length = (is_over ? *job.ended_at : now) - since;
    return (job.suspended_at ? job.ran_before : Duration{}) + std::max(Duration{}, length);
}

std::string exit_text(const ExitStatus& exit) {
    return std::to_string(exit.code) + ":" + std::to_string(exit.signal);
}

std::vector<api::StepRow> running_steps(const api::JobRow& job, Time now) {
    std::vector<api::StepRow> steps;
    if (job.state != "RUNNING" && job.state != "SUSPENDED") return steps;
    if (!job.command.interactive &&
        std::ranges::find(job.steps, kBatchStep, &api::StepRow::id) == job.steps.end()) {
        steps.push_back({.job = job.id,
                         .id = kBatchStep,
                         .name = "batch",
                         .state = "RUNNING",
                         .tasks = 1,
                         .cpus = job.cpus,
                         .nodes = {job.batch_host},
                         .started_at = job.started_at.value_or(now)});
    }
    std::ranges::copy_if(job.steps, std::back_inserter(steps),
                         [](const api::StepRow& step) { return step.state == "RUNNING"; });
    return steps;
}

std::string count_or_star(std::uint32_t count) { return count == 0 ? "*" : std::to_string(count); }
std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }

std::string user_text(std::uint32_t uid, const std::string& name) {
    return (name.empty() ? std::to_string(uid) : name) + "(" + std::to_string(uid) + ")";
}

bool takes_work(const api::NodeRow& node) {
    return node.state != "DOWN" && node.state != "UNKNOWN" && node.state != "FUTURE" &&
           !has_flag(node, "DRAIN") && !has_flag(node, "NOT_RESPONDING") &&
           !has_flag(node, "REBOOT_ISSUED");
}

std::string node_state(const api::NodeRow& node, bool compact) {
    const NodeStateName words = node_words(node);
    std::string text(compact ? words.compact : words.shown);
    if (has_flag(node, "REBOOT_ISSUED")) return text + "^";
    if (has_flag(node, "REBOOT_REQUESTED")) return text + "@";
    return has_flag(node, "NOT_RESPONDING") ? text + "*" : text;
}

}  // namespace berth::slurm
