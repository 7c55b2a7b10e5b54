#include "berth/slurm/jobs/test_only.h"

#include <ostream>

#include "berth/base/hostlist.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

std::string start_line(JobId job, Time start, std::int64_t cpus) {
    return "Job " + to_string(job) + " to start at " + local_time(start, "") + " using " +
           std::to_string(cpus) + " processors on ";
}

// One line for each job; sbatch has one for all components of a heterogeneous job.
std::vector<std::string> start_lines(const api::TestReply& reply, bool is_sbatch) {
    std::vector<std::string> lines;
    if (is_sbatch && reply.components.size() > 1) {
        std::int64_t cpus = 0;
        std::vector<std::string> nodes;
        for (const api::TestedComponent& one : reply.components) {
            cpus += one.cpus;
            nodes.insert(nodes.end(), one.nodes.begin(), one.nodes.end());
        }
        lines.push_back(start_line(reply.components.front().job, reply.start, cpus) +
                        compress_hostlist(std::move(nodes)));
        return lines;
    }
    for (const api::TestedComponent& one : reply.components) {
        lines.push_back(start_line(one.job, reply.start, one.cpus) + "nodes " +
                        compress_hostlist(one.nodes) + " in partition " + one.partition);
    }
    return lines;
}

// What the start leaves out.
std::vector<std::string> warnings_of(const api::TestReply& reply) {
    std::vector<std::string> warnings;
    std::string reasons;
    for (const std::string& reason : reply.waits_for) {
        reasons += (reasons.empty() ? "" : ", ") + reason;
    }
    if (!reasons.empty()) warnings.push_back("the job would also wait for: " + reasons);
    if (!reply.planned) {
        warnings.emplace_back(
            "the job would get no planned start (SchedulerParameters), so others may delay it");
    }
    return warnings;
}

}  // namespace

int report_test(const Invocation& call, Streams& streams, Client& client,
                const api::SubmitRequest& request, bool quiet) {
    const auto reply = client.test(request);
    if (!reply) {
        const api::Problem& problem = reply.problem();
        for (const std::string& line : problem.details)
            streams.err << call.name << ": error: " << line << '\n';
        streams.err << "allocation failure: " << slurm_message(problem) << '\n'
                    << advice_on(call, problem);
        return error_exit_code(call, 1);
    }
    if (quiet) return 0;
    for (const std::string& line : reply->messages)
        streams.err << call.name << ": " << line << '\n';
    for (const std::string& line : start_lines(*reply, call.name == "sbatch"))
        streams.err << call.name << ": " << line << '\n';
    for (const std::string& warning : warnings_of(*reply))
        streams.err << call.name << ": warning: " << warning << '\n';
    return 0;
}

}  // namespace berth::slurm
