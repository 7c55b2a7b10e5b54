// scontrol show job, and show step.
#include <algorithm>
#include <map>
#include <ostream>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/gres_lists.h"
#include "berth/model/mail.h"
#include "berth/model/oversubscribe.h"
#include "berth/slurm/show/scontrol_show.h"
#include "berth/slurm/show/show_format.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

std::string names(const std::vector<std::string>& all) { return nodes_text(all, "(null)"); }

void put_identity(ShowRecord& record, const api::JobRow& job) {
    record.put("JobId", to_string(job.id));
    if (job.array_job || !job.array_pending.empty()) {
        record.put("ArrayJobId", to_string(job.array_job.value_or(job.id)));
        record.put("ArrayTaskId", job.array_pending.empty()
                                      ? std::to_string(job.array_task.value_or(0))
                                      : job.array_pending);
        if (job.array_max_running > 0)
            record.put("ArrayTaskThrottle", std::to_string(job.array_max_running));
    }
    if (job.het) {
        record.put("HetJobId", to_string(job.het->first));
        record.put("HetJobOffset", std::to_string(job.het->offset));
    }
    record.put("JobName", job.name).line();
    if (job.het) record.put("HetJobIdSet", het_id_set(*job.het)).line();
    record.put("UserId", user_text(job.owner.uid, job.owner.user));
    record.put("GroupId", user_text(job.owner.gid, job.owner.group)).put("MCS_label", "N/A").line();
    record.put("Priority", std::to_string(job.priority)).put("Nice", std::to_string(job.nice));
    record.put("Account", or_null(job.account)).put("QOS", or_null(job.qos)).line();
}

void put_state(ShowRecord& record, const api::JobRow& job, bool detail) {
    std::string reason = job.reason.empty() ? "None" : job.reason;
    std::ranges::replace(reason, ' ', '_');  // As Slurm, for those who take lines apart by blanks.
    record.put("JobState", std::string(slurm_state(job))).put("Reason", reason);
    record.put("Dependency", or_null(job.dependency)).line();
    record.put("Requeue", job.requeue ? "1" : "0").put("Restarts", std::to_string(job.restarts));
    record.put("BatchFlag", job.command.interactive ? "0" : "1")
        .put("Reboot", "0")
        .put("ExitCode", exit_text(job.exit))
        .line();
    if (detail) record.put("DerivedExitCode", exit_text(job.derived_exit)).line();
}

void put_times(ShowRecord& record, const api::JobRow& job, Time now) {
    const bool pending = job.state == "PENDING";
    record.put("RunTime", format_duration(run_time(job, now)));
    record.put("TimeLimit", format_time_limit(job.time_limit))
        .put("TimeMin", job.time_min ? format_duration(*job.time_min) : "N/A")
        .line();
    record.put("SubmitTime", local_time(job.submitted_at, "Unknown"));
    record
        .put("EligibleTime",
             local_time(job.eligible_at ? job.eligible_at : job.begin_at, "Unknown"))
        .line();
    record.put("AccrueTime", local_time(job.eligible_at, "Unknown")).line();
    std::optional<Time> start = pending ? job.planned_start : job.started_at;
    if (pending && !start) start = job.begin_at;
    std::optional<Time> end = job.ended_at;
    if (pending)
        end = start && job.time_limit ? std::optional(*start + *job.time_limit) : std::nullopt;
    record.put("StartTime", local_time(start, "Unknown"))
        .put("EndTime", local_time(end, "Unknown"));
    record.put("Deadline", local_time(job.deadline, "N/A")).line();
    if (job.preemptible_at) {  // Preemption is on, and it has started.
        record.put("PreemptEligibleTime", local_time(job.preemptible_at, "None"))
            .put("PreemptTime", local_time(job.preempted_at, "None"))
            .line();
    }
    record.put("SuspendTime", local_time(job.suspended_at, "None"))
        .put("SecsPreSuspend", std::to_string(seconds(job.ran_before)));
    record.put("LastSchedEval",
               local_time(job.started_at ? job.started_at : job.eligible_at, "Unknown"));
    record.put("Scheduler", "Main").line();
}

