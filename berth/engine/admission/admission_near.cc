// Admission: topology constraints of a job's nodes and GPUs, and properties required of its GPUs.
#include <algorithm>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/placement/socket_gpus.h"
#include "berth/model/gres_lists.h"

namespace berth {
namespace {

std::int64_t gpus_in(const JobRequest& request) {
    std::int64_t count = 0;
    for (const auto* list : gres_lists(request)) {
        for (const GresRequest& one : *list) count += one.name == "gpu" ? one.count : 0;
    }
    return count;
}

Objection check_pack(const JobRequest& request) {
    if (!request.nearness->pack) return std::nullopt;
    if (request.nodes_min > 1) {
        return refuse_invalid("--pack puts a job on one node, and --nodes asks for " +
                              std::to_string(request.nodes_min));
    }
    if (gpus_in(request) == 0) {
        return refuse_invalid(
            "--pack is about linked GPUs: say how many, by --gpus or --gres=gpu:N");
    }
    if (request.exclusive) return refuse_invalid("--pack and --exclusive: say one of them");
    return std::nullopt;
}

Objection check_segment(const ClusterSpec& spec, const JobRequest& request) {
    const auto& segment = request.nearness->segment;
    if (!segment) return std::nullopt;
    const bool has_blocks =
        std::ranges::any_of(spec.nodes, [](const NodeSpec& node) { return !node.block.empty(); });
    if (!has_blocks) {
        return refuse_invalid(
            "--segment needs a block topology; topology.conf has no BlockName lines");
    }
    const std::uint32_t nodes = request.nodes_min;
    if (*segment == 0 || nodes % *segment != 0 || request.nodes_max.value_or(nodes) != nodes) {
        return refuse_invalid("--segment=" + std::to_string(*segment) +
                              " needs a number of nodes that is a multiple of it, and " +
                              std::to_string(nodes) + " is not");
    }
    return std::nullopt;
}

Objection check_gpu_kind(const ClusterSpec& spec, const TopologyConstraint& near) {
    if (near.gpu_memory_min == Bytes(0) && near.compute_capability_min == 0) return std::nullopt;
    for (const NodeSpec& node : spec.nodes) {
        const bool any = std::ranges::any_of(
            node.devices, [&](const Device& device) { return is_able(device, near); });
        if (any) return std::nullopt;
    }
    std::string wanted;
    if (near.gpu_memory_min > Bytes(0)) wanted += " " + format_size(near.gpu_memory_min);
    if (near.compute_capability_min > 0) {
        wanted += " compute capability " + std::to_string(near.compute_capability_min / 10) + "." +
                  std::to_string(near.compute_capability_min % 10);
    }
    return Refusing{.why = Refusal::node_configuration_unavailable,
                    .message = "no GPU is known to have" + wanted +
                               "; berth.yaml says under gpu_types what GPUs have"};
}

// "4 sockets of 8 cores, 2 threads for each core, 100G of temporary disk"
std::string text_of(const NodeShape& least) {
    std::vector<std::string> parts;
    const auto add = [&](std::uint32_t count, const char* what) {
        if (count > 0) parts.push_back(std::to_string(count) + (" " + std::string(what)));
    };
    add(least.sockets, "sockets");
    add(least.cores_per_socket, "cores per socket");
    add(least.threads_per_core, "threads per core");
    if (least.tmp_disk > Bytes(0))
        parts.push_back(format_size(least.tmp_disk) + " of temporary disk");
    return join(parts, ", ");
}

Objection check_shape(const ClusterSpec& spec, const NodeShape& least) {
    const bool any = std::ranges::any_of(
        spec.nodes, [&](const NodeSpec& node) { return !node.gone && has_shape(node, least); });
    if (any || least == NodeShape{}) return std::nullopt;
    return Refusing{.why = Refusal::node_configuration_unavailable,
                    .message = "no node has at least " + text_of(least)};
}

// --gpus-per-socket: the GPUs of each node are so many times that number.
Objection check_socket_gpus(const ClusterSpec& spec, const JobRequest& request) {
    const std::uint32_t each = request.nearness->layout.gpus_per_socket;
    if (each == 0) return std::nullopt;
    const GresRequest* gpus = nullptr;
    int lists = 0;
    for (const auto* list : gres_lists(request)) {
        for (const GresRequest& one : *list) {
            if (one.name != "gpu" || one.count == 0) continue;
            gpus = &one;
            ++lists;
        }
    }
    const bool of_node = request.gpus.empty() && request.gpus_per_task.empty();
    if (lists != 1 || !of_node || gpus->count < 0 || gpus->count % each != 0) {
        return refuse_invalid("--gpus-per-socket=" + std::to_string(each) +
                              " needs a number of GPUs per node that is a multiple of it");
    }
    if (request.nearness->layout.overcommit)
        return refuse_invalid("--gpus-per-socket and --overcommit: say one of them");
    const DimensionSet types = dimensions_of(spec.dimensions, *gpus);
    const std::int64_t sockets = gpus->count / each;
    const bool any = std::ranges::any_of(spec.nodes, [&](const NodeSpec& node) {
        return !node.gone && sockets <= node.sockets &&
               has_socket_gpus(node, types, each, static_cast<std::uint32_t>(sockets));
    });
    if (any) return std::nullopt;
    return Refusing{.why = Refusal::node_configuration_unavailable,
                    .message = "no node is known to have " + std::to_string(each) + " GPUs near " +
                               std::to_string(sockets) +
                               " sockets each; gres.conf says by Cores= which are near"};
}

Objection check_layout(const JobRequest& request) {
    const TaskLayout& layout = request.nearness->layout;
    if (layout.pack && request.nearness->task_order != TaskOrder::block)
        return refuse_invalid("--distribution=…,Pack is for block: write block,Pack");
    if (layout.per_socket == 0 && layout.gpus_per_socket == 0) return std::nullopt;
    const std::string option = layout.per_socket > 0 ? "--ntasks-per-socket" : "--gpus-per-socket";
    if (request.nearness->pack) {
        return Refusing{.why = Refusal::not_supported,
                        .message = option + " and --pack: say one of them"};
    }
    const bool part = std::ranges::any_of(request.gres_per_node, [](const GresRequest& one) {
        return is_share_name(one.name) && one.count > 0;
    });
    if (!part) return std::nullopt;
    return Refusing{.why = Refusal::not_supported,
                    .message = option +
                               " with part of a GPU (mps, shard, gpumem) is not "
                               "supported; ask for a whole one"};
}

constexpr std::size_t kAffinitiesMax = 16;

Objection check_affinities(const JobRequest& request) {
    const auto& wishes = request.nearness->affinities;
    if (wishes.size() > kAffinitiesMax) return refuse_invalid("more than 16 affinities");
    const bool part = std::ranges::any_of(request.gres_per_node, [](const GresRequest& one) {
        return is_share_name(one.name) && one.count > 0;
    });
    for (const Affinity& wish : wishes) {
        if (wish.name.empty())
            return refuse_invalid("an affinity needs the name of a job or a feature");
        if (wish.to == Affinity::To::job_on_gpu && !part) {
            return refuse_invalid("affinity to the GPU of job " + wish.name +
                                  " is for parts of GPUs: mps, shard or gpumem");
        }
    }
    return std::nullopt;
}

}  // namespace

Objection check_nearness(const ClusterSpec& spec, const JobRequest& request) {
    const TopologyConstraint& near = request.nearness;
    if (auto no = check_affinities(request)) return no;
    const int ways = (near.contiguous ? 1 : 0) + (near.spread ? 1 : 0) + (near.compact ? 1 : 0) +
                     (near.pack ? 1 : 0);
    if (ways > 1) {
        return refuse_invalid("--contiguous, --spread-job, --compact and --pack: say one of them");
    }
    if (near.switches == 0U) return refuse_invalid("--switches is at least 1");
    if (near.task_order == TaskOrder::plane && near.plane == 0) {
        return refuse_invalid("--distribution=plane needs a size, as in plane=4");
    }
    if (auto no = check_pack(request)) return no;
    if (auto no = check_layout(request)) return no;
    if (auto no = check_socket_gpus(spec, request)) return no;
    if (auto no = check_segment(spec, request)) return no;
    if (auto no = check_shape(spec, near.node)) return no;
    return check_gpu_kind(spec, near);
}

}  // namespace berth
