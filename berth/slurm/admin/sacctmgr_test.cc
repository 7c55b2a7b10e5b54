// sacctmgr against the words of Debian's Slurm 22.05.
#include <gtest/gtest.h>

#include <sstream>

#include "berth/model/limit_keys.h"
#include "berth/slurm/admin/sacctmgr_coordinators.h"
#include "berth/slurm/admin/sacctmgr_lists.h"

namespace berth::slurm {
namespace {

using Words = std::vector<std::string>;

AccountingView sample() {
    AccountingView view{.cluster = "oracle", .host = "localhost"};
    view.associations = {
        {.account = "root"},
        {.account = "bio", .parent = "root", .depth = 1, .shares = 40},
        {.account = "bio",
         .parent = "bio",
         .user = "news",
         .depth = 2,
         .is_default = true,
         .admin_level = "None"},
        {.account = "physics", .parent = "root", .depth = 1, .shares = 60},
        {.account = "physics",
         .parent = "physics",
         .user = "games",
         .depth = 2,
         .is_default = true,
         .admin_level = "None"},
    };
    view.qos = {{.name = "normal"}, {.name = "high", .priority = 100}};
    return view;
}

std::string shown(Entity entity, const Selection& selection, const SacctmgrOptions& options = {}) {
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    show_accounting(sample(), entity, selection, options, streams);
    return out.str() + err.str();
}

// As Debian's Slurm: what an association does not say is what the account above it says.
TEST(Sacctmgr, ShowsTheQosThatAnAccountGives) {
    AccountingView view = sample();
    view.associations[1].qos = {"high", "normal"};
    view.associations[1].default_qos = "high";
    view.associations[4].qos = {"normal"};
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    Selection selection;
    selection.format = "account,user,qos,defaultqos";
    show_accounting(view, Entity::association, selection, {.parsable2 = true}, streams);
    EXPECT_EQ(out.str(),
              "Account|User|QOS|Def QOS\n"
              "root||high,normal|\n"
              "bio||high,normal|high\n"
              "bio|news|high,normal|high\n"
              "physics||high,normal|\n"
              "physics|games|normal|\n");
}

TEST(Sacctmgr, AddsInSlurmsWords) {
    struct Case {
        Entity entity;
        Words words;
        const char* says;
    };
    const Case cases[] = {
        {Entity::account,
         {"chem", "Description=Chem", "Organization=Sci", "Parent=root", "Fairshare=10",
          "MaxJobs=5"},
         " Adding Account(s)\n  chem\n Settings\n  Description     = chem\n"
         "  Organization    = sci\n Associations\n  A = chem       C = oracle    \n Settings\n"
         "  Fairshare     = 10\n  MaxJobs       = 5\n  Parent        = root\n"},
        {Entity::user,
         {"backup", "account=bio,physics", "MaxJobs=1", "MaxSubmitJobs=3", "MaxTRES=cpu=4",
          "MaxWall=1:00:00"},
         " Adding User(s)\n  backup\n Associations =\n"
         "  U = backup    A = bio        C = oracle    \n"
         "  U = backup    A = physics    C = oracle    \n Non Default Settings\n"
         "  MaxJobs       = 1\n  MaxSubmitJobs = 3\n  MaxTRES       = cpu=4\n"
         "  MaxWall       = 01:00:00\n"},
        {Entity::qos,
         {"gold", "priority=50", "MaxTRESPerUser=gres/gpu=2", "MaxJobsPerUser=2", "GrpTRES=cpu=8",
          "MaxWall=30", "Flags=DenyOnLimit"},
         " Adding QOS(s)\n  gold\n Settings\n  Description    = gold\n"
         "  Flags                    = DenyOnLimit\n  GrpTRES                  = cpu=8\n"
         "  MaxJobsPerUser = 2\n  MaxTRESPerUser           = gres/gpu=2\n"
         "  MaxWall                  = 00:30:00\n  Priority                 = 50\n"},
    };
    for (const Case& one : cases) {
        const auto intent = parse_add(sample(), one.entity, one.words);
        ASSERT_TRUE(intent.ok()) << intent.error().message;
        EXPECT_EQ(intent->text, one.says);
    }
}

TEST(Sacctmgr, RefusesInSlurmsWords) {
    const AccountingView view = sample();
    EXPECT_EQ(parse_add(view, Entity::account, {"bio"}).error().message, " Nothing new added.");
    EXPECT_EQ(parse_add(view, Entity::user, {"ann"}).error().message,
              " Need name of account to add user to.");
    EXPECT_EQ(
        parse_add(view, Entity::user, {"ann", "account=nosuch"}).error().message,
        " This account 'nosuch' doesn't exist.\n"
        "        Contact your admin to add this account.\n No associations or wckeys created.");
    EXPECT_EQ(parse_modify(view, Entity::account, {"bio", "set"}).error().message,
              " You didn't give me anything to set");
    EXPECT_EQ(parse_modify(view, Entity::user, {"nosuch", "set", "MaxJobs=1"}).error().message,
              " Nothing modified");
    EXPECT_EQ(parse_modify(view, Entity::account, {"bio", "set", "Nonsense=8"}).error().message,
              " Unknown option: Nonsense=8\n Use keyword 'where' to modify condition");
    EXPECT_EQ(parse_delete(view, Entity::qos, {"nosuch"}).error().message, " Nothing deleted");
    EXPECT_NE(parse_add(view, Entity::account, {"x", "GrpTRESRunMins=cpu=4"})
                  .error()
                  .message.find("not supported yet"),
              std::string::npos);
}

TEST(Sacctmgr, ModifiesWhatIsMeantAndNothingElse) {
    const auto intent =
        parse_modify(sample(), Entity::user,
                     {"games", "where", "account=physics", "set", "MaxJobs=2", "qos+=high"});
    ASSERT_TRUE(intent.ok());
    EXPECT_EQ(intent->text,
              " Modified user associations...\n"
              "  C = oracle     A = physics              U = games    \n");
    ASSERT_EQ(intent->edits.associations.size(), 1U);
    const AssociationSpec& changed = intent->edits.associations.front();
    EXPECT_EQ(changed.limits.max_jobs, 2U);
    EXPECT_EQ(changed.qos, (Words{"normal", "high"}));
    EXPECT_TRUE(changed.is_default);
    const auto account =
        parse_modify(sample(), Entity::account, {"bio", "set", "GrpTRES=gres/gpu=8"});
    ASSERT_TRUE(account.ok());
    EXPECT_EQ(account->text,
              " Modified account associations...\n  C = oracle     A = bio of root\n");
    EXPECT_EQ(account->edits.accounts.front().shares, 40);
}

TEST(Sacctmgr, DeletesUsersOfAnAccountOrEverywhere) {
    const auto one = parse_delete(sample(), Entity::user, {"games", "account=physics"});
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(one->text,
              " Deleting user associations...\n  C = oracle     A = physics    U = games    \n");
    const auto all = parse_delete(sample(), Entity::account, {"bio"});
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->text, " Deleting accounts...\n  bio\n");
}

// As Debian's Slurm prints it.
TEST(Sacctmgr, ListsTresWithSlurmsNumbers) {
    const auto listed = [](const std::string& format, const SacctmgrOptions& options) {
        std::istringstream in;
        std::ostringstream out, err;
        Streams streams{in, out, err};
        const int code = show_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem",
                                    "pages", "gres/gpu", "gres/gpu:a100"},
                                   format, options, streams);
        return out.str() + err.str() + (code == 0 ? "" : "[1]");
    };
    EXPECT_EQ(listed("", {}).substr(0, 99),
              "    Type            Name     ID \n-------- --------------- ------ \n"
              "     cpu                      1 \n");
    EXPECT_EQ(listed("", {.no_header = true, .parsable2 = true}),
              "cpu||1\nmem||2\nenergy||3\nnode||4\nbilling||5\nfs|disk|6\nvmem||7\npages||8\n"
              "gres|gpu|1001\ngres|gpu:a100|1002\n");
    EXPECT_EQ(listed("nosuch", {}), "Unknown field 'nosuch'\n[1]");
}

