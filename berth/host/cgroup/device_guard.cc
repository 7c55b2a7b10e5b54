#include "berth/host/cgroup/device_guard.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "berth/host/cgroup/device_files.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

class V1Guard : public DeviceGuard {
public:
    Status confine(const std::string& cgroup, std::span<const DeviceRule> allowed) override {
        BERTH_CHECK(write_kernel_file(cgroup + "/devices.deny", "a"));
        for (const DeviceRule& rule : allowed) {
            BERTH_CHECK(write_kernel_file(cgroup + "/devices.allow", rule.to_text()));
        }
        return Done{};
    }
    DeviceBackend backend() const override { return DeviceBackend::v1; }
};

constexpr std::uint32_t kPtyMajor = 136;

}  // namespace

std::string DeviceRule::to_text() const {
    return std::string(1, kind) + " " + std::to_string(major) + ":" +
           (minor ? std::to_string(*minor) : "*") + (may_make_node ? " rwm" : " rw");
}

Result<DeviceRule> rule_for(const std::string& file) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) {
        return system_error("no device file " + file + " on this node", errno);
    }
    if (!S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode)) {
        return Error{ErrorCode::invalid_argument, file + " is not a device file"};
    }
    DeviceRule rule;
    rule.kind = S_ISBLK(status.st_mode) ? 'b' : 'c';
    rule.major = gnu_dev_major(status.st_rdev);
    rule.minor = gnu_dev_minor(status.st_rdev);
    return rule;
}

Result<std::vector<DeviceRule>> rules_for_files(const Device& device) {
    std::vector<DeviceRule> rules;
    for (const std::string& file : files_of(device)) {
        BERTH_TRY(const DeviceRule rule, rule_for(file));
        rules.push_back(rule);
    }
    return rules;
}

std::vector<DeviceRule> usual_devices() {
    std::vector<std::string> files = {"/dev/null",
                                      "/dev/zero",
                                      "/dev/full",
                                      "/dev/random",
                                      "/dev/urandom",
                                      "/dev/tty",
                                      "/dev/ptmx",
                                      "/dev/pts/ptmx",
                                      "/dev/nvidiactl",
                                      "/dev/nvidia-uvm",
                                      "/dev/nvidia-uvm-tools",
                                      "/dev/nvidia-modeset"};
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/infiniband", missing)) {
        files.push_back(entry.path().string());
    }
    std::vector<DeviceRule> rules;
    rules.push_back({.kind = 'c', .major = kPtyMajor, .minor = std::nullopt});
    for (const std::string& file : files) {
        if (auto rule = rule_for(file); rule.ok()) rules.push_back(*rule);
    }
    std::ranges::sort(rules);
    rules.erase(std::ranges::unique(rules).begin(), rules.end());
    return rules;
}

std::unique_ptr<DeviceGuard> make_v1_device_guard() { return std::make_unique<V1Guard>(); }

}  // namespace berth
