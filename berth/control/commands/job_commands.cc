// Commands on existing jobs: cancel, hold, release, requeue, update.
#include "berth/control/commands/commands.h"
#include "berth/control/orders/on_node.h"
#include "berth/control/requests/limits.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

constexpr std::int32_t kKillSignal = 9;

// The most tasks of one target that get records of their own.
constexpr std::size_t kSplitMax = 256;

std::optional<Refused> too_many(const JobTarget& target) {
    if (target.tasks.size() <= kSplitMax) return std::nullopt;
    return refused(Refusal::invalid_request,
                   "These are " + std::to_string(target.tasks.size()) +
                       " tasks that have not started: name at most " + std::to_string(kSplitMax) +
                       " at a time, or the whole array, " + to_string(target.job),
                   target.job);
}

// The records that a change of the target applies to. Selected tasks of an array get records of
// their own first.
std::vector<JobId> own_records(TurnBuilder& builder, const JobTarget& target) {
    if (target.tasks.empty()) return {target.job};
    std::vector<JobId> records;
    for (const std::uint32_t task : target.tasks) {
        records.push_back(builder.state().next_job_id());
        builder.record(TaskSplit{target.job, task, records.back()});
    }
    return records;
}

std::optional<Refused> not_pending(const Job& job) {
    if (job.state == JobState::pending) return std::nullopt;
    return refused(Refusal::job_not_pending,
                   "Job " + to_string(job.id) + " is " + std::string(words(job.state)), job.id);
}

std::optional<Refused> finished(const Job& job) {
    if (!is_final(job.state) && job.state != JobState::completing) return std::nullopt;
    return refused(Refusal::job_finished,
                   "Job " + to_string(job.id) + " is already " + std::string(words(job.state)),
                   job.id);
}

// One cancel command, applied to its targets in turn.
class Canceller {
public:
    Canceller(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
              const CancelJob& command)
        : builder_(builder), nodes_(nodes), principal_(principal), command_(command) {}

    std::optional<Refused> operator()(const JobTarget& target) {
        const Job& job = *builder_.state().find_job(target.job);
        const bool waits = job.state == JobState::pending;
        if (waits ? command_.only_running : command_.only_pending) return std::nullopt;
        if (job.state == JobState::completing && job.outcome == JobState::pending && ends_job()) {
            return end(job);  // It was about to be requeued, which is now pointless.
        }
        if (auto no = finished(job)) return no;
        if (waits) return cancel_pending(target);
        if (command_.step && *command_.step != kBatchStep) return of_step(job);
        if (ends_job()) return end(job);
        std::span<const NodeId> nodes(*job.nodes);
        if (command_.batch_only || command_.step) nodes = nodes.first(1);
        std::optional<StepId> step;
        if (command_.batch_only || command_.step) step = kBatchStep;
        nodes_.signal(builder_, job, nodes,
                      {job.id, job.attempt, step, command_.whole_job, command_.signal});
        return std::nullopt;
    }

private:
    // As in Slurm, SIGKILL ends a job as a cancel without a signal does, but at once. So does
    // SIGKILL for the script.
    bool ends_job() const {
        if (command_.step && *command_.step != kBatchStep) return false;
        return command_.signal == 0 || (command_.signal == kKillSignal && !command_.batch_only);
    }

    std::optional<Refused> cancel_pending(const JobTarget& target) {
        const Job& job = *builder_.state().find_job(target.job);
        if (job.het && (command_.job.het_offset || command_.job.job != job.het->first)) {
            return refused(Refusal::invalid_request,
                           "Job " + to_string(job.id) + " is a component of job " +
                               to_string(job.het->first) +
                               ", which waits as a whole: cancel that one",
                           job.id);
        }
        if (!ends_job()) {
            return refused(Refusal::job_not_running,
                           "Job " + to_string(target.job) + " is pending: nothing of it runs yet",
                           target.job);
        }
        builder_.record(JobCancelled{target.job, target.tasks, principal_.uid});
        return std::nullopt;
    }

