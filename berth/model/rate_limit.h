// How many requests one user may make: the words of SlurmctldParameters that begin with rl_, with
// Slurm's meanings and defaults. Each user has a bucket of tokens, each request takes one, and some
// come back each period.
#pragma once

#include <cstdint>
#include <string_view>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

struct RateLimit {
    bool on = false;                                   // rl_enable
    std::uint32_t bucket_size = 30;                    // rl_bucket_size: so many at once.
    std::uint32_t refill_rate = 2;                     // rl_refill_rate: tokens that come back …
    Duration refill_period = std::chrono::seconds(1);  // … each rl_refill_period.
    std::uint32_t table_size = 8192;                   // rl_table_size: users it remembers.

    friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

// From the whole list, "rl_enable,rl_bucket_size=50,…"; other words are passed over. An error names
// the word that is wrong.
Result<RateLimit> rate_limit_of(std::string_view slurmctld_parameters);

}  // namespace berth