TEST(Sacctmgr, ListsAccountsWithoutUsersAndUsersWithoutUid) {
    AccountingView view = sample();
    view.associations.push_back({.account = "art", .parent = "root", .depth = 1});
    view.associations.push_back({.account = "bio", .parent = "bio", .user = "no-such-user"});
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    EXPECT_EQ(show_problems(view, "", {.parsable2 = true}, streams), 0);
    EXPECT_EQ(out.str(),
              "Cluster|Account|User|Problem\noracle|art||Account has no users\n"
              "oracle||no-such-user|User does not have a uid\n");
}

TEST(Sacctmgr, AddsAndDeletesCoordinators) {
    AccountingView view = sample();
    const auto added = parse_add_coordinators(view, {"names=news", "accounts=bio,physics"});
    ASSERT_TRUE(added.ok()) << added.error().message;
    EXPECT_EQ(added->text,
              " Adding Coordinator User(s)\n  news\n To Account(s) and all sub-accounts\n"
              "  bio\n  physics\n");
    ASSERT_EQ(added->edits.accounts.size(), 2U);
    EXPECT_EQ(added->edits.accounts[0].coordinators, Words{"news"});
    EXPECT_EQ(added->edits.accounts[0].shares, 40) << "the rest of it stays";
    view.associations[1].coordinators = {"games", "news"};
    EXPECT_EQ(parse_add_coordinators(view, {"names=news", "account=bio"}).error().message,
              " Nothing new added.");
    const auto removed = parse_delete_coordinators(view, {"names=games"});
    ASSERT_TRUE(removed.ok()) << removed.error().message;
    EXPECT_EQ(removed->text,
              " Removing Coordinators (sub accounts not listed)...\n  U = games     A = bio       "
              "\n");
    EXPECT_EQ(removed->edits.accounts.at(0).coordinators, Words{"news"});
    for (const Words& wrong :
         {Words{"names=news"}, Words{"account=bio"}, Words{"names=nosuch", "account=bio"},
          Words{"names=news", "account=nosuch"}, Words{"names=news", "account=root"},
          Words{"names=news", "account=bio", "color=red"}})
        EXPECT_FALSE(parse_add_coordinators(view, wrong).ok()) << wrong.back();
    EXPECT_EQ(parse_delete_coordinators(view, {"names=nosuch"}).error().message,
              " Nothing removed");
}

