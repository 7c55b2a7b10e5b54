// GpuFault: something that went wrong with one GPU of a node, as its agent saw it. What follows
// from it is a row of a table: gpu_fault.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/fields.h"

namespace berth {

enum class GpuFaultKind : std::uint8_t {
    xid,        // The driver's own number for what happened; `code` is it.
    lost,       // It no longer answers, or is no longer there.
    ecc,        // Memory errors that could not be corrected since the boot; `code` is how many.
    row_remap,  // A row of its memory could not be replaced by a spare one.
    told,       // Another program says so; `text` is its reason.
};

struct GpuFault {
    std::int32_t gpu = 0;  // Which of the node's GPUs, counted from 0 as in gres.conf.
    GpuFaultKind kind = GpuFaultKind::xid;
    std::int64_t code = 0;
    std::string text;
    std::uint64_t number = 0;  // Rises with each fault that this agent process reports.
    BERTH_FIELDS(GpuFault, gpu, kind, code, text, number)
};

// What is to be done about it.
enum class FaultAction : std::uint8_t {
    none,     // The job's own fault, or nothing at all.
    drain,    // Given to no new job. Who has it may go on: what is broken is contained.
    end_job,  // Likewise, and who has it cannot go on.
};

FaultAction action_for(const GpuFault& fault);
std::string describe(const GpuFault& fault);  // "XID 79: GPU has fallen off the bus"

}  // namespace berth
