#include "berth/api/association_tree.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

struct Site {
    std::vector<AssociationRow> rows = {
        {.account = "root"},
        {.account = "bio", .parent = "root", .depth = 1},
        {.account = "cells", .parent = "bio", .depth = 2},
        {.account = "cells", .parent = "cells", .user = "ada", .depth = 3},
        {.account = "bio", .parent = "bio", .user = "ada", .depth = 2, .is_default = true},
        {.account = "cells", .parent = "cells", .user = "bob", .depth = 3},
    };
    std::vector<QosRow> qos = {{.name = "normal"}, {.name = "high"}};
    AssociationTree tree() const { return {rows, qos}; }
};

TEST(AssociationTree, UsersInheritLimitsExceptThoseOfGroups) {
    Site site;
    site.rows[1].limits.max_jobs = 5;
    site.rows[1].limits.group_jobs = 7;
    const Limits limits = site.tree().limits_of(site.rows[3]);
    EXPECT_EQ(limits.max_jobs, 5U);
    EXPECT_FALSE(limits.group_jobs);
}

// As the engine has it: a limit of one TRES does not take the account's limits of others away.
TEST(AssociationTree, LimitsOfEachTresAreInherited) {
    Site site;
    site.rows[2].limits.max_tres_per_job = {{"cpu", 8}, {"gres/gpu", 1}};
    site.rows[3].limits.max_tres_per_job = {{"cpu", 4}};
    EXPECT_EQ(site.tree().limits_of(site.rows[3]).max_tres_per_job,
              (TresLimits{{"cpu", 4}, {"gres/gpu", 1}}));
}

TEST(AssociationTree, TheNearestAccountSaysWhichQos) {
    Site site;
    EXPECT_EQ(site.tree().qos_of(site.rows[3]), (std::vector<std::string>{"high", "normal"}));
    site.rows[1].qos = {"normal", "high"};
    site.rows[1].default_qos = "high";
    site.rows[2].qos = {"normal"};
    const AssociationTree tree = site.tree();
    EXPECT_EQ(tree.qos_of(site.rows[3]), std::vector<std::string>{"normal"});
    EXPECT_EQ(tree.qos_of(site.rows[4]), (std::vector<std::string>{"high", "normal"}));
    EXPECT_EQ(tree.default_qos_of(site.rows[3]), "high");
    EXPECT_EQ(tree.default_qos_of(site.rows[0]), "");
}

TEST(AssociationTree, LineagesLeadFromTheRoot) {
    const Site site;
    const AssociationTree tree = site.tree();
    EXPECT_EQ(tree.lineage_of(site.rows[0]), "/");
    EXPECT_EQ(tree.lineage_of(site.rows[2]), "/bio/cells/");
    EXPECT_EQ(tree.lineage_of(site.rows[3]), "/bio/cells/0-ada/");
}

TEST(AssociationTree, TheDefaultAccountIsTheFirstWhereNoneIsTheDefault) {
    const Site site;
    const AssociationTree tree = site.tree();
    EXPECT_EQ(tree.default_account_of("ada"), "bio");
    EXPECT_EQ(tree.default_account_of("bob"), "cells");
    EXPECT_EQ(tree.default_account_of("eve"), "");
    EXPECT_EQ(tree.default_account_of(""), "");
}

TEST(AssociationTree, CoordinatorsAreOfAllThatIsBeneath) {
    Site site;
    site.rows[1].coordinators = {"ada"};
    site.rows[2].coordinators = {"bob"};
    const AssociationTree tree = site.tree();
    EXPECT_EQ(tree.coordinators_of(site.rows[2]),
              (std::vector<Coordination>{{"ada", false}, {"bob", true}}));
    EXPECT_EQ(names_of(tree.coordinators_of(site.rows[2])), "ada,bob");
    EXPECT_EQ(tree.coordinated_by("ada"),
              (std::vector<Coordination>{{"bio", true}, {"cells", false}}));
    EXPECT_TRUE(tree.coordinated_by("cid").empty());
}

TEST(AssociationTree, AnAccountThatIsItsOwnAncestorHasAnEnd) {
    const std::vector<AssociationRow> rows = {{.account = "a", .parent = "b"},
                                              {.account = "b", .parent = "a"}};
    const std::vector<QosRow> qos;
    EXPECT_EQ(AssociationTree(rows, qos).default_qos_of(rows[0]), "");
}

}  // namespace
}  // namespace berth::api