TEST(Sacctmgr, ShowsSlurmsTables) {
    EXPECT_EQ(shown(Entity::user, {}),
              "      User   Def Acct     Admin \n---------- ---------- --------- \n"
              "     games    physics      None \n      news        bio      None \n");
    EXPECT_EQ(shown(Entity::association, {.format = "account,user,fairshare", .tree = true}),
              "Account                    User     Share \n"
              "-------------------- ---------- --------- \n"
              "root                                    1 \n"
              " bio                                   40 \n"
              "  bio                      news         1 \n"
              " physics                               60 \n"
              "  physics                 games         1 \n");
    EXPECT_EQ(shown(Entity::qos, {.format = "name,priority,flags"}),
              "      Name   Priority                                    Flags \n"
              "---------- ---------- ---------------------------------------- \n"
              "    normal          0                                          \n"
              "      high        100                                          \n");
    EXPECT_EQ(shown(Entity::association, {.format = "nosuch"}), "Unknown field 'nosuch'\n");
    for (const std::string width : {"9223372036854775807", "-9223372036854775808", "0", "x"}) {
        EXPECT_EQ(shown(Entity::association, {.users = {"news"}, .format = "user%" + width},
                        {.no_header = true}),
                  "      news \n")
            << width;
    }
    EXPECT_EQ(shown(Entity::association, {.users = {"news"}, .format = "cluster,account,user"},
                    {.no_header = true, .parsable2 = true}),
              "oracle|bio|news\n");
}

