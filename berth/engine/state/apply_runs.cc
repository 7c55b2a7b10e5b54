// How facts change the state: the start of a run, and its end, node by node.
#include <algorithm>

#include "berth/engine/state/cluster_state_change.h"
#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/job_steps.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/turns.h"

namespace berth {
namespace {

constexpr std::string_view kLaunchFailed = "launch failed requeued held";

void set_refused_by(Job& job, const std::vector<std::string>& nodes) {
    if (job.spec.request->refused_by != nodes) job.spec.request.edit().refused_by = nodes;
}

void start_run(Job& job, Time now, const StartJob& fact, const HookSpec& hooks) {
    BERTH_ASSERT(job.state == JobState::pending && job.hold == Hold::none && !job.spec.array);
    BERTH_ASSERT(fact.attempt > job.attempt && !fact.allocation.shares.empty());
    job.state = JobState::running;
    job.outcome = JobState::pending;
    job.attempt = fact.attempt;
    job.allocation = fact.allocation;
    job.cpus = 0;
    std::vector<NodeId> nodes;
    Resources amount;
    for (const NodeShare& share : fact.allocation.shares) {
        nodes.push_back(share.node);
        job.cpus += share.cpus;
        amount += share.amount;
    }
    job.nodes = std::move(nodes);
    job.allocated = amount;
    if (fact.time_limit) {
        job.full_time_limit = job.time_limit;
        job.time_limit = *fact.time_limit;
    }
    if (!job.eligible_at) job.eligible_at = now;
    job.started_at = now;
    job.start_priority = fact.priority;
    job.warned = false;
    set_refused_by(job, {});
    job.limit_notices = 0;
    job.hook = hooks.controller_prolog.empty() ? ControllerHook::none : ControllerHook::prolog;
    job.suspension.reset();
    job.expedited = false;
    job.ended_at.reset();
    job.exit = job.derived_exit = {};
    job.steps.clear();
    job.next_step = 0;
    job.state_reason.clear();
}

void set_suspended(Job& job, Time now, bool in_force) {
    Suspension now_on = job.suspension ? *job.suspension : Suspension{};
    now_on.ran_before = ran_for(job, now);
    if (now_on.in_force) now_on.total += std::max(Duration{}, now - now_on.changed_at);
    now_on.in_force = in_force;
    now_on.changed_at = now;
    now_on.changes += 1;
    now_on.proved = now_on.by_turn = false;
    now_on.not_launched = now_on.not_launched && in_force;
    job.suspension = now_on;
}

// Nothing of it is there: no node need prove that.
void await_first_turn(Job& job, Time now) {
    set_suspended(job, now, true);
    job.suspension->proved = job.suspension->by_turn = job.suspension->not_launched = true;
}

void end_run(Job& job, Time now, JobState outcome, std::string_view reason) {
    if (job.is_suspended()) set_suspended(job, now, false);
    job.state = JobState::completing;
    job.outcome = outcome;
    job.ended_at = now;
    job.state_reason = reason;
}

// The script ended by itself.
void end_by_exit(Job& job, Time now, ExitStatus exit, bool out_of_memory) {
    job.exit = out_of_memory ? kOutOfMemoryExit : exit;
    if (out_of_memory) {
        end_run(job, now, JobState::out_of_memory, "OutOfMemory");
    } else if (exit.signal != 0) {
        end_run(job, now, JobState::failed, "RaisedSignal");
    } else if (exit.code != 0) {
        end_run(job, now, JobState::failed, "NonZeroExitCode");
    } else {
        end_run(job, now, JobState::completed, "");
    }
}

// How long a job waits that RequeueExit has put back into the queue, as with Slurm: a script that
// fails at once does not run over and over.
constexpr Duration kRequeueExitDelay = std::chrono::minutes(2);

// Puts the job back into the queue if its exit code is one of RequeueExit's or RequeueExitHold's.
// As with Slurm, that does not depend on --requeue.
void requeue_by_exit(const SchedulingSpec& site, Job& job) {
    if (job.outcome != JobState::failed || job.exit.signal != 0 || job.spec.command->interactive)
        return;
    if (std::ranges::binary_search(site.requeue_exit, job.exit.code)) {
        job.spec.begin = *job.ended_at + kRequeueExitDelay;
    } else if (std::ranges::binary_search(site.requeue_exit_hold, job.exit.code)) {
        job.hold = Hold::special_exit;
    } else {
        return;
    }
    job.outcome = JobState::pending;
    job.state_reason.clear();
}

// The time limit or deadline was applied to a run whose script had already ended, which the
// controller could not know: the agent was stopped, or its link was down.
bool ended_in_time(const Job& job, const AttemptEnded& fact) {
    return job.state == JobState::completing && was_ended_by_limit(job) && fact.batch_exit &&
           !fact.lost && job.nodes.front() == fact.node && fact.ended_at &&
           *fact.ended_at <= *job.ended_at;
}

// When the script of a heterogeneous job, which the first component has, ended in time, while this
// component still counts as ended by the limit. nullopt: this is not so, or the fact does not say
// how the component ended instead.
std::optional<Time> script_ended_in_time(const ClusterState& state, const Job& job,
                                         const EndJob& fact) {
    if (!job.het || !fact.exit || fact.outcome == JobState::pending || !was_ended_by_limit(job))
        return std::nullopt;
    const Job* const first = state.find_job(job.het->first);
    const bool in_time = first != nullptr && first->attempt == job.attempt && first->ended_at &&
                         !was_ended_by_limit(*first);
    return in_time ? std::optional(*first->ended_at) : std::nullopt;
}

// If the nodes of the component are clean already, only what is told of it changes.
void end_with_script(Job& job, Time at, const EndJob& fact) {
    job.outcome = fact.outcome;
    if (is_final(job.state)) job.state = fact.outcome;
    job.ended_at = std::max(*job.started_at, at);
    job.exit = *fact.exit;
    job.state_reason = fact.reason;
}

// --no-kill: the run goes on without a node that is lost, unless its script or client is there.
bool goes_on_without(const ClusterState& state, const Job& job, const AttemptEnded& fact) {
    if (!job.spec.command->no_kill || job.state != JobState::running || job.het) return false;
    if (!fact.lost || !fact.reason.empty() || job.nodes.front() == fact.node) return false;
    // A run that is to give way, or shares its cores, is too entangled: it ends like any other.
    return !job.allocation->preempted && !takes_turns(state.jobs(), state.index(), job);
}

// The script did not end by itself: the node rebooted, the launch failed, or something else killed
// it.
void end_by_loss(Job& job, Time now, bool may_requeue, bool launch_failed) {
    if (!may_requeue) {
        end_run(job, now, launch_failed ? JobState::failed : JobState::node_fail,
                launch_failed ? "JobLaunchFailure" : "NodeDown");
    } else if (launch_failed) {
        end_run(job, now, JobState::pending, kLaunchFailed);
        job.hold = Hold::admin;
    } else {
        end_run(job, now, JobState::pending, "");
        job.expedited = job.spec.expedite;
    }
}

// A job of several partitions waits again where it waited first: it keeps its place in the highest
// tier.
void stand_in_first(const ClusterSpec& spec, Job& job) {
    if (!names_several_partitions(job.spec)) return;
    const std::vector<PartitionId> partitions = partitions_of(spec, job);
    if (partitions.empty()) return;
    job.partition = partitions.front();
    if (!job.spec.request->time_limit)
        job.time_limit = default_time_limit(spec, job.partition, job.qos);
}

// `refused`: the script never began, so this does not count as a restart.
void requeue(const ClusterSpec& spec, Job& job, bool refused) {
    job.state = JobState::pending;
    if (!refused) job.restarts += 1;
    job.started_at.reset();
    job.ended_at.reset();
    job.eligible_at.reset();
    if (job.full_time_limit) job.time_limit = *std::exchange(job.full_time_limit, std::nullopt);
    stand_in_first(spec, job);
    job.steps.clear();
    job.next_step = 0;
    job.suspension.reset();
}

// Whether the node of the job's script refused the job. The first component of a heterogeneous job
// has the script of all.
bool batch_host_refused(const ClusterState& state, const Job& job) {
    const auto& refused_by = job.spec.request->refused_by;
    if (refused_by.empty()) return false;
    const Job* const first = job.het ? state.find_job(job.het->first) : &job;
    if (first == nullptr) return false;
    const std::string& batch_host = state.spec().node(first->nodes.front()).name;
    return std::ranges::find(refused_by, batch_host) != refused_by.end();
}

}  // namespace

void ClusterState::take(Time now, const StartJob& fact) {
    set_planned(fact.job, std::nullopt);
    if (schedule_.preemptor_holds().contains(fact.job)) {
        set_preemptor_hold(fact.job, std::nullopt);
        set_preemptor_rest(record_of_array(*this, jobs_.at(fact.job)), std::nullopt);
    }
    JobId id = fact.job;
    if (fact.array_task) id = split_task(fact.job, *fact.array_task, fact.task_job.value_or(id));
    for (const NodeShare& share : fact.allocation.shares) {
        if (fact.in_turns) share_by_turns(now, share);
        take_share(share, fact.in_turns);
    }
    change_job(id, [&](Job& job) {
        start_run(job, now, fact, spec().hooks);
        if (fact.in_turns) await_first_turn(job, now);
    });
    const Job& job = jobs_.at(id);
    if (fact.in_turns) {
        (void)usage_index(now, job.spec.account, job.owner->user);
    } else {
        start_using(now, job);
    }
}

void ClusterState::take(Time now, const EndJob& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr) return;
    BERTH_ASSERT(fact.outcome == JobState::pending || is_final(fact.outcome));
    if (is_final(job->state) && fact.outcome == JobState::pending) {  // By `scontrol requeue`.
        return change_job(fact.job, [&](Job& record) {
            requeue(spec(), record, false);
            record.hold = fact.hold;
            record.state_reason = fact.reason;
        });
    }
    if (const auto at = script_ended_in_time(*this, *job, fact))
        return change_job(fact.job, [&](Job& record) { end_with_script(record, *at, fact); });
    if (!job->allocation) return;
    // A decided end stands, except that a job to be requeued may still be cancelled.
    const bool changes_mind = job->state == JobState::completing &&
                              job->outcome == JobState::pending &&
                              fact.outcome == JobState::cancelled;
    if (job->state != JobState::running && !changes_mind) return;
    if (is_using(*job)) stop_using(now, *job);
    const Duration service = service_of(*job, now);
    if (job->state == JobState::running) note_run(now, *job, fact.outcome);
    const bool still = is_at_rest(*job) && takes_turns(jobs_, index_, *job);
    change_job(fact.job, [&](Job& record) {
        record.attained += service;
        end_run(record, now, fact.outcome, fact.reason);
        if (still) record.suspension->ended_still = true;
        if (fact.exit) record.exit = *fact.exit;
        record.hold = fact.outcome == JobState::pending ? fact.hold : Hold::none;
        set_refused_by(record, fact.refused_by);
    });
}

