// UserRates: enforces the site's limit on each user's request rate (rl_enable). Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "berth/model/cluster_spec.h"
#include "berth/model/principal.h"
#include "berth/model/rate_limit.h"

namespace berth {

class UserRates {
public:
    using Clock = std::chrono::steady_clock;

    // Whether this user may make one more request now; counts it. Administrators are exempt.
    bool take(const std::shared_ptr<const ClusterSpec>& spec, const Principal& who,
              Clock::time_point now);

private:
    struct Bucket {
        std::uint32_t tokens = 0;
        Clock::time_point filled_at{};
    };
    void read_limit(std::shared_ptr<const ClusterSpec> spec);
    void refill(Bucket& bucket, Clock::time_point now) const;
    void forget_full(Clock::time_point now);

    std::mutex mutex_;
    std::shared_ptr<const ClusterSpec> spec_;  // The configuration that limit_ was read from.
    RateLimit limit_;
    std::map<std::uint32_t, Bucket> buckets_;  // By user id.
};

}  // namespace berth
