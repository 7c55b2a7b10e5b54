// The lines of sreport's reports, from what the controller tells was used.
#pragma once

#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/slurm/tables/sreport_table.h"

namespace berth::slurm {

struct ReportAsked {
    ReportWords words;
    TimeNotation notation;
    std::vector<std::string> tres;  // Of which amounts are told, in their order.
    bool with_tres = false;         // -T was given.
};

// What one line of a report on users or accounts says was used, of each TRES in seconds.
struct UsedLine {
    std::string account, user, wckey;
    std::uint32_t depth = 0;  // Of the account in the tree.
    std::vector<api::TresSeconds> used;
};

// Of -T, or of what the report is of without it, those that there are. The error is in Slurm's
// words, and ends its line.
Result<std::vector<std::string>> tres_asked(const std::string& names, const ReportAsked& asked,
                                            const std::vector<std::string>& known);

std::int64_t amount_of(const std::vector<api::TresSeconds>& used, const std::string& tres);

// Accounts as the tree goes, each with the sum of what is below it, and the users in them.
std::vector<UsedLine> lines_by_account(const ReportAsked& asked, const api::UsageReport& report,
                                       const std::vector<api::AssociationRow>& associations);
// Users in their accounts, or under their workload keys; the largest amount first.
std::vector<UsedLine> lines_by_user(const ReportAsked& asked, const api::UsageReport& report);
// Workload keys, each with the sum of its users and then these.
std::vector<UsedLine> lines_by_wckey(const api::UsageReport& report);

// A range of sizes: of so many CPUs, and fewer than the next one's.
struct SizeRange {
    std::int64_t least = 0, most = 0;
    std::string header;
};
struct SizeLine {
    std::string name;
    std::int64_t jobs = 0, seconds = 0;
    std::vector<std::int64_t> jobs_of, seconds_of;  // By range.
};
struct SizeReport {
    std::vector<SizeRange> ranges;
    std::vector<SizeLine> lines;
    std::int64_t jobs = 0, seconds = 0;
};
SizeReport size_report(const ReportAsked& asked, const api::UsageReport& report,
                       const std::vector<api::AssociationRow>& associations);

}  // namespace berth::slurm
