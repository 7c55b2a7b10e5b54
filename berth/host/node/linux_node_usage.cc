// How LinuxNode measures live runs.
#include "berth/agent/signals.h"
#include "berth/host/cgroup/run_meter.h"
#include "berth/host/node/linux_node_parts.h"
#include "berth/host/os/process.h"

namespace berth {

// The usage never decreases, even when the processes that caused it have ended.
void LinuxNodeParts::measure_run(Run& run) const {
    std::vector<int> processes;
    if (!run.group.none()) {
        processes = CgroupTree::processes(run.group);
    } else if (const auto shepherd = run.folder.shepherd();
               shepherd && mark_of(shepherd->pid) == shepherd) {
        processes = descendants_of(shepherd->pid);
    }
    const RunUsage now = measure(run.group, processes);
    run.usage = highest(run.usage, now);
    run.usage.rss = now.rss;
}

void LinuxNodeParts::measure_all() {
    UsageRead all;
    for (auto& [key, run] : runs) {
        if (run.over || !run.started_told || is_hook(key.step)) continue;
        if (run.usage.tasks == 0) {
            const auto status = run.folder.status();
            run.usage.tasks = status ? static_cast<std::uint32_t>(status->tasks.size()) : 1;
        }
        measure_run(run);
        all.runs.push_back({key.job, key.attempt, key.step, run.usage});
    }
    if (!all.runs.empty()) tell(std::move(all));
}

}  // namespace berth
