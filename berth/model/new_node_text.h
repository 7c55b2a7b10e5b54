// A new node in slurm.conf's words: "CPUs=64 RealMemory=512000 Gres=gpu:a100:8 Feature=a100".
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/new_node.h"

namespace berth {

// Sets what the words say, each KEY=VALUE; of its CPUs, sockets, cores and threads all, where any
// is given. A word that is none is refused.
Status read_new_node(const std::vector<std::string>& words, NewNode& node);

}  // namespace berth
