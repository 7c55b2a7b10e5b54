// Dependencies as Slurm's users write them: "afterok:12:13_2,after:14+5",
// "afterany:12?afterany:13", "singleton". The one grammar, for submissions and for changes.
#pragma once

#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/job.h"

namespace berth {

struct Dependencies {
    std::vector<Dependency> all;
    bool any = false;  // "?" stands between them: one fulfilled dependency is enough.
};

// None for a blank text. An error names the part that is wrong.
Result<Dependencies> parse_dependencies(std::string_view text);

}  // namespace berth