void put_nodes(ShowRecord& record, const api::JobRow& job) {
    record.put("Partition", job.partition)
        .put("AllocNode:Sid", or_null(job.command.submit_host) + ":0")
        .line();
    record.put("ReqNodeList", names(job.request.nodelist))
        .put("ExcNodeList", names(job.request.exclude))
        .line();
    record.put("NodeList", nodes_text(job.nodes)).line();
    if (!job.batch_host.empty()) record.put("BatchHost", job.batch_host).line();
    if (job.state == "PENDING" && !job.planned_nodes.empty())
        record.put("SchedNodeList", names(job.planned_nodes)).line();
    const std::string nodes = std::to_string(job.node_count);
    // Of a job that waits, from how many to how many it asks for.
    const bool asks = job.state == "PENDING" && job.request.nodes_given;
    const std::string most = std::to_string(job.request.nodes_max.value_or(job.node_count));
    record.put("NumNodes", asks ? nodes + "-" + most : nodes)
        .put("NumCPUs", std::to_string(job.cpus))
        .put("NumTasks", std::to_string(job.tasks));
    record.put("CPUs/Task", std::to_string(job.request.cpus_per_task.value_or(1)))
        .put("ReqB:S:C:T", "0:0:" + count_or_star(job.request.nearness->node.cores_per_socket) +
                               ":" + count_or_star(job.request.nearness->node.threads_per_core))
        .line();
    record.put("ReqTRES", or_null(job.requested_tres)).line();
    record.put("AllocTRES", or_null(job.allocated_tres)).line();
    const std::string per_node = std::to_string(job.request.tasks_per_node.value_or(0));
    const TaskLayout& layout = job.request.nearness->layout;
    record.put("Socks/Node", count_or_star(job.request.nearness->node.sockets))
        .put("NtasksPerN:B:S:C", per_node + ":0:" + count_or_star(layout.per_socket) + ":" +
                                     count_or_star(layout.per_core))
        .put("CoreSpec", "*")
        .line();
}

// "gpu:a100:8" of all shares' "gpu:a100:4(IDX:0-3)".
std::string held_gres(const std::vector<api::NodeShareRow>& shares) {
    std::map<std::string, std::int64_t> counts;
    for (const api::NodeShareRow& share : shares) {
        std::string_view rest = share.gres;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('('), rest.size());
            const std::string_view one = rest.substr(0, end);
            const std::size_t colon = one.rfind(':');
            if (colon != std::string_view::npos) {
                counts[std::string(one.substr(0, colon))] +=
                    parse_int64(one.substr(colon + 1)).value_or(0);
            }
            const std::size_t next = rest.find("),", end);
            rest = next == std::string_view::npos ? std::string_view() : rest.substr(next + 2);
        }
    }
    std::string text;
    for (const auto& [name, count] : counts)
        text += (text.empty() ? "" : ",") + name + ":" + std::to_string(count);
    return text;
}

// Nodes of which the job has the same, on one line.
void put_shares(ShowRecord& record, const api::JobRow& job) {
    if (job.shares.empty()) return;
    record.put("JOB_GRES", or_null(held_gres(job.shares))).line(5);
    for (std::size_t first = 0, next = 0; first < job.shares.size(); first = next) {
        const api::NodeShareRow& share = job.shares[first];
        const auto is_same = [&](const api::NodeShareRow& other) {
            return other.cpu_ids == share.cpu_ids && other.memory == share.memory &&
                   other.gres == share.gres;
        };
        std::vector<std::string> nodes;
        while (next < job.shares.size() && is_same(job.shares[next]))
            nodes.push_back(job.shares[next++].node);
        record.put("Nodes", nodes_text(nodes))
            .put("CPU_IDs", share.cpu_ids)
            .put("Mem", std::to_string(static_cast<std::uint64_t>(in_mib(Bytes(share.memory)))));
        record.put("GRES", share.gres).line(next == job.shares.size() ? 3 : 5);
    }
}

