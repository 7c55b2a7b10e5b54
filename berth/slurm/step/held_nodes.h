// HeldNodes: the nodes of the job that a step is to run in, and how many CPUs it has on each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/slurm/step/job_look.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct HeldNodes {
    std::vector<std::string> names;
    std::vector<std::uint32_t> cpus;  // Likewise.

    // As the job's variables say, or as the controller does where they are of another job. Empty:
    // the controller does not answer, or the job does not run.
    static Result<HeldNodes> of(const Invocation& call, const std::string& job, JobLook& look);

    // Where tasks use fewer threads of a core than it has, a job holds more CPUs than they may use:
    // counts these alone. As before where the controller does not answer.
    void count_usable(const std::string& job, JobLook& look);

    // Without those, in the same order.
    HeldNodes without(const std::vector<std::string>& excluded) const;

    // How many tasks of so many CPUs fit on the first `nodes` of them.
    std::uint32_t tasks_of(std::uint32_t cpus_per_task, std::uint32_t nodes) const;

    std::uint32_t count() const { return static_cast<std::uint32_t>(names.size()); }
};

}  // namespace berth::slurm
