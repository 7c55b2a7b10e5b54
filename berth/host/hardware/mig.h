// MIG: instances of a partitioned NVIDIA GPU, each allocated as a GPU of its own. An instance has
// three device files: the board's, its GPU instance's and its compute instance's. The driver keeps
// the latter two under /dev/nvidia-caps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// "gpu0/gi7/access" -> 66, as in the driver's mig-minors; other lines are skipped.
using MigMinors = std::map<std::string, std::uint32_t, std::less<>>;
MigMinors parse_mig_minors(std::string_view text);

// "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66,/dev/nvidia-caps/nvidia-cap67", as in MultipleFiles
// of gres.conf. `not_found`: the driver does not list that instance.
Result<std::string> mig_files(const MigMinors& minors, unsigned gpu, unsigned gpu_instance,
                              unsigned compute_instance);

// "1g.10gb"; "1c.3g.40gb" if the compute instance has only some slices of the GPU instance. The
// memory is rounded up, as in NVIDIA's profile names.
std::string mig_profile(unsigned gpu_slices, unsigned compute_slices, unsigned long long mebibytes);

}  // namespace berth
