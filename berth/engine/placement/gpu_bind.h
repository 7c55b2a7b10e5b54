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
        single,    // One GPU, shared by `count` consecutive tasks.
        per_task,  // `count` GPUs of its own.
        map,       // One GPU each, by `list`.
        mask,      // Several GPUs each, by `list`.
    };
    Kind kind = Kind::none;
    std::uint32_t count = 1;
    // By task on its node, repeated from the start if shorter. Bits are GPU numbers.
    std::vector<DeviceMask> list;
    bool verbose = false;  // Print each task's binding on its stderr.

    // "closest", "verbose,single:2", "map_gpu:0*2,1", "mask_gpu:0x3,0xC"; "" is none.
    static Result<GpuBind> parse(std::string_view text);

    friend bool operator==(const GpuBind&, const GpuBind&) = default;
};

// The GPUs each task of a step sees on this node, given the step's GPUs there and each task's
// cores. `relative`: list numbers count the step's GPUs from 0; otherwise they are the node's GPU
// numbers.
Result<std::vector<DeviceMask>> bind_gpus(const GpuBind& bind, const NodeSpec& node,
                                          DeviceMask gpus, std::span<const BitSet> task_cores,
                                          bool relative);

}  // namespace berth
