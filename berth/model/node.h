// Node: one machine as it is configured, and the condition it is in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/resources.h"

namespace berth {

// One way in which a device may be given out in parts, and into how many: "mps" in hundredths,
// "shard" by count, "gpumem" in bytes. It is given out in one of its ways at a time.
struct ShareKind {
    DimensionId dimension{0};
    std::int64_t parts = 0;

    BERTH_FIELDS(ShareKind, dimension, parts)
};

// One instance of a GRES that has an identity: a GPU, an FPGA with a device file. At most 64 a
// node, so that a choice of them is a 64-bit mask over NodeSpec::devices ("device mask").
struct Device {
    DimensionId dimension;
    std::uint32_t index =
        0;  // Among the node's devices of the same GRES name, from 0: Slurm's IDX.
    // "/dev/nvidia0"; empty for a simulated device. Several, with commas between, are one MIG
    // instance: gres.conf's MultipleFiles.
    std::string file;
    BitSet cores;  // Cores near it; empty: all alike.
    std::vector<std::int32_t>
        links;         // NVLinks to each device of its GRES name, by index; -1 at its own.
    std::string uuid;  // As NVML tells it; empty if unknown.
    std::vector<ShareKind> shares;         // Empty: whole only.
    Bytes memory;                          // 0: unknown.
    std::uint32_t compute_capability = 0;  // In tenths: 80 is 8.0; 0: unknown.

    BERTH_FIELDS(Device, dimension, index, file, cores, links, uuid, shares, memory,
                 compute_capability)
};

using DeviceMask = std::uint64_t;
inline constexpr std::size_t kDevicesPerNodeMax = 64;

// Where it is described: in the files, or while the cluster runs: by itself, as it joined, or by an
// administrator for one that is to come.
enum class NodeOrigin : std::uint8_t { configured, joined, cloud, future };

struct NodeSpec {
    std::string name;
    std::string hostname;  // The machine it lives on; the same as name unless it is emulated.
    std::string address;
    std::uint32_t boards = 1;
    std::uint32_t sockets = 1;
    std::uint32_t cores_per_socket = 1;
    std::uint32_t threads_per_core = 1;
    Bytes memory;
    Bytes tmp_disk;
    std::vector<std::string> features;
    std::uint32_t weight = 1;
    std::vector<Device> devices;        // By GRES name, then index.
    Resources capacity;                 // CPUs, memory and all GRES, count-only ones too.
    std::vector<std::string> switches;  // The path from the top of the topology tree; may be empty.
    std::string gres_text;              // As configured, for `scontrol show node`: "gpu:a100:8".
    bool gone = false;  // No longer configured; here for its id alone (see engine's keep_ids).
    std::string block;  // Of the block topology; empty: none.
    std::string comment, extra;  // By an administrator, and nothing follows from them.
    NodeOrigin origin = NodeOrigin::configured;

    bool is_dynamic() const { return origin != NodeOrigin::configured; }
    std::uint32_t cores() const { return sockets * cores_per_socket; }
    std::uint32_t cpus() const { return cores() * threads_per_core; }

    BERTH_FIELDS(NodeSpec, name, hostname, address, boards, sockets, cores_per_socket,
                 threads_per_core, memory, tmp_disk, features, weight, devices, capacity, switches,
                 gres_text, gone, block, comment, extra, origin)
};

// A reboot that an administrator has asked for.
struct NodeReboot {
    enum class Stage : std::uint8_t {
        none,
        requested,  // Once nothing runs on it …
        issued,     // … it is told to, and takes no work until it is back.
    };
    Stage stage = Stage::none;
    bool asap = false;  // It takes no new work in the meantime.
    bool down = false;  // NextState=DOWN: not to be used when it is back.
    std::optional<Time> issued_at;
    std::string reason;
    BERTH_FIELDS(NodeReboot, stage, asap, down, issued_at, reason)
};

// A device that is given to no new job, and why.
struct DrainedDevice {
    std::uint32_t device = 0;
    std::string reason, by;
    std::optional<Time> at;
    BERTH_FIELDS(DrainedDevice, device, reason, by, at)
};

// What is true of a node now. Work is put on it only while it is registered, responding, and
// neither drained nor down.
struct NodeCondition {
    bool registered = false;  // Its agent has told its inventory under the current boot id.
    bool responding = false;
    bool drained = false;  // By an administrator, or by a fault: takes no new work.
    bool down = false;     // By an administrator, who thereby vouches that nothing runs on it.
    std::string reason;    // Of the drain or the down.
    std::string reason_by;
    std::optional<Time> reason_at;
    std::string boot_id;  // Of its last registration.
    std::optional<Time> booted_at;
    std::optional<Time> agent_started_at;
    std::string agent_version;
    std::string os, arch;

    std::string fenced_boot;    // The last boot of it that a fence has ended.
    std::string fence_failure;  // Why a fence could not, while it is silent.
    NodeReboot reboot;
    std::vector<DrainedDevice> drained_devices;  // By device.
    std::string fault_instance;      // The agent process whose fault was the last one acted upon …
    std::uint64_t fault_number = 0;  // … and its number.

    bool schedulable() const {
        return registered && responding && !drained && !down &&
               (reboot.stage == NodeReboot::Stage::none ||
                (reboot.stage == NodeReboot::Stage::requested && !reboot.asap));
    }
    DeviceMask drained_mask() const {
        DeviceMask mask = 0;
        for (const DrainedDevice& one : drained_devices) mask |= DeviceMask{1} << one.device;
        return mask;
    }

    BERTH_FIELDS(NodeCondition, registered, responding, drained, down, reason, reason_by, reason_at,
                 boot_id, booted_at, agent_started_at, agent_version, os, arch, fenced_boot,
                 fence_failure, reboot, drained_devices, fault_instance, fault_number)
};

}  // namespace berth
