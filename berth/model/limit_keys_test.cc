#include "berth/model/limit_keys.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(LimitKeys, SetChangeAndRemoveEveryLimit) {
    struct Case {
        const char *name, *value;
        unsigned of;
        const char* shown;  // Null: refused.
    };
    const Case cases[] = {
        {"GrpTRES", "cpu=8,gres/gpu=2", kOfAssociation, "cpu=8,gres/gpu=2"},
        {"maxtresperuser", "gres/gpu=2", kOfQos, "gres/gpu=2"},
        {"MaxTRESPU", "gres/gpu=2", kOfQos, "gres/gpu=2"},
        {"MaxJobs", "3", kOfAssociation, "3"},
        {"MaxJobs", "3", kOfQos, "3"},
        {"MaxJobsPerUser", "0", kOfQos, "0"},
        {"MaxWall", "1-12:00:00", kOfAssociation, "1-12:00:00"},
        {"MaxJobs", "-2", kOfAssociation, nullptr},
        {"MaxJobs", "many", kOfAssociation, nullptr},
        {"GrpTRES", "gpu", kOfAssociation, nullptr},
        {"MaxWall", "soon", kOfAssociation, nullptr},
    };
    for (const Case& one : cases) {
        Limits limits;
        const LimitKey* key = find_limit_key(one.name, one.of);
        ASSERT_NE(key, nullptr) << one.name;
        EXPECT_EQ(set_limit(limits, *key, one.value).ok(), one.shown != nullptr) << one.value;
        EXPECT_EQ(limit_text(limits, *key), one.shown == nullptr ? "" : one.shown);
        EXPECT_TRUE(
            set_limit(limits, *key, key->tres != nullptr ? "cpu=-1,gres/gpu=-1" : "-1").ok());
        EXPECT_TRUE(limits.none()) << one.name;
    }
}

TEST(LimitKeys, BelongToWhoCanHaveThem) {
    EXPECT_EQ(find_limit_key("MaxTRESPerUser", kOfAssociation), nullptr);
    EXPECT_EQ(find_limit_key("MaxWall", kOfQos), nullptr);  // A QOS keeps it beside its limits.
    EXPECT_NE(find_limit_yaml("max_submit_jobs", kOfAssociation), nullptr);
    EXPECT_EQ(find_limit_yaml("max_submit_jobs", kOfQos), nullptr);
    EXPECT_TRUE(is_unbuilt_limit("grptresmins"));
    EXPECT_FALSE(is_unbuilt_limit("GrpTRES"));
}

}  // namespace
}  // namespace berth
