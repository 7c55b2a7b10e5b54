// Invariants of what physically runs: I1, I2, I4, I5, I6.
#include <algorithm>

#include "berth/sim/oracle.h"

namespace berth::sim {
namespace {

constexpr Duration kEndPatience = std::chrono::minutes(4);

bool stands(const SimCgroup& cgroup) {
    return cgroup.any() || (!cgroup.removed && !cgroup.starting);
}

bool is_same_device(const NodeShare& a, const NodeShare& b) {
    return a.device_share && b.device_share && a.device_share->device == b.device_share->device;
}

// The number of parts of the device that the run shares.
std::int64_t parts_of(const NodeSpec& node, const NodeShare& share) {
    if (!share.device_share) return 0;
    for (const ShareKind& kind : node.devices[share.device_share->device].shares) {
        if (kind.dimension == share.device_share->part.dimension) return kind.parts;
    }
    return 0;
}

}  // namespace

void Oracle::attempt_started(NodeId node, const LaunchAttempt& launch) {
    const AttemptKey key{launch.job, launch.attempt};
    const std::string here = to_text(key) + " on " + machines_[node.index()]->spec().name;
    const auto known = jobs_.find(launch.job);
    if (known == jobs_.end() || known->second.run.attempt < launch.attempt) {
        return stage_.violated("I5", "the journal does not know of what runs: " + here);
    }
    Run& run = known->second.run;
    if (run.attempt > launch.attempt || run.ended.contains(node)) {
        return stage_.violated("I5", "it is recorded as ended, and starts: " + here);
    }
    if (!run.nodes.contains(node)) {
        return stage_.violated("I5", "it was not given this node, and starts: " + here);
    }
    for (const SimMachine* const machine : machines_) {
        for (const auto& [other, cgroup] : machine->cgroups()) {
            if (other.job != key.job || other.attempt == key.attempt || !cgroup.any()) continue;
            stage_.violated("I4", "two attempts are alive: " + here + " and " + to_text(other) +
                                      " on " + machine->spec().name);
        }
    }
    run.stood.insert(node);
    check_room(node, launch);
}

void Oracle::check_room(NodeId node, const LaunchAttempt& launch) {
    const SimMachine& machine = *machines_[node.index()];
    const AttemptKey key{launch.job, launch.attempt};
    Resources sum = launch.share.amount;
    BitSet cores = launch.share.cores;  // All that are held; each counts once.
    std::int64_t parts = launch.share.device_share ? launch.share.device_share->part.parts : 0;
    for (const auto& [other, cgroup] : machine.cgroups()) {
        if (other == key || !stands(cgroup)) continue;
        sum += cgroup.launch.share.amount;
        const BitSet both = cgroup.launch.share.cores & cores;
        sum.set_cpu(sum.cpu() - Millicpu(static_cast<std::int64_t>(both.count()) * 1000 *
                                         machine.spec().threads_per_core));
        cores |= cgroup.launch.share.cores;
        if (is_same_device(cgroup.launch.share, launch.share)) {
            parts += cgroup.launch.share.device_share->part.parts;
        }
        const bool still = cgroup.frozen || cgroup.killed;
        const bool shared = in_conflict(cgroup.launch.share, launch.share) != 0 ||
                            (!still && cgroup.launch.share.cores.intersects(launch.share.cores));
        if (!shared) continue;
        stage_.violated("I1", to_text(key) + " and " + to_text(other) +
                                  " hold the same GPU or core of " + machine.spec().name);
    }
    if (!fits(sum, machine.spec().capacity)) {
        stage_.violated("I2", machine.spec().name + " is given out beyond its capacity");
    }
    if (parts > parts_of(machine.spec(), launch.share)) {
        stage_.violated("I2", to_text(key) + " runs on more of a GPU of " + machine.spec().name +
                                  " than is left of it");
    }
}

void Oracle::attempt_thawed(NodeId node, const LaunchAttempt& launch) {
    const SimMachine& machine = *machines_[node.index()];
    const AttemptKey key{launch.job, launch.attempt};
    for (const auto& [other, cgroup] : machine.cgroups()) {
        if (other == key || !stands(cgroup) || cgroup.frozen || cgroup.killed) continue;
        if (!cgroup.launch.share.cores.intersects(launch.share.cores)) continue;
        stage_.violated("I1", to_text(key) + " goes on, and " + to_text(other) +
                                  " runs on its cores of " + machine.spec().name);
    }
}

void Oracle::script_started(const LaunchAttempt& launch, const ScriptPlan&) {
    Attempt& last = last_script_[launch.job];
    if (launch.attempt <= last) {
        stage_.violated("I4", to_text(AttemptKey{launch.job, launch.attempt}) +
                                  ": its script runs after attempt " + to_string(last));
    }
    last = launch.attempt;
    ++scripts_;
    Known& job = jobs_[launch.job];
    if (job.run.attempt == launch.attempt) job.run.script_at = stage_.now();
}

void Oracle::look_around(const std::vector<Time>& calm_since, Duration kill_wait) {
    for (const SimMachine* const machine : machines_) {
        check_outlived(*machine, calm_since[machine->id().index()], kill_wait);
    }
    for (const auto& [id, job] : jobs_) {
        const bool gang = job.run.nodes.size() > 1 && job.run.script_at && !job.run.ending_at;
        if (gang) check_halved(id, job, calm_since);
    }
}

void Oracle::check_outlived(const SimMachine& machine, Time calm_since, Duration kill_wait) {
    for (const auto& [key, cgroup] : machine.cgroups()) {
        const Run& run = jobs_[key.job].run;
        if (run.attempt == key.attempt && !run.ending_at) continue;
        const Time since = run.attempt == key.attempt ? *run.ending_at : Time{};
        if (stage_.now() - std::max(since, calm_since) <= kill_wait + kEndPatience) continue;
        stage_.violated("I6", to_text(key) + " outlives its job on " + machine.spec().name);
    }
}

void Oracle::check_halved(JobId id, const Known& job, const std::vector<Time>& calm_since) {
    Time since = *job.run.script_at;
    for (const NodeId node : job.run.nodes) since = std::max(since, calm_since[node.index()]);
    if (stage_.now() - since <= kEndPatience) return;
    for (const NodeId node : job.run.nodes) {
        if (job.run.stood.contains(node)) continue;
        stage_.violated("I6", "a part of gang " + to_text(AttemptKey{id, job.run.attempt}) +
                                  " never came to " + machines_[node.index()]->spec().name);
    }
}

}  // namespace berth::sim
