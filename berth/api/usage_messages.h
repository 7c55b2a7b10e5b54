// Messages about what was used of the cluster in a time, and what there was: what sreport prints.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth::api {

// Of a TRES, its amount times the seconds that it was so. Memory, that of GPUs too, is in MiB.
struct TresSeconds {
    std::string name;  // "cpu", "mem", "gres/gpu:a100"
    std::int64_t amount = 0;
    BERTH_FIELDS(TresSeconds, name, amount)
};

// The runs of one user in one account, under one workload key; or by size those of all users that
// have as many CPUs.
struct UsageGroup {
    std::string account, user, wckey;
    std::int64_t cpus = 0;  // Of each of these runs, by size; otherwise 0.
    std::int64_t jobs = 0;
    std::vector<TresSeconds> used;
    BERTH_FIELDS(UsageGroup, account, user, wckey, cpus, jobs, used)
};

// What became of one TRES of the cluster: amounts times seconds, but for `count`.
struct TresTime {
    std::string name;
    std::int64_t count = 0;  // How much there was of it, on the average of the time that is known.
    std::int64_t allocated = 0, down = 0, planned_down = 0, idle = 0, planned = 0;
    std::int64_t overcommitted = 0;  // Of what waited, all that idle time could not have served.
    std::int64_t reported = 0;       // All of the above but overcommitted.
    BERTH_FIELDS(TresTime, name, count, allocated, down, planned_down, idle, planned, overcommitted,
                 reported)
};

// One occurrence of a reservation, in full: the time that is asked for does not cut it off.
struct ReservationTime {
    std::string name;
    Time start{}, end{};
    std::string flags;
    std::vector<std::string> nodes, users, accounts;
    std::vector<TresTime> tres;  // Of which allocated, idle and reported.
    BERTH_FIELDS(ReservationTime, name, start, end, flags, nodes, users, accounts, tres)
};

// GET /v1/usage
struct UsageReport {
    std::string cluster;
    Time from{}, until{};
    // Since when it is known which nodes there were and which were down; nullopt: it is not.
    std::optional<Time> nodes_since;
    std::vector<std::string> tres;  // All there are, in Slurm's order.
    std::vector<UsageGroup> groups;
    std::vector<TresTime> times;
    std::vector<ReservationTime> reservations;  // If the query asks for them.
    BERTH_FIELDS(UsageReport, cluster, from, until, nodes_since, tres, groups, times, reservations)
};
// Of the runs that are told in groups, each must be so, of each list one member.
struct UsageQuery {
    std::optional<Time> from, until;  // Both are needed.
    std::vector<JobId> jobs;          // An array's id means all its tasks.
    std::vector<std::string> users, accounts, partitions, nodes, groups, wckeys;
    bool by_size = false;  // Runs are told apart by their number of CPUs instead of their user.
    // Reservations are told of, too. The runs of their whole time are read for that.
    bool reservations = false;
};

}  // namespace berth::api
