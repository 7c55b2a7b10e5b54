#include "berth/slurm/tables/squeue_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/oversubscribe.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

using api::JobRow;

// Slurm prints the reason where there are no nodes to print, or where the reason says more.
std::string nodes_or_reason(const JobRow& job, Time) {
    const bool shows_reason = job.state == "PENDING" || job.state == "TIMEOUT" ||
                              job.state == "OUT_OF_MEMORY" || job.state == "DEADLINE" ||
                              job.state == "FAILED";
    return shows_reason ? "(" + job.reason + ")" : nodes_text(job.nodes);
}

std::string time_left(const JobRow& job, Time now) {
    if (!job.time_limit) return "UNLIMITED";
    const Duration left = *job.time_limit - run_time(job, now);
    return left >= Duration::zero() ? format_duration_short(left)
                                    : "-" + format_duration_short(-left);
}

std::string memory_text(const JobRow& job) {
    if (job.request.memory_per_cpu) return format_size(*job.request.memory_per_cpu);
    return format_size(job.request.memory_per_node.value_or(Bytes(0)));
}

std::string start_text(const JobRow& job) {
    if (job.state != "PENDING") return local_time(job.started_at, "N/A");
    if (job.planned_start) return local_time(job.planned_start, "N/A");
    return local_time(job.begin_at, "N/A");
}

// When it ended, or will have at the latest, as far as is known.
std::optional<Time> expected_end(const JobRow& job) {
    if (job.ended_at || !job.time_limit) return job.ended_at;
    auto start = job.state == "PENDING" ? job.planned_start : job.started_at;
    if (!start && job.state == "PENDING") start = job.begin_at;
    return start ? std::optional(*start + *job.time_limit) : std::nullopt;
}

std::string command_text(const JobRow& job) {
    std::string text = or_null(job.command.script_name);
    for (const std::string& argument : job.command.arguments) text += " " + argument;
    return text;
}

