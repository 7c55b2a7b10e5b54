// Reservation: a part of the cluster that is kept for somebody from one time to another, once or
// again and again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/license.h"
#include "berth/model/resources.h"

namespace berth {

enum class Repeat : std::uint8_t { never, hourly, daily, weekday, weekend, weekly };

struct Reservation {
    std::string name;
    Time start{}, end{};  // Of the occurrence under way, or the next one.
    Repeat repeat = Repeat::never;
    Duration utc_offset{};  // Of the clock that tells what a weekday is.

    std::vector<std::pair<NodeId, Resources>> amounts;  // What is kept, in node order.
    bool whole_nodes = true;
    std::vector<LicenseCount> licenses;

    // Who may use it: any of these users, groups or accounts. A name with a "-" before it may not,
    // and then everybody else may.
    std::vector<std::string> users, groups, accounts, qos;
    std::string partition;  // Where its nodes were taken from.
    std::string features;   // Which they had to have.
    std::string comment;

    bool maint = false;        // For maintenance: laid over other reservations.
    bool flex = false;         // Its jobs may begin before it, end after it, and use other nodes.
    bool ignore_jobs = false;  // Made though jobs still run there.
    bool overlap = false;      // May lie over others.
    bool hold_jobs_after = true;  // Jobs that wait for it are held when it goes.
    bool listed_nodes = false;    // SPEC_NODES: they were named, not chosen.
    bool all_nodes = false;       // ALL_NODES, or with a partition PART_NODES.

    BERTH_FIELDS(Reservation, name, start, end, repeat, utc_offset, amounts, whole_nodes, licenses,
                 users, groups, accounts, qos, partition, features, comment, maint, flex,
                 ignore_jobs, overlap, hold_jobs_after, listed_nodes, all_nodes)
};

// The next start, strictly later, of something that starts at `start` and repeats.
Time next_start(const Reservation& reservation, Time start);

// "MAINT,DAILY,SPEC_NODES", in Slurm's order; empty if there are none.
std::string flags_text(const Reservation& reservation);

}  // namespace berth
