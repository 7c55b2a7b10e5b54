#include "berth/slurm/jobs/interactive_job.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "berth/base/hostlist.h"
#include "berth/client/host_name.h"
#include "berth/model/job_variables.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/jobs/test_only.h"
#include "berth/slurm/options/acting_user.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/option_fault.h"
#include "berth/slurm/options/submit_environment.h"
#include "berth/slurm/step/held_signals.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

// A job that finds room starts within this time; only a longer wait is reported.
constexpr auto kSoon = 250ms;
constexpr std::chrono::milliseconds kFirstPoll{5}, kLongestPoll{1000};

}  // namespace

InteractiveJob::InteractiveJob(const Invocation& call, Client& client, Streams& streams)
    : call_(call), client_(client), look_(call), streams_(streams) {}

bool InteractiveJob::say(const std::string& message) {
    if (!quiet_) streams_.err << call_.name + ": " + message + "\n" << std::flush;
    return true;
}

bool InteractiveJob::fail(const std::string& message) {
    streams_.err << call_.name + ": error: " + message + "\n" << std::flush;
    return false;
}

api::SubmitRequest InteractiveJob::request_of(const JobDraft& draft,
                                              const std::vector<JobDraft>& others) const {
    const auto complete = [&](JobSpec spec) {
        JobCommand& command = spec.command.edit();
        command.interactive = true;
        command.attended = !draft.of_allocation.no_shell;
        command.submit_host = short_host_name();
        command.submit_line = line_of(call_);
        command.work_dir = work_dir_of(command.work_dir);
        if (spec.name.empty()) spec.name = draft.spec.name;
        return spec;
    };
    api::SubmitRequest request{.spec = complete(draft.spec)};
    for (const JobDraft& other : others) request.components.push_back(complete(other.spec));
    return request;
}

bool InteractiveJob::submit(const JobDraft& draft, const std::vector<JobDraft>& others) {
    OfSubmission of = draft.of_submission;
    for (const JobDraft& other : others) join_acting_user(of.acting, other.of_submission.acting);
    if (const Status done = become_acting_user(of.acting, endpoint_of(call_)); !done.ok())
        return fail(option_fault(call_.name, done.error()).text);
    if (!of.clusters.empty()) {
        const auto meant = cluster_meant(client_, of.clusters, call_.name);
        if (!meant.ok()) return fail(meant.error().message);
    }
    if (draft.test_only || std::ranges::any_of(others, &JobDraft::test_only)) {
        exit_code_ = report_test(call_, streams_, client_, request_of(draft, others), quiet_);
        return false;
    }
    const auto reply = client_.submit(request_of(draft, others));
    if (!reply) {
        const api::Problem& problem = reply.problem();
        for (const std::string& line : problem.details) fail(line);
        const std::string& text = slurm_message(problem);
        fail((call_.name == "salloc" ? "Job submit/allocate failed: "
                                     : "Unable to allocate resources: ") +
             text);
        streams_.err << advice_on(call_, problem);
        return false;
    }
    for (const std::string& line : reply->messages) say(line);
    for (const std::string& warning : reply->warnings) say("warning: " + warning);
    job_.id = reply->job;
    return true;
}

InteractiveJob::Wait InteractiveJob::wait_for_nodes(std::optional<std::chrono::seconds> patience) {
    const HeldSignals signals;
    look_.stop_at(signals.fd());
    bool said_unseen = false, said_silent = false;
    const auto begun = std::chrono::steady_clock::now();
    for (auto pause = kFirstPoll;; pause = std::min(pause * 2, kLongestPoll)) {
        const auto found = look_.at(id());
        const std::string state = found ? found->front().state : "";
        if (state == "RUNNING" || state == "SUSPENDED") {
            job_ = found->front();
            if (job_.het) components_ = *found;
            return Wait::granted;
        }
        if (state == "CONFIGURING" && !std::exchange(configured_, true)) {
            if (call_.name == "salloc") say("Waiting for resource configuration");
        }
        if (found && state != "PENDING" && state != "CONFIGURING") return Wait::revoked;
        if (!found && is_gone(found.problem())) return Wait::revoked;
        if (!found && found.problem().status == 401 && !std::exchange(said_unseen, true)) {
            fail("no answer about job " + id() +
                 ", which may still wait: " + slurm_message(found.problem()));
        }
        if (!found && is_silent(found.problem()) && !std::exchange(said_silent, true)) {
            fail("no answer from the controller; job " + id() +
                 " may still wait: " + slurm_message(found.problem()));
        }
        if (found) said_silent = false;
        const auto waited = std::chrono::steady_clock::now() - begun;
        if (patience && waited >= *patience) return Wait::out_of_time;
        if (!waited_ && !configured_ && waited >= kSoon) {
            waited_ = true;
            if (call_.name == "salloc") say("Pending job allocation " + id());
            say("job " + id() + " queued and waiting for resources");
        }
        interrupted_ = signals.wait(pause);
        if (interrupted_ != 0) return Wait::interrupted;
    }
}

