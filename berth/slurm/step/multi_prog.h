// srun --multi-prog: a file says which program each task runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::slurm {

// The command that each task runs: a shell that becomes the program of its rank. `text`: lines such
// as "0,4-6 ./a.out --rank %t --part %o" or "* ./b.out"; %t is the task's rank, %o its place in the
// line's list, a backslash continues a line, and # begins a comment. The first line that has a rank
// wins. `more`: arguments behind those of each line. An error names the line, or the first of the
// `tasks` ranks that no line has.
Result<std::vector<std::string>> multi_prog_command(std::string_view text, std::uint32_t tasks,
                                                    const std::string& path,
                                                    const std::vector<std::string>& more);

// The same of the file at `path`.
Result<std::vector<std::string>> multi_prog_command_of(const std::string& path, std::uint32_t tasks,
                                                       const std::vector<std::string>& more);

}  // namespace berth::slurm