// As a part of one, of 2^32 - 1.
std::string priority_part(const JobRow& job, Time) {
    char text[32] = {};
    std::snprintf(text, sizeof text, "%16.14f", static_cast<double>(job.priority) / 0xffff'ffff);
    return text;
}

// "gres/gpu:2" of "cpu=8,gres/gpu=2,mem=16000M".
std::string step_gres(const api::StepRow& step) {
    std::vector<std::string> all;
    for (const auto one : split(step.tres, ',')) {
        if (!one.starts_with("gres/")) continue;
        all.emplace_back(one);
        std::ranges::replace(all.back(), '=', ':');
    }
    return or_null(join(all, ","));
}

constexpr auto kJobFields = std::to_array<JobField>({
    {'a', "ACCOUNT", [](const JobRow& j, Time) { return or_null(j.account); }, "account"},
    {'A', "JOBID", [](const JobRow& j, Time) { return to_string(j.id); }, "id"},
    {'b', "TRES_PER_NODE",
     [](const JobRow& j, Time) { return j.tres_per_node.empty() ? "N/A" : j.tres_per_node; },
     "tres_per_node"},
    {'B', "EXEC_HOST",
     [](const JobRow& j, Time) { return j.batch_host.empty() ? "n/a" : j.batch_host; },
     "batch_host"},
    {'c', "MIN_CPUS",
     [](const JobRow& j, Time) { return std::to_string(j.request.cpus_per_task.value_or(1)); }},
    {'C', "CPUS", [](const JobRow& j, Time) { return std::to_string(j.cpus); }, "cpus"},
    {'d', "MIN_TMP_DISK", [](const JobRow& j, Time) { return format_size(j.request.nearness->node.tmp_disk); }},
    {'D', "NODES", [](const JobRow& j, Time) { return std::to_string(j.node_count); },
     "node_count"},
    {'e', "END_TIME", [](const JobRow& j, Time) { return local_time(expected_end(j), "N/A"); },
     "ended_at time_limit state planned_start started_at begin_at"},
    {'E', "DEPENDENCY", [](const JobRow& j, Time) { return or_null(j.dependency); }, "dependency"},
    {'f', "FEATURES", [](const JobRow& j, Time) { return or_null(j.request.constraint); }},
    {'F', "ARRAY_JOB_ID",
     [](const JobRow& j, Time) { return to_string(j.array_job.value_or(j.id)); }, "id array_job"},
    {'g', "GROUP", [](const JobRow& j, Time) { return *j.owner.group; }, "owner.group"},
    {'G', "GROUP", [](const JobRow& j, Time) { return std::to_string(j.owner.gid); }, "owner.gid"},
    {'h', "OVER_SUBSCRIBE",
     [](const JobRow& j, Time) { return std::string(oversubscribe_text(j.request)); }},
    {'H', "SOCKETS_PER_NODE", [](const JobRow& j, Time) { return count_or_star(j.request.nearness->node.sockets); }},
    {'i', "JOBID", [](const JobRow& j, Time) { return job_id_text(j); },
     "id array_job array_task array_pending het"},
    {'I', "CORES_PER_SOCKET", [](const JobRow& j, Time) { return count_or_star(j.request.nearness->node.cores_per_socket); }},
    {'j', "NAME", [](const JobRow& j, Time) { return j.name; }, "name"},
    {'J', "THREADS_PER_CORE", [](const JobRow& j, Time) { return count_or_star(j.request.nearness->node.threads_per_core); }},
    {'k', "COMMENT", [](const JobRow& j, Time) { return or_null(j.comment); }, "comment"},
    {'K', "ARRAY_TASK_ID",
     [](const JobRow& j, Time) {
         if (!j.array_pending.empty()) return j.array_pending;
         return j.array_task ? std::to_string(*j.array_task) : std::string("N/A");
     },
     "array_pending array_task"},
    {'l', "TIME_LIMIT", [](const JobRow& j, Time) { return format_time_limit_short(j.time_limit); },
     "time_limit"},
    {'L', "TIME_LEFT", time_left, "time_limit state started_at ended_at suspended_at ran_before"},
    {'m', "MIN_MEMORY", [](const JobRow& j, Time) { return memory_text(j); }},
    {'M', "TIME", [](const JobRow& j, Time now) { return format_duration_short(run_time(j, now)); },
     "state started_at ended_at suspended_at ran_before"},
    {'n', "REQ_NODES", [](const JobRow& j, Time) { return nodes_text(j.request.nodelist); }},
    {'N', "NODELIST", [](const JobRow& j, Time) { return nodes_text(j.nodes); }, "nodes"},
    {'o', "COMMAND", [](const JobRow& j, Time) { return command_text(j); }},
    {'O', "CONTIGUOUS", [](const JobRow&, Time) { return std::string("0"); }},
    {'p', "PRIORITY", priority_part, "priority"},
    {'P', "PARTITION", [](const JobRow& j, Time) { return j.partition; }, "partition"},
    {'q', "QOS", [](const JobRow& j, Time) { return j.qos; }, "qos"},
    {'Q', "PRIORITY", [](const JobRow& j, Time) { return std::to_string(j.priority); }, "priority"},
    {'r', "REASON", [](const JobRow& j, Time) { return j.reason; }, "reason"},
    {'R', "NODELIST(REASON)", nodes_or_reason, "state reason nodes"},
    {'s', "SELECT_JOBINFO", [](const JobRow&, Time) { return std::string(); }, "id"},
    {'S', "START_TIME", [](const JobRow& j, Time) { return start_text(j); },
     "state started_at planned_start begin_at"},
    {'t', "ST", [](const JobRow& j, Time) { return std::string(compact_state(slurm_state(j))); }, "state special_exit"},
    {'T', "STATE", [](const JobRow& j, Time) { return std::string(slurm_state(j)); }, "state special_exit"},
    {'u', "USER", [](const JobRow& j, Time) { return *j.owner.user; }, "owner.user"},
    {'U', "UID", [](const JobRow& j, Time) { return std::to_string(j.owner.uid); }, "owner.uid"},
    {'v', "RESERVATION", [](const JobRow& j, Time) { return or_null(j.request.reservation); }},
    {'V', "SUBMIT_TIME", [](const JobRow& j, Time) { return local_time(j.submitted_at, "N/A"); },
     "submitted_at"},
    {'w', "WCKEY", [](const JobRow& j, Time) { return or_null(j.command.wckey); }},
    {'W', "LICENSES", [](const JobRow& j, Time) { return or_null(to_text(j.request.licenses)); }},
    {'x', "EXC_NODES", [](const JobRow& j, Time) { return nodes_text(j.request.exclude); }},
    {'X', "CORE_SPEC", [](const JobRow&, Time) { return std::string("N/A"); }},
    {'y', "NICE", [](const JobRow& j, Time) { return std::to_string(j.nice); }, "nice"},
    {'Y', "SCHEDNODES", [](const JobRow& j, Time) { return nodes_text(j.planned_nodes, "(null)"); },
     "planned_nodes"},
    {'z', "S:C:T",
     [](const JobRow& j, Time) {
         const NodeShape& least = j.request.nearness->node;
         return count_or_star(least.sockets) + ":" + count_or_star(least.cores_per_socket) + ":" +
                count_or_star(least.threads_per_core);
     }},
    {'Z', "WORK_DIR", [](const JobRow& j, Time) { return j.command.work_dir; }},
});

using api::StepRow;
constexpr auto kStepFields = std::to_array<StepField>({
    {'i', "STEPID",
     [](const JobRow& j, const StepRow& s, Time) {
         return job_id_text(j) + "." + step_name(s.id);
     }},
    {'j', "NAME", [](const JobRow&, const StepRow& s, Time) { return s.name; }},
    {'P', "PARTITION", [](const JobRow& j, const StepRow&, Time) { return j.partition; }},
    {'u', "USER", [](const JobRow& j, const StepRow&, Time) { return *j.owner.user; }},
    {'U', "USER",
     [](const JobRow& j, const StepRow&, Time) { return std::to_string(j.owner.uid); }},
    {'M', "TIME",
     [](const JobRow&, const StepRow& s, Time now) {
         return format_duration_short(
             std::max(Duration::zero(), s.ended_at.value_or(now) - s.started_at));
     }},
    {'N', "NODELIST", [](const JobRow&, const StepRow& s, Time) { return nodes_text(s.nodes); }},
    {'A', "TASKS", [](const JobRow&, const StepRow& s, Time) { return std::to_string(s.tasks); }},
    {'C', "CPUS", [](const JobRow&, const StepRow& s, Time) { return std::to_string(s.cpus); }},
    {'S', "START_TIME",
     [](const JobRow&, const StepRow& s, Time) { return local_time(s.started_at, "N/A"); }},
    {'b', "TRES_PER_NODE", [](const JobRow&, const StepRow& s, Time) { return step_gres(s); }},
    {'f', "CPU_FREQ", [](const JobRow&, const StepRow&, Time) { return std::string("N/A"); }},
    {'R', "RESV_PORTS", [](const JobRow&, const StepRow&, Time) { return std::string("N/A"); }},
    {'t', "ST",
     [](const JobRow&, const StepRow& s, Time) { return std::string(compact_state(s.state)); }},
    {'T', "STATE", [](const JobRow&, const StepRow& s, Time) { return s.state; }},
});

}  // namespace

const JobField* find_job_field(char letter) {
    const auto found = std::ranges::find(kJobFields, letter, &JobField::letter);
    return found == kJobFields.end() ? nullptr : &*found;
}

bool is_time(char letter) {
    return std::string_view("lLMSeV").find(letter) != std::string_view::npos;
}

std::vector<std::string> fields_for(std::string_view letters) {
    std::vector<std::string> fields{"id"};
    for (const char letter : letters) {
        const JobField* const field = find_job_field(letter == 'p' ? 'Q' : letter);
        if (field == nullptr || field->reads.empty()) return {};
        for (const std::string_view name : split(field->reads, ' ')) fields.emplace_back(name);
    }
    std::ranges::sort(fields);
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    return fields;
}

const StepField* find_step_field(char letter) {
    const auto found = std::ranges::find(kStepFields, letter, &StepField::letter);
    return found == kStepFields.end() ? nullptr : &*found;
}

}  // namespace berth::slurm
