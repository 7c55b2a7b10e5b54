// Dependencies as Slurm's users write them: "afterok:12:13_2,after:14+5", "singleton".
#pragma once

#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/job.h"

namespace berth {

// Those that must all be fulfilled; none for a blank text. "?" between them is refused: a job that
// is there keeps the way its dependencies are joined.
Result<std::vector<Dependency>> parse_dependencies(std::string_view text);

}  // namespace berth
