// How LinuxNode serves jobs that share a GPU through MPS. The daemon starts before the first of
// these jobs and stops after the last. If the daemon fails, only its GPU becomes unusable.
#include <algorithm>

#include "berth/base/codec.h"
#include "berth/host/node/linux_node_parts.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

// Memory limit of a daemon and its servers: a quarter of the node's, within these bounds.
constexpr Bytes kMpsMemoryMin = Bytes(std::int64_t{1} << 30),
                kMpsMemoryMax = Bytes(std::int64_t{4} << 30);

// The device that the launch shares through MPS; nullptr: none.
const Device* shared_device(const LaunchAttempt& launch, const LinuxNodeOptions& options) {
    const auto& share = launch.share.device_share;
    if (!share || share->device >= options.node.devices.size() ||
        share->part.dimension.value() >= options.dimensions.size() ||
        options.dimensions.at(share->part.dimension).name != "mps")
        return nullptr;
    const Device& device = options.node.devices[share->device];
    return device.file.empty() && options.mps_program.empty() ? nullptr : &device;
}

}  // namespace

Cgroup LinuxNodeParts::mps_group(const MpsKey& key) const {
    if (!confinement.usable()) return {};
    return confinement.service_group("mps_" + std::to_string(key.gpu) + "_" +
                                     std::to_string(key.uid));
}

Status LinuxNodeParts::need_mps(const LaunchAttempt& launch, const UserRecord& user) {
    const Device* const device = shared_device(launch, options);
    if (device == nullptr) return Done{};
    Place& place = places.at({launch.job, launch.attempt});
    place.mps = MpsKey{device->index, user.uid};
    BERTH_CHECK(write_atomically(place.folder + "/mps", encode(*place.mps)));
    if (!mps.runs(*place.mps)) {
        const Bytes memory =
            std::clamp(Bytes(options.node.memory.count() / 4), kMpsMemoryMin, kMpsMemoryMax);
        BERTH_CHECK(
            confinement.confine_service(mps_group(*place.mps), launch.confinement, memory,
                                        bit(static_cast<int>(launch.share.device_share->device))));
    }
    return mps.start(*place.mps, user,
                     device->uuid.empty() ? std::to_string(device->index) : device->uuid);
}

std::vector<std::string> LinuxNodeParts::mps_environment(const LaunchAttempt& launch) const {
    const Device* const device = shared_device(launch, options);
    const auto place = places.find({launch.job, launch.attempt});
    if (device == nullptr || place == places.end() || !place->second.mps) return {};
    const ShareKind& part = launch.share.device_share->part;
    const auto whole = std::ranges::find(device->shares, part.dimension, &ShareKind::dimension);
    const std::int64_t parts =
        whole == device->shares.end() ? 100 : std::max<std::int64_t>(whole->parts, 1);
    return mps.environment(*place->second.mps,
                           std::clamp<std::int64_t>(part.parts * 100 / parts, 1, 100));
}

// A daemon that failed while no agent ran counts as failing now.
void LinuxNodeParts::adopt_mps() {
    std::vector<GpuFault> fallen;
    for (const auto& [key, place] : places) {
        if (!place.mps || place.unclaimed || mps.runs(*place.mps)) continue;
        fallen.push_back({.gpu = static_cast<std::int32_t>(place.mps->gpu),
                          .kind = GpuFaultKind::told,
                          .text = "its MPS daemon is gone"});
    }
    if (!fallen.empty()) tell(FaultsSeen{std::move(fallen)});
    drop_mps();
}

void LinuxNodeParts::drop_mps() {
    for (const MpsKey& key : mps.running()) {
        const auto needs = [&](const Place& place) { return place.mps == key; };
        const bool needed =
            std::ranges::any_of(places, [&](const auto& one) { return needs(one.second); }) ||
            std::ranges::any_of(leftovers, needs);
        if (!needed) mps.stop(key);
    }
}

void LinuxNodeParts::mps_ended() {
    std::vector<GpuFault> fallen;
    for (const MpsKey& key : mps.take_ended()) {
        log.write(LogLevel::error, "host",
                  "the MPS daemon of uid " + std::to_string(key.uid) + " on GPU " +
                      std::to_string(key.gpu) + " has ended by itself");
        fallen.push_back({.gpu = static_cast<std::int32_t>(key.gpu),
                          .kind = GpuFaultKind::told,
                          .text = "its MPS daemon has ended"});
    }
    if (!fallen.empty()) tell(FaultsSeen{std::move(fallen)});
}

}  // namespace berth
