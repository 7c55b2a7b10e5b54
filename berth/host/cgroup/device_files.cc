#include "berth/host/cgroup/device_files.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {

std::vector<std::string> files_of(const Device& device) {
    std::vector<std::string> files;
    if (device.file.empty()) return files;
    for (const std::string_view file : split(device.file, ',')) files.emplace_back(file);
    return files;
}

bool same_files(std::string_view one, std::string_view other) {
    auto ours = split(one, ','), theirs = split(other, ',');
    std::ranges::sort(ours);
    std::ranges::sort(theirs);
    return ours == theirs;
}

bool is_mig(const Device& device) { return device.file.find(',') != std::string::npos; }

}  // namespace berth
