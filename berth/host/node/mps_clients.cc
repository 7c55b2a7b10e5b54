#include "berth/host/node/mps_clients.h"

#include <algorithm>

#include "berth/base/codec.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

constexpr const char* kMpsProgram = "/usr/bin/nvidia-cuda-mps-control";
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
    return device.file.empty() && options.nvidia.mps_control.empty() ? nullptr : &device;
}

std::string program_of(const LinuxNodeOptions& options) {
    const std::string& wanted = options.nvidia.mps_control;
    return wanted.empty() ? kMpsProgram : wanted;
}

GpuFault fault_of(const MpsKey& daemon, const char* text) {
    return {.gpu = static_cast<std::int32_t>(daemon.gpu), .kind = GpuFaultKind::told, .text = text};
}

}  // namespace

MpsClients::MpsClients(const NodeDescription& description, AttemptPlaces& places,
                       EventQueue& events, LogSink& log)
    : description_(description),
      places_(places),
      events_(events),
      log_(log),
      daemons_(description.options().run_dir + "/mps", program_of(description.options()),
               [this](const MpsKey& key) { return group_of(key); }) {}

Cgroup MpsClients::group_of(const MpsKey& key) const {
    const Confinement& confinement = description_.confinement();
    if (!confinement.usable()) return {};
    return confinement.service_group("mps_" + std::to_string(key.gpu) + "_" +
                                     std::to_string(key.uid));
}

Status MpsClients::start_for(const LaunchAttempt& launch, const UserRecord& user) {
    const Device* const device = shared_device(launch, description_.options());
    if (device == nullptr) return Done{};
    AttemptPlace* const place = places_.find({launch.job, launch.attempt});
    BERTH_ASSERT(place != nullptr);
    const MpsKey key{device->index, user.uid};
    place->mps = key;
    BERTH_CHECK(write_atomically(place->folder + "/mps", encode(key)));
    if (!daemons_.runs(key)) {
        const Bytes memory = std::clamp(Bytes(description_.options().node.memory.count() / 4),
                                        kMpsMemoryMin, kMpsMemoryMax);
        BERTH_CHECK(description_.confinement().confine_service(
            group_of(key), launch.confinement, memory,
            bit(static_cast<int>(launch.share.device_share->device))));
    }
    return daemons_.start(key, user,
                          device->uuid.empty() ? std::to_string(device->index) : device->uuid);
}

std::vector<std::string> MpsClients::environment(const LaunchAttempt& launch) const {
    const Device* const device = shared_device(launch, description_.options());
    const AttemptPlace* const place = places_.find({launch.job, launch.attempt});
    if (device == nullptr || place == nullptr || !place->mps) return {};
    const ShareKind& part = launch.share.device_share->part;
    const auto whole = std::ranges::find(device->shares, part.dimension, &ShareKind::dimension);
    const std::int64_t parts =
        whole == device->shares.end() ? 100 : std::max<std::int64_t>(whole->parts, 1);
    return daemons_.environment(*place->mps,
                                std::clamp<std::int64_t>(part.parts * 100 / parts, 1, 100));
}

void MpsClients::report_lost() {
    std::vector<GpuFault> faults;
    for (const auto& [key, place] : places_.all()) {
        if (!place.mps || place.unclaimed || daemons_.runs(*place.mps)) continue;
        faults.push_back(fault_of(*place.mps, "its MPS daemon is gone"));
    }
    if (!faults.empty()) events_.tell(FaultsSeen{std::move(faults)});
}

void MpsClients::on_daemons_ended() {
    std::vector<GpuFault> faults;
    for (const MpsKey& key : daemons_.take_ended()) {
        log_.write(LogLevel::error, "host",
                   "the MPS daemon of uid " + std::to_string(key.uid) + " on GPU " +
                       std::to_string(key.gpu) + " has ended by itself");
        faults.push_back(fault_of(key, "its MPS daemon has ended"));
    }
    if (!faults.empty()) events_.tell(FaultsSeen{std::move(faults)});
}

void MpsClients::stop_unneeded() {
    for (const MpsKey& key : daemons_.running()) {
        if (!places_.any_client_of(key)) daemons_.stop(key);
    }
}

}  // namespace berth
