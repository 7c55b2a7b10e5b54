// Invariants of the site's rules, checked when a start is recorded: I1 and I2 (nothing is allocated
// twice or beyond capacity), I7 (reservations), I8 (limits).
#include <algorithm>

#include "berth/sim/oracle.h"

namespace berth::sim {
namespace {

std::int64_t limit_on_gpus(const TresLimits& limits) {
    const auto found =
        std::ranges::find(limits, "gres/gpu", [](const auto& one) { return one.first; });
    return found == limits.end() ? INT64_MAX : found->second;
}

// In thousandths of a CPU.
std::int64_t cpu_of_core(const NodeSpec& node) {
    return std::int64_t{1000} * node.threads_per_core;
}

}  // namespace

void Oracle::check_rules(Time now, JobId id, const Known& job, const StartJob& fact) {
    check_given_once(id, fact);
    if (fact.in_turns) check_shared(id, job, fact);
    check_licenses(id, job, fact);
    check_limits(id, job);
    check_reservations(now, id, job, fact);
}

void Oracle::check_given_once(JobId id, const StartJob& fact) {
    bool on_loan = false;
    for (const NodeShare& share : fact.allocation.shares) {
        Resources sum = share.amount;
        BitSet cores = share.cores;  // All that are held; each counts once.
        const std::int64_t per_core = cpu_of_core(cluster_.node(share.node));
        std::int64_t parts = share.device_share ? share.device_share->part.parts : 0;
        for (const auto& [other, job] : jobs_) {
            if (other == id || job.run.over() || job.run.ended.contains(share.node)) continue;
            for (const NodeShare& held : job.run.allocation.shares) {
                if (held.node != share.node) continue;
                sum += held.amount;
                const auto twice = static_cast<std::int64_t>((held.cores & cores).count());
                sum.set_cpu(sum.cpu() - Millicpu(twice * per_core));
                cores |= held.cores;
                if (held.device_share && share.device_share &&
                    held.device_share->device == share.device_share->device) {
                    parts += held.device_share->part.parts;
                }
                const bool meets = held.cores.intersects(share.cores);
                const bool lent = meets && (job.run.stands_still || fact.in_turns);
                on_loan = on_loan || lent;
                if (in_conflict(held, share) == 0 && (!meets || lent)) continue;
                stage_.violated("I1", words(id) + " is given a GPU or core of node " +
                                          to_string(share.node) + " that " + words(other) +
                                          " holds");
            }
        }
        const NodeSpec& node = cluster_.node(share.node);
        if (!fits(sum, node.capacity)) {
            stage_.violated("I2", node.name + " is given out beyond its capacity to " + words(id));
        }
        if (!share.device_share) continue;
        for (const ShareKind& kind : node.devices[share.device_share->device].shares) {
            if (kind.dimension != share.device_share->part.dimension || parts <= kind.parts)
                continue;
            stage_.violated("I2", words(id) + " is given more of a GPU of " + node.name +
                                      " than is left of it");
        }
    }
    if (on_loan) ++loans_;
}

void Oracle::check_licenses(JobId id, const Known& job, const StartJob& fact) {
    const LicenseRequest& asked = job.spec.request->licenses;
    const std::vector<LicenseCount>& given = fact.allocation.licenses;
    const auto is_given = [&](const LicenseCount& one) {
        return std::ranges::find(given, one) != given.end();
    };
    const bool has_all = asked.any ? std::ranges::any_of(asked.counts, is_given)
                                   : std::ranges::all_of(asked.counts, is_given);
    if (!asked.counts.empty() && !has_all) {
        stage_.violated("I2", words(id) + " is started without the licenses that it asked for");
    }
    for (const LicenseSpec& license : cluster_.licenses) {
        std::int64_t held = 0;
        for (const auto& [other, known] : jobs_) {
            if (known.run.over()) continue;
            for (const LicenseCount& one : known.run.allocation.licenses) {
                if (one.name == license.name) held += one.count;
            }
        }
        if (held <= license.total) continue;
        stage_.violated("I2", words(id) + " makes it " + std::to_string(held) + " " + license.name +
                                  " licenses of " + std::to_string(license.total));
    }
}

std::int64_t Oracle::gpus_of(const Known& job) const {
    std::int64_t gpus = 0;
    for (const NodeShare& share : job.run.allocation.shares) {
        if (job.run.ended.contains(share.node)) continue;
        for (const DimensionId gpu : cluster_.dimensions.of_name("gpu")) gpus += share.amount[gpu];
    }
    return gpus;
}

// Compares with the running jobs of the same QOS and user, of the same QOS, and of the same
// account.
void Oracle::check_limits(JobId id, const Known& job) {
    std::vector<const Known*> of_qos, of_qos_user, of_account;
    for (const auto& [other, known] : jobs_) {
        if (known.run.over()) continue;
        if (known.qos == job.qos) of_qos.push_back(&known);
        if (known.qos == job.qos && known.user == job.user) of_qos_user.push_back(&known);
        if (known.account == job.account) of_account.push_back(&known);
    }
    const QosSpec& qos = cluster_.qos[job.qos.index()];
    check_group(id, "QOS " + qos.name, qos.limits, false, of_qos);
    check_group(id, "user " + job.user + " in QOS " + qos.name, qos.limits, true, of_qos_user);
    for (const AccountSpec& account : cluster_.accounts) {
        if (account.name != job.account) continue;
        Limits limits = account.limits;  // A limit of the QOS replaces that of the account.
        if (qos.limits.group_jobs) limits.group_jobs.reset();
        if (!qos.limits.group_tres.empty()) limits.group_tres.clear();
        check_group(id, "account " + account.name, limits, false, of_account);
    }
}

void Oracle::check_group(JobId id, const std::string& holder, const Limits& limits, bool of_user,
                         const std::vector<const Known*>& members) {
    const std::optional<std::uint32_t>& jobs = of_user ? limits.max_jobs : limits.group_jobs;
    const std::int64_t gpus = limit_on_gpus(of_user ? limits.max_tres_per_user : limits.group_tres);
    std::int64_t held = 0;
    for (const Known* const one : members) held += gpus_of(*one);
    if (jobs && members.size() > *jobs) {
        stage_.violated("I8", words(id) + " makes it " + std::to_string(members.size()) +
                                  " running jobs of " + holder + ": " + std::to_string(*jobs) +
                                  " at most");
    }
    if (held > gpus) {
        stage_.violated("I8", words(id) + " makes it " + std::to_string(held) + " GPUs of " +
                                  holder + ": " + std::to_string(gpus) + " at most");
    }
}

// A job without a reservation must stay clear of all of them until its time limit; a job with one
// must stay within it.
void Oracle::check_reservations(Time now, JobId id, const Known& job, const StartJob& fact) {
    const std::string& own = job.spec.request->reservation;
    if (!own.empty() && !reservations_.contains(own)) {
        stage_.violated("I7", words(id) + " is started, and its reservation is gone");
    }
    const Time end = now + fact.time_limit.value_or(job.time_limit);
    for (const auto& [name, reservation] : reservations_) {
        std::set<NodeId> reserved;
        for (const auto& [node, amount] : reservation.amounts) reserved.insert(node);
        for (const NodeShare& share : fact.allocation.shares) {
            const bool here = reserved.contains(share.node);
            if (name == own && (!here || now < reservation.start || now >= reservation.end)) {
                stage_.violated("I7", words(id) + " is started outside of its reservation " + name);
            }
            const bool meets = now < reservation.end && end > reservation.start;
            if (name == own || !own.empty() || !here || !meets) continue;
            stage_.violated("I7", words(id) + " is started on node " + to_string(share.node) +
                                      ", which reservation " + name + " keeps");
        }
    }
}

// An exclusive job takes whole nodes, which may have more than any node that it was judged by.
void Oracle::check_queues(const StartJob& fact, JobId task) {
    const Known& job = jobs_[task];
    const std::string wrong =
        queues_.start(task, job.account, fact.allocation, !job.spec.request->exclusive);
    if (!wrong.empty()) stage_.violated("I8", words(task) + " is started, and " + wrong);
}

// Why the run may not be preempted for the job; empty: it may.
std::string Oracle::not_preempted(const Known& preemptor, JobId of, const Known& victim, JobId id) {
    const auto tier = [&](const Known& job) {
        const std::string& name = *job.spec.partition;
        return cluster_.partition(*cluster_.find_partition(name.empty() ? "main" : name))
            .priority_tier;
    };
    if (cluster_.scheduling.preemption.by != PreemptBy::none)
        return tier(victim) >= tier(preemptor) ? "of no higher tier" : "";
    const JobRequest& asked = *preemptor.spec.request;
    std::int64_t on_each = asked.exclusive ? 64 : 1;  // A part is of one GPU.
    for (const GresRequest& gpus : *asked.gpus_per_node) on_each = std::max(on_each, gpus.count);
    std::string wrong = queues_.reclaim(of, preemptor.account, on_each * asked.nodes_min, id);
    queues_.dying(id);
    return wrong.empty() ? wrong : "which takes back: " + wrong;
}

// Only a run of a lower tier, or of a queue that borrows, is preempted: once, and for a job that
// waits.
void Oracle::preempt(const JobsPreempted& fact) {
    if (fact.array) take_task(*fact.array, fact.preemptor);
    const Known& preemptor = jobs_[fact.preemptor];
    if (is_final(preemptor.state) || fact.victims.empty())
        stage_.violated("I14", words(fact.preemptor) + " preempts, and does not need to");
    for (const JobsPreempted::Victim& victim : fact.victims) {
        Known& job = jobs_[victim.job];
        if (victim.mode != PreemptMode::suspend) ++preempted_;
        const std::string said =
            words(victim.job).append(" is preempted for ").append(words(fact.preemptor));
        const std::string wrong = not_preempted(preemptor, fact.preemptor, job, victim.job);
        if (!wrong.empty()) stage_.violated("I14", std::string(said).append(", ").append(wrong));
        const bool is_new = victim.attempt > job.run.attempt;  // Started in this same record.
        if (!is_new && (job.run.attempt != victim.attempt || job.run.over()))
            stage_.violated("I14", said + " and does not run");
        if (victim.mode == PreemptMode::suspend) {  // More than once: it goes on, or lends more.
            job.run.lends = true;
            continue;
        }
        if (job.preempted == victim.attempt) stage_.violated("I14", said + " for the second time");
        job.preempted = victim.attempt;
        job.saves_until.reset();
        if (victim.mode == PreemptMode::checkpoint) job.saves_until = victim.ends_at;
    }
}

const SimMachine& Oracle::batch_host_of(const Run& run) const {
    return *machines_[run.allocation.shares.front().node.index()];
}

// What is recorded to be saved is so on the machine. The run may be over there by then.
void Oracle::save(const CheckpointSeen& fact) {
    Known& job = jobs_[fact.job];
    if (job.run.attempt != fact.attempt) return;
    const SimMachine& machine = batch_host_of(job.run);
    const AttemptKey key{fact.job, fact.attempt};
    if (machine.cgroups().contains(key) && !machine.has_checkpoint(key))
        stage_.violated("I14", words(fact.job) + " is recorded to have saved, and has not");
    job.saves_until.reset();
    ++saved_;
}

// It has saved, its time is over, or its script has ended by itself.
void Oracle::check_waited_for(JobId id, const Known& job) {
    if (!job.saves_until || recorded_at_ >= *job.saves_until) return;
    if (job.preempted != job.run.attempt) return;  // It was requeued, and runs again.
    const auto& cgroups = batch_host_of(job.run).cgroups();
    const auto here = cgroups.find({id, job.run.attempt});
    if (here == cgroups.end()) return;
    const auto script = here->second.runs.find(kBatchStep);
    if (script == here->second.runs.end() || !script->second.main) return;
    stage_.violated("I14", words(id) + " ends before it has saved, and its time is not over");
}

// A run goes on only when nobody has its cores.
void Oracle::suspend(const JobSuspended& fact) {
    Run& run = jobs_[fact.job].run;
    if (run.attempt != fact.attempt) return;
    if (fact.turn) return take_turn(fact.job, run, fact.in_force);
    if (!run.lends) {  // An operator's word. What takes turns has them again, and goes on later.
        if (fact.in_force || takes_turns(fact.job, run)) {
            run.is_suspended = run.is_suspended || fact.in_force;
            return;
        }
        run.is_suspended = run.is_at_rest = false;
        return;
    }
    if (fact.in_force) return;
    run.lends = run.stands_still = false;
    for (const auto& [other, job] : jobs_) {
        if (other == fact.job || job.run.over() || job.run.lends) continue;
        if (!shares_cores(run, job.run)) continue;
        stage_.violated("I1",
                        words(fact.job) + " goes on, and " + words(other) + " has cores of it");
    }
}

// What is recorded as proof is so on each machine.
void Oracle::freeze(const JobFrozen& fact) {
    Run& run = jobs_[fact.job].run;
    if (run.attempt != fact.attempt || !(run.lends || run.is_suspended)) return;  // It goes on.
    for (const NodeId node : run.nodes) {
        const auto& cgroups = machines_[node.index()]->cgroups();
        const auto here = cgroups.find({fact.job, fact.attempt});
        if (here == cgroups.end() || here->second.frozen || !here->second.any()) continue;
        if (here->second.killed) continue;
        stage_.violated("I1", words(fact.job) + " is recorded as frozen, and runs on " +
                                  machines_[node.index()]->spec().name);
    }
    (run.lends ? run.stands_still : run.is_at_rest) = true;
}

}  // namespace berth::sim
