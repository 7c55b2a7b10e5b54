// ComponentRuns: srun's steps in several components of a heterogeneous job at once, each carried by
// a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct ComponentRun {
    std::uint32_t group = 0;
    std::vector<std::string> arguments;  // srun's.
};

// "0", "0,2", "1-3": sorted, each once.
Result<std::vector<std::uint32_t>> parse_groups(const std::string& text);

// The call as the component of this group has it: SLURM_JOB_ID and its kin are that component's.
// An error where `within` is no heterogeneous job, or has no such component.
Result<Invocation> call_in_group(const Invocation& within, const ComponentRun& run);

// Runs all of them at once; the first one has the standard input. The highest exit code. With
// `kill_on_bad_exit` one that fails ends the others.
int run_components(const Invocation& within, const std::vector<ComponentRun>& runs,
                   bool kill_on_bad_exit, Streams& streams,
                   const std::function<int(const Invocation&)>& run);

}  // namespace berth::slurm
