#include "berth/slurm/tables/sreport_words.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "berth/base/text.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/when.h"

namespace berth::slurm {
namespace {

// Which reports take a word.
using Reports = unsigned;
constexpr Reports kClusterTime = 1, kAssociations = 2, kWckeys = 4, kSizes = 8, kReserved = 16,
                  kTop = 32;

Reports reports_of(ReportKind kind) {
    switch (kind) {
        case ReportKind::utilization: return kClusterTime;
        case ReportKind::account_by_user:
        case ReportKind::user_by_account: return kAssociations;
        case ReportKind::user_by_wckey:
        case ReportKind::wckey_by_user: return kWckeys;
        case ReportKind::sizes_by_account:
        case ReportKind::sizes_by_wckey:
        case ReportKind::sizes_by_account_and_wckey: return kSizes;
        case ReportKind::reservations: return kReserved;
        case ReportKind::top_users: return kTop;
    }
    return 0;
}

// A word by itself, and how short it may be cut.
struct ReportFlag {
    std::string_view name;
    std::size_t least;
    Reports of;
    bool ReportFlags::* flag;
};
constexpr auto kReportFlags = std::to_array<ReportFlag>({
    {"Tree", 4, kAssociations, &ReportFlags::tree},
    {"Group", 1, kTop, &ReportFlags::group_accounts},
    {"PrintJobCount", 2, kSizes, &ReportFlags::job_count},
    {"FlatView", 2, kSizes, &ReportFlags::flat},
    {"AcctAsParent", 5, kSizes, &ReportFlags::as_parent},
});

// A word with a list of names. Without "=" it is the first list that the report has.
struct ReportList {
    std::string_view name;
    std::size_t least;
    Reports of;
    std::vector<std::string> ReportChoice::* list;
};
constexpr auto kReportLists = std::to_array<ReportList>({
    {"Clusters", 1, kClusterTime | kSizes, &ReportChoice::clusters},
    {"Users", 1, kAssociations | kTop | kSizes, &ReportChoice::users},
    {"WCKeys", 2, kWckeys | kSizes, &ReportChoice::wckeys},
    {"Names", 2, kReserved, &ReportChoice::names},
    {"Users", 1, kWckeys, &ReportChoice::users},
    {"Accounts", 2, kAssociations | kTop | kSizes, &ReportChoice::accounts},
    {"Acct", 4, kAssociations | kTop | kSizes, &ReportChoice::accounts},
    {"Clusters", 1, kAssociations | kTop | kReserved, &ReportChoice::clusters},
    {"Clusters", 3, kWckeys, &ReportChoice::clusters},
    {"GID", 2, kSizes, &ReportChoice::groups},
    {"Partitions", 2, kSizes, &ReportChoice::partitions},
});

Error complaint(std::string message) { return {ErrorCode::invalid_argument, std::move(message)}; }

Error unknown_condition(const std::string& word) {
    return complaint(" Unknown condition: " + word + "\nUse keyword set to modify value\n");
}

Error refused_word(std::string_view word, std::string_view why) {
    return complaint("sreport: error: " + std::string(word) +
                     " is not supported: " + std::string(why) + "\n");
}

Status set_moment(const std::string& value, Time now, std::optional<Time>& time) {
    Result<Time> at = parse_when(value, now);
    if (!at.ok()) return complaint("sreport: error: " + at.error().message + "\n");
    time = *at;
    return Done{};
}

Status set_report_jobs(const std::string& value, ReportWords& words) {
    for (const auto word : split(value, ',')) {
        const auto id = parse_int64(trim(word));
        if (!id.ok() || *id <= 0 || *id > 0xffff'ffffLL)
            return complaint("Bad job/step specified: " + std::string(word) + "\n");
        words.chosen.jobs.push_back(JobId(static_cast<std::uint32_t>(*id)));
    }
    return Done{};
}

Status set_grouping(const std::string& value, ReportWords& words) {
    if (means(value, "individual", 1)) {
        words.individual = true;
        return Done{};
    }
    for (const auto word : split(value, ',')) {
        const auto size = parse_int64(trim(word));
        const std::int64_t before = words.sizes.empty() ? 0 : words.sizes.back();
        if (!size.ok() || *size <= before) {
            return complaint("sreport: error: Grouping=" + value +
                             " should be sizes that rise, like 50,250,500, or individual\n");
        }
        words.sizes.push_back(*size);
    }
    return Done{};
}

Status set_report_value(const std::string& key, const std::string& value, const std::string& word,
                        Time now, ReportWords& words) {
    const Reports of = reports_of(words.kind);
    if (means(key, "Start", 1)) return set_moment(value, now, words.start);
    if (means(key, "End", 1)) return set_moment(value, now, words.end);
    if (means(key, "Format", 1)) {
        add_names(value, words.format);
        return Done{};
    }
    if ((of & kSizes) != 0 && means(key, "Jobs", 1)) return set_report_jobs(value, words);
    if ((of & kSizes) != 0 && means(key, "Grouping", 2)) return set_grouping(value, words);
    if ((of & (kSizes | kReserved)) != 0 && means(key, "Nodes", 2)) {
        BERTH_TRY(words.chosen.nodes, expand_node_argument(value));
        return Done{};
    }
    if ((of & kTop) != 0 && means(key, "TopCount", 1)) {
        const auto count = parse_int64(value);
        if (!count.ok() || *count < 1)
            return complaint("sreport: error: Invalid value for TopCount (" + value + ")\n");
        words.top = *count;
        return Done{};
    }
    if ((of & kSizes) != 0 && means(key, "Associations", 2)) {
        return refused_word("Associations=",
                            "an association has no number; use Accounts= and Users=");
    }
    if ((of & kReserved) != 0 && means(key, "Ids", 1))
        return refused_word("Ids=", "a reservation has no number; use Names=");
    if ((of & kReserved) != 0 && means(key, "Flags", 2))
        return refused_word("Flags=", "use format=Name,Flags, and grep");
    if (means(key, "QosLevel", 1))
        return refused_word("QosLevel=", "no report tells QOS apart; use sacct -q");
    for (const ReportList& list : kReportLists) {
        if ((list.of & of) == 0 || !means(key, list.name, list.least)) continue;
        add_names(value, words.chosen.*list.list);
        return Done{};
    }
    return unknown_condition(word);
}

// A name by itself is of the list that the report is first of all about.
Status set_bare(const std::string& word, ReportWords& words) {
    if (means(word, "all_clusters", 1)) return Done{};  // There is one.
    const Reports of = reports_of(words.kind);
    for (const ReportFlag& flag : kReportFlags) {
        if ((flag.of & of) == 0 || !means(word, flag.name, flag.least)) continue;
        words.flags.*flag.flag = true;
        return Done{};
    }
    for (const ReportList& list : kReportLists) {
        if ((list.of & of) == 0) continue;
        add_names(word, words.chosen.*list.list);
        return Done{};
    }
    return unknown_condition(word);
}

Result<ReportKind> cluster_report(const std::string& word) {
    if (means(word, "AccountUtilizationByUser", 1)) return ReportKind::account_by_user;
    if (means(word, "UserUtilizationByAccount", 18) || iequals(word, "UA"))
        return ReportKind::user_by_account;
    if (means(word, "UserUtilizationByWckey", 18) || iequals(word, "UW"))
        return ReportKind::user_by_wckey;
    if (means(word, "Utilization", 2)) return ReportKind::utilization;
    if (means(word, "WCKeyUtilizationByUser", 1)) return ReportKind::wckey_by_user;
    return complaint(
        "Not valid report " + word +
        "\nValid cluster reports are, \"AccountUtilizationByUser\", "
        "\"UserUtilizationByAccount\", \"UserUtilizationByWckey\", \"Utilization\", and "
        "\"WCKeyUtilizationByUser\"\n");
}

Result<ReportKind> job_report(const std::string& word) {
    if (means(word, "SizesByAccount", 1)) return ReportKind::sizes_by_account;
    if (means(word, "SizesByWcKey", 8)) return ReportKind::sizes_by_wckey;
    if (means(word, "SizesByAccountAndWcKey", 15)) return ReportKind::sizes_by_account_and_wckey;
    return complaint("Not valid report " + word +
                     "\nValid job reports are, \"SizesByAccount, SizesByAccountAndWcKey, and  "
                     "SizesByWckey\"\n");
}

Result<ReportKind> report_kind_of(const std::vector<std::string>& words) {
    const std::string& family = words.front();
    const bool of_cluster = means(family, "cluster", 2), of_job = means(family, "job", 1),
               of_user = means(family, "user", 1),
               of_reservation = means(family, "reservation", 2) || means(family, "resv", 2);
    if (!of_cluster && !of_job && !of_user && !of_reservation)
        return complaint("invalid keyword: " + family + "\n");
    if (words.size() < 2) return complaint("too few arguments for keyword:" + family + "\n");
    if (of_cluster) return cluster_report(words[1]);
    if (of_job) return job_report(words[1]);
    if (of_user && means(words[1], "TopUsage", 1)) return ReportKind::top_users;
    if (of_reservation && means(words[1], "Utilization", 1)) return ReportKind::reservations;
    const std::string kinds =
        of_user ? "user reports are, \"Top\"" : "reservation reports are, \"Utilization\"";
    return complaint("Not valid report " + words[1] + "\nValid " + kinds + "\n");
}

}  // namespace

bool is_of_sizes(ReportKind kind) { return reports_of(kind) == kSizes; }

Result<ReportWords> parse_report(const std::vector<std::string>& given, Time now) {
    ReportWords words;
    BERTH_TRY(words.kind, report_kind_of(given));
    for (std::size_t i = 2; i < given.size(); ++i) {
        const std::size_t equals = given[i].find('=');
        if (equals == std::string::npos) {
            BERTH_CHECK(set_bare(given[i], words));
        } else {
            BERTH_CHECK(set_report_value(given[i].substr(0, equals), given[i].substr(equals + 1),
                                         given[i], now, words));
        }
    }
    if (words.sizes.empty()) words.sizes = {50, 250, 500, 1000};
    return words;
}

ReportPeriod period_of(const ReportWords& words, Time now) {
    const Time today = midnight_before(now);
    ReportPeriod period{.until = std::min(words.end.value_or(today), now)};
    period.from = words.start.value_or(midnight_before(today - std::chrono::hours(12)));
    if (period.until <= period.from) period.until = period.from + std::chrono::hours(1);
    return period;
}

std::string TimeNotation::words() const {
    constexpr std::array<const char*, 4> kNames = {"Seconds", "Minutes", "Hours",
                                                   "Percentage of Total"};
    const std::string name = kNames[static_cast<std::size_t>(unit)];
    return with_percent ? name + "/Percentage of Total" : name;
}

std::string TimeNotation::text(std::int64_t seconds, std::int64_t total) const {
    const auto value = static_cast<double>(seconds);
    std::array<char, 64> percent{}, number{};
    std::snprintf(percent.data(), percent.size(), "%.2f%%",
                  100 * value / static_cast<double>(total == 0 ? 1 : total));
    if (unit == Unit::percent) return percent.data();
    const double in_unit = unit == Unit::hours ? 3600 : unit == Unit::minutes ? 60 : 1;
    std::snprintf(number.data(), number.size(), "%.0f", value / in_unit);
    return with_percent ? std::string(number.data()) + "(" + percent.data() + ")" : number.data();
}

Result<TimeNotation> parse_time_notation(const std::string& word) {
    using Unit = TimeNotation::Unit;
    if (means(word, "SecPer", 6)) return TimeNotation{Unit::seconds, true};
    if (means(word, "MinPer", 6)) return TimeNotation{Unit::minutes, true};
    if (means(word, "HourPer", 6)) return TimeNotation{Unit::hours, true};
    if (means(word, "Seconds", 1)) return TimeNotation{Unit::seconds, false};
    if (means(word, "Minutes", 1)) return TimeNotation{Unit::minutes, false};
    if (means(word, "Hours", 1)) return TimeNotation{Unit::hours, false};
    if (means(word, "Percent", 1)) return TimeNotation{Unit::percent, false};
    return complaint("unknown time format " + word);
}

}  // namespace berth::slurm
