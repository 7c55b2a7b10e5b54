#include "berth/model/gpu_fault.h"

#include <algorithm>
#include <array>

namespace berth {
namespace {

// After NVIDIA's Xid catalogue (docs.nvidia.com/deploy/xid-errors, "Analyzing Xid Errors with the
// Xid Catalog", for A100 to GB200), by what it says is to be done at once:
//   an application to be started again, or nothing          the job's own matter: none
//   a link to be looked at, software to be brought up       drain
//   the GPU, the virtual machine or the host to be reset    end_job
// Two for which it asks for a reset that has time, 155 and 156, drain. An Xid that is not here is
// new, or unused since Ampere: it is logged, and no more.
struct Row {
    std::int64_t code;
    FaultAction action;
    std::string_view text;
};
using enum FaultAction;
constexpr auto kXids = std::to_array<Row>({
    {8, none, "GPU stopped processing"},
    {11, none, "invalid or corrupted push buffer"},
    {13, none, "graphics engine exception"},
    {25, none, "invalid or illegal push buffer"},
    {31, none, "memory page fault"},
    {32, none, "invalid or corrupted push buffer"},
    {43, none, "GPU stopped processing"},
    {45, none, "preemptive cleanup of an earlier error"},
    {46, end_job, "GPU stopped processing"},
    {48, end_job, "double bit ECC error"},
    {62, end_job, "internal microcontroller halt"},
    {63, none, "a memory row is to be remapped at the next reset"},
    {64, end_job, "a memory row could not be remapped"},
    {68, none, "video decoder exception"},
    {69, none, "graphics engine class error"},
    {74, drain, "NVLink error"},
    {78, drain, "vGPU could not be started"},
    {79, end_job, "GPU has fallen off the bus"},
    {92, none, "high rate of single bit ECC errors"},
    {94, none, "contained memory error"},
    {95, end_job, "uncontained memory error"},
    {109, end_job, "context switch timeout"},
    {110, end_job, "security fault"},
    {119, end_job, "GSP did not answer"},
    {120, end_job, "GSP error"},
    {121, none, "chip-to-chip link error, corrected"},
    {136, end_job, "link training failed"},
    {137, none, "illegal access over NVLink"},
    {140, end_job, "unrecovered ECC error"},
    {141, none, "CUDA fast path error"},
    {143, end_job, "GPU could not be initialised"},
    {144, drain, "NVLink SAW error"},
    {145, drain, "NVLink RLW error"},
    {146, drain, "NVLink TLW error"},
    {147, drain, "NVLink TREX error"},
    {148, drain, "NVLink NVLPW_CTRL error"},
    {149, drain, "NVLink NETIR error"},
    {150, drain, "NVLink MSE error"},
    {151, end_job, "key rotation error"},
    {154, none, "another recovery action is due"},
    {155, drain, "NVLink error that software defines"},
    {156, drain, "a resource has been retired"},
    {157, none, "a resource could not be retired"},
    {158, end_job, "fatal timeout within the GPU"},
});
static_assert(std::ranges::is_sorted(kXids, {}, &Row::code));

const Row* find_xid(std::int64_t code) {
    const auto row = std::ranges::lower_bound(kXids, code, {}, &Row::code);
    return row != kXids.end() && row->code == code ? &*row : nullptr;
}

}  // namespace

FaultAction action_for(const GpuFault& fault) {
    switch (fault.kind) {
        case GpuFaultKind::xid: {
            const Row* const row = find_xid(fault.code);
            return row == nullptr ? FaultAction::none : row->action;
        }
        case GpuFaultKind::lost: return FaultAction::end_job;
        case GpuFaultKind::ecc:
        case GpuFaultKind::row_remap:
        case GpuFaultKind::told: return FaultAction::drain;
    }
    return FaultAction::none;
}

std::string describe(const GpuFault& fault) {
    switch (fault.kind) {
        case GpuFaultKind::xid: {
            const Row* const row = find_xid(fault.code);
            return "XID " + std::to_string(fault.code) +
                   (row == nullptr ? "" : ": " + std::string(row->text));
        }
        case GpuFaultKind::lost: return "GPU is lost";
        case GpuFaultKind::ecc:
            return std::to_string(fault.code) + " uncorrectable memory errors since the boot";
        case GpuFaultKind::row_remap: return "a memory row could not be remapped";
        case GpuFaultKind::told: return fault.text;
    }
    return "";
}

}  // namespace berth
