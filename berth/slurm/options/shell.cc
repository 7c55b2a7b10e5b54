#include "berth/slurm/options/shell.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <array>

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

}  // namespace

Inherited inherited_from_shell(const std::optional<RlimitSet>& propagate) {
    static const Inherited kAtFirst = read_now();
    Inherited inherited = kAtFirst;
    if (!propagate) return inherited;
    std::erase_if(inherited.limits, [&](const ProcessLimit& limit) {
        return (*propagate & rlimit_bit(limit.kind)) == 0;
    });
    for (ProcessLimit& limit : inherited.limits) limit.asked = true;
    return inherited;
}

}  // namespace berth::slurm
