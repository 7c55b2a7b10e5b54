#include "berth/model/usage.h"

#include <algorithm>
#include <limits>

#include "berth/base/assert.h"
#include "berth/base/calendar.h"

namespace berth {
namespace {

constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 50;
constexpr std::int64_t kUsageMax = std::numeric_limits<std::int64_t>::max();

int first_month_of(int month, UsageReset period) {
    if (period == UsageReset::yearly) return 1;
    return period == UsageReset::quarterly ? month - (month - 1) % 3 : month;
}

}  // namespace

UsageAmount UsageAmount::of(Wide units) {
    const Wide whole = units >> 32;
    if (whole > kUsageMax) return {kUsageMax, 0xffff'ffff};
    if (whole < -kUsageMax) return {-kUsageMax, 0};
    return {static_cast<std::int64_t>(whole), static_cast<std::uint32_t>(units & 0xffff'ffff)};
}

UsageAmount UsageAmount::left(std::int64_t of_one) const {
    return of(((Wide{whole} * of_one) >> 30) + ((Wide{fraction} * of_one) >> 62));
}

UsageAmount UsageAmount::over(Wide seconds) const {
    BERTH_ASSERT(seconds >= 0);
    const Wide length = std::min(seconds, Wide{1} << 76);  // Two thousand years.
    const Wide held = std::clamp(whole, -kMostAtOnce, kMostAtOnce);
    return of(((held * length) >> 8) + ((Wide{fraction} * length) >> 40));
}

Time last_reset(Time now, UsageReset period) {
    if (period == UsageReset::never) return Time::min();
    CivilTime civil = to_civil(now, Duration{});
    civil.hour = civil.minute = civil.second = 0;
    if (period >= UsageReset::monthly) {
        civil.day = 1;
        civil.month = first_month_of(civil.month, period);
    }
    const Result<Time> start = from_civil(civil, Duration{});
    BERTH_ASSERT(start.ok());
    if (period != UsageReset::weekly) return *start;
    return *start - std::chrono::hours(24 * civil.weekday);
}

UsageAmount UsageRecord::used_by(Time now, std::size_t kind, const UsageDecay& decay) const {
    if (now <= at) return used[kind];
    const Time reset = std::min(last_reset(now, decay.reset), now);
    const bool afresh = reset > at;
    const Duration length = now - (afresh ? reset : at);
    const UsageAmount since = rate[kind].is_zero()
                                  ? UsageAmount{}
                                  : rate[kind].over(decayed_seconds(length, decay.half_life));
    if (afresh || used[kind].is_zero()) return since;
    return used[kind].left(left_after(length, decay.half_life)) + since;
}

void UsageRecord::advance(Time now, const UsageDecay& decay) {
    if (now <= at) return;
    for (std::size_t kind = 0; kind < kUsageKinds; ++kind) {
        if (used[kind].is_zero() && rate[kind].is_zero()) continue;
        used[kind] = used_by(now, kind, decay);
    }
    at = now;
}

}  // namespace berth