    std::optional<Refused> end(const Job& job) {
        EndJob fact{.job = job.id, .outcome = JobState::cancelled};
        fact.by_uid = principal_.uid;
        builder_.record(fact);
        if (command_.signal == kKillSignal) nodes_.end_at_once(job);
        return std::nullopt;
    }

    std::optional<Refused> of_step(const Job& job) {
        const Step* const step = find_step(job, *command_.step);
        if (step == nullptr) {
            return refused(Refusal::unknown_step,
                           "Job " + to_string(job.id) + " has no step " + to_string(*command_.step),
                           job.id);
        }
        if (step->state != StepState::running) {
            return refused(Refusal::job_finished,
                           "Step " + to_string(job.id) + "." + to_string(step->id) + " has ended",
                           job.id);
        }
        if (command_.signal == 0) {
            nodes_.end_step(job, *step, EndReason::cancelled);
            return std::nullopt;
        }
        std::vector<NodeId> nodes;
        nodes.reserve(step->shares.size());
        for (const StepShare& share : step->shares) nodes.push_back(share.node);
        nodes_.signal(builder_, job, nodes,
                      {job.id, job.attempt, step->id, false, command_.signal});
        return std::nullopt;
    }

    TurnBuilder& builder_;
    Nodes& nodes_;
    const Principal& principal_;
    const CancelJob& command_;
};

// Only an operator's hold keeps the owner from releasing the job. If a user asks for one, it
// becomes a user hold, as with Slurm's `scontrol hold`.
Hold hold_by(const Principal& principal, Hold asked) {
    const bool as_admin =
        asked == Hold::admin && allowed(principal.role, Verb::hold_job_as_admin, false);
    return as_admin ? Hold::admin : Hold::user;
}

std::optional<Refused> release(TurnBuilder& builder, const Principal& principal,
                               const JobTarget& target) {
    const Job& job = *builder.state().find_job(target.job);
    if (job.hold == Hold::admin) {
        const ClusterSpec& spec = builder.state().spec();
        if (auto no = forbidden(spec, principal, Verb::release_admin_hold, job)) return no;
    }
    if (job.hold == Hold::none) return std::nullopt;
    for (const JobId id : own_records(builder, target)) builder.record(JobHeld{id, Hold::none});
    return std::nullopt;
}

// The hold of a job that is requeued.
Hold hold_of_requeued(const Principal& principal, const Job& job, const RequeueJob& command) {
    if (command.special_exit) return Hold::special_exit;
    if (!command.hold) return Hold::none;
    return hold_by(principal, owns(principal, job) ? Hold::user : Hold::admin);
}

std::optional<Refused> requeue_one(TurnBuilder& builder, const Principal& principal,
                                   const JobTarget& target, const RequeueJob& command) {
    const Job& job = *builder.state().find_job(target.job);
    if (command.incomplete && job.state != JobState::running) return std::nullopt;
    const Hold hold = hold_of_requeued(principal, job, command);
    const bool and_hold = hold != Hold::none;
    if (job.state == JobState::pending) {
        if (!and_hold || command.special_exit) {
            return refused(Refusal::job_not_running,
                           "Job " + to_string(job.id) + " is pending: there is nothing to requeue",
                           job.id);
        }
        if (job.hold != Hold::none) return std::nullopt;
        for (const JobId id : own_records(builder, target)) builder.record(JobHeld{id, hold});
        return std::nullopt;
    }
    if (job.attempt == Attempt{0}) {
        return refused(Refusal::job_not_requeueable,
                       "Job " + to_string(job.id) + " never ran: submit it again", job.id);
    }
    if (!may_requeue(builder.state(), job)) {
        return refused(
            Refusal::job_not_requeueable,
            "Job " + to_string(job.id) +
                (job.spec.command->interactive ? " is interactive: there is no script to run again"
                                               : " was submitted with --no-requeue"),
            job.id);
    }
    if (job.state == JobState::completing) {
        return refused(
            Refusal::job_finished,
            "Job " + to_string(job.id) + " is completing: requeue it once it has ended everywhere",
            job.id);
    }
    EndJob fact{.job = job.id, .outcome = JobState::pending, .hold = hold};
    const bool by_scheduler = job.awaits_turn() || (job.lends_cores() && !job.lends_by_turns());
    if (job.is_suspended() && !by_scheduler && !and_hold)
        fact.hold = hold_by(principal, Hold::admin);
    fact.by_uid = principal.uid;
    builder.record(fact);
    return std::nullopt;
}

