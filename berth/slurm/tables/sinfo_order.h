// SinfoOrder: the order of sinfo's lines, as --sort gives it: "P,-t,N". Keys are letters of -o.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/slurm/tables/sinfo_fields.h"

namespace berth::slurm {

// Lines that are equal by every key keep their order. "#P" is the order of the configuration. An
// error names a key that is none.
Status sort_groups(std::vector<NodeGroup>& groups, const std::string& keys);

}  // namespace berth::slurm
