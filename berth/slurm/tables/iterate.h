// Iterate: --iterate of squeue and sinfo: the same again and again, until a signal ends it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/slurm/text/command.h"

namespace berth::slurm {

Result<std::chrono::seconds> parse_iterate(const std::string& text);

// Once without `every`. Otherwise each time with the date above and an empty line below, whatever
// comes of it; it ends only when nobody reads any more.
int show_repeatedly(std::optional<std::chrono::seconds> every, bool header, Streams& streams,
                    const std::function<int()>& show);

}  // namespace berth::slurm
