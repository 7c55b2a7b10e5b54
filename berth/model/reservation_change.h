// ReservationChange: what an administrator says of a reservation, made anew or changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/model/reservation.h"

namespace berth {

// Whatever is present is set. "…_added" and "…_removed" change a list that is there.
struct ReservationChange {
    std::optional<Time> start, end;
    std::optional<Duration> duration;
    std::optional<std::string> nodes;  // "gpu[1-4]"; "ALL".
    std::optional<std::uint32_t> node_count;
    std::optional<std::int64_t> core_count;
    std::optional<std::string> tres;  // "gres/gpu=4", "node=2", "cpu=16"
    std::optional<std::string> partition, features, comment;
    std::optional<std::vector<std::string>> users, groups, accounts, qos;
    std::vector<std::string> users_added, users_removed, accounts_added, accounts_removed;
    std::vector<std::string> flags_added, flags_removed;  // "MAINT" …
    Duration utc_offset{};

    BERTH_FIELDS(ReservationChange, start, end, duration, nodes, node_count, core_count, tres,
                 partition, features, comment, users, groups, accounts, qos, users_added,
                 users_removed, accounts_added, accounts_removed, flags_added, flags_removed,
                 utc_offset)
};

// Sets or clears what the flag's name means. Slurm takes any beginning that is long enough.
Status set_flag(Reservation& reservation, std::string_view name, bool on);

}  // namespace berth
