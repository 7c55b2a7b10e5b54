// DeviceGuard: restricts which device files the processes of a cgroup may open. Two back-ends:
// rules of the v1 devices controller, or a BPF program on a v2 cgroup.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/node.h"

namespace berth {

enum class DeviceBackend : std::uint8_t {
    automatic,  // v1 if that controller is mounted, otherwise BPF.
    v1,
    bpf,
};

struct DeviceRule {
    char kind = 'c';  // 'c' or 'b'.
    std::uint32_t major = 0;
    std::optional<std::uint32_t> minor;  // nullopt: all.
    bool may_make_node = false;          // Allows mknod, besides read and write.

    std::string to_text() const;  // "c 195:3 rw"
    friend auto operator<=>(const DeviceRule&, const DeviceRule&) = default;
};

// The rule for an existing device file.
Result<DeviceRule> rule_for(const std::string& file);

// For all files of the device: three for a MIG instance, none for a simulated device.
Result<std::vector<DeviceRule>> rules_for_files(const Device& device);

// What every job needs: null, zero, full, random, urandom, tty, ptmx and the terminals; the control
// files of NVIDIA's driver and of InfiniBand, as far as this machine has them. No GPU among them.
std::vector<DeviceRule> usual_devices();

class DeviceGuard {
public:
    virtual ~DeviceGuard() = default;
    // From now on, processes of this cgroup (a folder in the hierarchy of this back-end) and its
    // descendants may open only the allowed devices. Files already open stay open.
    virtual Status confine(const std::string& cgroup, std::span<const DeviceRule> allowed) = 0;
    virtual DeviceBackend backend() const = 0;
};

std::unique_ptr<DeviceGuard> make_v1_device_guard();
std::unique_ptr<DeviceGuard> make_bpf_device_guard();

}  // namespace berth
