// berth queue, why, nodes: what is going on, for people.
#include <algorithm>
#include <chrono>
#include <map>
#include <ostream>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/cli/json_list.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/printable.h"
#include "berth/trust/wall_time.h"

namespace berth::cli {
namespace {

Colour colour_of(const std::string& state) {
    if (state == "RUNNING" || state == "COMPLETED") return Colour::green;
    if (state == "PENDING" || state == "CONFIGURING") return Colour::yellow;
    if (state == "COMPLETING" || state == "CANCELLED") return Colour::grey;
    return Colour::red;
}

std::string when_text(const api::JobRow& job, Time now) {
    if (job.state == "PENDING")
        return job.planned_start ? "starts " + relative_time(*job.planned_start, now) : "";
    if (job.state == "RUNNING") return "since " + plain_duration(slurm::run_time(job, now));
    return job.ended_at ? relative_time(*job.ended_at, now) : "";
}

// "gpu:a100:3(IDX:0-2)" and "gpu:a100:8" as "▮▮▮▯▯▯▯▯ 3/8".
std::string gpu_bar(const api::NodeRow& node) {
    const auto count_in = [](const std::string& gres) {
        std::int64_t count = 0;
        for (const auto item : split(gres, ',')) {
            const std::string_view text = item.substr(0, item.find('('));
            const auto number = parse_int64(
                text.substr(text.rfind(':') == std::string_view::npos ? 0 : text.rfind(':') + 1));
            if (starts_with_icase(text, "gpu") && number.ok()) count += number.value();
        }
        return count;
    };
    const std::int64_t total = count_in(node.gres),
                       used = std::min(total, count_in(node.gres_used));
    if (total == 0) return "-";
    std::string bar;
    for (std::int64_t i = 0; i < total; ++i) bar += i < used ? "▮" : "▯";
    return bar + " " + std::to_string(used) + "/" + std::to_string(total);
}

void print_blockers(const Explanation& explanation, Time now, Output& output) {
    for (const Blocker& blocker : explanation.blockers) {
        output.out() << "  - " << slurm::printable(blocker.text);
        if (!blocker.resource.empty() &&
            blocker.text.find(std::to_string(blocker.asked)) == std::string::npos) {
            output.out() << " (" << blocker.resource << ": asked " << blocker.asked << ", free "
                         << blocker.free << ", total " << blocker.total << ")";
        }
        if (blocker.until) {
            output.out() << " until " << slurm::local_time(blocker.until, "") << " ("
                         << relative_time(*blocker.until, now) << ")";
        }
        output.out() << '\n';
    }
}

// ", which ask for 96 GPU-hours by their limits"
std::string work_text(const Explanation& explanation) {
    if (explanation.ahead_gpu_minutes == 0 && explanation.ahead_endless == 0) return {};
    std::string text = "; their limits come to " +
                       std::to_string((explanation.ahead_gpu_minutes + 59) / 60) + " GPU-hours";
    if (explanation.ahead_endless > 0) {
        text += ", and " + std::to_string(explanation.ahead_endless) + " ask for GPUs without one";
    }
    return text;
}

// As users name them: a task of an array as 4_0, whatever its record's number is.
std::map<JobId, std::string> names_of(Client& client, const Explanation& explanation) {
    api::JobQuery query{.jobs = explanation.waits_for};
    query.jobs.push_back(explanation.job);
    std::map<JobId, std::string> names;
    for (const JobId job : query.jobs) names[job] = to_string(job);
    const auto rows = client.jobs(query);
    if (!rows) return names;
    for (const api::JobRow& row : *rows) {
        if (names.contains(row.id)) names[row.id] = slurm::job_id_text(row);
    }
    return names;
}

// As objects of Kubernetes have them.
void print_phase(const Explanation& explanation, Output& output) {
    if (explanation.phase.empty()) return;
    output.out() << "  phase " << explanation.phase << '\n';
    for (const JobCondition& one : explanation.conditions) {
        output.out() << "  condition " << one.type << "=" << one.status << " since "
                     << slurm::local_time(one.changed_at, "") << ", " << one.reason << ": "
                     << slurm::printable(one.message) << '\n';
    }
}

void print_explanation(const Explanation& explanation, const std::map<JobId, std::string>& names,
                       Time now, Output& output) {
    if (!explanation.outcome.empty()) {  // It waits no more.
        for (const std::string& line : explanation.outcome)
            output.out() << slurm::printable(line) << '\n';
        print_phase(explanation, output);
        return;
    }
    output.out() << "job " << names.at(explanation.job)
                 << " waits: " << output.paint(slurm_name(explanation.reason), Colour::yellow)
                 << '\n';
    print_blockers(explanation, now, output);
    print_phase(explanation, output);
    if (explanation.ahead > 0) {
        output.out() << "  " << explanation.ahead
                     << (explanation.ahead == 1 ? " job is" : " jobs are")
                     << " before it in the order" << work_text(explanation) << '\n';
    }
    if (explanation.planned_start) {
        output.out() << "  planned start: " << slurm::local_time(explanation.planned_start, "")
                     << " (" << relative_time(*explanation.planned_start, now) << ")";
        if (!explanation.planned_nodes.empty())
            output.out() << " on " << slurm::nodes_text(explanation.planned_nodes);
        output.out() << '\n';
        if (explanation.tentative) {
            output.out() << "  tentative: that start uses quota that is lent to its queue, and the "
                            "lender may take it back\n";
        }
    } else {
        output.out() << "  no planned start yet\n";
    }
    if (!explanation.waits_for.empty()) {
        output.out() << "  waits for the end of:";
        for (const JobId job : explanation.waits_for) output.out() << " " << names.at(job);
        output.out() << '\n';
    }
    if (!explanation.priority.empty()) {
        output.out() << "  priority:";
        for (const auto& [term, points] : explanation.priority)
            output.out() << " " << term << " " << points;
        output.out() << '\n';
    }
    for (const std::string& advice : explanation.advice)
        output.out() << "  → " << slurm::printable(advice) << '\n';
}

}  // namespace

int queue(bool all, bool json, Output& output) {
    Client client;
    api::JobQuery query;
    if (!all) query.states = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING"};
    const auto jobs = client.jobs(query);
    if (!jobs) return output.fail(jobs.problem());
    if (json) return print_json_list(*jobs, output.out()), 0;
    const Time now = wall_time();
    std::vector<std::vector<Output::Cell>> rows = {{{"JOB"},
                                                    {"NAME"},
                                                    {"USER"},
                                                    {"STATE"},
                                                    {"WHEN"},
                                                    {"NODES"},
                                                    {"CPUS"},
                                                    {"GPUS"},
                                                    {"LIMIT"},
                                                    {"WHERE / WHY"}}};
    for (const api::JobRow& job : *jobs) {
        const bool pending = job.state == "PENDING";
        const std::string& gres =
            pending || job.allocated_tres.empty() ? job.requested_tres : job.allocated_tres;
        const std::size_t at = gres.find("gres/gpu=");
        const std::string gpus =
            at == std::string::npos ? "-" : gres.substr(at + 9, gres.find(',', at) - at - 9);
        rows.push_back({{slurm::job_id_text(job)},
                        {job.name},
                        {job.owner.user},
                        {job.state, colour_of(job.state)},
                        {when_text(job, now)},
                        {std::to_string(job.node_count)},
                        {std::to_string(job.cpus)},
                        {gpus},
                        {format_time_limit_short(job.time_limit)},
                        {pending ? job.reason : slurm::nodes_text(job.nodes)}});
    }
    if (rows.size() == 1) return output.out() << "no jobs\n", 0;
    output.table(rows);
    return 0;
}

int why(const std::string& job, bool json, Output& output) {
    Client client;
    const auto explanation = client.explain(job);
    if (!explanation) return output.fail(explanation.problem());
    if (json) return output.out() << api::to_json(*explanation) << '\n', 0;
    std::map<JobId, std::string> names = names_of(client, *explanation);
    // Of tasks that share a record, the one that was asked for.
    std::string& name = names.at(explanation->job);
    if (job.find('_') != std::string::npos && name.ends_with(']')) name = job;
    print_explanation(*explanation, names, wall_time(), output);
    return 0;
}

int nodes(bool json, Output& output) {
    Client client;
    const auto nodes = client.nodes();
    if (!nodes) return output.fail(nodes.problem());
    if (json) return print_json_list(*nodes, output.out()), 0;
    std::vector<std::vector<Output::Cell>> rows = {
        {{"NODE"}, {"STATE"}, {"GPUS"}, {"CPUS"}, {"MEMORY"}, {"JOBS"}, {"REASON"}}};
    for (const api::NodeRow& node : *nodes) {
        const std::string state = slurm::node_state(node, false);
        const bool fine =
            state == "idle" || state == "mixed" || state == "allocated" || state == "planned";
        rows.push_back({{node.name},
                        {state, fine ? Colour::green : Colour::red},
                        {gpu_bar(node)},
                        {std::to_string(node.allocated_cpus) + "/" + std::to_string(node.cpus)},
                        {std::to_string(node.allocated_memory >> 30) + "/" +
                         std::to_string(node.memory >> 30) + " GiB"},
                        {std::to_string(node.running_jobs)},
                        {node.reason}});
    }
    output.table(rows);
    return 0;
}

}  // namespace berth::cli