TEST(Sacctmgr, HasSlurmsColumnsInSlurmsOrder) {
    const SacctmgrOptions parsable{.parsable2 = true};
    const std::string associations = shown(Entity::association, {}, parsable);
    EXPECT_EQ(associations.substr(0, associations.find('\n')),
              "Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|GrpSubmit|GrpWall|"
              "GrpTRESMins|MaxJobs|MaxTRES|MaxTRESPerNode|MaxSubmit|MaxWall|MaxTRESMins|QOS|Def "
              "QOS|GrpTRESRunMins");
    const std::string qos = shown(Entity::qos, {}, parsable);
    EXPECT_EQ(qos.substr(0, qos.find('\n')),
              "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode|Flags|UsageThres|"
              "UsageFactor|GrpTRES|GrpTRESMins|GrpTRESRunMins|GrpJobs|GrpSubmit|GrpWall|MaxTRES|"
              "MaxTRESPerNode|MaxTRESMins|MaxWall|MaxTRESPU|MaxJobsPU|MaxSubmitPU|MaxTRESPA|"
              "MaxJobsPA|MaxSubmitPA|MinTRES");
    EXPECT_NE(qos.find("\nhigh|100|00:00:00|||cluster|||1.000000|||||||||||||||||\n"),
              std::string::npos);
}

// ---- Preemption: what Debian's Slurm 22.05 printed for the same commands.

AccountingView with_preemption() {
    AccountingView view = sample();
    view.qos = {{.name = "normal"},
                {.name = "scav",
                 .preempt_mode = "CANCEL",
                 .grace_time = std::chrono::seconds(15),
                 .preempt_exempt = Duration{}},
                {.name = "high", .priority = 10, .preempt = {"normal", "scav"}}};
    return view;
}

TEST(Sacctmgr, AddsQosThatPreempt) {
    const auto scav =
        parse_add(with_preemption(), Entity::qos,
                  {"low", "PreemptMode=cancel", "GraceTime=15", "PreemptExemptTime=0"});
    ASSERT_TRUE(scav.ok()) << scav.error().message;
    EXPECT_EQ(scav->text,
              " Adding QOS(s)\n  low\n Settings\n  Description    = low\n"
              "  GraceTime                = 15\n  PreemptMode              = CANCEL\n"
              "  PreemptExemptTime        = 00:00:00\n");
    const auto top =
        parse_add(with_preemption(), Entity::qos, {"top", "Preempt=normal,scav", "priority=10"});
    ASSERT_TRUE(top.ok()) << top.error().message;
    EXPECT_EQ(top->text,
              " Adding QOS(s)\n  top\n Settings\n  Description    = top\n"
              "  Preempt                  = normal,scav\n  Priority                 = 10\n");
    EXPECT_EQ(top->edits.qos.front().preempt, (Words{"normal", "scav"}));
}

TEST(Sacctmgr, ChangesWhomAQosPreempts) {
    const auto preempt = [](const AccountingView& view, const std::string& word) {
        const auto intent = parse_modify(view, Entity::qos, {"high", "set", word});
        EXPECT_TRUE(intent.ok()) << word;
        return intent.ok() ? intent->edits.qos.front().preempt : Words{"?"};
    };
    AccountingView view = with_preemption();
    EXPECT_EQ(preempt(view, "Preempt-=scav"), (Words{"normal"}));
    EXPECT_EQ(preempt(view, "Preempt="), Words{});
    EXPECT_EQ(preempt(view, "Preempt=scav"), (Words{"scav"}));
    view.qos[2].preempt = {};
    EXPECT_EQ(preempt(view, "Preempt+=scav"), (Words{"scav"}));
    // What is not named stays.
    const auto other = parse_modify(view, Entity::qos, {"scav", "set", "Priority=3"});
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(other->edits.qos.front().preempt_mode, PreemptMode::cancel);
    EXPECT_EQ(other->edits.qos.front().grace_time, std::chrono::seconds(15));
    EXPECT_EQ(other->edits.qos.front().preempt_exempt, Duration{});
}

