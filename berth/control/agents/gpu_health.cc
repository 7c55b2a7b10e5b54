#include "berth/control/agents/gpu_health.h"

#include <algorithm>

#include "berth/control/agents/changed_by.h"
#include "berth/control/agents/hardware.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// Its index among the node's GPUs, as in gres.conf.
std::optional<std::uint32_t> device_of(const ClusterSpec& spec, NodeId node, std::int32_t gpu) {
    const std::vector<Device>& devices = spec.node(node).devices;
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
        const bool is_gpu = spec.dimensions.at(devices[i].dimension).name == "gpu";
        if (is_gpu && std::cmp_equal(devices[i].index, gpu)) return i;
    }
    return std::nullopt;
}

bool holds_device(const Job& job, NodeId node, std::uint32_t device) {
    return std::ranges::any_of(job.allocation->shares, [&](const NodeShare& share) {
        return share.node == node && (share.devices & bit(static_cast<int>(device))) != 0;
    });
}

// The jobs are not at fault: they are requeued if they may be.
void end_holders(TurnBuilder& builder, NodeId node, std::uint32_t device) {
    for (const JobId id : builder.state().index().on_node(node)) {
        const Job& job = *builder.state().find_job(id);
        if (job.state != JobState::running || !holds_device(job, node, device)) continue;
        const bool again = may_requeue(builder.state(), job);
        builder.record(EndJob{.job = id,
                              .outcome = again ? JobState::pending : JobState::node_fail,
                              .reason = "GpuFailure"});
    }
}

}  // namespace

void take_gpu_faults(TurnBuilder& builder, NodeId node, const std::string& instance,
                     const std::vector<GpuFault>& faults) {
    const ClusterSpec& spec = builder.state().spec();
    for (const GpuFault& fault : faults) {
        const NodeCondition& condition = builder.state().nodes().condition(node);
        if (condition.fault_instance == instance && fault.number <= condition.fault_number) {
            continue;
        }
        const std::string text = "gpu " + std::to_string(fault.gpu) + ": " + describe(fault);
        const FaultAction action = action_for(fault);
        const auto device = device_of(spec, node, fault.gpu);
        builder.log(action == FaultAction::none ? LogLevel::info : LogLevel::error,
                    "node " + spec.node(node).name + ", " + text +
                        (device ? "" : "; the configuration has no such GPU"));
        if (action == FaultAction::none || !device) continue;
        builder.record(DevicesDrained{.node = node,
                                      .devices = bit(static_cast<int>(*device)),
                                      .reason = text,
                                      .by = kByController,
                                      .instance = instance,
                                      .number = fault.number});
        if (action == FaultAction::end_job) end_holders(builder, node, *device);
    }
}

void drain_absent_gpus(TurnBuilder& builder, NodeId node, const NodeSpec& found) {
    const ClusterSpec& spec = builder.state().spec();
    const NodeSpec& configured = spec.node(node);
    const DeviceMask known = builder.state().nodes().condition(node).drained_mask();
    for_each_bit(absent_gpus(configured, found, spec.dimensions) & ~known, [&](int i) {
        const Device& device = configured.devices[static_cast<std::size_t>(i)];
        const std::string text =
            "gpu " + std::to_string(device.index) + ": " + device.file + " is not there";
        builder.log(LogLevel::error, "node " + configured.name + ", " + text);
        builder.record(
            DevicesDrained{.node = node, .devices = bit(i), .reason = text, .by = kByController});
        end_holders(builder, node, static_cast<std::uint32_t>(i));
    });
}

}  // namespace berth
