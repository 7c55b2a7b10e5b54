// Advice: what Berth adds to Slurm's error texts at a terminal: the numbers, and what would be
// right. Programs that read standard error get Slurm's words alone.
#pragma once

#include <string>

#include "berth/api/problem.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// Standard error is a terminal, or BERTH_ADVICE=yes says so; BERTH_ADVICE=no says it is not.
bool wants_advice(const Invocation& call);

// "sbatch: --time: write minutes, …\n"; empty if advice is off or there is nothing to add.
std::string advice_on_option(const Invocation& call, const std::string& option_name);
// For a refused submission: "sbatch: the job asks for 9 gpu:a100; …\n".
std::string advice_on(const Invocation& call, const api::Problem& problem);

}  // namespace berth::slurm
