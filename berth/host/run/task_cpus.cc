#include "berth/host/run/task_cpus.h"

#include <algorithm>

#include "berth/model/cpu_bind.h"
#include "berth/model/slurm_variables.h"

namespace berth {
namespace {

// --threads-per-core: the most that a task uses of each of its cores; 0: all.
std::uint32_t threads_wanted(const LaunchStep& launch, const LaunchAttempt& attempt) {
    return launch.is_unbound ? 0 : attempt.spec.request->nearness->node.threads_per_core;
}

// In Slurm's words.
std::string cpu_bind_notice(std::size_t local, const BitSet& cpus, const LaunchStep& launch,
                            const NodeView& view) {
    std::string mask = mask_text(cpus);
    mask.erase(2, std::min(mask.find_first_not_of('0', 2), mask.size() - 1) - 2);
    const auto padded = [](std::size_t number) {
        const std::string text = std::to_string(number);
        return text.size() < 2 ? " " + text : text;
    };
    std::string kind = launch.is_unbound ? "NONE" : "MASK";
    if (launch.cpu_bind.starts_with("map_cpu")) kind = "MAP ";
    if (launch.cpu_bind.starts_with("mask_cpu")) kind = "MASK";
    if (launch.cpu_bind == "rank") kind = "RANK";
    return "cpu-bind=" + kind + " - " + view.node.name + ", task " +
           padded(launch.share.tasks[local].rank) + " " + padded(local) + " [PID]: mask " + mask +
           " set\n";
}

}  // namespace

std::string mask_text(const BitSet& cpus) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::size_t highest = 0;
    for (std::size_t i = cpus.find_first(); i != BitSet::kNone; i = cpus.find_next(i)) highest = i;
    std::string digits;
    for (std::size_t digit = 0; digit <= highest / 32 * 8 + 7; ++digit) {
        std::size_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t cpu = digit * 4 + i;
            if (cpu < cpus.size() && cpus.test(cpu)) value |= std::size_t{1} << i;
        }
        digits += kHex[value];
    }
    std::ranges::reverse(digits);
    return "0x" + digits;
}

BitSet cpu_set(const BitSet& cores, const NodeView& view, std::uint32_t most) {
    BitSet cpus(kCpuNumbersMax);
    for (std::size_t core = cores.find_first(); core != BitSet::kNone;
         core = cores.find_next(core)) {
        if (core >= view.cpus_of_core.size()) continue;
        std::uint32_t taken = 0;
        for (const int cpu : view.cpus_of_core[core]) {
            if (most > 0 && taken++ == most) break;
            if (cpu >= 0 && static_cast<std::size_t>(cpu) < kCpuNumbersMax) {
                cpus.set(static_cast<std::size_t>(cpu));
            }
        }
    }
    return cpus;
}

TaskCpus cpus_of_task(std::size_t local, const LaunchStep& launch, const LaunchAttempt& attempt,
                      const NodeView& view) {
    TaskCpus own{cpu_set(launch.share.tasks[local].cores, view, threads_wanted(launch, attempt))};
    const Result<CpuBind> bind = CpuBind::parse(launch.cpu_bind);
    if (!bind.ok() || !bind->is_by_number()) return own;
    BitSet named(own.cpus.size());
    if (bind->kind == CpuBind::Kind::rank) {
        std::size_t cpu = own.cpus.find_first();
        for (std::size_t i = local % std::max<std::size_t>(own.cpus.count(), 1); i > 0; --i)
            cpu = own.cpus.find_next(cpu);
        if (cpu != BitSet::kNone) named.set(cpu);
    } else {
        for (const std::uint32_t cpu : bind->cpus[local % bind->cpus.size()])
            if (own.cpus.test(cpu)) named.set(cpu);
    }
    own.named = !named.empty();
    if (own.named) own.cpus = named;
    return own;
}

void set_cpu_bind(Environment& environment, const LaunchStep& launch, const LaunchAttempt& attempt,
                  const NodeView& view) {
    // Not pinned here: variables inherited from another step must go.
    if (view.cpus_of_core.empty()) {
        for (const char* name :
             {kSlurmCpuBind, kSlurmCpuBindList, kSlurmCpuBindType, kSlurmCpuBindVerbose}) {
            environment.unset(name);
        }
        return;
    }
    std::string type = "mask_cpu:", list;
    if (launch.cpu_bind.empty()) {
        for (std::size_t local = 0; local < launch.share.tasks.size(); ++local) {
            list += (list.empty() ? "" : ",") +
                    mask_text(cpus_of_task(local, launch, attempt, view).cpus);
        }
    } else {  // As it was given.
        const std::size_t colon = launch.cpu_bind.find(':');
        type = launch.cpu_bind.substr(0, colon == std::string::npos ? colon : colon + 1);
        list = launch.cpu_bind.substr(type.size());
    }
    const std::string how = launch.cpu_bind_verbose ? "verbose" : "quiet";
    environment.set(kSlurmCpuBind, how + "," + type + list);
    environment.set(kSlurmCpuBindList, list);
    environment.set(kSlurmCpuBindType, type);
    environment.set(kSlurmCpuBindVerbose, how);
}

void bind_task(TaskSpec& task, std::size_t local, const LaunchStep& launch,
               const LaunchAttempt& attempt, const NodeView& view) {
    if (view.cpus_of_core.empty()) return;
    const TaskCpus own = cpus_of_task(local, launch, attempt, view);
    task.cpus = own.cpus.to_list();
    if (!own.named) {
        task.notice += "slurmstepd: error: --cpu-bind=" + launch.cpu_bind +
                       " names no CPU of the step for task " + std::to_string(task.rank) +
                       ", which has all of them: " + task.cpus + "\n";
    }
    if (launch.cpu_bind_verbose) task.notice += cpu_bind_notice(local, own.cpus, launch, view);
}

}  // namespace berth