void ClusterState::take(Time now, const JobsPreempted& fact) {
    if (fact.array) split_task(*fact.array, fact.array_task, fact.preemptor);
    Time until = now;
    for (const auto& victim : fact.victims) until = std::max(until, victim.ends_at);
    const bool suspends = std::ranges::find(fact.victims, PreemptMode::suspend,
                                            &JobsPreempted::Victim::mode) != fact.victims.end();
    hold_for_preemptor(fact.preemptor, until + spec().scheduling.preemption.hold_timeout, suspends);
    for (const JobsPreempted::Victim& victim : fact.victims) {
        const Job* job = find_job(victim.job);
        if (job == nullptr || job->state != JobState::running || job->attempt != victim.attempt)
            continue;
        if (job->lends_by_turns()) continue;
        // While others have its cores it can only stand still, and lend more of them.
        if (victim.mode != PreemptMode::suspend && has_borrowers(jobs_, index_, *job)) continue;
        const Time at = job->lends_cores() ? job->allocation->preempted->at : now;
        change_job(victim.job, [&](Job& record) {
            record.allocation->preempted =
                PreemptedRun{fact.preemptor, victim.mode, at, victim.ends_at};
        });
    }
}

void ClusterState::take(Time now, const AttemptEnded& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || !job->allocation || job->attempt != fact.attempt) return;
    const auto& shares = job->allocation->shares;
    if (std::none_of(shares.begin(), shares.end(),
                     [&](const NodeShare& share) { return share.node == fact.node; })) {
        return;
    }
    if (is_using(*job)) stop_using(now, *job);
    const Duration service = service_of(*job, now);
    const bool ran = job->state == JobState::running;
    const bool still = is_at_rest(*job) && takes_turns(jobs_, index_, *job);
    if (goes_on_without(*this, *job, fact)) {
        release(now, fact);
        change_job(fact.job, [&](Job& record) { std::erase(record.nodes.edit(), fact.node); });
        if (is_using(*job)) start_using(now, *job);
        return;
    }
    change_job(fact.job, [&](Job& record) {
        if (ended_in_time(record, fact)) {
            const Time at = std::max(*record.started_at, *fact.ended_at);
            end_by_exit(record, at, *fact.batch_exit, fact.out_of_memory);
            return requeue_by_exit(spec().scheduling, record);
        }
        if (record.state != JobState::running) return;
        record.attained += service;
        if (fact.batch_exit && !fact.lost && record.nodes.front() == fact.node) {
            end_by_exit(record, now, *fact.batch_exit, fact.out_of_memory);
            if (!fact.reason.empty()) record.state_reason = fact.reason;
            requeue_by_exit(spec().scheduling, record);
        } else {
            end_by_loss(record, now, may_requeue(*this, record), !fact.reason.empty());
        }
        if (still) record.suspension->ended_still = true;
    });
    if (ran) note_run(now, *job, job->outcome);
    release(now, fact);
}

