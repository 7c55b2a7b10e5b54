#include "berth/sim/preempting_site.h"

namespace berth::sim {

using std::chrono::seconds;

ClusterSpec with_preemption(ClusterSpec spec, Rng rng) {
    PreemptionSpec& preemption = spec.scheduling.preemption;
    preemption.by = PreemptBy::partition;
    preemption.mode = rng.chance(70) ? PreemptMode::requeue : PreemptMode::cancel;
    preemption.youngest_first = rng.chance(30);
    preemption.hold_timeout = seconds(rng.between(30, 600));
    if (rng.chance(30)) preemption.exempt = seconds(rng.between(10, 900));
    const PartitionSpec main = spec.partitions.front();
    const auto add = [&](const char* name, std::int64_t tier) -> PartitionSpec& {
        PartitionSpec one = main;
        one.name = name;
        one.is_default = false;
        one.priority_tier = main.priority_tier + tier;
        return spec.partitions.emplace_back(std::move(one));
    };
    add("urgent", 1).preempt_mode = PreemptMode::off;
    PartitionSpec& spare = add("spare", -1);
    if (rng.chance(50)) spare.grace_time = seconds(rng.between(1, 90));
    if (rng.chance(30)) spare.preempt_mode = PreemptMode::cancel;
    return spec;
}

ClusterSpec with_suspension(ClusterSpec spec, Rng rng) {
    spec.scheduling.preemption.mode = PreemptMode::suspend;
    for (PartitionSpec& partition : spec.partitions) {
        const bool ends = partition.preempt_mode && *partition.preempt_mode != PreemptMode::off;
        if (ends && rng.chance(70)) partition.preempt_mode.reset();
    }
    return spec;
}

void ask_for_cores(std::vector<PlannedJob>& jobs, const ClusterSpec& cluster, Rng rng) {
    const auto most = static_cast<std::int64_t>(cluster.nodes.front().cores());
    for (PlannedJob& job : jobs) {
        if (!rng.chance(80) || job.spec.request->exclusive) continue;
        JobRequest request = *job.spec.request;
        request.gpus_per_node.clear();
        request.gres_per_node.clear();
        request.cpus_per_task = static_cast<std::uint32_t>(rng.between(most / 4, most));
        request.memory_per_node = gib(1);
        job.spec.request = request;
    }
}

ClusterSpec with_checkpoints(ClusterSpec spec, Rng rng) {
    spec.scheduling.preemption.mode = PreemptMode::checkpoint;
    for (PartitionSpec& partition : spec.partitions) {
        const bool ends = partition.preempt_mode && *partition.preempt_mode != PreemptMode::off;
        if (ends && rng.chance(70)) partition.preempt_mode.reset();
    }
    return spec;
}

void let_jobs_save(std::vector<PlannedJob>& jobs, Rng rng) {
    for (PlannedJob& job : jobs) {
        if (!rng.chance(70)) continue;
        job.spec.command.edit().checkpoint = "model.pt";
        if (rng.chance(70)) job.script.saves_for = Duration(rng.between(0, 50'000));
    }
}

void spread_over_tiers(std::vector<PlannedJob>& jobs, Rng rng) {
    for (PlannedJob& job : jobs) {
        const std::int64_t where = rng.between(1, 10);
        if (where <= 3) job.spec.partition = "urgent";
        if (where >= 7) job.spec.partition = "spare";
    }
}

}  // namespace berth::sim
