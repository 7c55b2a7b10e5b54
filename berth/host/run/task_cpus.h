// TaskCpus: the CPUs that each task of a step may use on this node, and how that is told.
#pragma once

#include <cstddef>
#include <string>

#include "berth/base/bitmask.h"
#include "berth/host/run/environment.h"
#include "berth/host/run/job_environment.h"
#include "berth/host/run/run_spec.h"
#include "berth/model/order.h"

namespace berth {

// All CPUs of these cores, of each at most `most`; 0: all.
BitSet cpu_set(const BitSet& cores, const NodeView& view, std::uint32_t most = 0);

// "0x0000000F": eight digits per word, as Slurm writes masks.
std::string mask_text(const BitSet& cpus);

// Of the step's task `local` on this node: those of its cores, or what --cpu-bind names of them.
struct TaskCpus {
    BitSet cpus;
    bool named = true;  // False: --cpu-bind names none of them, so it has all.
};
TaskCpus cpus_of_task(std::size_t local, const LaunchStep& launch, const LaunchAttempt& attempt,
                      const NodeView& view);

// Sets SLURM_CPU_BIND and its parts.
void set_cpu_bind(Environment& environment, const LaunchStep& launch, const LaunchAttempt& attempt,
                  const NodeView& view);

// Binds the task, where this node pins cores, and adds what its user should know to its notice.
void bind_task(TaskSpec& task, std::size_t local, const LaunchStep& launch,
               const LaunchAttempt& attempt, const NodeView& view);

}  // namespace berth
