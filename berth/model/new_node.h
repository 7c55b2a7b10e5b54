// NewNode: a node that no file names, as whoever makes it describes it: `scontrol create
// NodeName=…`, or its agent, which joins by itself (berth-agent -Z).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/model/node.h"

namespace berth {

struct NewGres {  // "gpu:a100:8"
    std::string name, type;
    std::int64_t count = 1;
    BERTH_FIELDS(NewGres, name, type, count)
};

struct NewNode {
    std::string hostname, address;  // Empty: as the node is called.
    std::uint32_t boards = 1, sockets = 1, cores_per_socket = 1, threads_per_core = 1;
    std::int64_t memory = 0, tmp_disk = 0;  // Bytes.
    std::vector<std::string> features;
    std::uint32_t weight = 1;
    std::vector<NewGres> gres;
    std::string state;  // "CLOUD", "FUTURE"; empty: it is there now.
    BERTH_FIELDS(NewNode, hostname, address, boards, sockets, cores_per_socket, threads_per_core,
                 memory, tmp_disk, features, weight, gres, state)
};

// One that joins says which devices are behind its GRES, too.
struct JoiningNode {
    NewNode node;
    std::vector<Device> devices;  // Of these dimensions:
    Dimensions dimensions;
    BERTH_FIELDS(JoiningNode, node, devices, dimensions)
};

// A node's name as it may be: letters, digits, '_', '-' and '.', 1 to 255 of them.
bool is_node_name(const std::string& name);

// As a node of the cluster, whose kinds of GRES may come to be more by it. What no machine has, and
// files that are no GPU's, are refused.
Result<NodeSpec> make_node(const std::string& name, const JoiningNode& from,
                           Dimensions& dimensions);

// Puts what is said of its devices to those that the node has, each by its number.
Status find_devices(NodeSpec& node, const Dimensions& dimensions, const JoiningNode& from);

}  // namespace berth
