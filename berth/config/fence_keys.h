// berth.yaml's `fence`, for the reader of that file.
#pragma once

#include <string>

#include "berth/config/draft.h"

namespace YAML {
class Node;
}

namespace berth::config {

// fence: {program: /etc/berth/fence.sh, timeout: 1:00, presume_dead_after: never}
void read_fence(Draft& draft, const std::string& file, const YAML::Node& node);

}  // namespace berth::config
