// sreport's words, its arithmetic of periods, and its layout, which is that of Slurm 22.05.
#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <tuple>

#include "berth/base/text.h"
#include "berth/slurm/tables/sreport_print.h"
#include "berth/slurm/text/when.h"

namespace berth::slurm {
namespace {

// A Tuesday's noon and a few minutes, here.
Time now_here() { return midnight_before(from_seconds(1'700'000'000)) + std::chrono::minutes(725); }

Result<ReportWords> parsed(std::string_view text) {
    std::vector<std::string> words;
    for (const auto word : split(text, ' ')) words.emplace_back(word);
    return parse_report(words, now_here());
}

TEST(ReportWordsTest, NameAReportAndMayBeCutShort) {
    const std::pair<const char*, ReportKind> cases[] = {
        {"cluster Utilization", ReportKind::utilization},
        {"cl ut", ReportKind::utilization},
        {"cluster AccountUtilizationByUser", ReportKind::account_by_user},
        {"cluster a", ReportKind::account_by_user},
        {"cluster UserUtilizationByAccount", ReportKind::user_by_account},
        {"cluster ua", ReportKind::user_by_account},
        {"cluster UserUtilizationByWCKey", ReportKind::user_by_wckey},
        {"cluster UW", ReportKind::user_by_wckey},
        {"cluster wckeyutilizationbyuser", ReportKind::wckey_by_user},
        {"job sizesbyaccount", ReportKind::sizes_by_account},
        {"job size", ReportKind::sizes_by_account},
        {"job sizesbyw", ReportKind::sizes_by_wckey},
        {"job sizesbyaccountandwckey", ReportKind::sizes_by_account_and_wckey},
        {"user top", ReportKind::top_users},
        {"u TopUsage", ReportKind::top_users},
        {"reservation utilization", ReportKind::reservations},
        {"resv u", ReportKind::reservations},
    };
    for (const auto& [text, kind] : cases) {
        const auto words = parsed(text);
        ASSERT_TRUE(words.ok()) << text;
        EXPECT_EQ(words->kind, kind) << text;
    }
}

TEST(ReportWordsTest, TakeListsAndFlags) {
    const auto words = parsed(
        "job sizes accounts=bio,physics users=ann grouping=2,4 flatview printjobcount jobs=3,4 "
        "partitions=main nodes=n[1-2] gid=100 wckeys=beta format=cluster,account%20");
    ASSERT_TRUE(words.ok()) << words.error().message;
    EXPECT_EQ(words->chosen.accounts, (std::vector<std::string>{"bio", "physics"}));
    EXPECT_EQ(words->chosen.users, std::vector<std::string>{"ann"});
    EXPECT_EQ(words->sizes, (std::vector<std::int64_t>{2, 4}));
    EXPECT_EQ(words->chosen.jobs, (std::vector<JobId>{JobId(3), JobId(4)}));
    EXPECT_EQ(words->chosen.partitions, std::vector<std::string>{"main"});
    EXPECT_EQ(words->chosen.nodes, (std::vector<std::string>{"n1", "n2"}));
    EXPECT_EQ(words->chosen.groups, std::vector<std::string>{"100"});
    EXPECT_EQ(words->chosen.wckeys, std::vector<std::string>{"beta"});
    EXPECT_EQ(words->format, (std::vector<std::string>{"cluster", "account%20"}));
    EXPECT_TRUE(words->flags.flat && words->flags.job_count);
    EXPECT_FALSE(words->flags.as_parent);
    EXPECT_TRUE(parsed("job sizes grouping=individual")->individual);
    EXPECT_TRUE(parsed("job sizes AcctAsParent")->flags.as_parent);
    EXPECT_TRUE(parsed("cluster a tree")->flags.tree);
    EXPECT_TRUE(parsed("user top group topcount=3")->flags.group_accounts);
    EXPECT_EQ(parsed("user top t=3")->top, 3);
    // A name by itself is what the report is about.
    EXPECT_EQ(parsed("cluster ua ann")->chosen.users, std::vector<std::string>{"ann"});
    EXPECT_EQ(parsed("cluster ut here")->chosen.clusters, std::vector<std::string>{"here"});
    EXPECT_EQ(parsed("resv ut course")->chosen.names, std::vector<std::string>{"course"});
    EXPECT_EQ(parsed("cluster uw beta")->chosen.wckeys, std::vector<std::string>{"beta"});
    EXPECT_TRUE(parsed("cluster ut all_clusters")->chosen.clusters.empty());
}

TEST(ReportWordsTest, RefuseByNameWhatHasNoNumberHere) {
    EXPECT_EQ(parsed("resv ut ids=3").error().message,
              "sreport: error: Ids= is not supported: a reservation has no number; use Names=\n");
    EXPECT_EQ(parsed("job sizes associations=3").error().message,
              "sreport: error: Associations= is not supported: an association has no number; use "
              "Accounts= and Users=\n");
    EXPECT_FALSE(parsed("cluster ut users=ann").ok());
    EXPECT_FALSE(parsed("user top topcount=0").ok());
}

TEST(ReportPeriodTest, IsYesterdayUnlessItIsSaid) {
    const Time today = midnight_before(now_here());
    const Time yesterday = midnight_before(today - std::chrono::hours(12));
    const auto period = [](const char* text) { return period_of(*parsed(text), now_here()); };
    EXPECT_EQ(period("cluster ut").from, yesterday);
    EXPECT_EQ(period("cluster ut").until, today);
    EXPECT_EQ(period("cluster ut end=now").until, now_here());
    EXPECT_EQ(period("cluster ut start=now-1hour end=now").from,
              now_here() - std::chrono::hours(1));
    EXPECT_EQ(period("cluster ut end=now+5days").until, now_here()) << "not later than now";
    EXPECT_EQ(period("cluster ut start=today").until, today + std::chrono::hours(1));
}

TEST(TimeNotationTest, PrintsAsSlurmDoes) {
    const std::tuple<const char*, std::int64_t, std::int64_t, const char*, const char*> cases[] = {
        {"Seconds", 5400, 10800, "5400", "Seconds"},
        {"min", 5400, 10800, "90", "Minutes"},
        {"Minutes", 89, 100, "1", "Minutes"},
        {"h", 5400, 10800, "2", "Hours"},
        {"percent", 5400, 10800, "50.00%", "Percentage of Total"},
        {"SecPer", 5400, 10800, "5400(50.00%)", "Seconds/Percentage of Total"},
        {"minper", 5400, 16200, "90(33.33%)", "Minutes/Percentage of Total"},
        {"HourPer", 7200, 0, "2(720000.00%)", "Hours/Percentage of Total"},
    };
    for (const auto& [word, seconds, total, text, words] : cases) {
        const auto notation = parse_time_notation(word);
        ASSERT_TRUE(notation.ok()) << word;
        EXPECT_EQ(notation->text(seconds, total), text);
        EXPECT_EQ(notation->words(), words);
    }
    EXPECT_FALSE(parse_time_notation("years").ok());
}

// ---- Layout.

api::UsageReport sample_usage() {
    api::UsageReport usage{.cluster = "here", .from = from_seconds(1'699'920'000)};
    usage.until = usage.from + std::chrono::hours(24);
    usage.nodes_since = usage.from;
    usage.tres = {"cpu", "mem", "node", "billing", "gres/gpu"};
    const auto group = [&](const char* account, const char* user, std::int64_t minutes,
                           const char* wckey = "") {
        usage.groups.push_back({.account = account,
                                .user = user,
                                .wckey = wckey,
                                .jobs = 1,
                                .used = {{"cpu", minutes * 60}, {"gres/gpu", minutes * 6}}});
    };
    group("bio", "no-such-ann", 30);
    group("bio", "no-such-bob", 60, "beta");
    group("cells", "no-such-ann", 600);
    usage.times = {{.name = "cpu",
                    .count = 16,
                    .allocated = 41'400,
                    .down = 3'600,
                    .idle = 1'330'200,
                    .planned = 7'200,
                    .reported = 1'382'400},
                   {.name = "gres/gpu", .count = 2, .allocated = 4'140, .reported = 172'800}};
    return usage;
}

std::vector<api::AssociationRow> sample_tree() {
    return {{.account = "root"},
            {.account = "bio", .parent = "root", .depth = 1},
            {.account = "cells", .parent = "bio", .depth = 2}};
}

struct Asking {
    std::string words;
    std::string time = "Minutes";
    std::vector<std::string> tres = {};
    ReportStyle style = {.header = false};
};

std::string printed(const Asking& asking, api::UsageReport usage = sample_usage()) {
    ReportAsked asked{.words = *parsed(asking.words),
                      .notation = *parse_time_notation(asking.time),
                      .tres = asking.tres,
                      .with_tres = !asking.tres.empty()};
    if (asked.tres.empty()) asked.tres = {"cpu"};
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    EXPECT_EQ(print_report(asking.style, asked, std::move(usage), sample_tree(), streams), 0);
    EXPECT_EQ(err.str(), "");
    return out.str();
}

// Without the title's second line, which has times of this time zone.
std::string with_header(Asking asking) {
    asking.style.header = true;
    const std::string all = printed(asking);
    std::string text;
    std::size_t number = 0;
    for (const auto line : split(std::string_view(all).substr(0, all.size() - 1), '\n')) {
        if (++number != 2) text += std::string(line) + "\n";
    }
    return text;
}
const std::string kRule = std::string(80, '-') + "\n";

TEST(ReportLayout, OfClusterUtilization) {
    EXPECT_EQ(with_header({"cluster utilization"}),
              kRule + "Usage reported in CPU Minutes\n" + kRule +
                  "  Cluster Allocate     Down PLND Dow     Idle  Planned Reported \n"
                  "--------- -------- -------- -------- -------- -------- -------- \n"
                  "     here      690       60        0    22170      120    23040 \n");
    EXPECT_EQ(printed({"cluster utilization", "Percent"}),
              "     here    2.99%    0.26%    0.00%   96.22%    0.52%  100.00% \n");
    EXPECT_EQ(printed({"cluster utilization", "hourper"}),
              "     here         12(2.99%)          1(0.26%)          0(0.00%)       370(96.22%)"
              "          2(0.52%)      384(100.00%) \n");
    EXPECT_EQ(printed({"cluster utilization", "Seconds", {"cpu", "gres/gpu"}}),
              "     here            cpu    41400     3600        0  1330200     7200  1382400 \n"
              "     here       gres/gpu     4140        0        0        0        0   172800 \n");
    EXPECT_EQ(printed({"cluster util format=cluster,trescount,overcommitted", "Seconds"}),
              "     here         16        0 \n");
    EXPECT_EQ(printed({"cluster util format=used,energy"}), "         0        0 \n");
}

TEST(ReportLayout, AWidthOutOfBoundsIsNone) {
    for (const char* const width :
         {"-9223372036854775808", "9223372036854775807", "4096", "0", "x"})
        EXPECT_EQ(printed({"cluster util format=cluster%" + std::string(width)}), "     here \n");
}

TEST(ReportLayout, OfAWideAmount) {
    api::UsageReport usage = sample_usage();
    usage.times[0].idle = 12'345'678'901;
    EXPECT_EQ(printed({"cluster util format=cluster,idle,down%4,allocated%-12", "Seconds"}, usage),
              "     here 12345678901 3600 41400        \n");
}

TEST(ReportLayout, OfAccountsByUser) {
    EXPECT_EQ(with_header({"cluster AccountUtilizationByUser"}),
              kRule + "Usage reported in CPU Minutes\n" + kRule +
                  "  Cluster         Account     Login     Proper Name     Used   Energy \n"
                  "--------- --------------- --------- --------------- -------- -------- \n"
                  "     here            root                                690        0 \n"
                  "     here             bio                                690        0 \n"
                  "     here             bio no-such-+                       30        0 \n"
                  "     here             bio no-such-+                       60        0 \n"
                  "     here           cells                                600        0 \n"
                  "     here           cells no-such-+                      600        0 \n");
    EXPECT_EQ(printed({"cluster a tree format=account,used"}),
              "root                      690 \n"
              " bio                      690 \n"
              "  bio                      30 \n"
              "  bio                      60 \n"
              "  cells                   600 \n"
              "   cells                  600 \n");
    EXPECT_EQ(printed({.words = "cluster a accounts=cells format=account,login,used",
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "cells||600\ncells|no-such-ann|600\n");
    EXPECT_EQ(printed({.words = "cluster a accounts=cells tree format=account%-20,used"}),
              "cells                     600 \n cells                    600 \n")
        << "what is highest is not indented";
    // The controller picks the users out. They are in the order of their names, and without the
    // accounts' lines there is no tree.
    EXPECT_EQ(printed({.words = "cluster a users=no-such-ann tree format=account,login,used",
                       .style = {.table = TableStyle::parsable, .header = false}}),
              "bio|no-such-ann|30|\ncells|no-such-ann|600|\nbio|no-such-bob|60|\n");
    EXPECT_EQ(
        printed({.words = "cluster a users=no-such-ann accounts=BIO format=account,login,used",
                 .style = {.table = TableStyle::parsable, .header = false}}),
        "bio|no-such-ann|30|\nbio|no-such-bob|60|\n")
        << "with users, no account below";
    EXPECT_EQ(printed({.words = "cluster a accounts=cells format=trescount,used",
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "16|600\n16|600\n");
}

TEST(ReportLayout, OfUsersByAccount) {
    EXPECT_EQ(printed({.words = "cluster ua format=login,account,used",
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "no-such-ann|cells|600\nno-such-bob|bio|60\nno-such-ann|bio|30\n");
    EXPECT_EQ(printed({.words = "user top topcount=2 format=login,account,used",
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "no-such-ann|cells|600\nno-such-bob|bio|60\n");
    EXPECT_EQ(printed({.words = "user top group format=login,account,used",
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "no-such-ann|bio, cells|630\nno-such-bob|bio|60\n");
    EXPECT_EQ(printed({.words = "user top topcount=1",
                       .time = "SecPer",
                       .tres = {"gres/gpu"},
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "here|no-such-ann||cells|gres/gpu|3600(2.08%)\n");
}

TEST(ReportLayout, OfKeys) {
    EXPECT_EQ(printed({.words = "cluster uw format=login,wckey,used",
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "no-such-bob|beta|60\n");
    EXPECT_EQ(printed({.words = "cluster w format=wckey,login,used",
                       .style = {.table = TableStyle::parsable2, .header = false}}),
              "beta||60\nbeta|no-such-bob|60\n");
}

api::UsageReport sized_usage() {
    api::UsageReport usage = sample_usage();
    usage.groups = {
        {.account = "bio", .cpus = 4, .jobs = 3, .used = {{"cpu", 6'000}}},
        {.account = "bio", .wckey = "beta", .cpus = 60, .jobs = 1, .used = {{"cpu", 12'000}}},
        {.account = "cells", .cpus = 2000, .jobs = 1, .used = {{"cpu", 18'000}}},
        {.account = "gone", .cpus = 4, .jobs = 5, .used = {{"cpu", 12'000}}}};
    return usage;
}

TEST(ReportLayout, OfSizes) {
    const auto sizes = [](const char* words, TableStyle style = TableStyle::parsable2) {
        return printed({.words = words, .style = {.table = style, .header = false}}, sized_usage());
    };
    EXPECT_EQ(sizes("job sizes", TableStyle::table),
              "     here      root           300           200             0             0"
              "           300      100.00% \n");
    EXPECT_EQ(sizes("job sizes printjobcount"), "here|root|8|1|0|0|1|100.00%\n");
    EXPECT_EQ(sizes("job sizes acctasparent grouping=50"),
              "here|bio|100|500|75.00%\nhere|gone|200|0|25.00%\n");
    EXPECT_EQ(sizes("job sizes accounts=cells grouping=50"), "here|cells|0|300|100.00%\n");
    EXPECT_EQ(sizes("job sizes flatview grouping=50"),
              "here|bio|100|200|37.50%\nhere|cells|0|300|37.50%\nhere|gone|200|0|25.00%\n");
    EXPECT_EQ(sizes("job sizes grouping=individual printjobcount"), "here|root|8|1|1|100.00%\n");
    EXPECT_EQ(sizes("job sizesbywckey grouping=50"),
              "here||300|300|75.00%\nhere|beta|0|200|25.00%\n");
    EXPECT_EQ(sizes("job sizesbyaccountandwckey grouping=50"),
              "here|root:|300|300|75.00%\nhere|root:beta|0|200|25.00%\n");
    EXPECT_EQ(with_header({"job sizes grouping=50,1000"}).substr(0, kRule.size() + 26),
              kRule + "Time reported in Minutes\n-");
    EXPECT_NE(with_header({"job sizes grouping=50,1000"})
                  .find("  Cluster   Account     0-49 CPUs   50-999 CPUs  >= 1000 CPUs "
                        "% of cluster \n"),
              std::string::npos);
}

TEST(ReportTres, AreThoseOfTheClusterOrRefused) {
    const std::vector<std::string> known = {"cpu", "mem", "node", "billing", "gres/gpu"};
    const auto of = [&](const char* names, const char* words, const char* time = "Minutes") {
        const auto found = tres_asked(
            names, {.words = *parsed(words), .notation = *parse_time_notation(time)}, known);
        return found.ok() ? join(*found, " ") : found.error().message;
    };
    const std::string no_nodes =
        "sreport: fatal: TRES node usage is no longer reported in percent format reports.  Please "
        "use TRES CPU instead.\n";
    EXPECT_EQ(of("", "user top"), "cpu");
    EXPECT_EQ(of("", "resv ut"), "cpu mem node billing gres/gpu");
    EXPECT_EQ(of("all", "user top"), "cpu mem node billing gres/gpu");
    EXPECT_EQ(of("ALL", "cluster ut"), "cpu mem billing gres/gpu");
    EXPECT_EQ(of("GRES/gpu,cpu,nosuch,cpu", "user top"), "gres/gpu cpu");
    EXPECT_EQ(of("nosuch", "user top"), "sreport: fatal: No valid TRES given\n");
    EXPECT_EQ(of("node,cpu", "cluster ut"),
              "sreport: fatal: TRES node usage is no longer reported in the Cluster Utilization "
              "report.  Please use TRES CPU instead.\n");
    EXPECT_EQ(of("node", "user top"), "node");
    EXPECT_EQ(of("node", "user top", "percent"), no_nodes);
    EXPECT_EQ(of("cpu,node", "user top", "secper"), no_nodes);
    EXPECT_EQ(of("cpu,mem", "job sizes"),
              " Job report only supports a single --tres type.\n Generate a separate report for "
              "each TRES type.\n");
}

TEST(ReportLayout, SumsDoNotWrapAround) {
    api::UsageReport usage = sample_usage();
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (api::UsageGroup& group : usage.groups) group.jobs = most, group.used = {{"cpu", most}};
    usage.times[0].count = usage.times[0].reported = most;
    const Asking as{.words = "cluster a accounts=root format=account,used",
                    .time = "Seconds",
                    .style = {.table = TableStyle::parsable2, .header = false}};
    EXPECT_TRUE(printed(as, usage).starts_with("root|9223372036854775808\n"));
    EXPECT_EQ(printed({.words = "job sizes printjobcount grouping=50", .style = as.style}, usage),
              "here|root|9223372036854775807|0|100.00%\n");
    EXPECT_EQ(printed({.words = "cluster ut format=reported", .time = "percent", .style = as.style},
                      usage),
              "100.00%\n");
}

TEST(ReportLayout, OfReservations) {
    api::UsageReport usage = sample_usage();
    const api::TresTime cpu{
        .name = "cpu", .count = 8, .allocated = 7'200, .idle = 21'600, .reported = 28'800};
    usage.reservations = {
        {.name = "course",
         .start = usage.from,
         .end = usage.from + std::chrono::hours(1),
         .flags = "WEEKLY",
         .nodes = {"n1", "n2"},
         .users = {"ann"},
         .accounts = {"bio"},
         .tres = {cpu}},
        {.name = "other", .start = usage.from, .end = usage.until, .tres = {cpu}}};
    const auto rows = [&](const char* words) {
        return printed({.words = words, .style = {.table = TableStyle::parsable2, .header = false}},
                       usage);
    };
    EXPECT_EQ(rows("resv ut format=name,tresname,allocated,idle"),
              "course|cpu|120|360\nother|cpu|120|360\n");
    EXPECT_EQ(rows("resv ut names=other format=name"), "other\n");
    EXPECT_EQ(
        rows("resv ut nodes=n2 format=name,nodes,flags,associations,count,totaltime,trestime"),
        "course|n[1-2]|WEEKLY|bio,ann|8|01:00:00|08:00:00\n");
    usage.reservations[0].tres[0].reported = 32 * 3600;
    EXPECT_EQ(printed({.words = "resv ut names=course format=totaltime,trestime,name%4"}, usage),
              " 01:00:00 1-08:00:00 cou+ \n")
        << "no length of time is cut off";
}

TEST(ReportLayout, SaysWhatIsNotKept) {
    api::UsageReport usage = sample_usage();
    usage.nodes_since.reset();
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    const ReportAsked asked{
        .words = *parsed("cluster utilization"), .notation = {}, .tres = {"cpu"}};
    EXPECT_EQ(print_report({.header = false}, asked, usage, {}, streams), 0);
    EXPECT_EQ(err.str(),
              "sreport: it is not kept which nodes there were, and which were down, before now: of "
              "that time only what was allocated is reported\n");
    err.str("");
    EXPECT_EQ(print_report({.header = false, .quiet = true}, asked, usage, {}, streams), 0);
    EXPECT_EQ(err.str(), "");
}

TEST(ReportLayout, RefusesFieldsThatThereAreNot) {
    const auto complaint = [](const char* words) {
        return report_columns(*parsed(words), {}, false).error().message;
    };
    EXPECT_EQ(complaint("cluster ut format=colour"), " Unknown field 'colour'\n");
    EXPECT_EQ(complaint("resv ut format=reservationid"),
              "sreport: error: ReservationId is not supported: a reservation has no number; use "
              "Name\n");
}

}  // namespace
}  // namespace berth::slurm
