#include "berth/slurm/admin/scontrol_change.h"

#include <algorithm>

#include "berth/api/problem.h"

namespace berth::slurm {
namespace {

// As scontrol writes a time limit. A part of a minute counts as one.
std::string minutes_text(Duration limit) {
    const std::int64_t minutes = (limit + std::chrono::seconds(59)) / std::chrono::minutes(1);
    return std::to_string(std::max<std::int64_t>(1, minutes));
}

}  // namespace

ChangeResult without_words(const CallResult<Done>& done) {
    if (!done) return done.problem();
    return api::ChangeReply{};
}

CallResult<std::vector<std::string>> jobs_named(Client& client, const JobsByName& wanted) {
    api::JobQuery query;
    query.names = {wanted.name};
    query.states = {"PENDING", "RUNNING", "SUSPENDED"};
    if (wanted.user) query.users = {*wanted.user};
    query.fields = {"id"};
    const auto jobs = client.jobs(query);
    if (!jobs) return jobs.problem();
    std::vector<std::string> names;
    for (const api::JobRow& job : *jobs) names.push_back(to_string(job.id));
    if (!names.empty()) return names;
    const std::string whose = wanted.user ? " of user " + *wanted.user : "";
    return api::problem_of(Refusal::unknown_job, "there is no job named " + wanted.name + whose);
}

ChangeResult send_update(Client& client, const Update& change, const std::string& name) {
    if (change.node) return without_words(client.update_node(name, *change.node));
    if (change.step)
        return without_words(client.steps().update(name.substr(0, name.find('.')), *change.step));
    const JobUpdate& update = change.job;
    if (update.time_limit_by == Duration::zero() && !update.end)
        return client.update(name, update.patch);
    const auto jobs = client.job(name);  // Both are relative to what the job is now.
    if (!jobs) return jobs.problem();
    const api::JobRow& job = jobs->front();
    api::JobPatch patch = update.patch;
    if (update.end) {
        if (job.state != "RUNNING" || !job.started_at)
            return api::problem_of(Refusal::job_not_running, "job " + name + " is not running");
        patch.time_limit = minutes_text(*update.end - *job.started_at);
    } else if (job.time_limit) {
        patch.time_limit = minutes_text(*job.time_limit + update.time_limit_by);
    }
    return client.update(name, patch);
}

}  // namespace berth::slurm
