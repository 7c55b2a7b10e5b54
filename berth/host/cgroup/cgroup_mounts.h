// Which cgroup hierarchies are mounted, and where: v1, v2, or the hybrid of both.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

struct CgroupMounts {
    std::map<std::string, std::string> v1;  // Controller -> mount point.
    std::string unified;                    // Mount point of v2; empty: none.

    bool any() const { return !v1.empty() || !unified.empty(); }
};

// Parses the text of /proc/self/mountinfo. Named v1 hierarchies without controllers are skipped.
CgroupMounts parse_cgroup_mounts(std::string_view mountinfo);

CgroupMounts find_cgroup_mounts();  // Of this process.

}  // namespace berth
