#include "berth/host/shepherd/task_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <utility>

namespace berth {
namespace {

using Resource = __rlimit_resource;

constexpr std::array<Resource, kRlimitKinds> kResources = {
    RLIMIT_AS,      RLIMIT_CORE,   RLIMIT_CPU,   RLIMIT_DATA, RLIMIT_FSIZE,
    RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_RSS,  RLIMIT_STACK};

// GPU and RDMA libraries pin memory; frameworks open many files. A limit that we may not raise
// stays.
void raise_limits() {
    const auto raise = [](Resource resource, rlim_t soft, rlim_t hard) {
        rlimit limit{soft, hard};
        if (::setrlimit(resource, &limit) == 0 || ::getrlimit(resource, &limit) != 0) return;
        limit.rlim_cur = std::min(soft, limit.rlim_max);
        ::setrlimit(resource, &limit);
    };
    constexpr rlim_t kFiles = 131'072;
    constexpr rlim_t kStack = rlim_t{8} << 20;
    raise(RLIMIT_NOFILE, kFiles, kFiles);
    raise(RLIMIT_MEMLOCK, RLIM_INFINITY, RLIM_INFINITY);
    raise(RLIMIT_STACK, kStack, RLIM_INFINITY);
}

std::string text_of(rlim_t value) {
    return value == RLIM_INFINITY ? "unlimited" : std::to_string(value);
}

}  // namespace

std::string set_limits(const Inherited& inherited) {
    raise_limits();
    std::string refused;
    for (const ProcessLimit& wanted : inherited.limits) {
        const Resource resource = kResources.at(static_cast<std::size_t>(wanted.kind));
        const rlim_t soft = wanted.soft ? static_cast<rlim_t>(*wanted.soft) : RLIM_INFINITY;
        rlimit limit{};
        if (::getrlimit(resource, &limit) != 0) continue;
        if (wanted.asked && soft > limit.rlim_max) {
            refused += "slurmstepd: error: cannot set RLIMIT_" +
                       std::string(rlimit_name(wanted.kind)) + " to " + text_of(soft) +
                       " as --propagate asks: the hard limit on this node is " +
                       text_of(limit.rlim_max) + "\n";
        }
        limit.rlim_cur = std::min(soft, limit.rlim_max);
        ::setrlimit(resource, &limit);
    }
    return refused;
}

}  // namespace berth