// Gives back what the attempt held on the node. After the last node, the job enters its final or
// requeued state.
void ClusterState::release(Time now, const AttemptEnded& fact) {
    const bool refused = batch_host_refused(*this, jobs_.at(fact.job));
    change_job(fact.job, [&](Job& job) {
        auto& shares = job.allocation->shares;
        const auto share = std::find_if(shares.begin(), shares.end(), [&](const NodeShare& one) {
            return one.node == fact.node;
        });
        give_back_share(job, *share);
        shares.erase(share);
        release_steps(job, fact.node, now, fact.lost);
        if (!shares.empty()) return;
        job.allocation.reset();
        job.hook =
            spec().hooks.controller_epilog.empty() ? ControllerHook::none : ControllerHook::epilog;
        if (job.outcome == JobState::pending) {
            requeue(spec(), job, refused);
        } else {
            job.state = job.outcome;
        }
    });
    end_turns_on(fact.node);
}

void ClusterState::take(Time, const JobWarned& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    change_job(fact.job, [](Job& record) { record.warned = true; });
}

void ClusterState::take(Time, const JobNoticed& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    change_unindexed(fact.job, [&](Job& record) { record.limit_notices |= fact.limit_notices; });
}

void ClusterState::take(Time, const ControllerHookEnded& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->attempt != fact.attempt || job->hook != fact.hook) return;
    change_job(fact.job, [](Job& record) { record.hook = ControllerHook::none; });
}

