#include "berth/model/reservation_change.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth {
namespace {

struct Flag {
    std::string_view name;
    std::size_t least;  // So much of the name at least.
    void (*set)(Reservation&, bool);
};

template <Repeat How>
void repeat(Reservation& r, bool on) {
    if (on) r.repeat = How;
    if (!on && r.repeat == How) r.repeat = Repeat::never;
}

constexpr auto kFlags = std::to_array<Flag>({
    {"MAINTENANCE", 3, [](Reservation& r, bool on) { r.maint = on; }},
    {"FLEX", 1, [](Reservation& r, bool on) { r.flex = on; }},
    {"IGNORE_JOBS", 1, [](Reservation& r, bool on) { r.ignore_jobs = on; }},
    {"OVERLAPPING", 1, [](Reservation& r, bool on) { r.overlap = on; }},
    {"HOURLY", 1, repeat<Repeat::hourly>},
    {"DAILY", 1, repeat<Repeat::daily>},
    {"WEEKLY", 5, repeat<Repeat::weekly>},
    {"WEEKDAY", 5, repeat<Repeat::weekday>},
    {"WEEKEND", 5, repeat<Repeat::weekend>},
    {"SPEC_NODES", 2, [](Reservation& r, bool on) { r.listed_nodes = on; }},
    {"NO_HOLD_JOBS_AFTER_END", 1, [](Reservation& r, bool on) { r.hold_jobs_after = !on; }},
});

// Slurm's that are not built: named when they are asked for.
constexpr auto kNotYet = std::to_array<std::string_view>(
    {"ANY_NODES", "FIRST_CORES", "FORCE_START", "LICENSE_ONLY", "MAGNETIC", "PART_NODES",
     "PURGE_COMP", "REPLACE", "REPLACE_DOWN", "SKIP", "STATIC_ALLOC", "TIME_FLOAT", "USER_DELETE"});

}  // namespace

Status set_flag(Reservation& reservation, std::string_view name, bool on) {
    for (const Flag& flag : kFlags) {
        const bool meant = name.size() >= flag.least && name.size() <= flag.name.size() &&
                           iequals(name, flag.name.substr(0, name.size()));
        if (!meant) continue;
        flag.set(reservation, on);
        return Done{};
    }
    const std::string_view word = name.substr(0, name.find('='));
    for (const std::string_view known : kNotYet) {
        if (iequals(word, known)) {
            return Error{ErrorCode::failed_precondition,
                         "flag " + std::string(known) + " is not supported yet"};
        }
    }
    return Error{ErrorCode::invalid_argument,
                 "there is no flag '" + std::string(name) +
                     "'; there are MAINT, FLEX, IGNORE_JOBS, OVERLAP, HOURLY, DAILY, WEEKLY, "
                     "WEEKDAY, WEEKEND, NO_HOLD_JOBS_AFTER_END"};
}

}  // namespace berth
