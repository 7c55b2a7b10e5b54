// DeviceGuard: which device files the processes of a cgroup may open. One interface; rules of the
// v1 devices controller, or a BPF program on a v2 cgroup.
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
    automatic,  // v1 rules where that controller is mounted, else BPF.
    v1,
    bpf,
};

struct DeviceRule {
    char kind = 'c';  // Or 'b'.
    std::uint32_t major = 0;
    std::optional<std::uint32_t> minor;  // nullopt: all.
    bool may_make_node = false;          // mknod, besides reading and writing.

    std::string to_text() const;  // "c 195:3 rw"
    friend auto operator<=>(const DeviceRule&, const DeviceRule&) = default;
};

// The rule for a device file that is there.
Result<DeviceRule> rule_for(const std::string& file);

// For all that a device has: three files of a MIG instance, none of a simulated one.
Result<std::vector<DeviceRule>> rules_for_files(const Device& device);

// What every job needs: null, zero, full, random, urandom, tty, ptmx and the terminals; the control
// files of NVIDIA's driver and those of InfiniBand, so far as this machine has them. None of them
// is a GPU.
std::vector<DeviceRule> usual_devices();

class DeviceGuard {
public:
    virtual ~DeviceGuard() = default;
    // From here on the processes of this cgroup (a folder in the hierarchy of this back-end) and of
    // those beneath it may open only what the rules say. What is open stays open.
    virtual Status confine(const std::string& cgroup, std::span<const DeviceRule> allowed) = 0;
    virtual DeviceBackend backend() const = 0;
};

std::unique_ptr<DeviceGuard> make_v1_device_guard();
std::unique_ptr<DeviceGuard> make_bpf_device_guard();

}  // namespace berth
