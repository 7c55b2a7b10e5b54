// TimeBuckets: amounts of TRES that are so for a time, as what they come to in each of many short
// times. A long query takes no more memory than a short one.
#pragma once

#include <vector>

#include "berth/base/time.h"
#include "berth/server/views/tres_vector.h"

namespace berth {

class TimeBuckets {
public:
    static constexpr std::int64_t kMost = 9'000;  // A year of hours; longer times have wider ones.

    // From whole second to whole second. REQUIRES: from < until
    TimeBuckets(Time from, Time until);

    // So much, from `begin` to `end`: what lies outside is cut off. In O(1).
    void add(Time begin, Time end, const TresVector& rate);

    // What all of it comes to in each bucket, in amounts times seconds.
    std::vector<TresVector> totals() const;
    Time begin_of(std::size_t bucket) const;

private:
    std::int64_t from_, length_, width_;  // Seconds.
    std::vector<TresVector> part_;        // Of buckets that were filled in part.
    std::vector<TresVector> change_;      // How much more the rate is from this bucket on.
};

// The seconds from `begin` to `end` that lie between `from` and `until`.
std::int64_t overlap(Time begin, Time end, Time from, Time until);

}  // namespace berth
