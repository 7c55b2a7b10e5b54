#include "berth/cli/import_plan.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

using config::ConfigText;

constexpr const char* kSite =
    "ClusterName=lab\nNodeName=n[1-2] CPUs=8 RealMemory=8000\n"
    "PartitionName=main Nodes=ALL Default=YES MaxTime=1-0 DefMemPerCPU=100\n";
constexpr const char* kTree =
    "Cluster - 'lab':QOS='normal'\nParent - 'root'\n"
    "Account - 'bio':Fairshare=40:GrpTRESRunMins=3\nParent - 'bio'\n"
    "User - 'news':DefaultAccount='bio':QOS='high,gone'\n";

ImportTexts site(const std::string& slurm = kSite) {
    ImportTexts texts;
    texts.config.slurm = ConfigText{"slurm.conf", slurm};
    return texts;
}

ImportPlan planned(const ImportTexts& texts,
                   const std::optional<slurm::AccountingView>& there = std::nullopt) {
    return plan_import(texts, slurm::MovedState::jobs, there, Time(std::chrono::hours(438'000)));
}

std::string found_in(const ImportPlan& plan) {
    std::string text;
    for (const config::Finding& one : plan.findings) text += to_string(one) + "\n";
    return text;
}

TEST(ImportPlan, HasNothingToSayOfASmallSite) {
    const ImportPlan plan = planned(site());
    EXPECT_EQ(found_in(plan), "");
    EXPECT_EQ(plan.errors, 0U);
    EXPECT_EQ(plan.cluster, "lab");
    EXPECT_EQ(plan.nodes, 2U);
    EXPECT_TRUE(plan.edits.empty());
}

TEST(ImportPlan, NamesEachLineThatDiffers) {
    ImportTexts texts = site(std::string(kSite) + "MinJobAg=1\nSlurmdTimeout=60\n");
    texts.qos = ConfigText{"qos", "Name|Priority|GrpWall\nhigh|9|3\n"};
    texts.accounts = ConfigText{"accounts", kTree};
    texts.usage = ConfigText{
        "usage", "Account|User|RawUsage\nbio||9\n bio|news|7\n bio|news|2\n bio|ann|5\n"};
    const ImportPlan plan = planned(texts);
    EXPECT_EQ(
        found_in(plan),
        "slurm.conf:4: error: there is no option MinJobAg in slurm.conf; did you mean "
        "MinJobAge?\n"
        "slurm.conf:5: warning: SlurmdTimeout: a node that is silent for so long takes no new "
        "work, and its jobs wait for proof of their end; Slurm would requeue them at once "
        "(docs/admin.md)\n"
        "qos:2: error: QOS high: GrpWall is not supported yet: GrpWall=3; instead: fair share, or "
        "a queue with a quota (docs/policy.md)\n"
        "accounts:3: error: GrpTRESRunMins is not supported yet: GrpTRESRunMins=3; instead: fair "
        "share, or a queue with a quota (docs/policy.md)\n"
        "accounts:5: error: You gave a bad qos 'gone'. Valid QOS's are normal,high\n"
        "usage:5: error: user ann is not in account bio: the usage of 5 s is lost\n");
    EXPECT_EQ(plan.errors, 5U);
    EXPECT_EQ(plan.unread, 0U);
    ASSERT_EQ(plan.edits.size(), 2U);
    EXPECT_EQ(plan.edits[0].qos.front().name, "high");
    EXPECT_EQ(plan.edits[1].accounts.front().shares, 40);
    EXPECT_EQ(plan.edits[1].associations.front().qos, std::vector<std::string>{"high"});
    EXPECT_EQ(plan.usage, (std::vector<UsageSet::Entry>{{"bio", "news", 9}}))
        << "those of several partitions are added up";
}

TEST(ImportPlan, NamesTheLineThatEndsAFile) {
    struct NamedLine {
        const char *qos, *accounts, *usage, *says;
    };
    const NamedLine cases[] = {
        {"", nullptr, nullptr,
         "qos:1: error: nothing is there; make the file with: sacctmgr -P show qos\n"},
        {nullptr, "Cluster - 'lab'\nhello\n", nullptr,
         "accounts:2: error: Misformatted line(2): hello; A line reads Cluster, Parent, Account or "
         "User, then - 'NAME', then options as :KEY=VALUE, and each quote is closed\n"},
        {nullptr, "Account - 'x'\n", nullptr,
         "accounts: error: You need to specify a cluster name first with 'Cluster - $NAME' in "
         "your file\n"},
        {nullptr, nullptr, "Account|User|RawUsage\na|b|much\n",
         "usage:2: error: RawUsage should be a whole number of seconds, not 'much'\n"},
    };
    for (const NamedLine& one : cases) {
        ImportTexts texts = site();
        if (one.qos != nullptr) texts.qos = ConfigText{"qos", one.qos};
        if (one.accounts != nullptr) texts.accounts = ConfigText{"accounts", one.accounts};
        if (one.usage != nullptr) texts.usage = ConfigText{"usage", one.usage};
        const ImportPlan plan = planned(texts);
        EXPECT_EQ(found_in(plan), one.says);
        EXPECT_TRUE(plan.edits.empty());
        EXPECT_EQ(plan.unread, 1U) << "--lenient does not leave out a whole file";
    }
}

TEST(ImportPlan, ComparesWithWhatIsThere) {
    ImportTexts texts = site();
    texts.accounts =
        ConfigText{"accounts", "Cluster - 'old'\nParent - 'root'\nAccount - 'bio':Fairshare=40\n"};
    slurm::AccountingView there{
        .cluster = "lab",
        .host = "head",
        .associations = {{.account = "root"}, {.account = "bio", .parent = "root", .shares = 40}},
        .qos = {{.name = "normal"}}};
    const ImportPlan plan = planned(texts, there);
    EXPECT_EQ(found_in(plan),
              "accounts:1: warning: the accounts of cluster old become those of lab\n");
    EXPECT_TRUE(plan.edits.empty()) << "nothing of it is new";
}

TEST(ImportPlan, NamesUsersWhoseNamesChange) {
    ImportTexts texts = site();
    texts.accounts = ConfigText{"accounts",
                                "Cluster - 'lab'\nParent - 'root'\nAccount - 'Bio'\n"
                                "Parent - 'bio'\nUser - 'Ann'\nUser - 'bob'\n"};
    const ImportPlan plan = planned(texts);
    EXPECT_EQ(found_in(plan),
              "accounts:5: error: user Ann is imported as ann: names of users in accounts are in "
              "lower case\n");
    EXPECT_EQ(plan.unread, 0U);
}

TEST(ImportPlan, MovesJobsAndReservations) {
    ImportTexts texts = site();
    texts.reservations = ConfigText{
        "reservations",
        "ReservationName=maint StartTime=2099-01-01T08:00:00 EndTime=2099-01-01T12:00:00 "
        "Nodes=n1 Users=root Flags=MAINT\n"};
    texts.jobs = ConfigText{"jobs",
                            "JobId=7 JobName=train UserId=games(5) JobState=PENDING BatchFlag=1 "
                            "Command=/a/b.sh WorkDir=/a TimeLimit=10:00\n"};
    texts.owners = ConfigText{"owners", "7|games\n"};
    texts.scripts[7] = "#!/bin/sh\n";
    const ImportPlan plan = planned(texts);
    EXPECT_EQ(plan.errors, 0U) << found_in(plan);
    EXPECT_NE(found_in(plan).find("jobs: warning: Slurm does not show the environment of jobs"),
              std::string::npos);
    ASSERT_EQ(plan.reservations.size(), 1U);
    ASSERT_EQ(plan.jobs.size(), 1U);
    EXPECT_EQ(plan.jobs.front().script_name, "b.sh");
    texts.owners->text = "seven\n";
    EXPECT_EQ(found_in(planned(texts)),
              "owners:1: error: it should be NUMBER|USER; make the file with: squeue -h -o "
              "\"%A|%u\"\n");
}

}  // namespace
}  // namespace berth::cli
