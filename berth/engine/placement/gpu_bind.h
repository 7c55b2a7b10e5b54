// GpuBind: which of its step's GPUs each task sees: --gpu-bind, with Slurm's meaning.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/node.h"

namespace berth {

struct GpuBind {
    enum class Kind : std::uint8_t {
        none,      // All of the step's GPUs on its node.
        closest,   // Those near its cores.
        single,    // One, which `count` tasks in a row share.
        per_task,  // `count` of its own.
        map,       // One each, by `list`.
        mask,      // Some each, by `list`.
    };
    Kind kind = Kind::none;
    std::uint32_t count = 1;
    std::vector<DeviceMask> list;  // By task on its node, and again from the start. Bits are
                                   // numbers of GPUs.
    bool verbose = false;          // The task's stderr says what it got.

    // "closest", "verbose,single:2", "map_gpu:0*2,1", "mask_gpu:0x3,0xC"; "" is none.
    static Result<GpuBind> parse(std::string_view text);

    friend bool operator==(const GpuBind&, const GpuBind&) = default;
};

// What each task of a step sees on this node, given the step's GPUs there and each task's cores.
// Numbers in a list count the step's GPUs from 0, or, if not `relative`, are those of the node.
Result<std::vector<DeviceMask>> bind_gpus(const GpuBind& bind, const NodeSpec& node,
                                          DeviceMask gpus, std::span<const BitSet> task_cores,
                                          bool relative);

}  // namespace berth
