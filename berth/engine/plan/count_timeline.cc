#include "berth/engine/plan/count_timeline.h"

namespace berth {

void CountTimeline::set_total(std::int64_t total) {
    free_.add(Time::min(), kNever, {total - total_});
    total_ = total;
}

bool CountTimeline::goes_below_zero(Time start, Time end) const {
    bool below = false;
    free_.walk(
        start, end, [](const auto& span) { return span.least[0] >= 0; },
        [&](const auto& span) { below = below || span.least[0] < 0; });
    return below;
}

Time CountTimeline::first_free(std::int64_t count, Time earliest, Duration length,
                               Time until) const {
    return free_.first_at_least(count, earliest, length, until);
}

}  // namespace berth
