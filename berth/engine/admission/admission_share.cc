// Admission: parts of GPUs (--gres=mps:…, shard:…, gpumem:…), and whether the partition's nodes
// offer them.
#include <algorithm>

#include "berth/base/size_text.h"
#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/placement/demand.h"
#include "berth/model/gres_lists.h"

namespace berth {
namespace {

std::string amount_text(const GresRequest& part) {
    return part.name == "gpumem" ? format_size(Bytes(part.count)) : std::to_string(part.count);
}

bool asks_for_gpus(const JobRequest& request) {
    return std::ranges::any_of(gres_lists(request),
                               [](const auto* list) { return names_gpus(*list); });
}

// The largest number of parts that one of their GPUs has.
std::int64_t most_parts(const ClusterSpec& spec, const PartitionSpec& partition, DimensionId kind) {
    std::int64_t most = 0;
    for (const NodeId node : partition.nodes) {
        for (const Device& device : spec.node(node).devices) {
            for (const ShareKind& own : device.shares) {
                if (own.dimension == kind) most = std::max(most, own.parts);
            }
        }
    }
    return most;
}

}  // namespace

Objection check_share(const ClusterSpec& spec, const Job& job) {
    const JobRequest& request = job.spec.request;
    const auto is_part = [](const GresRequest& one) {
        return is_share_name(one.name) && one.count > 0;
    };
    const auto part = std::ranges::find_if(request.gres_per_node, is_part);
    if (part == request.gres_per_node.end()) return std::nullopt;
    if (std::ranges::count_if(request.gres_per_node, is_part) > 1) {
        return refuse(Refusal::invalid_request,
                      "a job can have a part of a GPU in one way: name one of mps, shard, gpumem");
    }
    if (asks_for_gpus(request)) {
        return refuse(Refusal::invalid_request,
                      "a part of a GPU (" + part->name + ") and whole GPUs: ask for one of them");
    }
    const PartitionSpec& partition = spec.partition(job.partition);
    if (partition.exclusive || (request.exclusive && !partition.ignores_exclusive())) {
        return refuse(Refusal::not_supported, "a part of a GPU (" + part->name +
                                                  ") on exclusive nodes is not supported yet");
    }
    const auto kind = spec.dimensions.find(part->name, part->type);
    if (!kind) {
        return refuse(Refusal::unknown_gres, part->name + ":" + part->type +
                                                 ": parts of GPUs have no types; use --constraint");
    }
    const std::int64_t parts = most_parts(spec, partition, *kind);
    if (parts < part->count) {
        const std::string most = amount_text({.name = part->name, .count = parts});
        return refuse(
            Refusal::node_configuration_unavailable,
            part->name + ":" + amount_text(*part) + " of one GPU; one has at most " + most);
    }
    return std::nullopt;
}

}  // namespace berth
