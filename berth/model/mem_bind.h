// MemBind: the NUMA nodes whose memory the tasks of a step use, as srun's --mem-bind says it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/bind_list.h"

namespace berth {

struct MemBind {
    enum class Kind : std::uint8_t {
        none,   // Any memory.
        local,  // That of the NUMA nodes of the task's CPUs.
        rank,   // The first task of a node has NUMA node 0, and so on.
        map,    // A NUMA node for each task of a node.
        mask,   // Likewise a set of them.
    };
    Kind kind = Kind::none;
    bool prefer = false;  // Other memory too, once that is full.
    BindList nodes;       // With Kind::map and mask.

    // "local", "prefer,local", "rank", "map_mem:0,1*2", "mask_mem:0x1,0x3", "none"; "quiet" and
    // "nosort", which stand for what is so in any case, may be before it.
    static Result<MemBind> parse(std::string_view text);
};

// NUMA nodes that masks and maps may name are below this.
inline constexpr std::uint32_t kNumaNodesMax = 1024;

}  // namespace berth
