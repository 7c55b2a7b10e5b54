// berth.yaml's `queues`, for the reader of that file.
#pragma once

#include <string>

#include "berth/config/draft.h"

namespace YAML {
class Node;
}

namespace berth::config {

// queues: {physics: {nominal: 'gres/gpu=16', guarantee: 'gres/gpu=8', limit: 'gres/gpu=24'}}
// Kept for read_queues(), since the accounts and the nodes may stand behind.
void note_queues(Draft& draft, const std::string& file, const YAML::Node& node);

}  // namespace berth::config
