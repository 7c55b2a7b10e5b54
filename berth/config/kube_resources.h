// Resources of Kubernetes as TRES.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/config/kube_fields.h"
#include "berth/model/limits.h"

namespace berth::config {

// "memory" is mem, "nvidia.com/gpu" gres/gpu, "nvidia.com/mig-1g.5gb" gres/gpu:1g.5gb,
// "example.com/fpga" gres/fpga. The error says why a resource is no TRES.
Result<std::string> tres_of_resource(std::string_view resource);

// A quantity in the TRES' own unit: CPUs, MiB (rounded down, since jobs have whole ones), pieces.
Result<std::int64_t> count_of_tres(std::string_view tres, std::string_view quantity);

// {cpu: 8, memory: 2Ti}
TresLimits read_resource_list(KubeFields fields);

// "NVIDIA-A100-SXM4-80GB" is an a100, "nvidia-tesla-k80" a k80. Empty: it names no type.
std::string gpu_type_in(std::string_view product);

}  // namespace berth::config