// Names become ids. Unknown names are refused.
std::optional<Refused> resolve(const ClusterSpec& spec, const JobChange& change, JobUpdated& fact) {
    copy_same_fields(change, fact);
    if (change.partition && change.partition->find(',') != std::string::npos) {
        fact.partitions = *change.partition;  // Admission chooses among them.
    } else if (change.partition) {
        fact.partition = spec.find_partition(*change.partition);
        if (!fact.partition) {
            return refused(Refusal::unknown_partition,
                           "There is no partition '" + *change.partition + "'");
        }
    }
    if (change.qos) {
        fact.qos = spec.find_qos(*change.qos);
        if (!fact.qos) {
            return refused(Refusal::unknown_qos, "There is no QOS '" + *change.qos + "'");
        }
    }
    return std::nullopt;
}

}  // namespace

Answer cancel(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
              const CancelJob& command) {
    if (command.signal < 0 || command.signal > kSignalMax) {
        return refused(
            Refusal::invalid_request,
            "There is no signal " + std::to_string(command.signal) + ": signals go from 1 to 64");
    }
    const bool ends = command.signal == 0 || command.signal == kKillSignal;
    return for_each_target(builder, principal, ends ? Verb::cancel_job : Verb::signal_job,
                           command.job, Canceller(builder, nodes, principal, command));
}

Answer hold(TurnBuilder& builder, const Principal& principal, const HoldJob& command) {
    const bool release_it = command.hold == Hold::none;
    const auto act = [&](const JobTarget& target) -> std::optional<Refused> {
        if (auto no = too_many(target)) return no;
        const Job& job = *builder.state().find_job(target.job);
        if (auto no = finished(job)) return no;
        if (auto no = not_pending(job)) return no;
        if (release_it) return release(builder, principal, target);
        const Hold wanted = hold_by(principal, command.hold);
        // A user's hold does not weaken an operator's.
        if (job.hold == Hold::admin || (job.hold != Hold::none && wanted != Hold::admin))
            return std::nullopt;
        for (const JobId id : own_records(builder, target)) builder.record(JobHeld{id, wanted});
        return std::nullopt;
    };
    return for_each_target(builder, principal, release_it ? Verb::release_job : Verb::hold_job,
                           command.job, act);
}

Answer requeue(TurnBuilder& builder, const Principal& principal, const RequeueJob& command) {
    const auto act = [&](const JobTarget& target) -> std::optional<Refused> {
        if (auto no = too_many(target)) return no;
        return requeue_one(builder, principal, target, command);
    };
    return for_each_target(builder, principal, Verb::requeue_job, command.job, act);
}

Answer update(TurnBuilder& builder, const Principal& principal, const UpdateJob& command) {
    if (auto refusing = too_large(command)) return refused(*std::move(refusing));
    JobUpdated wanted;
    if (auto no = resolve(builder.state().spec(), command.change, wanted)) return *no;
    const auto act = [&](const JobTarget& target) -> std::optional<Refused> {
        if (auto no = too_many(target)) return no;
        const Job& job = *builder.state().find_job(target.job);
        wanted.job = target.job;
        const bool by_operator = allowed(principal.role, Verb::raise_limits, owns(principal, job));
        wanted.by_operator = by_operator;
        if (command.change.changes_request()) {
            wanted.request = job.spec.request;
            command.change.apply_to(*wanted.request);
        }
        auto admitted =
            admit_update(builder.state(), builder.now(), wanted, by_operator, principal.groups);
        if (auto* refusing = std::get_if<Refusing>(&admitted)) {
            return refused(std::move(*refusing), job.id);
        }
        auto fact = std::get<JobUpdated>(std::move(admitted));
        for (const JobId id : own_records(builder, target)) {
            fact.job = id;
            builder.record(fact);
        }
        return std::nullopt;
    };
    return for_each_target(builder, principal, Verb::update_job, command.job, act);
}

}  // namespace berth
