// MIG: the instances that a GPU of NVIDIA's is cut into, each handed out as a GPU of its own. Such
// a one is three device files: the board's, its GPU instance's and its compute instance's, which
// the driver keeps under /dev/nvidia-caps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// "gpu0/gi7/access" -> 66, as the driver's mig-minors has it; other lines are passed over.
using MigMinors = std::map<std::string, std::uint32_t, std::less<>>;
MigMinors parse_mig_minors(std::string_view text);

// "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66,/dev/nvidia-caps/nvidia-cap67", as gres.conf's
// MultipleFiles has it. `not_found`: the driver does not list that instance.
Result<std::string> mig_files(const MigMinors& minors, unsigned gpu, unsigned gpu_instance,
                              unsigned compute_instance);

// "1g.10gb"; "1c.3g.40gb" where the compute instance has a part of the GPU instance's slices. The
// memory is rounded up, as the profiles' names are.
std::string mig_profile(unsigned gpu_slices, unsigned compute_slices, unsigned long long mebibytes);

}  // namespace berth
