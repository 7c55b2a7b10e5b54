#include "berth/control/core/debug_lines.h"

#include "berth/base/bitmask.h"
#include "berth/base/hostlist.h"

namespace berth {
namespace {

bool wanted(const TurnBuilder& builder, DebugFlag flag) {
    return (builder.state().spec().debug_flags & bit_of(flag)) != 0;
}

std::string exit_text(ExitStatus exit) {
    return std::to_string(exit.code) + ":" + std::to_string(exit.signal);
}

// The GRES in this amount, devices by their indices: "gpu:a100:2(IDX:0-1),fpga:4".
std::string gres_text(const ClusterSpec& spec, NodeId node, const Resources& amount,
                      DeviceMask devices) {
    std::string text;
    for (const DimensionId id : spec.dimensions.gres()) {
        DeviceMask indices = 0;
        std::int64_t own = 0;
        const std::vector<Device>& all = spec.node(node).devices;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].dimension != id || (devices >> i & 1) == 0) continue;
            indices |= DeviceMask{1} << all[i].index;
            ++own;
        }
        const std::int64_t count = own > 0 ? own : amount[id];
        if (count <= 0) continue;
        const Dimension& dimension = spec.dimensions.at(id);
        text += (text.empty() ? "" : ",") + dimension.name;
        if (!dimension.type.empty()) text += ":" + dimension.type;
        text += ":" + std::to_string(count);
        if (own > 0) text += "(IDX:" + mask_to_list(indices) + ")";
    }
    return text;
}

// The job that the start made run; for an array, the task's own record.
const Job* started(const ClusterState& state, const StartJob& fact) {
    return state.find_job(fact.task_job.value_or(fact.job));
}

void log_registration(TurnBuilder& builder, const NodeRegistered& fact) {
    const NodeSpec& node = builder.state().spec().node(fact.node);
    DeviceMask all = 0;
    for (std::size_t i = 0; i < node.devices.size(); ++i) all |= DeviceMask{1} << i;
    const DeviceMask drained = builder.state().nodes().condition(fact.node).drained_mask();
    const std::string text = gres_text(builder.state().spec(), fact.node, node.capacity, all);
    builder.log(LogLevel::info, "gres: node " + node.name + " registered with " +
                                    (text.empty() ? "no GRES" : text) +
                                    (drained == 0 ? "" : ", drained: " + mask_to_list(drained)));
}

void log_allocation(TurnBuilder& builder, const StartJob& fact) {
    const Job* const job = started(builder.state(), fact);
    if (job == nullptr) return;
    for (const NodeShare& share : fact.allocation.shares) {
        const ClusterSpec& spec = builder.state().spec();
        Resources amount = share.amount;
        if (share.device_share) amount[share.device_share->part.dimension] = 0;  // Added below.
        std::string text = gres_text(spec, share.node, amount, share.whole_devices());
        if (share.device_share) {
            const ShareKind& part = share.device_share->part;
            const Device& device = spec.node(share.node).devices[share.device_share->device];
            text += (text.empty() ? "" : ",") + spec.dimensions.at(part.dimension).name + ":" +
                    std::to_string(part.parts) + "(IDX:" + std::to_string(device.index) + ")";
        }
        builder.log(LogLevel::info, "gres: job " + to_string(job->id) + " of " + *job->owner->user +
                                        " has " + (text.empty() ? "no GRES" : text) + " of node " +
                                        spec.node(share.node).name);
    }
}

void log_release(TurnBuilder& builder, const AttemptEnded& fact) {
    builder.log(LogLevel::info, "gres: job " + to_string(fact.job) +
                                    " gave back what it had of node " +
                                    builder.state().spec().node(fact.node).name);
}

void log_step(TurnBuilder& builder, const StepCreated& fact) {
    std::vector<std::string> nodes;
    nodes.reserve(fact.step.shares.size());
    for (const StepShare& share : fact.step.shares) {
        nodes.push_back(builder.state().spec().node(share.node).name);
    }
    builder.log(LogLevel::info, "steps: step " + to_string(fact.job) + "." +
                                    to_string(fact.step.id) + " (" + fact.step.name +
                                    ") begins on " + compress_hostlist(std::move(nodes)));
}

void log_step_end(TurnBuilder& builder, const StepEnded& fact) {
    builder.log(LogLevel::info, "steps: step " + to_string(fact.job) + "." + to_string(fact.step) +
                                    " ended on " + builder.state().spec().node(fact.node).name +
                                    " with " + exit_text(fact.exit));
}

}  // namespace

void log_debug_facts(TurnBuilder& builder) {
    if (builder.state().spec().debug_flags == 0) return;
    const bool gres = wanted(builder, DebugFlag::gres), steps = wanted(builder, DebugFlag::steps);
    for (const Fact& fact : builder.turn().record.facts) {
        if (const auto* one = std::get_if<NodeRegistered>(&fact); one != nullptr && gres) {
            log_registration(builder, *one);
        } else if (const auto* start = std::get_if<StartJob>(&fact); start != nullptr && gres) {
            log_allocation(builder, *start);
        } else if (const auto* end = std::get_if<AttemptEnded>(&fact); end != nullptr && gres) {
            log_release(builder, *end);
        } else if (const auto* step = std::get_if<StepCreated>(&fact); step != nullptr && steps) {
            log_step(builder, *step);
        } else if (const auto* over = std::get_if<StepEnded>(&fact); over != nullptr && steps) {
            log_step_end(builder, *over);
        }
    }
}

void log_refusal(TurnBuilder& builder, const Principal& principal, const Refused& refused) {
    if (!wanted(builder, DebugFlag::gres)) return;
    builder.log(LogLevel::info, "gres: refused to " + principal.user + " (" +
                                    std::string(code(refused.why)) + "): " + refused.message);
}

}  // namespace berth