TEST(Sacctmgr, RefusesPreemptionInSlurmsWords) {
    struct Case {
        const char *qos, *word, *says;
    };
    const char* const loop =
        "sacctmgr: error: QOS Preemption loop detected\n"
        " Error with request: QOS Preemption loop detected";
    for (const auto& [qos, word, says] : {
             Case{"normal", "Preempt=high", loop},
             Case{"normal", "Preempt=normal", loop},
             Case{"normal", "Preempt=nosuch",
                  "sacctmgr: error: You gave a bad qos 'nosuch'. Valid QOS's are normal,scav,high"},
             Case{"normal", "GraceTime=abc",
                  "sacctmgr: error: Invalid value for GraceTime (abc)\n"
                  " You didn't give me anything to set"},
             Case{"normal", "PreemptExemptTime=abc",
                  " Bad PreemptExemptTime format: PreemptExemptTime=abc"},
         }) {
        const auto intent = parse_modify(with_preemption(), Entity::qos, {qos, "set", word});
        ASSERT_FALSE(intent.ok()) << word;
        EXPECT_EQ(intent.error().message, says);
    }
    for (const char* word : {"PreemptMode=foo", "PreemptMode=gang"}) {
        const auto intent = parse_modify(with_preemption(), Entity::qos, {"normal", "set", word});
        ASSERT_FALSE(intent.ok()) << word;
        EXPECT_TRUE(intent.error().message.starts_with(std::string(" Bad Preempt Mode given: ") +
                                                       word + "\n"))
            << intent.error().message;
    }
}

TEST(Sacctmgr, ModesOfQosAreOwnOrTheClusters) {
    const auto mode = [](const std::string& word) {
        const auto intent = parse_modify(with_preemption(), Entity::qos, {"scav", "set", word});
        EXPECT_TRUE(intent.ok()) << word;
        return intent.ok() ? intent->edits.qos.front() : QosSpec{};
    };
    EXPECT_EQ(mode("PreemptMode=requeue,within").preempt_mode, PreemptMode::requeue);
    EXPECT_TRUE(mode("PreemptMode=requeue,within").preempt_within);
    EXPECT_EQ(mode("PreemptMode=suspend").preempt_mode, PreemptMode::suspend);
    EXPECT_EQ(mode("PreemptMode=checkpoint").preempt_mode, PreemptMode::checkpoint);
    EXPECT_EQ(mode("PreemptMode=gang,suspend").preempt_mode, PreemptMode::suspend);
    EXPECT_EQ(mode("PreemptMode=off").preempt_mode, std::nullopt);
    EXPECT_EQ(mode("PreemptMode=cluster").preempt_mode, std::nullopt);
    EXPECT_EQ(mode("GraceTime=-1").grace_time, Duration{});
    EXPECT_EQ(mode("PreemptExemptTime=-1").preempt_exempt, std::nullopt);
}

TEST(Sacctmgr, ShowsPreemptionInSlurmsColumns) {
    std::istringstream in;
    std::ostringstream out;
    Streams streams{in, out, out};
    AccountingView view = with_preemption();
    view.qos.push_back({.name = "own", .preempt_mode = "WITHIN,REQUEUE"});
    show_accounting(view, Entity::qos,
                    {.format = "name,priority,preempt,preemptmode,gracetime,preemptexempttime"}, {},
                    streams);
    EXPECT_EQ(out.str(),
              "      Name   Priority    Preempt PreemptMode  GraceTime   PreemptExemptTime \n"
              "---------- ---------- ---------- ----------- ---------- ------------------- \n"
              "    normal          0                cluster   00:00:00                     \n"
              "      scav          0                 cancel   00:00:15            00:00:00 \n"
              "      high         10 normal,sc+     cluster   00:00:00                     \n"
              "       own          0            within,req+   00:00:00                     \n");
}

}  // namespace
}  // namespace berth::slurm
