// DeviceFiles: the device files that a device of the node is reached by. A GPU has one, a MIG
// instance three, and a simulated device none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/model/node.h"

namespace berth {

// Empty for a simulated device.
std::vector<std::string> files_of(const Device& device);

// Compares two lists of files, in whatever order each names them.
bool same_files(std::string_view one, std::string_view other);

// Whether the device is a MIG instance, as its files tell.
bool is_mig(const Device& device);

}  // namespace berth
