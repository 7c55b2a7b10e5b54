// berth.yaml's `priority_classes`, for the reader of that file.
#pragma once

#include <string>

#include "berth/config/draft.h"

namespace YAML {
class Node;
}

namespace berth::config {

// priority_classes: {high: {value: 1000, global_default: yes, preemption_policy: Never}}
void read_priority_classes(Draft& draft, const std::string& file, const YAML::Node& node);

}  // namespace berth::config
