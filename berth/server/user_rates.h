// UserRates: how many requests each user has made of late, against the site's limit. Any thread may
// ask it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "berth/model/cluster_spec.h"
#include "berth/model/principal.h"
#include "berth/model/rate_limit.h"

namespace berth {

class UserRates {
public:
    using Clock = std::chrono::steady_clock;

    // Whether this user may make one more request now. Administrators always may.
    bool take(const ClusterSpec& spec, const Principal& who, Clock::time_point now);

private:
    struct Bucket {
        std::uint32_t tokens = 0;
        Clock::time_point filled_at{};
    };
    void refill(Bucket& bucket, Clock::time_point now) const;
    void forget_full(Clock::time_point now);

    std::mutex mutex_;
    std::string parameters_;  // That limit_ was read from.
    RateLimit limit_;
    std::map<std::uint32_t, Bucket> buckets_;  // By user id.
};

}  // namespace berth
