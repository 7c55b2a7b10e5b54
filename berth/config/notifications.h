// berth.yaml's `notifications`, for the reader of that file.
#pragma once

#include <string>

#include "berth/config/draft.h"

namespace YAML {
class Node;
}

namespace berth::config {

void read_notifications(Draft& draft, const std::string& file, const YAML::Node& node);

}  // namespace berth::config
