#include "berth/host/node/confinement.h"

#include <unistd.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/host/run/run_plan.h"

namespace berth {
namespace {

std::int64_t default_pids_max() {
    constexpr std::int64_t kSmallest = 1024;
    const auto text = read_file("/proc/sys/kernel/pid_max");
    const std::int64_t all = text.ok() ? parse_int64(trim(*text)).value_or(0) : 0;
    return std::max(kSmallest, all / 4 * 3);
}

std::int64_t percent_of(Bytes memory, std::int64_t percent) {
    return memory.count() / 100 * percent + memory.count() % 100 * percent / 100;
}

}  // namespace

Confinement::Confinement(const LinuxNodeOptions& options) : options_(options) {
    if (options.use_cgroups && ::geteuid() == 0) {
        CgroupMounts mounts = find_cgroup_mounts();
        // Every cpuset created or removed makes the kernel rebuild its scheduling domains.
        if (options.cpus_of_core.empty()) mounts.v1.erase("cpuset");
        tree_ = CgroupTree(mounts, options.cgroup_prefix);
    }
    pids_max_ = options.pids_max > 0 ? options.pids_max : default_pids_max();
    const bool v1 = tree_.has("devices");
    if (options.device_backend != DeviceBackend::bpf && v1) {
        guard_ = make_v1_device_guard();
    } else if (options.device_backend != DeviceBackend::v1 && tree_.on_v2()) {
        guard_ = make_bpf_device_guard();
    }
    look_at_devices();
}

void Confinement::look_at_devices() {
    bool any = false, all = true;
    for (const Device& device : options_.node.devices) {
        if (options_.dimensions.at(device.dimension).name != "gpu") continue;
        any = true;
        all = all && !device.file.empty() && rules_for_files(device).ok();
    }
    gpu_files_ = any && all;
}

bool Confinement::isolates_devices(const ConfinementSpec& wanted) const {
    return wanted.devices && guard_ != nullptr && gpu_files_;
}

bool Confinement::pins_cores(const ConfinementSpec& wanted) const {
    return wanted.cores && !options_.cpus_of_core.empty();
}

Status Confinement::confine_job(const LaunchAttempt& launch) const {
    if (!usable()) return Done{};
    const Share share{&launch.share.cores, launch.share.memory, launch.share.devices};
    return confine(job_group(launch.owner.uid, launch.job), launch.confinement, share, true);
}

Status Confinement::confine_run(const Cgroup& group, const LaunchAttempt& launch,
                                const StepShare* step) const {
    if (!usable()) return Done{};
    if (step == nullptr) return tree_.create(group);  // Only its job's limits apply.
    const Share share{&step->cores, step->memory, step->devices};
    return confine(group, launch.confinement, share, false);
}

Status Confinement::confine(const Cgroup& group, const ConfinementSpec& wanted, const Share& share,
                            bool whole_job) const {
    BERTH_CHECK(tree_.create(group));
    BERTH_CHECK(tree_.limit(group, limits_for(wanted, share, whole_job)));
    return wanted.devices ? guard(group, share.devices) : Done{};
}

Status Confinement::confine_service(const Cgroup& group, const ConfinementSpec& wanted,
                                    Bytes memory, DeviceMask devices) const {
    if (!usable()) return Done{};
    BERTH_CHECK(tree_.create(group));
    BERTH_CHECK(tree_.limit(group, {.cpus = {},
                                    .memory = memory.count(),
                                    .memory_and_swap = memory.count(),
                                    .pids = pids_max_}));
    return isolates_devices(wanted) ? guard(group, devices) : Done{};
}

Status Confinement::guard(const Cgroup& group, DeviceMask devices) const {
    if (guard_ == nullptr) return Done{};
    BERTH_TRY(const std::vector<DeviceRule> rules, rules_for(devices));
    const bool v1 = guard_->backend() == DeviceBackend::v1;
    return guard_->confine(v1 ? group.v1.at("devices") : group.unified, rules);
}

CgroupLimits Confinement::limits_for(const ConfinementSpec& wanted, const Share& share,
                                     bool whole_job) const {
    CgroupLimits limits;
    if (whole_job) limits.pids = pids_max_;
    if (pins_cores(wanted)) {
        NodeView view;
        view.cpus_of_core = options_.cpus_of_core;
        limits.cpus = cpus_of(*share.cores, view);
    }
    if (wanted.memory && share.memory > Bytes(0)) {
        limits.memory = percent_of(share.memory, wanted.allowed_ram_percent);
        if (wanted.swap) {
            limits.memory_and_swap =
                *limits.memory + percent_of(share.memory, wanted.allowed_swap_percent);
        }
    }
    return limits;
}

Result<std::vector<DeviceRule>> Confinement::rules_for(DeviceMask devices) const {
    std::vector<DeviceRule> rules = usual_devices();
    for (const std::string& file : options_.allowed_devices) {
        BERTH_TRY(const DeviceRule rule, rule_for(file));
        rules.push_back(rule);
    }
    for (std::size_t i = 0; i < options_.node.devices.size(); ++i) {
        if ((devices & bit(static_cast<int>(i))) == 0) continue;
        const auto own = rules_for_files(options_.node.devices[i]);
        if (own.ok()) {
            rules.insert(rules.end(), own->begin(), own->end());
        } else if (!options_.emulated) {
            return own.error();
        }
    }
    return rules;
}

Status Confinement::remove(const Cgroup& job) const {
    if (!usable()) return Done{};
    BERTH_CHECK(CgroupTree::remove(job));
    tree_.remove_empty_parents(job);
    return Done{};
}

std::vector<std::string> Confinement::not_isolated() const {
    if (::geteuid() != 0) {
        return {"not root: only jobs of uid " + std::to_string(::geteuid()) +
                " run here, and they share cores, memory, devices and processes with each other"};
    }
    if (!usable()) {
        return {
            "no cgroup hierarchy is mounted and writable: jobs share cores, memory and devices,"
            " and a job's processes are known by descent only"};
    }
    std::vector<std::string> all;
    for (const auto& [controller, what] : {std::pair{"cpuset", "cores"},
                                           {"memory", "memory"},
                                           {"pids", "the number of processes"}}) {
        const bool is_for_cores = std::string_view(controller) == "cpuset";
        if (tree_.has(controller) || (is_for_cores && options_.cpus_of_core.empty())) continue;
        all.push_back("no cgroup controller " + std::string(controller) + ": " + what +
                      " of a job is not limited");
    }
    if (guard_ == nullptr) all.emplace_back("device files are not isolated: no devices controller");
    if (options_.cpus_of_core.empty()) {
        all.emplace_back("cores are not pinned: this node is not the machine it runs on");
    }
    const auto is_gpu = [&](const Device& device) {
        return options_.dimensions.at(device.dimension).name == "gpu";
    };
    if (!gpu_files_ && std::ranges::any_of(options_.node.devices, is_gpu)) {
        all.emplace_back(
            "GPUs without a device file here are not isolated: jobs are told which are "
            "theirs");
    }
    return all;
}

}  // namespace berth
