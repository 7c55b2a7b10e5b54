// Parser of dependencies in Slurm's syntax: "afterok:12:13_2,after:14+5", "singleton".
#pragma once

#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/job.h"

namespace berth {

// Dependencies that must all hold; none for a blank text. "?" is refused: an existing job keeps the
// way in which its dependencies are joined.
Result<std::vector<Dependency>> parse_dependencies(std::string_view text);

}  // namespace berth
