// Socket GPUs: which GPUs of a node are near which socket, as --gpus-per-socket counts them.
#pragma once

#include <cstdint>

#include "berth/engine/placement/core_use.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// The node's devices of these types whose cores are all of this socket. Where the cores of none of
// a type are known, they count as dealt out evenly: the first of them to the first socket.
DeviceMask gpus_near_socket(const NodeSpec& node, std::uint32_t socket, DimensionSet types);

// The cores of the sockets that have at least so many of these devices, all of one type.
struct SocketsWithGpus {
    BitSet cores;
    std::uint32_t count = 0;
};
SocketsWithGpus sockets_with_gpus(const NodeSpec& node, DimensionId type, DeviceMask devices,
                                  std::uint32_t each);

// Whether so many sockets of the node have so many GPUs each, all of one of these types.
bool has_socket_gpus(const NodeSpec& node, DimensionSet types, std::uint32_t each,
                     std::uint32_t sockets);

// The least number of free devices of the type among which, whichever they are, so many sockets
// have so many each. 0: not even all devices suffice. REQUIRES: sockets > 0.
std::int64_t enough_socket_gpus(const NodeSpec& node, DimensionId type, std::uint32_t each,
                                std::uint32_t sockets);

// Keeps the nodes that have the GPUs near their sockets that are asked for, if any are.
void keep_socketed(BitSet& nodes, const ClusterSpec& spec, const Near& near);

}  // namespace berth
