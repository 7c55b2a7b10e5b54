// berth.yaml's `preemption` and the preemption keys of its QOS, for the reader of that file.
#pragma once

#include <string>

#include "berth/config/draft.h"

namespace YAML {
class Node;
}

namespace berth::config {

// preemption: {by: qos, mode: requeue}; read_preempt_keys() acts on it.
void note_preemption(Draft& draft, const std::string& file, const YAML::Node& node);
// False: the key is none of these.
bool read_qos_preemption(Draft& draft, const std::string& file, const YAML::Node& key,
                         const YAML::Node& value, QosSpec& qos);

}  // namespace berth::config
