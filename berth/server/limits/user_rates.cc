#include "berth/server/limits/user_rates.h"

#include <algorithm>

namespace berth {
namespace {

std::string_view slurmctld_parameters(const ClusterSpec& spec) {
    const auto found = std::ranges::find(spec.settings, "SlurmctldParameters",
                                         &std::pair<std::string, std::string>::first);
    return found == spec.settings.end() ? std::string_view() : found->second;
}

}  // namespace

void UserRates::refill(Bucket& bucket, Clock::time_point now) const {
    const auto periods = (now - bucket.filled_at) / limit_.refill_period;
    if (periods <= 0) return;
    const std::uint64_t more = std::uint64_t(periods) * limit_.refill_rate;
    bucket.tokens = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(limit_.bucket_size, bucket.tokens + more));
    bucket.filled_at += periods * limit_.refill_period;
}

// A user with a full bucket is as good as one who was never here.
void UserRates::forget_full(Clock::time_point now) {
    for (auto at = buckets_.begin(); at != buckets_.end();) {
        refill(at->second, now);
        at = at->second.tokens == limit_.bucket_size ? buckets_.erase(at) : std::next(at);
    }
}

// Configurations come anew for other reasons, too: the buckets stay while the limit does.
void UserRates::read_limit(std::shared_ptr<const ClusterSpec> spec) {
    const RateLimit limit = rate_limit_of(slurmctld_parameters(*spec)).value_or(RateLimit());
    if (limit != limit_) buckets_.clear();
    limit_ = limit;
    spec_ = std::move(spec);
}

bool UserRates::take(const std::shared_ptr<const ClusterSpec>& spec, const Principal& who,
                     Clock::time_point now) {
    if (who.role == Role::admin) return true;
    const std::lock_guard lock(mutex_);
    if (spec != spec_) read_limit(spec);
    if (!limit_.on) return true;
    if (buckets_.size() >= limit_.table_size) forget_full(now);
    if (buckets_.size() >= limit_.table_size && !buckets_.contains(who.uid)) return true;
    Bucket& bucket = buckets_.try_emplace(who.uid, limit_.bucket_size, now).first->second;
    refill(bucket, now);
    if (bucket.tokens == 0) return false;
    --bucket.tokens;
    return true;
}

}  // namespace berth
