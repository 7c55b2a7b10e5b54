// What Slurm 22.05's sreport printed of a day (tests/oracle/sreport_day.py), letter by letter.
#include <gtest/gtest.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>

#include "berth/base/text.h"
#include "berth/slurm/tables/sreport_print.h"

namespace berth::slurm {
namespace {

constexpr std::int64_t kGoldenMidnight = 1'795'564'800;  // Of 2026-11-25, UTC.

class InUtc {
public:
    InUtc() {
        if (const char* const zone = std::getenv("TZ")) before_ = zone;
        set("UTC");
    }
    InUtc(const InUtc&) = delete;
    InUtc& operator=(const InUtc&) = delete;
    ~InUtc() { set(before_ ? before_->c_str() : nullptr); }

private:
    static void set(const char* zone) {
        zone == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", zone, 1);
        ::tzset();
    }
    std::optional<std::string> before_;
};

// As it was asked: "-t secper -T cpu cluster utilization".
struct GoldenCall {
    std::vector<std::string> words;
    std::string tres, time = "Minutes";
    ReportStyle style;
};
GoldenCall call_of(const std::string& text) {
    GoldenCall call;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        if (word == "-t") {
            in >> call.time;
        } else if (word == "-T") {
            in >> call.tres;
        } else if (word == "-n") {
            call.style.header = false;
        } else if (word == "-p" || word == "-P") {
            call.style.table = word == "-p" ? TableStyle::parsable : TableStyle::parsable2;
        } else {
            call.words.push_back(word);
        }
    }
    return call;
}

struct ReportedUse {
    const char* account;
    const char* user;
    const char* wckey;
    std::int64_t cpus, jobs, cpu, mem, gpu;
};
// root has the idle time of a reservation, which Slurm gives to those who may use it.
const ReportedUse kUsed[] = {{"bio", "news", "", 0, 1, 75600, 2160000, 0},
                             {"cells", "irc", "beta", 0, 1, 144000, 144000000, 72000},
                             {"cells", "news", "", 0, 1, 115200, 115200000, 0},
                             {"physics", "backup", "", 0, 1, 231480, 2340000, 0},
                             {"physics", "games", "", 0, 1, 63150, 19350000, 9000},
                             {"root", "root", "", 0, 1, 57600, 0, 0}};
const ReportedUse kUsedBySize[] = {{"bio", "news", "", 1, 1, 3600, 360000, 0},
                                   {"bio", "news", "", 8, 1, 14400, 1800000, 0},
                                   {"cells", "irc", "beta", 8, 1, 144000, 144000000, 72000},
                                   {"cells", "news", "", 64, 1, 115200, 115200000, 0},
                                   {"physics", "games", "", 1, 2, 150, 150000, 0},
                                   {"physics", "backup", "", 2, 2, 1080, 540000, 0},
                                   {"physics", "games", "", 3, 1, 1800, 600000, 0},
                                   {"physics", "games", "", 4, 2, 31200, 15600000, 7800},
                                   {"physics", "games", "", 50, 1, 30000, 600000, 0},
                                   {"physics", "backup", "", 128, 1, 230400, 1800000, 0}};

api::TresTime time_of(const char* name, std::int64_t count,
                      const std::array<std::int64_t, 7>& amounts) {
    return {.name = name,
            .count = count,
            .allocated = amounts[0],
            .down = amounts[1],
            .planned_down = amounts[2],
            .idle = amounts[3],
            .planned = amounts[4],
            .overcommitted = amounts[5],
            .reported = amounts[6]};
}

// What a controller would tell, which picks out users, keys and, for some reports, accounts.
api::UsageReport golden_usage(const ReportWords& words) {
    api::UsageReport usage{.cluster = "oracle", .from = from_seconds(kGoldenMidnight)};
    usage.until = usage.from + std::chrono::hours(24);
    usage.nodes_since = usage.from;
    usage.tres = {"cpu", "mem", "node", "billing", "gres/gpu"};
    const auto among = [](const std::vector<std::string>& list, const char* name) {
        return list.empty() || std::ranges::find(list, name) != list.end();
    };
    const bool by_account =
        words.kind == ReportKind::user_by_account || words.kind == ReportKind::top_users;
    const std::span<const ReportedUse> all = is_of_sizes(words.kind)
                                                 ? std::span<const ReportedUse>(kUsedBySize)
                                                 : std::span<const ReportedUse>(kUsed);
    for (const ReportedUse& one : all) {
        const bool is_wanted = among(words.chosen.users, one.user) &&
                               among(words.chosen.wckeys, one.wckey) &&
                               (!by_account || among(words.chosen.accounts, one.account));
        if (!is_wanted) continue;
        usage.groups.push_back(
            {.account = one.account,
             .user = one.cpus == 0 ? one.user : "",
             .wckey = one.wckey,
             .cpus = one.cpus,
             .jobs = one.jobs,
             .used = {{"cpu", one.cpu}, {"mem", one.mem}, {"gres/gpu", one.gpu}}});
    }
    usage.times = {
        time_of("cpu", 128, {672630, 172800, 115200, 8725410, 1373160, 657600, 11059200}),
        time_of("mem", 1024000, {281250000, 1382400000, 460800000, 86349150000, 0, 0, 88473600000}),
        time_of("billing", 128, {562230, 172800, 57600, 10266570, 0, 0, 11059200}),
        time_of("gres/gpu", 32, {81000, 43200, 14400, 2626200, 0, 0, 2764800})};
    const auto reserve = [&](const char* name, int hour, std::int64_t used, const char* flags,
                             const char* node, const char* users) {
        const Time start = usage.from + std::chrono::hours(hour);
        usage.reservations.push_back(
            {.name = name,
             .start = start,
             .end = start + std::chrono::hours(1),
             .flags = flags,
             .nodes = {node},
             .users = {users},
             .tres = {time_of("cpu", 32, {used, 0, 0, 115200 - used, 0, 0, 115200})}});
    };
    reserve("course", 12, 14400, "", "gpu1", "8");
    reserve("fix", 14, 0, "MAINT", "gpu2", "2");
    return usage;
}

std::string printed_for(const GoldenCall& call) {
    const auto words = parse_report(call.words, from_seconds(kGoldenMidnight + 86'400));
    if (!words.ok()) return words.error().message;
    ReportAsked asked{.words = *words,
                      .notation = *parse_time_notation(call.time),
                      .with_tres = !call.tres.empty()};
    const api::UsageReport usage = golden_usage(*words);
    auto tres = tres_asked(call.tres, asked, usage.tres);
    if (!tres.ok()) return tres.error().message;
    asked.tres = *std::move(tres);
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    EXPECT_EQ(print_report(call.style, asked, usage,
                           {{.account = "root"},
                            {.account = "bio", .parent = "root", .depth = 1},
                            {.account = "cells", .parent = "bio", .depth = 2},
                            {.account = "physics", .parent = "root", .depth = 1}},
                           streams),
              0);
    return err.str() + out.str();
}

TEST(ReportGolden, IsWhatSlurmPrintsOfTheSameDay) {
    for (const char* const user : {"backup", "games", "irc", "news"}) {
        const passwd* const entry = ::getpwnam(user);
        if (entry == nullptr || std::string_view(entry->pw_gecos).empty())
            GTEST_SKIP() << "SKIPPED: needs Debian's system users and their full names";
    }
    const InUtc utc;
    std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/tests/data/sreport-22.05.txt");
    const std::string begin = "$ sreport ";
    std::vector<std::pair<std::string, std::string>> reports;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(begin)) {
            reports.emplace_back(line.substr(begin.size()), "");
        } else if (!reports.empty()) {
            reports.back().second += line + "\n";
        }
    }
    EXPECT_EQ(reports.size(), 72U);
    for (const auto& [call, expected] : reports)
        EXPECT_EQ(printed_for(call_of(call)), expected) << call;
}

}  // namespace
}  // namespace berth::slurm