bool InteractiveJob::get(const JobDraft& draft, const std::vector<JobDraft>& others) {
    quiet_ = draft.quiet;
    exit_code_ = error_exit_code(call_);
    if (!submit(draft, others)) return false;
    const Wait waited = wait_for_nodes(draft.patience);
    look_.stop_at(-1);
    switch (waited) {
        case Wait::granted: break;
        case Wait::revoked: return fail("Job allocation " + id() + " has been revoked");
        case Wait::out_of_time:
            cancel();
            exit_code_ = immediate_exit_code(call_);
            return fail("Unable to allocate resources: Requested nodes are busy");
        case Wait::interrupted:
            cancel();
            say("Job allocation " + id() + " has been revoked.");
            return false;
    }
    if (waited_) say("job " + id() + " has been allocated resources");
    if (draft.verbose > 0) {
        std::vector<std::uint32_t> cpus;
        cpus.reserve(job_.shares.size());
        for (const api::NodeShareRow& share : job_.shares) cpus.push_back(share.cpus);
        say("jobid " + id() + ": nodes(" + std::to_string(job_.nodes.size()) + "):`" +
            compress_hostlist_in_order(job_.nodes) + "', cpu counts: " + counts_text(cpus));
    }
    const auto ping = client_.ping();
    if (ping) cluster_ = ping->cluster;
    return true;
}

// What any job's variables say of this one.
Variables InteractiveJob::variables_of(const api::JobRow& job) const {
    JobIdentity identity{.job = job.id,
                         .cluster = cluster_,
                         .name = job.name,
                         .account = job.account,
                         .partition = job.partition,
                         .qos = job.qos,
                         .owner = job.owner,
                         .node_names = job.nodes,
                         .started_at = job.started_at.value_or(Time{}),
                         .ends_at = job.ended_at};
    std::uint32_t tasks = 0;
    for (const api::NodeShareRow& share : job.shares) {
        identity.cpus.push_back(share.cpus);
        identity.tasks.push_back(share.tasks);
        tasks += share.tasks;
    }
    Variables all = job_variables(identity);
    for (auto& one : asked_variables(job.request, job.command, tasks)) {
        all.push_back(std::move(one));
    }
    all.emplace_back(kSlurmTasksPerNode, counts_text(identity.tasks));
    return all;
}

std::map<std::string, std::string> InteractiveJob::environment() const {
    std::map<std::string, std::string> all = call_.environment;
    for (const auto& [name, value] : variables_of(job_)) all[name] = value;
    for (const api::JobRow& one : components_) {
        const std::string suffix = kHetGroupSuffix + std::to_string(one.het->offset);
        for (const auto& [name, value] : variables_of(one)) all[name + suffix] = value;
    }
    if (!components_.empty()) all[kSlurmHetSize] = std::to_string(components_.size());
    all[kSlurmNodelist] = all[kSlurmJobNodelist];
    all[kSlurmNnodes] = all[kSlurmJobNumNodes];
    all[kSlurmSubmitDir] = work_dir_of({});
    all[kSlurmSubmitHost] = job_.command.submit_host;
    return all;
}

std::optional<std::string> InteractiveJob::ended_as() {
    const auto found = look_.at(id());
    if (!found) return is_gone(found.problem()) ? std::optional<std::string>("gone") : std::nullopt;
    const api::JobRow& row = found->front();
    if (row.state == "RUNNING" || row.state == "SUSPENDED" || row.state == "CONFIGURING") {
        return std::nullopt;
    }
    return row.outcome;
}

void InteractiveJob::give_back(ExitStatus exit) {
    keepalive_.reset();
    const auto done =
        call_to_the_end(client_, [&] { return client_.own_job().complete(id(), {.exit = exit}); });
    if (done) return;
    fail("Unable to give back job allocation " + id() + ": " + slurm_message(done.problem()));
    advise_if_silent(done.problem());
}

void InteractiveJob::cancel() {
    if (interrupted_ != 0) client_.set_options(kBrief);
    const auto done = client_.cancel(id());
    if (done) return;
    fail("Unable to cancel job " + id() + ": " + slurm_message(done.problem()));
    advise_if_silent(done.problem());
}

void InteractiveJob::advise_if_silent(const api::Problem& problem) {
    if (is_silent(problem)) fail("cancel it once the controller answers: scancel " + id());
}

}  // namespace berth::slurm
