#include "berth/host/node/node_description.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "berth/host/cgroup/device_files.h"
#include "berth/host/run/run_directory.h"

namespace berth {
namespace {

// If the controller does not know a device's file, the node's own configuration may: some sites
// keep it on the node only, and a device without a file is not isolated.
void keep_files(NodeSetup& setup, const LinuxNodeOptions& known) {
    for (Device& device : setup.node.devices) {
        const std::string& name = setup.dimensions.at(device.dimension).name;
        const auto own = std::ranges::find_if(known.node.devices, [&](const Device& one) {
            return one.index == device.index && known.dimensions.at(one.dimension).name == name;
        });
        if (!device.file.empty() || own == known.node.devices.end()) continue;
        device.file = own->file;
        if (device.uuid.empty()) device.uuid = own->uuid;
    }
}

}  // namespace

NodeDescription::NodeDescription(LinuxNodeOptions options, LogSink& log)
    : options_(std::move(options)), log_(log), confinement_(options_) {
    utsname machine{};
    if (::uname(&machine) == 0) hostname_ = machine.nodename;
    find_mig_instances(options_.node);
}

void NodeDescription::find_mig_instances(NodeSpec& node) const {
    if (options_.emulated || std::ranges::none_of(node.devices, is_mig)) return;
    Result<std::unique_ptr<GpuInventory>> driver =
        open_nvml(options_.nvidia.nvml.c_str(), options_.nvidia.mig_minors.c_str());
    const Result<std::vector<FoundGpu>> found =
        driver.ok() ? (*driver)->gpus() : Result<std::vector<FoundGpu>>(driver.error());
    if (found.ok()) name_mig_instances(node, *found);
    for (const Device& device : node.devices) {
        if (!is_mig(device) || !device.uuid.empty()) continue;
        log_.write(LogLevel::warning, "host",
                   "gpu " + std::to_string(device.index) + " (" + device.file + "): " +
                       (found.ok() ? "no MIG instance of the driver's has these files"
                                   : found.error().message) +
                       "; CUDA_VISIBLE_DEVICES cannot name it");
    }
}

void NodeDescription::configure(NodeSetup setup) {
    const auto known = [&](const Device& device) {
        return device.dimension.index() < setup.dimensions.size();
    };
    if (!std::ranges::all_of(setup.node.devices, known)) {
        return log_.write(LogLevel::error, "host",
                          "the controller's description of the node has "
                          "devices of no kind: it stays as it was");
    }
    keep_files(setup, options_);
    find_mig_instances(setup.node);
    if (setup.node == options_.node && setup.dimensions == options_.dimensions) return;
    if (options_.find_cpus) options_.cpus_of_core = options_.find_cpus(setup.node);
    options_.node = std::move(setup.node);
    options_.dimensions = setup.dimensions;
    confinement_.look_at_devices();
    log_.write(LogLevel::info, "host", "the node is as the controller describes it now");
}

NodeView NodeDescription::view_for(const ConfinementSpec& wanted) const {
    NodeView view;
    view.node = options_.node;
    view.dimensions = options_.dimensions;
    view.hostname = hostname_;
    if (confinement_.pins_cores(wanted)) view.cpus_of_core = options_.cpus_of_core;
    view.devices_isolated = confinement_.isolates_devices(wanted);
    view.environment = options_.environment;
    return view;
}

Result<UserRecord> NodeDescription::user_of(const Owner& owner) {
    if (::geteuid() != 0 && owner.uid != ::geteuid()) {
        return Error{ErrorCode::permission_denied,
                     "this agent runs as uid " + std::to_string(::geteuid()) +
                         " and not as root, so it cannot run the jobs of " + owner.user + " (uid " +
                         std::to_string(owner.uid) + ")"};
    }
    return find_user(owner.uid);
}

std::string NodeDescription::folder_of(JobId job, Attempt attempt) const {
    return options_.run_dir + "/" + folder_of_attempt(job, attempt);
}

}  // namespace berth