// Slurm's least CPUs of a node: those of one task, or of all tasks that are asked for on one.
std::string least_cpus(const JobRequest& request) {
    return std::to_string(std::uint64_t{request.cpus_per_task.value_or(1)} *
                          std::max(1U, request.tasks_per_node.value_or(1)));
}

void put_least(ShowRecord& record, const api::JobRow& job) {
    record.put("MinCPUsNode", least_cpus(job.request));
    if (job.request.memory_per_cpu) {
        record.put("MinMemoryCPU", format_size(*job.request.memory_per_cpu));
    } else {
        record.put("MinMemoryNode", format_size(job.request.memory_per_node.value_or(Bytes(0))));
    }
    record.put("MinTmpDiskNode", format_size(job.request.nearness->node.tmp_disk)).line();
    record.put("Features", or_null(job.request.constraint)).put("DelayBoot", "00:00:00").line();
    record.put("OverSubscribe", oversubscribe_text(job.request))
        .put("Contiguous", job.request.nearness->contiguous ? "1" : "0");
    record.put("Licenses", or_null(to_text(job.request.licenses))).put("Network", "(null)").line();
}

void put_comments(ShowRecord& record, const api::JobRow& job) {
    if (!job.admin_comment.empty()) record.put("AdminComment", job.admin_comment).line();
    if (!job.comment.empty()) record.put("Comment", job.comment).line();
    if (!job.command.extra.empty()) record.put("Extra", job.command.extra).line();
}

void put_files(ShowRecord& record, const api::JobRow& job, bool one_line) {
    std::string command = or_null(job.command.script_name == "wrap" ? "" : job.command.script_name);
    for (const std::string& argument : job.command.arguments) command += " " + argument;
    record.put("Command", command).line();
    // On one line its blanks would break who splits at them (QToolKit).
    if (!one_line && !job.command.submit_line.empty())
        record.put("SubmitLine", job.command.submit_line).line();
    if (job.command.interactive) {  // Its output goes to whoever sits before it.
        put_comments(record, job);
        record.put("WorkDir", job.command.work_dir);
        return;
    }
    record.put("WorkDir", job.command.work_dir).line();
    put_comments(record, job);
    record.put("StdErr", job.std_err).line();
    record.put("StdIn", job.std_in.empty() ? "/dev/null" : job.std_in).line();
    record.put("StdOut", job.std_out);
}

void put_place(ShowRecord& record, const api::JobRow& job) {
    if (!job.request.reservation.empty()) {
        record.line().put("Reservation", job.request.reservation);
    }
    if (!job.request.priority_class.empty()) {
        record.line().put("PriorityClass", job.request.priority_class);
    }
    if (job.request.max_wait) {
        record.line().put("MaxWait", format_time_limit(job.request.max_wait));
    }
    if (!job.command.checkpoint.empty()) {
        record.line()
            .put("Checkpoint", job.command.checkpoint)
            .put("LastCheckpoint", local_time(job.checkpoint_at, "None"));
    }
    if (job.command.restart_cost > Duration{})
        record.line().put("RestartCost", format_duration(job.command.restart_cost));
    if (const auto kill = job.command.kill_on_invalid_dep)  // Its name is Slurm's.
        record.line().put("KillOInInvalidDependent", *kill ? "Yes" : "No");
    const TopologyConstraint& near = job.request.nearness;
    if (near.segment) record.line().put("SegmentSize", std::to_string(*near.segment));
    if (!near.switches) return;
    std::string text = std::to_string(*near.switches);
    if (near.switches_wait) text += "@" + format_time_limit(near.switches_wait);
    record.line().put("Switches", text);
}

void put_tres(ShowRecord& record, const api::JobRow& job) {
    if (!job.request.gpus.empty()) record.line().put("TresPerJob", gres_text(job.request.gpus));
    std::vector<GresRequest> per_node = job.request.gres_per_node;
    const std::vector<GresRequest> per_socket = gpus_of_socket(job.request);
    if (per_socket.empty()) {
        per_node.insert(per_node.end(), job.request.gpus_per_node.begin(),
                        job.request.gpus_per_node.end());
    }
    if (!per_node.empty()) record.line().put("TresPerNode", gres_text(per_node));
    if (!per_socket.empty()) record.line().put("TresPerSocket", gres_text(per_socket));
    if (!job.request.gpus_per_task.empty())
        record.line().put("TresPerTask", gres_text(job.request.gpus_per_task));
}

