// The keys that cgroup.conf may hold.
#pragma once

#include <span>
#include <string_view>

#include "berth/model/cluster_spec.h"

namespace berth::config {

enum class CgroupUse : unsigned char {
    flag,
    percent,
    without_effect,  // A warning says why, unless the value asks for what is so anyway.
    obsolete,
    defunct,
    removed,
};

struct CgroupKey {
    std::string_view name;  // As Slurm spells it.
    CgroupUse use;
    bool ConfinementSpec::* flag = nullptr;
    std::int64_t ConfinementSpec::* percent = nullptr;
    std::string_view usual = {};  // Without effect: the value that asks for what is so anyway.
    std::string_view why = {};    // Without effect: what is so instead.
};

std::span<const CgroupKey> cgroup_keys();

}  // namespace berth::config
