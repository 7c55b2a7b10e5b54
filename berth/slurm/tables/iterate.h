// Iterate: --iterate of squeue and sinfo: repeats the output until a signal ends it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

Result<std::chrono::seconds> parse_iterate(const std::string& text);

// Runs once without `every`. Otherwise repeats, also after errors, with the date above and an empty
// line below, until the reader has closed the output.
int show_repeatedly(std::optional<std::chrono::seconds> every, bool header, Streams& streams,
                    const std::function<int()>& show);

}  // namespace berth::slurm
