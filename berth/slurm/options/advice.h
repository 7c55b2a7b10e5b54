// Advice: what Berth adds to Slurm's error texts at a terminal: the numbers, and what would be
// right. Programs that read standard error get Slurm's words alone.
#pragma once

#include <getopt.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/problem.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// Standard error is a terminal, or BERTH_ADVICE=yes says so; BERTH_ADVICE=no says it is not.
bool wants_advice(const Invocation& call);

// "scontrol: did you mean TimeLimit?\n"; empty if none of the names is near. `before` stands before
// the name: "--".
std::string did_you_mean(const std::string& command, std::string_view word,
                         const std::vector<std::string>& names, std::string_view before = {});

// "scancel: …\n"; empty if advice is off.
std::string advice(const Invocation& call, std::string_view text);
// On a word that names nothing: did_you_mean(), or `otherwise` if none of the names is near.
std::string advice_on_name(const Invocation& call, std::string_view word,
                           const std::vector<std::string>& names, std::string_view otherwise);
// On an error in Slurm's words of which no option is the cause: "No command given to execute."
std::string advice_on_error(const Invocation& call, std::string_view said);

// "sbatch: --time takes minutes, …\n", whether advice is on or off; empty if there is nothing to
// add.
std::string what_option_takes(const std::string& command, std::string_view option_name);
// "sbatch: --time: write minutes, …\n"; empty if advice is off or there is nothing to add.
std::string advice_on_option(const Invocation& call, const std::string& option_name);
// The same for the option of this letter.
std::string advice_on_option(const Invocation& call, std::span<const option> options, int letter);
// For a refused submission: "sbatch: the job asks for 9 gpu:a100; …\n".
std::string advice_on(const Invocation& call, const api::Problem& problem);

}  // namespace berth::slurm
