#include "berth/server/auth/peer_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

namespace berth {
namespace {

using std::chrono::milliseconds;

TEST(Roles, RootSlurmUserAndOperatorsHaveRightsAndNobodyElse) {
    ClusterSpec spec;
    spec.slurm_user = "slurm";
    spec.operators = {"oscar"};
    EXPECT_EQ(role_of({.uid = 0, .user = "root"}, spec), Role::admin);
    EXPECT_EQ(role_of({.uid = ::geteuid(), .user = "us"}, spec), Role::admin);
    EXPECT_EQ(role_of({.uid = 64030, .user = "slurm"}, spec), Role::admin);
    EXPECT_EQ(role_of({.uid = 50, .user = "oscar"}, spec), Role::op);
    EXPECT_EQ(role_of({.uid = 1000, .user = "ann"}, spec), Role::user);
    spec.slurm_user.clear();
    EXPECT_EQ(role_of({.uid = 64030, .user = "slurm"}, spec), Role::user);
    EXPECT_EQ(role_of({.uid = 64030, .user = ""}, spec), Role::user) << "no name is nobody's";
}

TEST(AskSystem, KnowsNamesAndGroups) {
    const Principal root = ask_system({.uid = 0, .gid = 0});
    EXPECT_EQ(root.user, "root");
    EXPECT_EQ(root.group, "root");
    EXPECT_NE(std::ranges::find(root.groups, "root"), root.groups.end());
    const Principal nobody = ask_system({.uid = 54321, .gid = 54321});
    EXPECT_EQ(nobody.user, "54321");
    EXPECT_TRUE(nobody.groups.empty());
}

class Names : public ::testing::Test {
protected:
    PeerNames::Settings settings() {
        PeerNames::Settings settings;
        settings.ask = [this](PeerIds ids) {
            ++asked;
            return Principal{.uid = ids.uid, .user = "user" + std::to_string(ids.uid)};
        };
        settings.ask_user = [](const std::string& name) {
            return name == "ann" ? std::optional(PeerIds{.uid = 7, .gid = 7}) : std::nullopt;
        };
        return settings;
    }
    static std::string name_of(PeerNames& names, std::uint32_t uid) {
        std::promise<std::string> told;
        names.find({.uid = uid, .gid = uid},
                   [&](const Principal& found) { told.set_value(found.user); });
        return told.get_future().get();
    }
    std::atomic<int> asked{0};
};

TEST_F(Names, AreAskedForOnce) {
    PeerNames names(settings());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(name_of(names, 5), "user5");
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(name_of(names, 6), "user6");
    EXPECT_EQ(asked, 2);
}

TEST_F(Names, ThatAreTooOldAreAskedForAnewBeforeTheyAreUsed) {
    PeerNames::Settings old = settings();
    old.kept = old.used_stale = milliseconds(0);
    PeerNames names(old);
    EXPECT_EQ(name_of(names, 5), "user5");
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_EQ(name_of(names, 5), "user5");
    EXPECT_EQ(asked, 2);
}

TEST_F(Names, OfATokenMustStillBelongToItsUid) {
    PeerNames names(settings());
    const auto found = [&](const std::string& name, std::uint32_t uid) {
        std::promise<std::optional<Principal>> told;
        names.find_user(name, uid,
                        [&](const std::optional<Principal>& one) { told.set_value(one); });
        return told.get_future().get();
    };
    for (int i = 0; i < 2; ++i) {  // Asked, and as it was kept.
        ASSERT_TRUE(found("ann", 7).has_value());
        EXPECT_EQ(found("ann", 7)->user, "user7");
        EXPECT_FALSE(found("ann", 8).has_value());
        EXPECT_FALSE(found("bob", 7).has_value());
    }
}

}  // namespace
}  // namespace berth
