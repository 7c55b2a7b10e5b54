// A record of accounting as `sacct --json` prints it, with its steps.
#include <algorithm>

#include "berth/api/accounting_time.h"
#include "berth/api/row_text.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurmrest {
namespace {

using api::elapsed_between;
using api::nodes_text;
using api::step_name;

std::int64_t epoch_or_zero(const std::optional<Time>& at) { return at ? seconds(*at) : 0; }

void put_cpu_time(ShapeWriter& json, std::string_view name, std::int64_t milliseconds) {
    json.begin(name);
    json.put("seconds", milliseconds / 1000);
    json.put("microseconds", milliseconds % 1000 * 1000);
    json.end();
}

struct CpuTime {
    std::int64_t user = 0, system = 0;  // Milliseconds.
    void add(const std::optional<StepTotals>& used) {
        if (used) user += used->user_ms, system += used->system_ms;
    }
};

std::int64_t memory_mib(std::string_view tres) {
    for (const auto part : split(tres, ',')) {
        if (!part.starts_with("mem=")) continue;
        const auto size = parse_size(part.substr(4));
        return size.ok() ? in_mib(size.value()) : 0;
    }
    return 0;
}

void put_identity(ShapeWriter& json, const api::AccountingRow& job) {
    json.put("account", job.account);
    json.begin("comment");
    json.put("administrator", ""), json.put("job", job.comment), json.put("system", "");
    json.end();
    json.put("allocation_nodes", static_cast<std::int64_t>(job.nodes.size()));
    json.begin("array");
    const bool is_array = job.array_job || !job.array_pending.empty();
    json.put("job_id", std::int64_t{is_array ? job.array_job.value_or(job.job).value() : 0});
    json.begin("limits"), json.begin("max"), json.begin("running");
    json.put("tasks", std::int64_t{0});
    json.end(), json.end(), json.end();
    json.put_number("task_id",
                    job.array_task ? std::optional<std::int64_t>(*job.array_task) : std::nullopt);
    json.put("task", job.array_pending);
    json.end();
    json.begin("association");
    json.put("account", job.account), json.put("cluster", job.cluster);
    json.put("partition", ""), json.put("user", std::string(job.owner.user));
    json.put("id", std::int64_t{0});
    json.end();
    json.put("block", ""), json.put("cluster", job.cluster);
    json.put("constraints", job.constraints), json.put("container", "");
    json.put_exit("derived_exit_code", job.derived_exit);
}

void put_times(ShapeWriter& json, const api::AccountingRow& job, Time now) {
    json.begin("time");
    json.put("elapsed", seconds(ran_for(job, now)));
    json.put("eligible", epoch_or_zero(job.eligible_at)),
        json.put("end", epoch_or_zero(job.ended_at));
    json.put_number("planned",
                    seconds(elapsed_between(job.eligible_at,
                                            job.started_at ? job.started_at : job.ended_at, now)));
    json.put("start", epoch_or_zero(job.started_at)),
        json.put("submission", seconds(job.submitted_at));
    json.put("suspended", seconds(suspended_for(job, now)));
    CpuTime cpu;
    for (const api::StepRow& step : job.steps) cpu.add(step.used);
    put_cpu_time(json, "system", cpu.system);
    json.put_minutes("limit", job.time_limit);
    put_cpu_time(json, "total", cpu.user + cpu.system), put_cpu_time(json, "user", cpu.user);
    json.end();
}

void put_request(ShapeWriter& json, const api::AccountingRow& job) {
    json.put_exit("exit_code", job.exit);
    json.put("extra", ""), json.put("failed_node", "");
    json.put("flags", std::vector<std::string>{});
    json.put("group", std::string(job.owner.group));
    json.begin("het");
    json.put("job_id", std::int64_t{0}), json.put_number("job_offset", std::nullopt);
    json.end();
    json.put("job_id", std::int64_t{job.job.value()});
    json.put("name", job.name), json.put("licenses", "");
    json.begin("mcs"), json.put("label", ""), json.end();
    json.put("nodes", nodes_text(job.nodes, "None assigned"));
    json.put("partition", job.partition);
    json.put("hold", job.priority == 0), json.put_number("priority", job.priority);
    json.put("qos", job.qos), json.put("qosreq", "");
    json.begin("required");
    json.put("CPUs", std::int64_t{job.requested_cpus});
    json.put_number("memory_per_cpu", std::nullopt);
    const std::int64_t nodes = std::max(1U, job.requested_nodes);
    json.put_number("memory_per_node", memory_mib(job.requested_tres) / nodes);
    json.end();
    json.put("kill_request_user",
             job.cancelled_by ? std::to_string(*job.cancelled_by) : std::string());
    json.put("restart_cnt", std::int64_t{std::max(1U, job.attempt)} - 1);
    json.begin("reservation");
    json.put("id", std::int64_t{0}), json.put("name", job.reservation);
    json.put("requested", job.reservation);
    json.end();
    json.put("script", "");
    json.begin("state");
    json.put("current", std::vector<std::string>{job.state});
    json.put("reason", job.reason.empty() ? "None" : job.reason);
    json.end();
}

void put_step_times(ShapeWriter& json, const api::StepRow& step, Time now) {
    json.begin("time");
    json.put("elapsed", seconds(elapsed_between(step.started_at, step.ended_at, now)));
    json.put_time("end", step.ended_at), json.put_time("start", step.started_at);
    json.put("suspended", std::int64_t{0});
    CpuTime cpu;
    cpu.add(step.used);
    put_cpu_time(json, "system", cpu.system);
    put_cpu_time(json, "total", cpu.user + cpu.system), put_cpu_time(json, "user", cpu.user);
    json.end();
}

// Milliseconds of CPU time, or bytes of memory; `node`: whose the extreme is, nullptr for a sum.
void put_used(ShapeWriter& json, std::string_view type, std::int64_t count,
              const std::string* node) {
    json.begin();
    json.put("type", type), json.put("name", "");
    json.put("id", std::int64_t{type == "cpu" ? 1 : 2}), json.put("count", count);
    if (node != nullptr) json.put("task", std::int64_t{0}), json.put("node", *node);
    json.end();
}

// Slurm calls "requested" what a step took in: its CPU time and memory.
void put_usage_in(ShapeWriter& json, const StepTotals& used) {
    const std::int64_t cpu = used.user_ms + used.system_ms;
    const std::int64_t tasks = std::max<std::int64_t>(used.tasks, 1);
    const std::string no_node;
    json.begin_list("max");
    put_used(json, "cpu", cpu, &no_node), put_used(json, "mem", used.rss_max, &used.rss_max_node);
    json.end_list();
    json.begin_list("min");
    put_used(json, "cpu", used.cpu_min_ms, &used.cpu_min_node);
    json.end_list();
    json.begin_list("average");
    put_used(json, "cpu", cpu / tasks, nullptr);
    put_used(json, "mem", used.rss_sum / tasks, nullptr);
    json.end_list();
    json.begin_list("total");
    put_used(json, "cpu", cpu, nullptr), put_used(json, "mem", used.rss_sum, nullptr);
    json.end_list();
}

void put_no_usage(ShapeWriter& json) {
    for (const char* how : {"max", "min", "average", "total"})
        json.begin_list(how), json.end_list();
}

void put_step_usage(ShapeWriter& json, const api::StepRow& step) {
    json.begin("tres");
    json.begin("requested");
    if (step.used) {
        put_usage_in(json, *step.used);
    } else {
        put_no_usage(json);
    }
    json.end();
    json.begin("consumed");  // What it gave out, by disk and network: not measured.
    put_no_usage(json);
    json.end();
    json.put_tres("allocated", step.tres);
    json.end();
}

void put_step(ShapeWriter& json, const api::AccountingRow& job, const api::StepRow& step,
              Time now) {
    json.begin();
    put_step_times(json, step, now);
    json.put_exit("exit_code", step.exit);
    json.begin("nodes");
    json.put("count", static_cast<std::int64_t>(step.nodes.size()));
    json.put("range", nodes_text(step.nodes)), json.put("list", step.nodes);
    json.end();
    json.begin("tasks"), json.put("count", std::int64_t{step.tasks}), json.end();
    json.put("pid", ""), json.put("kill_request_user", "");
    json.put("state", std::vector<std::string>{step.state});
    json.begin("step");
    json.put("id", to_string(job.job) + "." + step_name(step.id)), json.put("name", step.name);
    json.end();
    put_step_usage(json, step);
    json.end();
}

}  // namespace

void put_accounting(ShapeWriter& json, const api::AccountingRow& job, Time now) {
    json.begin();
    put_identity(json, job);
    put_times(json, job, now);
    put_request(json, job);
    json.begin_list("steps");
    for (const api::StepRow& step : job.steps) put_step(json, job, step, now);
    json.end_list();
    json.put("submit_line", job.submit_line);
    json.begin("tres");
    json.put_tres("allocated", job.allocated_tres), json.put_tres("requested", job.requested_tres);
    json.end();
    json.put("used_gres", ""), json.put("user", std::string(job.owner.user));
    json.begin("wckey");
    json.put("wckey", job.wckey), json.put("flags", std::vector<std::string>{});
    json.end();
    json.put("working_directory", job.work_dir);
    json.end();
}

}  // namespace berth::slurmrest
