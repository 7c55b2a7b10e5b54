// LimitKeys: the limits by name, as sacctmgr and berth.yaml spell them; the one table of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/limits.h"

namespace berth {

inline constexpr unsigned kOfAssociation = 1, kOfQos = 2;

struct LimitKey {
    std::string_view names;   // sacctmgr's, the one it prints first: "MaxTRESPerUser,MaxTRESPU".
    std::string_view column;  // Over the column of `sacctmgr show`.
    std::string_view yaml;    // "max_tres_per_user"
    std::size_t width;        // Of that column.
    unsigned of;              // Whose limit it can be.
    // One of these.
    TresLimits Limits::* tres = nullptr;
    std::optional<std::uint32_t> Limits::* count = nullptr;
    std::optional<Duration> Limits::* time = nullptr;

    std::string_view name() const { return names.substr(0, names.find(',')); }
};

std::span<const LimitKey> limit_keys();
const LimitKey* find_limit_key(std::string_view name, unsigned of);  // Of sacctmgr's names.
const LimitKey* find_limit_yaml(std::string_view name, unsigned of);

// Limits that Slurm has and that are not built yet, by sacctmgr's names.
bool is_unbuilt_limit(std::string_view name);

// Sets, changes (of several TRES) or with "-1" removes it.
Status set_limit(Limits& limits, const LimitKey& key, std::string_view value);
std::string limit_text(const Limits& limits, const LimitKey& key);  // Empty: there is none.

}  // namespace berth
