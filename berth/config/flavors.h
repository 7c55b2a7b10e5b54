// berth.yaml's `flavors`, for the reader of that file.
#pragma once

#include <string>

#include "berth/config/draft.h"

namespace YAML {
class Node;
}

namespace berth::config {

// flavors: {gpu-a100: {gpu_type: a100}, fat: {nodes: 'fat[1-4]'}, ib: {features: [ib]}}
// Kept for read_flavors(), since the nodes may stand behind.
void note_flavors(Draft& draft, const std::string& file, const YAML::Node& node);

}  // namespace berth::config
