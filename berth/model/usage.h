// Usage: how much of each TRES an association has used, in seconds of it, the older the less. Fixed
// point at 2^-32, so that every machine comes to the same.
#pragma once

#include <array>
#include <string>

#include "berth/base/fields.h"
#include "berth/base/fixed_point.h"
#include "berth/model/resources.h"

namespace berth {

// So many seconds of a TRES, or so much of one at a time: its whole part, and 2^-32ths.
struct UsageAmount {
    std::int64_t whole = 0;
    std::uint32_t fraction = 0;

    static UsageAmount of(Wide units);  // Of 2^-32ths; held where 64 bits of wholes end.
    constexpr Wide units() const { return (Wide{whole} << 32) + fraction; }

    UsageAmount left(std::int64_t of_one) const;  // Times a fraction in units of 2^-62.
    UsageAmount over(Wide seconds) const;         // Times seconds in units of 2^-40.

    friend UsageAmount operator+(UsageAmount a, UsageAmount b) { return of(a.units() + b.units()); }
    friend UsageAmount operator-(UsageAmount a, UsageAmount b) { return of(a.units() - b.units()); }
    constexpr bool is_zero() const { return whole == 0 && fraction == 0; }

    BERTH_FIELDS(UsageAmount, whole, fraction)
};

// What is counted: billing, nodes, each dimension, and runs: so the time that they took. CPUs are
// counted whole and memory in MiB, as Slurm does.
inline constexpr std::size_t kUsageKinds = kDimensionsMax + 3;
inline constexpr std::size_t kBillingUsage = 0;
inline constexpr std::size_t kNodeUsage = 1;
constexpr std::size_t usage_kind_of(DimensionId d) { return d.index() + 2; }
inline constexpr std::size_t kWallUsage = kDimensionsMax + 2;
class UsageVector {
public:
    UsageAmount& operator[](std::size_t kind) { return kind == kWallUsage ? wall : tres[kind]; }
    const UsageAmount& operator[](std::size_t kind) const {
        return kind == kWallUsage ? wall : tres[kind];
    }

    // Apart, as stores and snapshots had only the first before runs were counted.
    std::array<UsageAmount, kWallUsage> tres;
    UsageAmount wall;

    friend bool operator==(const UsageVector&, const UsageVector&) = default;
};

// When all usage is set to nothing: at 00:00 UTC of each day, Sunday, first of a month …
enum class UsageReset : std::uint8_t { never, daily, weekly, monthly, quarterly, yearly };
Time last_reset(Time now, UsageReset period);  // The last one up to now; Time::min() if never.

struct UsageDecay {
    Duration half_life = std::chrono::hours(7 * 24);  // 0: usage does not fade.
    UsageReset reset = UsageReset::never;

    BERTH_FIELDS(UsageDecay, half_life, reset)
};

// What one association had used at a moment, and what it has used all the time since. Whatever is
// asked for later follows from these, so that nothing has to be done while time passes.
struct UsageRecord {
    std::string account, user;
    Time at{};
    UsageVector used;  // By then.
    UsageVector rate;  // Held since then, each second.

    UsageAmount used_by(Time now, std::size_t kind, const UsageDecay& decay) const;
    void advance(Time now, const UsageDecay& decay);

    BERTH_FIELDS(UsageRecord, account, user, at, used.tres, rate.tres, used.wall, rate.wall)
};

}  // namespace berth
