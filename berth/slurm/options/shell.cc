#include "berth/slurm/options/shell.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <string_view>

namespace berth::slurm {
namespace {

constexpr std::array<__rlimit_resource, kRlimitKinds> kResources = {
    RLIMIT_AS,      RLIMIT_CORE,   RLIMIT_CPU,   RLIMIT_DATA, RLIMIT_FSIZE,
    RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_RSS,  RLIMIT_STACK};

Inherited read_now() {
    Inherited now;
    const mode_t mask = ::umask(077);  // There is no way to read it alone.
    ::umask(mask);
    now.umask = mask & kUmaskMax;
    for (std::size_t i = 0; i < kResources.size(); ++i) {
        rlimit limit{};
        if (::getrlimit(kResources.at(i), &limit) != 0) continue;
        ProcessLimit one{.kind = static_cast<RlimitKind>(i)};
        if (limit.rlim_cur != RLIM_INFINITY) one.soft = limit.rlim_cur;
        now.limits.push_back(one);
    }
    return now;
}

// What it was before this process changed any of it.
const Inherited& at_first() {
    static const Inherited kAtFirst = read_now();
    return kAtFirst;
}

// "0027", "27"; nullopt: it is no umask.
std::optional<std::uint32_t> parse_octal(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && number <= kUmaskMax ? std::optional(number) : std::nullopt;
}

}  // namespace

void read_limits_of_shell() { (void)at_first(); }

Inherited inherited_from_shell(const Invocation& call, const std::optional<RlimitSet>& propagate) {
    Inherited inherited = at_first();
    if (const std::string* const mask = call.variable("SLURM_UMASK")) {
        if (const auto number = parse_octal(*mask)) inherited.umask = number;
    }
    if (!propagate) return inherited;
    std::erase_if(inherited.limits, [&](const ProcessLimit& limit) {
        return (*propagate & rlimit_bit(limit.kind)) == 0;
    });
    for (ProcessLimit& limit : inherited.limits) limit.asked = true;
    return inherited;
}

}  // namespace berth::slurm
