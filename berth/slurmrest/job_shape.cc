// A job as slurmrestd gives it, and as `squeue --json` and `scontrol --json show job` print it.
#include <algorithm>

#include "berth/api/row_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/gres_lists.h"
#include "berth/model/mail.h"
#include "berth/slurmrest/given_values.h"
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurmrest {
namespace {

using api::gres_text;
using api::het_id_set;
using api::nodes_text;
using api::preferred_features;

using Number = std::optional<std::int64_t>;

constexpr Number kZero = 0;
Number least_of(std::uint32_t count) { return count == 0 ? Number() : Number(count); }

Number number_of(const std::optional<std::uint32_t>& count) {
    return count ? Number(*count) : std::nullopt;
}

Number mib_of(const std::optional<Bytes>& size) {
    return size ? Number(in_mib(*size)) : std::nullopt;
}

std::vector<std::string> states_of(const api::JobRow& job) {
    if (job.state == "CONFIGURING") return {"RUNNING", job.state};
    if (job.special_exit) return {job.state, "SPECIAL_EXIT"};
    if (job.state != "COMPLETING") return {job.state};
    return {job.outcome.empty() ? "RUNNING" : job.outcome, "COMPLETING"};
}

std::vector<std::string> flags_of(const api::JobRow& job) {
    std::vector<std::string> flags;
    if (job.request.nearness->spread) flags.emplace_back("SPREAD_JOB");
    if (job.request.tasks) flags.emplace_back("EXACT_TASK_COUNT_REQUESTED");
    if (job.started_at) flags.emplace_back("JOB_WAS_RUNNING");
    if (job.request.memory_per_node || job.request.memory_per_cpu)
        flags.emplace_back("EXACT_MEMORY_REQUESTED");
    if (!job.dependency.empty()) flags.emplace_back("DEPENDENT");
    if (const auto kill = job.command.kill_on_invalid_dep)
        flags.emplace_back(*kill ? "KILL_INVALID_DEPENDENCY" : "NO_KILL_INVALID_DEPENDENCY");
    return flags;
}

Number billing_of(std::string_view tres) {
    for (const auto part : split(tres, ',')) {
        if (part.starts_with("billing=")) return parse_int64(part.substr(8)).value_or(0);
    }
    return std::nullopt;
}

// When it ended, or will have; Slurm has 0 where that is not known.
std::optional<Time> end_of(const api::JobRow& job) {
    if (job.ended_at || !job.time_limit) return job.ended_at;
    const auto start = job.state == "PENDING" ? job.planned_start : job.started_at;
    return start ? std::optional(*start + *job.time_limit) : std::nullopt;
}

std::string command_of(const api::JobRow& job) {
    std::string text = job.command.script_name == "wrap" ? "" : job.command.script_name;
    for (const std::string& argument : job.command.arguments) text += " " + argument;
    return text;
}

void put_sockets(ShapeWriter& json, const api::NodeShareRow& share) {
    json.begin_list("sockets");
    const auto cores = expand_hostlist("[" + share.cpu_ids + "]");
    if (cores.ok() && !share.cpu_ids.empty()) {
        json.begin();
        json.put("index", std::int64_t{0});
        json.begin_list("cores");
        for (const std::string& core : cores.value()) {
            json.begin();
            json.put("index", parse_int64(core).value_or(0));
            json.put("status", std::vector<std::string>{"ALLOCATED"});
            json.end();
        }
        json.end_list();
        json.end();
    }
    json.end_list();
}

void put_resources(ShapeWriter& json, const api::JobRow& job) {
    json.begin("job_resources");
    json.put("select_type", std::vector<std::string>{"CORE", "MEMORY"});
    json.begin("nodes");
    json.put("count", static_cast<std::int64_t>(job.nodes.size()));
    json.put("select_type", std::vector<std::string>{"AVAILABLE"});
    json.put("list", nodes_text(job.nodes));
    json.put("whole", job.request.exclusive);
    json.begin_list("allocation");
    std::int64_t index = 0;
    for (const api::NodeShareRow& share : job.shares) {
        json.begin();
        json.put("index", index++);
        json.put("name", share.node);
        json.begin("cpus");
        json.put("count", std::int64_t{share.cpus}), json.put("used", std::int64_t{share.cpus});
        json.end();
        json.begin("memory");
        json.put("used", std::int64_t{0});
        json.put("allocated", in_mib(Bytes(share.memory)));
        json.end();
        put_sockets(json, share);
        json.end();
    }
    json.end_list();
    json.end();
    json.put("cpus", std::int64_t{job.cpus});
    json.put_number("threads_per_core", std::nullopt);
    json.end();
}

void put_who(ShapeWriter& json, const api::JobRow& job, const std::string& cluster) {
    json.put("account", job.account);
    json.put_time("accrue_time", job.eligible_at);
    json.put("admin_comment", job.admin_comment);
    json.put("allocating_node", job.command.submit_host);
    const bool is_array = job.array_job || !job.array_pending.empty();
    json.put_number("array_job_id", is_array ? job.array_job.value_or(job.id).value() : 0);
    json.put_number("array_task_id",
                    job.array_pending.empty() ? number_of(job.array_task) : std::nullopt);
    json.put_number("array_max_tasks", job.array_max_running);
    json.put("array_task_string", job.array_pending);
    json.put("association_id", std::int64_t{0});
    json.put("batch_features", "");
    json.put("batch_flag", !job.command.interactive);
    json.put("batch_host", job.batch_host);
    json.put("flags", flags_of(job));
    json.put("burst_buffer", ""), json.put("burst_buffer_state", "");
    json.put("cluster", cluster);
    json.put("cluster_features", "");
    json.put("command", command_of(job));
    json.put("comment", job.comment);
    json.put("container", ""), json.put("container_id", "");
}

void put_layout(ShapeWriter& json, const api::JobRow& job) {
    json.put("contiguous", job.request.nearness->contiguous);
    json.put("core_spec", std::int64_t{0}), json.put("thread_spec", std::int64_t{32766});
    json.put_number("cores_per_socket", least_of(job.request.nearness->node.cores_per_socket));
    json.put_number("billable_tres", billing_of(job.allocated_tres));
    json.put_number("cpus_per_task", number_of(job.request.cpus_per_task));
    json.put_number("cpu_frequency_minimum", std::nullopt);
    json.put_number("cpu_frequency_maximum", std::nullopt);
    json.put_number("cpu_frequency_governor", std::nullopt);
    json.put("cpus_per_tres", ""), json.put("cron", "");
    json.put_time("deadline", job.deadline);
    json.put_number("delay_boot", kZero);
    json.put("dependency", job.dependency);
    json.put_exit("derived_exit_code", job.derived_exit);
    json.put_time("eligible_time", job.eligible_at ? job.eligible_at : job.begin_at);
    json.put_time("end_time", end_of(job));
    json.put("excluded_nodes", nodes_text(job.request.exclude));
    json.put_exit("exit_code", job.exit);
    json.put("extra", job.command.extra), json.put("failed_node", "");
    json.put("features", std::string(job.request.constraint));
    json.put("federation_origin", "");
    json.put("federation_siblings_active", ""), json.put("federation_siblings_viable", "");
    std::vector<std::string> gres;
    for (const api::NodeShareRow& share : job.shares) {
        if (!share.gres.empty()) gres.push_back(share.gres);
    }
    json.put("gres_detail", gres);
    json.put("group_id", std::int64_t{job.owner.gid});
    json.put("group_name", std::string(job.owner.group));
    json.put_number("het_job_id", job.het ? job.het->first.value() : 0);
    json.put("het_job_id_set", job.het ? het_id_set(*job.het) : "");
    json.put_number("het_job_offset", job.het ? job.het->offset : 0);
}

void put_mail(ShapeWriter& json, const api::JobRow& job) {
    const MailTypes types{static_cast<std::uint16_t>(job.command.mail_types)};
    const std::string text = to_text(types);
    std::vector<std::string> names;
    for (const auto name : split(text, ',')) {
        if (types.bits != 0) names.emplace_back(mail_type_of_parser(name));
    }
    json.put("mail_type", names);
    json.put("mail_user", job.command.mail_user);
}

void put_most_tasks(ShapeWriter& json, std::string_view name, std::uint32_t most) {
    most == 0 ? json.put_infinite(name) : json.put_number(name, std::int64_t{most});
}

void put_state(ShapeWriter& json, const api::JobRow& job) {
    json.put("job_id", std::int64_t{job.id.value()});
    if (!job.shares.empty()) put_resources(json, job);
    json.put("job_size_str", std::vector<std::string>{});
    json.put("job_state", states_of(job));
    json.put_time("last_sched_evaluation", job.started_at ? job.started_at : job.eligible_at);
    json.put("licenses", to_text(job.request.licenses));
    put_mail(json, job);
    json.put_number("max_cpus", kZero);
    json.put_number("max_nodes", job.request.nodes_max.value_or(0));
    json.put("mcs_label", ""), json.put("memory_per_tres", "");
    json.put("name", job.name), json.put("network", "");
    json.put("nodes", nodes_text(job.nodes));
    json.put("nice", job.nice);
    put_most_tasks(json, "tasks_per_core", job.request.nearness->layout.per_core);
    json.put_number("tasks_per_tres", std::nullopt);
    json.put_number("tasks_per_node", job.request.tasks_per_node.value_or(0));
    put_most_tasks(json, "tasks_per_socket", job.request.nearness->layout.per_socket);
    json.put_number("tasks_per_board", kZero);
    json.put_number("cpus", job.cpus);
    json.put_number("node_count", job.node_count);
    json.put_number("tasks", job.tasks);
    json.put("partition", job.partition),
        json.put("prefer", preferred_features(job.request.nearness));
    json.put_number("memory_per_cpu", mib_of(job.request.memory_per_cpu));
    json.put_number("memory_per_node", mib_of(job.request.memory_per_node));
    json.put_number("minimum_cpus_per_node", job.request.cpus_per_task.value_or(1));
    json.put_number("minimum_tmp_disk_per_node", in_mib(job.request.nearness->node.tmp_disk));
}

void put_schedule(ShapeWriter& json, const api::JobRow& job) {
    json.put_time("preempt_time", job.preempted_at);
    json.put_time("preemptable_time", job.preemptible_at);
    json.put_number("pre_sus_time", seconds(job.ran_before));
    json.put("hold", job.priority == 0);
    json.put_number("priority", job.priority);
    json.begin_list("priority_by_partition"), json.end_list();
    json.put("profile", std::vector<std::string>{"NOT_SET"});
    json.put("qos", job.qos);
    json.put("reboot", false);
    json.put("required_nodes", nodes_text(job.request.nodelist));
    json.put("required_switches", std::int64_t{job.request.nearness->switches.value_or(0)});
    json.put("requeue", job.requeue);
    json.put_number("resize_time", kZero);
    json.put("restart_cnt", std::int64_t{job.restarts});
    json.put("resv_name", std::string(job.request.reservation));
    json.put("scheduled_nodes", nodes_text(job.planned_nodes));
    json.put("segment_size", std::int64_t{job.request.nearness->segment.value_or(0)});
    json.put("selinux_context", "");
    std::vector<std::string> shared;
    if (job.request.exclusive) shared.emplace_back("none");
    if (job.request.oversubscribe) shared.emplace_back("oversubscribe");
    json.put("shared", shared);
    json.put("sockets_per_board", std::int64_t{0});
    json.put_number("sockets_per_node", least_of(job.request.nearness->node.sockets));
    const bool waits = job.state == "PENDING";
    json.put_time("start_time",
                  waits ? (job.planned_start ? job.planned_start : job.begin_at) : job.started_at);
    // "RaisedSignal:9(Killed)" is the description of RaisedSignal.
    const std::size_t colon = job.reason.find(':');
    const bool described = job.reason.starts_with("RaisedSignal:");
    json.put("state_description", described ? job.reason : "");
    json.put("state_reason", job.reason.empty() ? "None"
                             : described        ? job.reason.substr(0, colon)
                                                : job.reason);
}

void put_files(ShapeWriter& json, const api::JobRow& job) {
    const std::string input = job.std_in.empty() ? "/dev/null" : job.std_in;
    json.put("standard_input", input);
    json.put("standard_output", job.std_out), json.put("standard_error", job.std_err);
    json.put("stdin_expanded", input);
    json.put("stdout_expanded", job.std_out), json.put("stderr_expanded", job.std_err);
    json.put_time("submit_time", job.submitted_at);
    json.put("submit_line", job.command.submit_line);
    json.put_time("suspend_time", job.suspended_at);
    json.put("system_comment", "");
    json.put_minutes("time_limit", job.time_limit);
    json.put_number("time_minimum", job.time_min ? seconds(*job.time_min) / 60 : 0);
    json.put_number("threads_per_core", least_of(job.request.nearness->node.threads_per_core));
    json.put("tres_bind", ""), json.put("tres_freq", "");
    json.put("tres_per_job", gres_text(job.request.gpus));
    json.put("tres_per_node", job.tres_per_node);
    json.put("tres_per_socket", gres_text(gpus_of_socket(job.request)));
    json.put("tres_per_task", gres_text(job.request.gpus_per_task));
    json.put("tres_req_str", job.requested_tres), json.put("tres_alloc_str", job.allocated_tres);
    json.put("user_id", std::int64_t{job.owner.uid});
    json.put("user_name", std::string(job.owner.user));
    const auto& wait = job.request.nearness->switches_wait;
    json.put("maximum_switch_wait_time", wait ? seconds(*wait) : 0);
    json.put("wckey", job.command.wckey);
    json.put("current_working_directory", job.command.work_dir);
}

}  // namespace

void put_job(ShapeWriter& json, const api::JobRow& job, const std::string& cluster) {
    json.begin();
    put_who(json, job, cluster);
    put_layout(json, job);
    put_state(json, job);
    put_schedule(json, job);
    put_files(json, job);
    json.end();
}

void put_job_state(ShapeWriter& json, const api::JobRow& job) {
    json.begin();
    json.put("job_id", std::int64_t{job.id.value()});
    json.put_number("array_job_id", job.array_job ? job.array_job->value() : 0);
    json.put_number("array_task_id",
                    job.array_pending.empty() ? number_of(job.array_task) : std::nullopt);
    json.put("array_task_string", job.array_pending);
    json.put_number("het_job_id", job.het ? job.het->first.value() : 0);
    json.put_number("het_job_offset", job.het ? job.het->offset : 0);
    json.put("job_state", states_of(job));
    json.end();
}

}  // namespace berth::slurmrest
