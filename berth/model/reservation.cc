#include "berth/model/reservation.h"

#include "berth/base/assert.h"
#include "berth/base/calendar.h"

namespace berth {
namespace {

using std::chrono::hours;

bool is_weekend(const Reservation& reservation, Time at) {
    const int day = to_civil(at, reservation.utc_offset).weekday;
    return day == 0 || day == 6;
}

}  // namespace

Time next_start(const Reservation& reservation, Time start) {
    switch (reservation.repeat) {
        case Repeat::never: BERTH_ASSERT(false); return kNever;
        case Repeat::hourly: return start + hours(1);
        case Repeat::daily: return start + hours(24);
        case Repeat::weekly: return start + hours(7 * 24);
        case Repeat::weekday:
        case Repeat::weekend: break;
    }
    const bool wanted = reservation.repeat == Repeat::weekend;
    do {
        start += hours(24);
    } while (is_weekend(reservation, start) != wanted);
    return start;
}

std::string flags_text(const Reservation& reservation) {
    std::string text;
    const auto add = [&](bool set, std::string_view name) {
        if (!set) return;
        if (!text.empty()) text += ',';
        text += name;
    };
    add(reservation.maint, "MAINT");
    add(reservation.flex, "FLEX");
    add(reservation.overlap, "OVERLAP");
    add(reservation.ignore_jobs, "IGNORE_JOBS");
    add(reservation.repeat == Repeat::hourly, "HOURLY");
    add(reservation.repeat == Repeat::daily, "DAILY");
    add(reservation.repeat == Repeat::weekday, "WEEKDAY");
    add(reservation.repeat == Repeat::weekend, "WEEKEND");
    add(reservation.repeat == Repeat::weekly, "WEEKLY");
    add(reservation.listed_nodes, "SPEC_NODES");
    add(reservation.all_nodes, reservation.partition.empty() ? "ALL_NODES" : "PART_NODES");
    add(reservation.amounts.empty() && !reservation.licenses.empty(), "ANY_NODES");
    add(!reservation.hold_jobs_after, "NO_HOLD_JOBS_AFTER_END");
    return text;
}

}  // namespace berth
