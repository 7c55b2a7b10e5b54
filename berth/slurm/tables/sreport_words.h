// What sreport is asked for, read from its words: "cluster utilization start=now-1week tree".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth::slurm {

enum class ReportKind : unsigned char {
    utilization,
    account_by_user,
    user_by_account,
    user_by_wckey,
    wckey_by_user,
    sizes_by_account,
    sizes_by_wckey,
    sizes_by_account_and_wckey,
    reservations,
    top_users,
};

bool is_of_sizes(ReportKind kind);

// Of what is told; an empty list is all.
struct ReportChoice {
    std::vector<std::string> clusters, users, accounts, wckeys, partitions, nodes, groups, names;
    std::vector<JobId> jobs;
};

// Words by themselves.
struct ReportFlags {
    bool tree = false, group_accounts = false, job_count = false, flat = false, as_parent = false;
};

struct ReportWords {
    ReportKind kind = ReportKind::utilization;
    std::optional<Time> start, end;
    ReportChoice chosen;
    ReportFlags flags;
    std::vector<std::string> format;
    std::vector<std::int64_t> sizes;  // Grouping=50,250: where each range of sizes begins.
    bool individual = false;          // Grouping=individual: each size by itself.
    std::int64_t top = 10;
};

// The words from "cluster", "job", "user" or "reservation" on. The error is in Slurm's words, and
// ends its line.
Result<ReportWords> parse_report(const std::vector<std::string>& words, Time now);

// From when until when: yesterday unless the words say otherwise, never later than now, and at
// least an hour if it would end before it began.
struct ReportPeriod {
    Time from{}, until{};
};
ReportPeriod period_of(const ReportWords& words, Time now);

// -t: how amounts of time are printed.
struct TimeNotation {
    enum class Unit : unsigned char { seconds, minutes, hours, percent };
    Unit unit = Unit::minutes;
    bool with_percent = false;  // SecPer, MinPer, HourPer

    bool has_percent() const { return with_percent || unit == Unit::percent; }
    std::string words() const;  // "Minutes/Percentage of Total"
    // "12", "12(3.45%)", "3.45%": of these seconds, which are a part of `total`.
    std::string text(std::int64_t seconds, std::int64_t total) const;
};
Result<TimeNotation> parse_time_notation(const std::string& word);

}  // namespace berth::slurm
