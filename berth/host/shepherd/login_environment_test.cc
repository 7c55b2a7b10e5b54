#include "berth/host/shepherd/login_environment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/host/run/environment.h"

namespace berth {
namespace {

TEST(LoginEnvironment, IsWhatTheUsersShellSays) {
    const auto settings = ask_shell_for_environment(true, std::chrono::seconds(60));
    EXPECT_TRUE(std::ranges::any_of(
        settings, [](const std::string& one) { return one.starts_with("HOME=/"); }));
    EXPECT_TRUE(std::ranges::any_of(
        settings, [](const std::string& one) { return one.starts_with("PATH="); }));
}

TEST(LoginEnvironment, GivesWayToTheJobsOwn) {
    Environment environment;
    environment.set("SLURM_GET_USER_ENV", "60L");
    environment.set("PATH", "/of/the/job");
    add_login_environment(environment);
    EXPECT_EQ(environment.get("PATH"), "/of/the/job");
    EXPECT_TRUE(environment.get("HOME").has_value());
    EXPECT_FALSE(environment.get("SLURM_GET_USER_ENV").has_value());
}

TEST(LoginEnvironment, IsNotAskedForUnlessWanted) {
    Environment environment;
    environment.set("A", "1");
    add_login_environment(environment);
    EXPECT_EQ(environment.settings(), std::vector<std::string>{"A=1"});
}

}  // namespace
}  // namespace berth
