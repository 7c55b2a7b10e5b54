// What a registered node lacks compared with its configuration, worded as Slurm words it.
#pragma once

#include <string>

#include "berth/model/node.h"
#include "berth/model/resources.h"

namespace berth {

// Example: "Low RealMemory (reported:16000 < 100.00% of configured:64000)". Several shortfalls are
// joined by ", "; empty if nothing is missing. A node may have more than is configured.
//
// GRES are read from `found.gres_text` ("gpu:a100:8,fpga:2"), because an agent does not know
// dimension ids; if that is empty, from `found.devices`. Only configured GRES with devices are
// compared, since others cannot be counted on the node. Drained devices are not counted.
std::string hardware_shortfall(const NodeSpec& configured, const NodeSpec& found,
                               const Dimensions& dimensions, DeviceMask drained = 0);

// The configured GPUs whose device files the node lacks, if it has other GPUs. Empty if the node
// has no GPU at all: the fault is then not one of single GPUs.
DeviceMask absent_gpus(const NodeSpec& configured, const NodeSpec& found,
                       const Dimensions& dimensions);

}  // namespace berth
