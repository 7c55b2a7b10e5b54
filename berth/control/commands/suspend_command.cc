// Commands on running jobs: suspend, resume, notify, checkpoint.
#include "berth/control/commands/commands.h"
#include "berth/control/requests/limits.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

std::optional<Refused> not_running(const Job& job) {
    if (job.state == JobState::running) return std::nullopt;
    const std::string text = "Job " + to_string(job.id) + " is " + std::string(words(job.state));
    if (job.state == JobState::pending) return refused(Refusal::job_pending, text, job.id);
    return refused(Refusal::job_finished, text, job.id);
}

// A run that was suspended for another goes on by itself, and not before.
std::optional<Refused> lends_its_cores(const ClusterState& state, const Job& job) {
    if (!job.lends_cores() || job.lends_by_turns()) return std::nullopt;
    return refused(Refusal::invalid_request,
                   "Job " + to_string(job.id) + " is suspended, because job " +
                       name_of_job(state, job.allocation->preempted->by) +
                       " preempted it: it goes on when nobody needs its cores any more",
                   job.id);
}

}  // namespace

// A suspended job keeps its resources, since its data is in GPU memory. Its time limit and its
// account's charges stand still.
Answer suspend(TurnBuilder& builder, const Principal& principal, const SuspendJob& command) {
    const auto act = [&](const JobTarget& target) -> std::optional<Refused> {
        const Job& job = *builder.state().find_job(target.job);
        if (auto no = not_running(job)) return no;
        if (auto no = lends_its_cores(builder.state(), job)) return no;
        if (!command.resume && job.is_suspended() && !job.awaits_turn()) return std::nullopt;
        if (command.resume && job.awaits_turn()) {
            return refused(Refusal::invalid_request,
                           "Job " + to_string(job.id) +
                               " takes turns with others on its cores: it goes on when its turn "
                               "comes",
                           job.id);
        }
        if (command.resume && !job.is_suspended()) {
            return refused(Refusal::job_not_suspended,
                           "Job " + to_string(job.id) + " is running: there is nothing to resume",
                           job.id);
        }
        builder.record(JobSuspended{job.id, job.attempt, !command.resume, principal.uid});
        return std::nullopt;
    };
    return for_each_target(builder, principal, Verb::suspend_job, command.job, act);
}

Answer notify(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
              const NotifyJob& command) {
    if (auto refusing = too_large(command)) return refused(*std::move(refusing));
    const bool is_line = command.text.find('\n') == std::string::npos;
    if (command.text.empty() || !is_line) {
        return refused(Refusal::invalid_request, "A message is one line, and not empty");
    }
    const auto act = [&](const JobTarget& target) -> std::optional<Refused> {
        const Job& job = *builder.state().find_job(target.job);
        if (job.state == JobState::pending) {
            return refused(Refusal::already_disabled,
                           "Job " + to_string(job.id) + " is pending: it has no output yet",
                           job.id);
        }
        if (auto no = not_running(job)) return no;
        nodes.notify(builder, job, command.text);
        return std::nullopt;
    };
    return for_each_target(builder, principal, Verb::notify_job, command.job, act);
}

// Said again at once, it adds nothing that is worth a record.
Answer checkpoint(TurnBuilder& builder, const Principal& principal, const CheckpointJob& command) {
    constexpr Duration kApart = std::chrono::seconds(1);
    const auto act = [&](const JobTarget& target) -> std::optional<Refused> {
        const Job& job = *builder.state().find_job(target.job);
        if (auto no = not_running(job)) return no;
        if (job.spec.command->checkpoint.empty()) {
            return refused(Refusal::invalid_request,
                           "Job " + to_string(job.id) +
                               " saves no checkpoint: it was submitted without --berth-checkpoint",
                           job.id);
        }
        const Rare<RunCheckpoint>& last = job.allocation->checkpoint;
        const bool is_again = last && builder.now() - last->at < kApart;
        if (job.must_save() || !is_again) builder.record(CheckpointSeen{job.id, job.attempt});
        return std::nullopt;
    };
    return for_each_target(builder, principal, Verb::checkpoint_job, command.job, act);
}

}  // namespace berth
