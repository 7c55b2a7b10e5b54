// BatchScript: what sbatch checks and reads in a script before submission: its form and its #SBATCH
// lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::slurm {

inline constexpr std::size_t kScriptBytesMax = 4 * 1024 * 1024;  // As in Slurm.

// Refuses, in Slurm's words, a script that is empty, has no "#!", has DOS line breaks or is too
// large.
Status check_script(std::string_view script);

struct Directive {
    std::size_t line = 0;            // In the script, from 1.
    std::vector<std::string> words;  // "--gres=gpu:2", "-N", "2" …, quotes taken off.
    std::string unmatched;           // A quote that does not end, and the word that it is in.
};

// The lines above the first command that begin with the mark.
std::vector<Directive> directives_of(std::string_view script, std::string_view mark = "#SBATCH");

}  // namespace berth::slurm
