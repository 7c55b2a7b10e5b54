// DeviceFiles: the device files of one device of the node. A GPU has one, a MIG instance three, a
// simulated device none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/model/node.h"

namespace berth {

// Empty for a simulated device.
std::vector<std::string> files_of(const Device& device);

// Compares two lists of files, ignoring their order.
bool same_files(std::string_view one, std::string_view other);

// Whether the device is a MIG instance, judged by its files.
bool is_mig(const Device& device);

}  // namespace berth