void ClusterState::take(Time now, const JobSuspended& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    // An operator resumes it: it has its turns again. Or holds back what waits for its turn.
    if (job->is_suspended() && !fact.turn && takes_turns(jobs_, index_, *job)) {
        return change_job(fact.job,
                          [&](Job& record) { record.suspension->by_turn = !fact.in_force; });
    }
    if (job->is_suspended() == fact.in_force) return;
    if (!fact.in_force && !may_go_on(jobs_, index_, *job)) return;  // Others have its cores.
    if (fact.in_force) stop_using(now, *job);
    change_job(fact.job, [&](Job& record) {
        const bool lent = !fact.in_force && record.lends_cores() && !record.lends_by_turns();
        const bool in_vain = (lent || record.awaits_turn()) && !record.suspension->proved;
        set_suspended(record, now, fact.in_force);
        record.suspension->by_turn = fact.turn && fact.in_force;
        if (in_vain) record.suspension->unproved = true;
        if (lent) record.allocation->preempted.reset();
    });
    if (!fact.in_force) start_using(now, *job);
}

void ClusterState::take(Time, const JobFrozen& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    if (!job->suspension || job->suspension->changes != fact.change) return;
    change_unindexed(fact.job, [](Job& record) {
        record.suspension->proved = record.suspension->in_force;
        record.suspension->unproved = false;
    });
}

void ClusterState::take(Time now, const CheckpointSeen& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr || job->state != JobState::running || job->attempt != fact.attempt) return;
    change_unindexed(fact.job, [&](Job& record) {
        Allocation& held = *record.allocation;
        held.checkpoint = RunCheckpoint{now, ran_for(record, now)};
        const bool awaited = held.preempted && held.preempted->mode == PreemptMode::checkpoint;
        if (awaited) held.preempted->saved = true;
    });
}

}  // namespace berth
