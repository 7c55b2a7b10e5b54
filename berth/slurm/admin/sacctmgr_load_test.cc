// sacctmgr dump and load, on files that Debian's Slurm 22.05 wrote and on wrong ones.
#include "berth/slurm/admin/sacctmgr_load.h"

#include <gtest/gtest.h>

#include "berth/model/accounting_edits.h"
#include "berth/model/limit_keys.h"
#include "berth/slurm/admin/association_file.h"
#include "berth/slurm/admin/sacctmgr_specs.h"

namespace berth::slurm {
namespace {

using Names = std::vector<std::string>;

AccountingView view_with(std::vector<api::AssociationRow> rows) {
    return {.cluster = "lab",
            .host = "host",
            .associations = std::move(rows),
            .qos = {{.name = "normal"}, {.name = "high"}}};
}

AccountingView small_view() {
    return view_with({{.account = "root"},
                      {.account = "bio", .parent = "root", .depth = 1, .shares = 40},
                      {.account = "bio",
                       .parent = "bio",
                       .user = "ann",
                       .depth = 2,
                       .is_default = true,
                       .admin_level = "None"}});
}

AccountingEdits edits_of(const AccountingView& view, const std::string& file,
                         const LoadOptions& options = {}) {
    const Result<LoadPlan> plan = plan_load(view, file, options);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    AccountingEdits all;
    if (!plan.ok()) return all;
    for (const AccountingEdits& part : plan->edits) merge(all, part);
    return all;
}

std::string why(const std::string& file, const AccountingView& view = small_view()) {
    const Result<LoadPlan> plan = plan_load(view, file, {});
    return plan.ok() ? "loaded" : plan.error().message;
}

// As Debian's Slurm 22.05 wrote it.
constexpr const char* kSlurms =
    "# To edit this file start with a cluster line for the new cluster\n"
    "Cluster - 'lab':Fairshare=1:QOS='normal'\n"
    "Parent - 'root'\n"
    "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
    "Account - 'physics':Description='the lab':Organization='uni':Fairshare=60:"
    "GrpTRES=cpu=64,gres/gpu:a100=8:MaxJobs=10\n"
    "Parent - 'physics'\n"
    "Account - 'optics':Description='optics':Organization='physics':Fairshare=2147483647:"
    "MaxWallDurationPerJob=1440:QOS='high,normal'\n"
    "Parent - 'optics'\n"
    "User - 'games':DefaultAccount='optics':AdminLevel='Operator':DefaultQOS='normal':Fairshare=3:"
    "MaxTRESPerJob=cpu=4:MaxSubmitJobs=7\n"
    "Parent - 'physics'\n"
    "User - 'games':DefaultAccount='optics':Fairshare=1:QOS='+high'\n";

TEST(SacctmgrLoad, TakesWhatSlurmWrote) {
    const AccountingEdits edits = edits_of(view_with({{.account = "root"}}), kSlurms);
    ASSERT_EQ(edits.accounts.size(), 2U);
    const AccountSpec& optics = edits.accounts[0];
    EXPECT_EQ(optics.name, "optics");
    EXPECT_EQ(optics.parent, "physics");
    EXPECT_TRUE(optics.shares_of_parent);
    EXPECT_EQ(optics.limits.max_wall, std::chrono::hours(24));
    EXPECT_EQ(optics.qos, (Names{"high", "normal"}));
    const AccountSpec& physics = edits.accounts[1];
    EXPECT_EQ(physics.description, "the lab");
    EXPECT_EQ(physics.organization, "uni");
    EXPECT_EQ(physics.shares, 60);
    EXPECT_EQ(physics.limits.max_jobs, 10U);
    EXPECT_EQ(limit_text(physics.limits, *find_limit_key("GrpTRES", kOfAssociation)),
              "cpu=64,gres/gpu:a100=8");
    EXPECT_EQ(physics.qos, Names{"normal"}) << "the cluster's";
    ASSERT_EQ(edits.associations.size(), 3U);
    const AssociationSpec& games = edits.associations[0];
    EXPECT_EQ(games.account, "optics");
    EXPECT_TRUE(games.is_default);
    EXPECT_EQ(games.default_qos, "normal");
    EXPECT_EQ(games.limits.max_submitted, 7U);
    EXPECT_EQ(edits.associations[1].account, "physics");
    EXPECT_FALSE(edits.associations[1].is_default);
    EXPECT_EQ(edits.associations[1].qos, (Names{"normal", "high"}))
        << "more than what is above it has";
    EXPECT_EQ(edits.associations[2].user, "root");
    EXPECT_TRUE(edits.associations[2].is_default);
    EXPECT_EQ(edits.levels, (std::vector<AdminLevel>{{"games", true}}));
}

// Every limit of an association, and the rest of what a row has.
TEST(SacctmgrLoad, GivesBackAllThatDumpWrote) {
    AccountingView view = small_view();
    api::AssociationRow& bio = view.associations[1];
    bio.description = "cells: and \"more\"";
    bio.organization = "uni's";
    bio.priority = 7;
    bio.qos = {"high", "normal"};
    bio.default_qos = "high";
    for (const LimitKey& key : limit_keys()) {
        if ((key.of & kOfAssociation) == 0) continue;
        const char* value = key.tres != nullptr    ? "cpu=5,mem=16G,gres/gpu:a100=2"
                            : key.count != nullptr ? "5"
                                                   : "1-02:03:00";
        ASSERT_TRUE(set_limit(bio.limits, key, value).ok()) << key.name();
    }
    view.associations.push_back({.account = "deep", .parent = "bio", .depth = 2});
    view.associations.push_back({.account = "deep",
                                 .parent = "deep",
                                 .user = "ann",
                                 .depth = 3,
                                 .shares = 9,
                                 .shares_of_parent = true,
                                 .admin_level = "Operator"});
    view.associations[2].admin_level = "Operator";
    const std::string file = association_file(view);
    const AccountingEdits edits = edits_of(view_with({{.account = "root"}}), file);
    ASSERT_EQ(edits.accounts.size(), 2U) << file;
    EXPECT_EQ(edits.accounts[0], account_of(view.associations[1])) << file;
    EXPECT_EQ(edits.accounts[1].parent, "bio");
    ASSERT_EQ(edits.associations.size(), 2U);
    EXPECT_EQ(edits.associations[0], association_of(view.associations[2]));
    EXPECT_TRUE(edits.associations[1].shares_of_parent);
    EXPECT_EQ(edits.levels, (std::vector<AdminLevel>{{"ann", true}}));
    EXPECT_TRUE(edits_of(view, file).empty()) << "nothing of it is new there";
}

TEST(SacctmgrLoad, ChangesWhatALineSaysAndNothingElse) {
    AccountingView view = small_view();
    ASSERT_TRUE(
        set_limit(view.associations[1].limits, *find_limit_key("MaxJobs", kOfAssociation), "3")
            .ok());
    const std::string file =
        "Cluster - lab\nParent - root\nAccount - bio:Fairshare=41:GrpTRES=cpu=5\n"
        "Parent - bio\nUser - ann\n";
    const Result<LoadPlan> plan = plan_load(view, file, {});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(plan->changes,
              " Changed fairshare            for Account bio              40 -> 41\n"
              " Changed GrpTRES              for Account bio          (null) -> cpu=5\n");
    ASSERT_EQ(plan->edits.size(), 1U);
    ASSERT_EQ(plan->edits[0].accounts.size(), 1U);
    EXPECT_EQ(plan->edits[0].accounts[0].limits.max_jobs, 3U);
    EXPECT_TRUE(plan->edits[0].associations.empty());
    EXPECT_TRUE(plan->accounts.associations.empty());
}

TEST(SacctmgrLoad, CleanRemovesTheRest) {
    AccountingView view = small_view();
    ASSERT_TRUE(
        set_limit(view.associations[1].limits, *find_limit_key("MaxJobs", kOfAssociation), "3")
            .ok());
    view.associations.push_back({.account = "old", .parent = "bio", .depth = 2});
    const AccountingEdits edits =
        edits_of(view, "Cluster - lab\nParent - root\nAccount - bio\n", {.clean = true});
    EXPECT_EQ(edits.removed_accounts, Names{"old"});
    ASSERT_EQ(edits.removed_associations.size(), 1U);
    EXPECT_EQ(edits.removed_associations[0].second, "ann");
    ASSERT_EQ(edits.accounts.size(), 1U);
    EXPECT_FALSE(edits.accounts[0].limits.max_jobs) << "it begins anew";
    EXPECT_EQ(edits.accounts[0].shares, 1);
}

TEST(SacctmgrLoad, TakesAndWritesCoordinators) {
    const std::string file =
        "Cluster - 'lab'\nParent - 'root'\nAccount - 'bio':Fairshare=40\nParent - 'bio'\n"
        "User - 'ann':DefaultAccount='bio':Coordinator='bio':Fairshare=1\n";
    const AccountingEdits edits = edits_of(small_view(), file);
    ASSERT_EQ(edits.accounts.size(), 1U);
    EXPECT_EQ(edits.accounts[0].coordinators, Names{"ann"});
    AccountingView view = small_view();
    view.associations[1].coordinators = {"ann"};
    EXPECT_NE(association_file(view).find(":Coordinator='bio'"), std::string::npos);
    EXPECT_TRUE(edits_of(view, association_file(view)).empty());
    EXPECT_EQ(why("Cluster - 'lab'\nParent - 'bio'\nUser - 'ann':Coordinator='nosuch'\n"),
              " Coordinator='nosuch' of user ann: no such account\n Problem with line(3)\n"
              " Nothing was changed.");
}

TEST(SacctmgrLoad, NamesTheLinesThatAreWrong) {
    const std::string start = "Cluster - 'lab'\nParent - 'root'\n";
    EXPECT_EQ(why(""),
              " You need to specify a cluster name first with 'Cluster - $NAME' in your file");
    EXPECT_EQ(why("Parent - 'root'\nCluster - 'lab'\n"),
              " You need to specify a cluster name first with 'Cluster - $NAME' in your file");
    EXPECT_EQ(why("Cluster - 'lab'\nParent - 'nosuch'\n"),
              " line(2) You need to add this parent (nosuch) as a child before you can add "
              "children to it.");
    EXPECT_EQ(why("Cluster - 'other'\n"),
              " line(1) This file is of cluster other, and this cluster is lab. To load it all the "
              "same, add cluster=lab");
    EXPECT_EQ(why("Cluster - 'lab':MaxJobs=3\n").substr(0, 68),
              " Berth has no limits of a cluster; give them to its accounts: MaxJob");
    EXPECT_EQ(why(start + "Account - 'x':Bogus=3\n\nAccount - 'y':GrpTRESRunMins=3:QOS='nosuch'\n"
                          "User - 'bin':Partition='debug':AdminLevel=Administrator\n"
                          "Parent - x\nUser - bin:DefaultAccount=y\n"),
              " Unknown option: Bogus=3\n Problem with line(3)\n"
              " GrpTRESRunMins is not supported yet: GrpTRESRunMins=3\n Problem with line(5)\n"
              "sacctmgr: error: You gave a bad qos 'nosuch'. Valid QOS's are normal,high\n"
              " Problem with line(5)\n"
              " Partition of a user is not supported yet: Partition='debug'\n"
              " Problem with line(6)\n"
              " AdminLevel='administrator' should be None or Operator; root is the administrator\n"
              " Problem with line(6)\n"
              " DefaultAccount='y': user bin is not in this account\n Problem with line(8)\n"
              " Nothing was changed.");
    for (const char* line :
         {"hello", "Bogus - 'root'", "Account - ", "Account - ''", "Account - 'x':MaxJobs",
          "Account - 'x':=3", "Account - 'x", "Account - 'x':Description='a'b:MaxJobs=3"}) {
        EXPECT_EQ(why(start + line).substr(0, 22), " Misformatted line(3):") << line;
    }
}

// Slurm writes an apostrophe of a description as it is. Nothing behind it may be lost.
TEST(SacctmgrLoad, KeepsApostrophesAndWhatFollowsThem) {
    const AccountingEdits edits =
        edits_of(view_with({{.account = "root"}}),
                 "Cluster - 'lab'\nParent - 'root'\n"
                 "Account - 'bio':Description='O'Brien's 'wet' lab':Organization='uni's':"
                 "Fairshare=40:GrpTRES=cpu=64:QOS='high','normal':MaxJobs='5'\n");
    ASSERT_EQ(edits.accounts.size(), 1U);
    const AccountSpec& bio = edits.accounts[0];
    EXPECT_EQ(bio.description, "o'brien's 'wet' lab");
    EXPECT_EQ(bio.organization, "uni's");
    EXPECT_EQ(bio.shares, 40);
    EXPECT_EQ(bio.limits.max_jobs, 5U);
    EXPECT_EQ(bio.qos, (Names{"high", "normal"}));
    EXPECT_EQ(limit_text(bio.limits, *find_limit_key("GrpTRES", kOfAssociation)), "cpu=64");
}

// The controller would refuse all that is beside it, and after other changes were made.
TEST(SacctmgrLoad, NamesTheLinesThatTheControllerWouldRefuse) {
    const std::string start = "Cluster - 'lab'\nParent - 'root'\n";
    EXPECT_EQ(why(start + "Account - 'x y'\nUser - 'a/b'\n"
                          "Account - 'z':DefaultQOS='high':QOS='normal'\nAccount - 'root'\n"),
              " Account - 'x y' is no name for an account\n Problem with line(3)\n"
              " User - 'a/b' is no name for a user\n Problem with line(4)\n"
              " DefaultQOS='high' is not among QOS='normal'\n Problem with line(5)\n"
              " Account - 'root' is no name for an account\n Problem with line(6)\n"
              " Nothing was changed.");
    EXPECT_EQ(why(start + "Account - 'x'\nParent - 'x'\nAccount - 'y'\nParent - 'y'\n"
                          "Account - 'x'\n"),
              " line(7) Account x would be beneath itself");
    EXPECT_EQ(why(start + "Account - 'x'\nParent - 'x'\nAccount - 'x'\n"),
              " line(5) Account x would be beneath itself");
    const Result<LoadPlan> plan = plan_load(
        small_view(), start + "Account - 'x y'\nAccount - 'z':DefaultQOS='high':QOS='normal'\n",
        {.lenient = true});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    ASSERT_EQ(plan->edits.at(0).accounts.size(), 1U);
    EXPECT_EQ(plan->edits[0].accounts[0].default_qos, "");
}

// Berth has no associations of partitions. What a user may in one is not what the user may in all.
TEST(SacctmgrLoad, TakesNoLimitsOfAPartitionForThoseOfTheAccount) {
    const std::string start = "Cluster - 'lab'\nParent - 'root'\nAccount - 'x'\nParent - 'x'\n";
    const std::string whole = "User - 'bin':DefaultAccount='x':Fairshare=3:MaxJobs=5\n";
    const std::string part =
        "User - 'bin':Partition='gpu':Fairshare=9:MaxJobs=50:MaxSubmitJobs=7\n";
    std::string between = part + whole;
    between += part;
    for (const std::string& lines : {whole + part, part + whole, between}) {
        const Result<LoadPlan> plan = plan_load(small_view(), start + lines, {.lenient = true});
        ASSERT_TRUE(plan.ok()) << plan.error().message;
        const AssociationSpec& bin = plan->edits.at(0).associations.at(0);
        EXPECT_EQ(bin.limits.max_jobs, 5U) << lines;
        EXPECT_FALSE(bin.limits.max_submitted) << lines;
        EXPECT_EQ(bin.shares, 3) << lines;
        EXPECT_TRUE(bin.is_default) << lines;
        EXPECT_FALSE(plan->problems.empty()) << lines;
    }
    const Result<LoadPlan> alone = plan_load(small_view(), start + part + part, {.lenient = true});
    ASSERT_TRUE(alone.ok()) << alone.error().message;
    EXPECT_EQ(alone->edits.at(0).associations.at(0).limits.max_jobs, 50U)
        << "there is nothing else to go by";
}

// A tree may be turned round, as long as no account is beneath itself when all is done.
TEST(SacctmgrLoad, MovesAccounts) {
    AccountingView view = small_view();
    view.associations.push_back({.account = "deep", .parent = "bio", .depth = 2});
    const AccountingEdits edits =
        edits_of(view,
                 "Cluster - 'lab'\nParent - 'root'\nAccount - 'deep'\nParent - 'deep'\n"
                 "Account - 'bio'\n");
    ASSERT_EQ(edits.accounts.size(), 2U);
    EXPECT_EQ(edits.accounts[0].parent, "deep");
    EXPECT_EQ(edits.accounts[1].parent, "root");
}

TEST(SacctmgrLoad, LeavesOutWhatItCannotTakeIfItMay) {
    const std::string file =
        "Cluster - 'lab':MaxJobs=3\nParent - 'root'\n"
        "Account - 'x':GrpTRESRunMins=3:QOS='nosuch,high':DefaultQOS='nosuch':MaxJobs=5\n"
        "Parent - 'x'\nUser - 'bin':AdminLevel=Administrator:DefaultAccount=y\n";
    EXPECT_NE(why(file).find("Nothing was changed."), std::string::npos);
    const Result<LoadPlan> plan = plan_load(small_view(), file, {.lenient = true});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    std::string lines;
    for (const LoadProblem& one : plan->problems) lines += std::to_string(one.line) + " ";
    EXPECT_EQ(lines, "1 3 3 3 5 5 ");
    ASSERT_EQ(plan->edits.size(), 1U);
    const AccountSpec& account = plan->edits[0].accounts.at(0);
    EXPECT_EQ(account.qos, Names{"high"});
    EXPECT_EQ(account.default_qos, "");
    EXPECT_EQ(account.limits.max_jobs, 5U);
    EXPECT_TRUE(plan->edits[0].levels.empty());
    EXPECT_FALSE(plan->edits[0].associations.at(0).is_default);
    EXPECT_FALSE(plan_load(small_view(), "Cluster - 'lab'\nhello\n", {.lenient = true}).ok());
}

TEST(SacctmgrLoad, SendsManyUsersInSeveralCalls) {
    std::string file = "Cluster - 'lab'\nParent - 'root'\nAccount - 'all'\nParent - 'all'\n";
    for (int i = 0; i < 12'000; ++i) file += "User - 'u" + std::to_string(i) + "'\n";
    const Result<LoadPlan> plan = plan_load(small_view(), file, {});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    ASSERT_EQ(plan->edits.size(), 4U);
    EXPECT_EQ(plan->edits[0].accounts.size(), 1U) << "before the users in it";
    std::size_t users = 0;
    for (const AccountingEdits& part : plan->edits) users += part.associations.size();
    EXPECT_EQ(users, 12'000U);
}

// Ten thousand changes are a call; of more accounts, those above come first.
TEST(SacctmgrLoad, SendsManyAccountsInSeveralCalls) {
    std::string file = "Cluster - 'lab'\nParent - 'root'\nAccount - 'zoo'\nParent - 'zoo'\n";
    for (int i = 0; i < 6'000; ++i) file += "Account - 'a" + std::to_string(i) + "'\n";
    for (int i = 0; i < 4'900; ++i) {
        const std::string n = std::to_string(i);
        file.append("Parent - 'a").append(n).append("'\nUser - 'u").append(n);
        file.append("':DefaultAccount='a").append(n).append("'\n");
    }
    const Result<LoadPlan> plan = plan_load(small_view(), file, {});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    ASSERT_EQ(plan->edits.size(), 3U);
    EXPECT_EQ(plan->edits[0].accounts.at(0).name, "zoo");
    EXPECT_EQ(plan->edits[0].accounts.size() + plan->edits[1].accounts.size(), 6'001U);
    EXPECT_EQ(plan->edits[2].associations.size(), 4'900U);
    EXPECT_TRUE(plan->edits[2].associations.at(0).is_default);
}

}  // namespace
}  // namespace berth::slurm
