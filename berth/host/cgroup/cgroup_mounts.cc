#include "berth/host/cgroup/cgroup_mounts.h"

#include <array>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

// mountinfo escapes a blank in a path as \040, and so on.
std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) {
            return i + at < text.size() && text[i + at] >= '0' && text[i + at] <= '7';
        };
        if (text[i] == '\\' && digit(1) && digit(2) && digit(3)) {
            out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                     (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

constexpr std::array<std::string_view, 5> kControllers = {"cpuset", "memory", "pids", "devices",
                                                          "freezer"};

void read_line(std::string_view line, CgroupMounts& mounts) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) return;
    const auto fields = split(line.substr(0, dash), ' ');
    const auto kinds = split(line.substr(dash + 3), ' ');
    if (fields.size() < 5 || kinds.size() < 3) return;
    const std::string point = unescape(fields[4]);
    if (kinds[0] == "cgroup2") {
        if (mounts.unified.empty()) mounts.unified = point;
        return;
    }
    if (kinds[0] != "cgroup") return;
    for (const std::string_view option : split(kinds[2], ',')) {
        for (const std::string_view controller : kControllers) {
            if (option == controller) mounts.v1.try_emplace(std::string(controller), point);
        }
    }
}

}  // namespace

CgroupMounts parse_cgroup_mounts(std::string_view mountinfo) {
    CgroupMounts mounts;
    for (const std::string_view line : split(mountinfo, '\n')) read_line(line, mounts);
    return mounts;
}

CgroupMounts find_cgroup_mounts() {
    const auto text = read_file("/proc/self/mountinfo");
    return text.ok() ? parse_cgroup_mounts(*text) : CgroupMounts{};
}

}  // namespace berth
