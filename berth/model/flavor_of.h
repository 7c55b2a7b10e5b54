// Which flavor a node of the cluster is of, and how flavors are called.
#pragma once

#include <optional>
#include <string>

#include "berth/model/cluster_spec.h"

namespace berth {

// Which flavor the node is of, as its place among the configuration's.
std::optional<std::size_t> flavor_of(const ClusterSpec& spec, const NodeSpec& node);

// "gpu-a100,gpu:a100"; "none": nodes of no flavor. Empty if there is no choice.
std::string flavor_name(const ClusterSpec& spec, const FlavorChoice& choice);
// ", flavor gpu-a100, gpu:a100"; nothing if there is no choice.
std::string flavor_text(const ClusterSpec& spec, const FlavorChoice& choice);

}  // namespace berth
