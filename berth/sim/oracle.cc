#include "berth/sim/oracle.h"

#include <algorithm>

#include "berth/base/codec.h"

namespace berth::sim {
namespace {

bool takes_a_part(const Allocation& allocation) {
    return std::ranges::any_of(
        allocation.shares, [](const NodeShare& share) { return share.device_share.has_value(); });
}

}  // namespace

// ---- Recorded facts.

Recorded Oracle::read(const Record& record, const ClusterState& after) {
    Recorded read{.now = record.now, .facts = record.facts, .after = {}};
    std::set<JobId> touched;
    for (const Fact& fact : record.facts) {
        std::visit(
            [&](const auto& one) {
                if constexpr (requires { JobId{one.job}; }) touched.insert(JobId{one.job});
                if constexpr (std::is_same_v<std::decay_t<decltype(one)>, StartJob>) {
                    if (one.task_job) touched.insert(*one.task_job);
                }
                if constexpr (std::is_same_v<std::decay_t<decltype(one)>, JobSubmitted>) {
                    touched.insert(one.job.id);
                }
            },
            fact);
    }
    for (const JobId id : touched) {
        const Job* const job = after.find_job(id);
        if (job != nullptr) read.after.push_back({id, job->state});
    }
    return read;
}

void Oracle::recorded(const Recorded& record) {
    ++records_;
    recorded_at_ = record.now;
    fenced_.clear();
    // Ends come first: in one record a job may end and another start because of that.
    for (const Fact& fact : record.facts) {
        decisions_.take(record.now, fact);
        take(fact);
    }
    for (const Recorded::After& after : record.after) {
        Known& job = jobs_[after.job];
        if (is_final(job.state) && after.state != job.state) {
            stage_.violated("I5", words(after.job) + " was over, and is not any more");
        }
        job.state = after.state;
        if (is_final(job.state)) queues_.over(after.job);
    }
    for (const Fact& fact : record.facts) {
        if (const auto* started = std::get_if<StartJob>(&fact)) start(record.now, *started);
        if (const auto* forgotten = std::get_if<JobForgotten>(&fact)) forget(forgotten->job);
    }
    for (const Recorded::After& after : record.after) {
        Known& job = jobs_[after.job];
        const bool left = after.state == JobState::pending || is_final(after.state);
        if (left && !job.run.over()) {
            stage_.violated("I4", words(after.job) + " left a run that holds nodes");
        }
    }
}

void Oracle::forget(JobId id) {
    Known& job = jobs_[id];
    job.forgotten = true;
    job.forgotten_in = records_;
    if (is_final(job.state)) return;
    // Its last node may have finished in this same record.
    if (job.run.over() && job.run.ending_at) {
        job.state = JobState::completed;
    } else {
        stage_.violated("I3", words(id) + " was dropped");
    }
}

void Oracle::take(const Fact& fact) {
    if (const auto* office = std::get_if<ControllerStarted>(&fact)) {
        if (office->epoch <= epoch_) stage_.violated("I12", "a term of office began twice");
        epoch_ = office->epoch;
    } else if (const auto* submitted = std::get_if<JobSubmitted>(&fact)) {
        const JobId id = submitted->job.id;
        stage_.trace([&] { return "recorded: submitted " + to_string(id); });
        if (jobs_.contains(id)) stage_.violated("I4", words(id) + " was given out twice");
        const std::string& request = submitted->job.spec.request_id;
        if (!request.empty() && !requests_.emplace(request, id).second) {
            stage_.violated("I3", "one submission became jobs " + to_string(requests_.at(request)) +
                                      " and " + to_string(id));
        }
        jobs_[id] = Known{.spec = submitted->job.spec,
                          .user = *submitted->job.owner->user,
                          .account = *submitted->job.spec.account,
                          .qos = submitted->job.qos,
                          .time_limit = submitted->job.time_limit,
                          .hold = submitted->job.hold};
        jobs_[id].submitted_in = records_;
    } else if (const auto* held = std::get_if<JobHeld>(&fact)) {
        jobs_[held->job].hold = held->hold;
    } else if (const auto* ending = std::get_if<EndJob>(&fact)) {
        stage_.trace([&] { return "recorded: to end " + to_string(ending->job); });
        Known& job = jobs_[ending->job];
        queues_.dying(ending->job);
        if (!job.run.ending_at) job.run.ending_at = stage_.now();
        if (ending->preempted_by && (!job.preempted || *job.preempted < job.run.attempt))
            stage_.violated("I14", words(ending->job) + " ends as preempted, and nobody chose it");
        if (ending->preempted_by) check_waited_for(ending->job, job);
        if (ending->outcome != JobState::pending) return;
        job.hold = ending->hold;
        if (is_final(job.state)) job.state = JobState::pending;  // Requeued by its owner.
    } else if (const auto* started = std::get_if<StartJob>(&fact)) {
        const JobId task = started->task_job.value_or(started->job);
        if (task != started->job) take_task(started->job, task);
        check_queues(*started, task);
    } else if (const auto* preempted = std::get_if<JobsPreempted>(&fact)) {
        preempt(*preempted);
    } else if (const auto* suspended = std::get_if<JobSuspended>(&fact)) {
        suspend(*suspended);
    } else if (const auto* frozen = std::get_if<JobFrozen>(&fact)) {
        freeze(*frozen);
    } else if (const auto* saved = std::get_if<CheckpointSeen>(&fact)) {
        save(*saved);
    } else if (const auto* ended = std::get_if<AttemptEnded>(&fact)) {
        end(*ended);
    } else if (const auto* fenced = std::get_if<NodeFenced>(&fact)) {
        if (fenced->failure.empty()) fenced_.insert(fenced->node);
    } else if (const auto* reserved = std::get_if<ReservationSet>(&fact)) {
        reservations_[reserved->reservation.name] = reserved->reservation;
    } else if (const auto* deleted = std::get_if<ReservationDeleted>(&fact)) {
        unreserve(deleted->name);
    } else if (const auto* edited = std::get_if<AccountingEdited>(&fact)) {
        queues_.edited(edited->edits);
    }
}

void Oracle::take_task(JobId array, JobId task) {
    if (jobs_.contains(task)) return;
    jobs_[task] = jobs_[array];
    jobs_[task].array_job = array;
}

// Jobs of the reservation are held, and may afterwards run anywhere.
void Oracle::unreserve(const std::string& name) {
    const auto at = reservations_.find(name);
    if (at == reservations_.end()) return;
    for (auto& [id, job] : jobs_) {
        if (job.state != JobState::pending || job.spec.request->reservation != name) continue;
        job.spec.request.edit().reservation.clear();
        if (at->second.hold_jobs_after) job.hold = Hold::admin;
    }
    reservations_.erase(at);
}

void Oracle::start(Time now, const StartJob& fact) {
    const JobId id = fact.array_task ? fact.task_job.value_or(fact.job) : fact.job;
    Known& job = jobs_[id];
    stage_.trace(
        [&] { return "recorded: start " + to_string(id) + "." + to_string(fact.attempt); });
    if (fact.attempt <= job.run.attempt) {
        stage_.violated("I4", words(id) + ": attempt numbers do not go up");
    }
    if (!job.run.over()) {
        stage_.violated("I4", words(id) + " is started while a run of it holds nodes");
    }
    check_may_start(id, job, now);
    if (fact.allocation.shares.size() < job.spec.request->nodes_min) {
        stage_.violated("I6", words(id) + " is started on too few nodes");
    }
    job.run = Run{.attempt = fact.attempt, .allocation = fact.allocation};
    for (const NodeShare& share : fact.allocation.shares) job.run.nodes.insert(share.node);
    job.run.is_suspended = job.run.is_at_rest = fact.in_turns;  // It is not launched yet.
    check_rules(now, id, job, fact);
    ++runs_;
    if (takes_a_part(fact.allocation)) ++runs_on_parts_;
}

void Oracle::check_may_start(JobId id, const Known& job, Time now) {
    if (is_final(job.state)) stage_.violated("I5", words(id) + " is over and started again");
    if (job.cancel_told) stage_.violated("I3", words(id) + " is started after its cancellation");
    if (job.hold != Hold::none) stage_.violated("I7", words(id) + " is held and started");
    if (job.spec.begin && *job.spec.begin > now) {
        stage_.violated("I7", words(id) + " is started before its begin time");
    }
    for (const Dependency& dependency : job.spec.dependencies) {
        if (satisfied(job, dependency)) continue;
        stage_.violated("I7", words(id) + " is started before what it depends on allows: " +
                                  words(dependency.job));
    }
}

// Jobs that were removed before the dependent job was submitted do not count: they are unknown by
// then.
std::vector<const Oracle::Known*> Oracle::with_tasks(JobId id, std::uint64_t submitted_in) const {
    std::vector<const Known*> all;
    for (const auto& [other, job] : jobs_) {
        const bool known = !job.forgotten || job.forgotten_in > submitted_in;
        if (known && (other == id || job.array_job == id)) all.push_back(&job);
    }
    return all;
}

bool Oracle::satisfied(const Known& waiting, const Dependency& dependency) const {
    const std::vector<const Known*> all = with_tasks(dependency.job, waiting.submitted_in);
    const auto each = [&](auto holds) {
        return std::ranges::all_of(all, [&](const Known* job) { return holds(*job); });
    };
    switch (dependency.kind) {
        case DependencyKind::after:
            return each([](const Known& job) {
                return job.run.attempt > Attempt{0} || is_final(job.state);
            });
        case DependencyKind::afterany:
            return each([](const Known& job) { return is_final(job.state); });
        case DependencyKind::afterok:
            return each([](const Known& job) { return job.state == JobState::completed; });
        case DependencyKind::afternotok:
            return each([](const Known& job) { return is_final(job.state); }) &&
                   !each([](const Known& job) { return job.state == JobState::completed; });
        case DependencyKind::aftercorr:
        case DependencyKind::singleton: return true;  // The world does not use them.
    }
    return true;
}

void Oracle::end(const AttemptEnded& fact) {
    Known& job = jobs_[fact.job];
    const AttemptKey key{fact.job, fact.attempt};
    stage_.trace([&] {
        return "recorded: end of " + to_text(key) + " on node " + to_string(fact.node) +
               (fact.lost ? ", lost " : " ") + fact.reason;
    });
    if (job.run.attempt != fact.attempt || !job.run.nodes.contains(fact.node)) return;
    if (!job.run.ended.insert(fact.node).second) {
        stage_.violated("I5", "the end of " + to_text(key) + " is recorded twice for one node");
    }
    if (fact.lost) ++lost_runs_;
    queues_.ended(fact.job, fact.node);
    // The disk of a node that is switched off cannot be read.
    const bool unread = fenced_.contains(fact.node);
    if (!fact.batch_exit && !unread) check_not_spooled(key, *machines_[fact.node.index()]);
    if (!job.run.ending_at) job.run.ending_at = stage_.now();
    if (machines_[fact.node.index()]->cgroups().contains(key)) {
        stage_.violated("I11", to_text(key) + " is recorded as ended on " +
                                   machines_[fact.node.index()]->spec().name +
                                   ", where it still is");
    }
}

// A script's own end that is durable on its node must not be recorded as a loss.
void Oracle::check_not_spooled(AttemptKey key, const SimMachine& machine) {
    const auto end = machine.disk.find("end." + to_text(key));
    if (end == machine.disk.end()) return;
    const Result<AttemptReport> report = decode<AttemptReport>(end->second);
    if (!report.ok() || !report->batch_exit) return;
    stage_.violated("I5", "the end of " + to_text(key) + " lies in the spool of " +
                              machine.spec().name + ", and it is recorded without");
}

void Oracle::recovered(const ClusterState& state) {
    for (const auto& [job, request] : promised_) {
        const auto known = jobs_.find(job);
        if (known != jobs_.end() && known->second.forgotten) continue;
        if (state.find_job(job) != nullptr) continue;
        stage_.violated("I3", words(job) + " was acknowledged and is lost");
    }
}

// ---- What users have been told.

void Oracle::told_submitted(JobId job, const std::string& request_id) {
    promised_.emplace(job, request_id);
    const auto found = requests_.find(request_id);
    if (found == requests_.end() || found->second != job) {
        stage_.violated("I3", words(job) + " was acknowledged and is not recorded as such");
    }
}

void Oracle::told_cancelled(JobId job) {
    Known& known = jobs_[job];
    known.cancel_told = true;
    if (!is_final(known.state) && !known.run.ending_at) {
        stage_.violated("I3", words(job) + ": a cancellation is acknowledged and not recorded");
    }
}

bool Oracle::all_final() const {
    return std::ranges::all_of(jobs_, [](const auto& job) { return is_final(job.second.state); });
}

void Oracle::finish(const ClusterState& state) {
    for (const auto& [id, job] : jobs_) {
        if (!is_final(job.state)) stage_.violated("end", words(id) + " never came to an end");
    }
    for (const auto& [job, request] : promised_) {
        if (!jobs_.contains(job)) stage_.violated("I3", words(job) + " is lost");
    }
    for (const SimMachine* const machine : machines_) {
        NodeFree expected = all_free(machine->spec());
        drain(expected, state.nodes().condition(machine->id()).drained_mask(), machine->spec());
        if (state.nodes().free(machine->id()) != expected) {
            stage_.violated("end", machine->spec().name + " is not free again");
        }
        if (!machine->cgroups().empty()) {
            stage_.violated("end", machine->spec().name + " still runs " +
                                       to_text(machine->cgroups().begin()->first));
        }
        for (const auto& [key, value] : machine->disk) {
            if (key.starts_with("end.") || key.starts_with("attempt.")) {
                stage_.violated("end", machine->spec().name + " still has " + key);
            }
        }
    }
}

}  // namespace berth::sim
