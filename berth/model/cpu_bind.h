// CpuBind: the CPUs that the tasks of a step are bound to on a node, as srun's --cpu-bind says it.
#pragma once

#include <cstdint>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/bind_list.h"

namespace berth {

struct CpuBind {
    enum class Kind : std::uint8_t {
        automatic,  // Each task has its own cores where the step has exactly those.
        none,       // All tasks have all CPUs of the step.
        cores,      // Each task has its own cores …
        sockets,    // … or the sockets of these.
        rank,       // The first task of a node has the step's first CPU there, and so on.
        map,        // A CPU for each task of a node, by the machine's numbers.
        mask,       // Likewise a set of CPUs.
    };
    Kind kind = Kind::automatic;
    BindList cpus;  // With Kind::map and mask.

    // "none", "cores", "sockets", "rank", "map_cpu:0,2*4", "mask_cpu:0x3,0xC"; "" is automatic.
    // Errors are in Slurm's words where it has any.
    static Result<CpuBind> parse(std::string_view text);

    // Tasks have all CPUs of the step, and the node chooses among them.
    bool is_by_number() const { return kind >= Kind::rank; }
};

// The machine's CPU numbers that masks and maps may name are below this.
inline constexpr std::uint32_t kCpuNumbersMax = 8192;

}  // namespace berth
