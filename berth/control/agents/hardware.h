// What a node lacks of what its configuration promises, in Slurm's words for it.
#pragma once

#include <string>

#include "berth/model/node.h"
#include "berth/model/resources.h"

namespace berth {

// "Low RealMemory (reported:16000 < 100.00% of configured:64000)"; several joined by ", "; empty if
// nothing is missing. More than configured is no fault. The GRES found are read from
// `found.gres_text` ("gpu:a100:8,fpga:2"), since an agent that looked for itself knows no
// dimension ids; from `found.devices` if it is empty. Of the configured ones those with devices are
// compared, for only they can be counted on the node; of these, none that is drained.
std::string hardware_shortfall(const NodeSpec& configured, const NodeSpec& found,
                               const Dimensions& dimensions, DeviceMask drained = 0);

// The GPUs of the configuration whose device files the node has not, while it has others. None
// where it has none at all: then it is not single GPUs that are missing.
DeviceMask absent_gpus(const NodeSpec& configured, const NodeSpec& found,
                       const Dimensions& dimensions);

}  // namespace berth
