#include "berth/model/inherited.h"

#include <array>
#include <string>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, kRlimitKinds> kRlimitNames = {
    "AS", "CORE", "CPU", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "RSS", "STACK"};
static_assert(static_cast<std::size_t>(RlimitKind::stack) + 1 == kRlimitNames.size());

std::optional<RlimitKind> kind_of(std::string_view name) {
    constexpr std::string_view kPrefix = "RLIMIT_";
    if (iequals(name.substr(0, kPrefix.size()), kPrefix)) name.remove_prefix(kPrefix.size());
    for (std::size_t i = 0; i < kRlimitNames.size(); ++i) {
        if (iequals(name, kRlimitNames[i])) return static_cast<RlimitKind>(i);
    }
    return std::nullopt;
}

}  // namespace

std::string_view rlimit_name(RlimitKind kind) {
    return kRlimitNames.at(static_cast<std::size_t>(kind));
}

Result<RlimitSet> parse_rlimits(std::string_view text) {
    if (iequals(trim(text), "ALL")) return kAllRlimits;
    if (iequals(trim(text), "NONE")) return RlimitSet{0};
    RlimitSet set = 0;
    for (const std::string_view word : split(text, ',')) {
        const auto kind = kind_of(trim(word));
        if (!kind) {
            return Error{ErrorCode::invalid_argument,
                         "there is no resource limit \"" + std::string(trim(word)) +
                             "\"; there are ALL, NONE, or a list of " + join(kRlimitNames, ", ")};
        }
        set |= rlimit_bit(*kind);
    }
    return set;
}

std::optional<std::string_view> wrong_with(const Inherited& inherited) {
    if (inherited.umask.value_or(0) > kUmaskMax) return "umask should be 0 to 511 (octal 777)";
    RlimitSet seen = 0;
    for (const ProcessLimit& limit : inherited.limits) {
        if (static_cast<std::size_t>(limit.kind) >= kRlimitKinds) return "limits: unknown kind";
        if ((seen & rlimit_bit(limit.kind)) != 0) return "limits should name each kind once";
        seen |= rlimit_bit(limit.kind);
    }
    return std::nullopt;
}

}  // namespace berth
