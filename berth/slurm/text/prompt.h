// The prompt of scontrol, sacctmgr and sreport: one command a line, until `quit`, `exit` or the end
// of the input. `!!` repeats the last one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// A line's words. Quotes, single or double, keep blanks together and are removed.
std::vector<std::string> prompt_words(const std::string& line);

// Runs each line's words, which are never none. The exit code: the highest of all commands'.
// `echo`: the lines are shown behind the prompt, as Slurm does where they come from no terminal.
int run_prompt(const std::string& name, bool echo, Streams& streams,
               const std::function<int(const std::vector<std::string>&)>& run);
// Likewise, with echo where the standard input is no terminal.
int run_prompt(const std::string& name, Streams& streams,
               const std::function<int(const std::vector<std::string>&)>& run);

}  // namespace berth::slurm
