// Inherited: what a process has from the shell that its job or step was submitted in: the umask and
// the soft resource limits. The hard limits of a job are those of its node.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/result.h"

namespace berth {

enum class RlimitKind : std::uint8_t {
    as,
    core,
    cpu,
    data,
    fsize,
    memlock,
    nofile,
    nproc,
    rss,
    stack,
};
inline constexpr std::size_t kRlimitKinds = 10;

struct ProcessLimit {
    RlimitKind kind = RlimitKind::nofile;
    std::optional<std::uint64_t> soft;  // nullopt: unlimited.
    bool asked = false;  // By --propagate: it is set whatever the site's configuration says.

    BERTH_FIELDS(ProcessLimit, kind, soft, asked)
};

struct Inherited {
    std::optional<std::uint32_t> umask;  // nullopt: not known; 022.
    std::vector<ProcessLimit> limits;    // Each kind at most once.

    BERTH_FIELDS(Inherited, umask, limits)
};

inline constexpr std::uint32_t kUmaskMax = 0777;

std::string_view rlimit_name(RlimitKind kind);  // "NOFILE"

// A set of kinds: bit i is kind i.
using RlimitSet = std::uint16_t;
inline constexpr RlimitSet kAllRlimits = (1U << kRlimitKinds) - 1;
constexpr RlimitSet rlimit_bit(RlimitKind kind) {
    return static_cast<RlimitSet>(1U << static_cast<unsigned>(kind));
}

// "ALL", "NONE", or a list like "NOFILE,RLIMIT_CORE", without regard to case.
Result<RlimitSet> parse_rlimits(std::string_view text);

// What is wrong with values that came from outside; nullopt: nothing.
std::optional<std::string_view> wrong_with(const Inherited& inherited);

}  // namespace berth
