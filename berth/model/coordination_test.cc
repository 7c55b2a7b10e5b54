#include "berth/model/coordination.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Coordination, IsOfAnAccountAndAllBeneathIt) {
    ClusterSpec spec;
    spec.accounts.push_back({.name = "science", .parent = "root", .coordinators = {"ann"}});
    spec.accounts.push_back({.name = "physics", .parent = "science", .coordinators = {"ben"}});
    spec.accounts.push_back({.name = "lasers", .parent = "physics"});
    spec.accounts.push_back({.name = "art", .parent = "root"});
    for (const char* const account : {"science", "physics", "lasers"})
        EXPECT_TRUE(coordinates(spec, "ann", account)) << account;
    EXPECT_FALSE(coordinates(spec, "ann", "art"));
    EXPECT_FALSE(coordinates(spec, "ann", "nosuch"));
    EXPECT_FALSE(coordinates(spec, "ben", "science"));
    EXPECT_TRUE(coordinates(spec, "ben", "lasers"));
    EXPECT_FALSE(coordinates(spec, "cid", "lasers"));
}

}  // namespace
}  // namespace berth