void put_mail(ShowRecord& record, const api::JobRow& job) {
    if (job.command.mail_types == 0) return;
    const MailTypes types{static_cast<std::uint16_t>(job.command.mail_types)};
    record.line().put("MailUser", job.command.mail_user).put("MailType", to_text(types));
}

void print_job(std::ostream& out, const api::JobRow& job, const ShowOptions& options) {
    ShowRecord record(out, options.one_line);
    put_identity(record, job);
    put_state(record, job, options.detail);
    put_times(record, job, options.now);
    put_nodes(record, job);
    if (options.detail) put_shares(record, job);
    put_least(record, job);
    put_files(record, job, options.one_line);
    put_place(record, job);
    put_tres(record, job);
    put_mail(record, job);
    record.end();
}

int failed(Streams& streams, const ShowOptions& options, const std::string& id,
           const api::Problem& problem) {
    const bool is_number = id.empty() || (id.front() >= '0' && id.front() <= '9');
    streams.err << (is_number ? "slurm_load_jobs error: " : "scontrol_print_job error: ")
                << slurm_message(problem) << '\n';
    if (options.advises && problem.code == "unknown_job")
        streams.err << "scontrol: squeue lists the jobs that run or wait, sacct also the others\n";
    return 1;
}

// A named job, or all of them in id order.
CallResult<std::vector<api::JobRow>> load(Client& client, const std::string& id) {
    if (!id.empty()) return client.job(id);
    return client.jobs();
}

void print_step(std::ostream& out, const api::JobRow& job, const api::StepRow& step,
                bool one_line) {
    ShowRecord record(out, one_line);
    record.put("StepId", job_id_text(job) + "." + step_name(step.id))
        .put("UserId", std::to_string(job.owner.uid));
    record.put("StartTime", local_time(step.started_at, "Unknown"))
        .put("TimeLimit", format_time_limit(step.time_limit))
        .line();
    record.put("State", step.state)
        .put("Partition", job.partition)
        .put("NodeList", names(step.nodes))
        .line();
    record.put("Nodes", std::to_string(step.nodes.size()))
        .put("CPUs", std::to_string(step.id == kBatchStep ? 0 : step.cpus))  // As Slurm shows it.
        .put("Tasks", std::to_string(step.tasks));
    record.put("Name", step.name).put("Network", "(null)").line();
    record.put("TRES", or_null(step.tres)).line();
    record.put("ResvPorts", "(null)").line();
    record.put("CPUFreqReq", "Default").line();
    record.put("SrunHost:Pid", "(null):0");
    record.end();
}

}  // namespace

int show_jobs(Client& client, const ShowOptions& options, const std::string& id, Streams& streams) {
    const auto jobs = load(client, id);
    if (!jobs) return failed(streams, options, id, jobs.problem());
    for (const api::JobRow& job : *jobs) print_job(streams.out, job, options);
    if (jobs->empty()) streams.out << "No jobs in the system\n";
    return 0;
}

int show_steps(Client& client, const ShowOptions& options, const std::string& id,
               Streams& streams) {
    const std::size_t dot = id.find('.');
    const auto jobs = load(client, id.substr(0, dot));
    if (!jobs) return failed(streams, options, id, jobs.problem());
    std::size_t printed = 0;
    for (const api::JobRow& job : *jobs) {
        for (const api::StepRow& step : running_steps(job, options.now)) {
            if (dot != std::string::npos && step_name(step.id) != id.substr(dot + 1)) continue;
            print_step(streams.out, job, step, options.one_line);
            ++printed;
        }
    }
    if (printed > 0) return 0;
    if (dot != std::string::npos) return streams.out << "Job step " << id << " not found\n", 1;
    streams.out << "No job steps in the system\n";
    return 0;
}

}  // namespace berth::slurm
