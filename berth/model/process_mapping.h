// Process mapping: which node of a step each rank is on, in the words of PMI: "(vector,(0,2,4))" is
// 4 ranks on each of 2 nodes from node 0 on, in blocks of (first node, nodes, ranks on each).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// `node_of_rank`: the node's index within the step, by rank.
std::string process_mapping(std::span<const std::uint32_t> node_of_rank);

// The node of each of `tasks` ranks, each below `nodes`. REQUIRES of the text: it says so many.
Result<std::vector<std::uint32_t>> read_process_mapping(std::string_view text, std::uint32_t tasks,
                                                        std::uint32_t nodes);

}  // namespace berth
