// What sacct chooses by itself: groups, counts, time limits.
#include "berth/slurm/tables/sacct_filter.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

TEST(SacctFilter, ChoosesByCounts) {
    api::AccountingRow job;
    job.allocated_cpus = 4;
    job.nodes = {"n1", "n2"};
    struct Case {
        const char *cpus, *nodes;
        bool chosen;
    };
    for (const Case& c : {Case{"4", "2", true}, Case{"4-8", "1-2", true}, Case{"1-3", "2", false},
                          Case{"4", "1", false}, Case{"5", "2", false}, Case{"0-4", "0-9", true}}) {
        SacctFilter filter;
        ASSERT_TRUE(filter.set_cpus(c.cpus).ok() && filter.set_node_count(c.nodes).ok());
        EXPECT_EQ(filter.has(job), c.chosen) << c.cpus << " " << c.nodes;
    }
}

TEST(SacctFilter, ChoosesByTimeLimits) {
    api::AccountingRow job;
    job.time_limit = 30min;
    const auto chosen = [&](const char* least, const char* most) {
        SacctFilter filter;
        EXPECT_TRUE(least == nullptr || filter.set_time_least(least).ok());
        EXPECT_TRUE(most == nullptr || filter.set_time_most(most).ok());
        return filter.has(job);
    };
    EXPECT_TRUE(chosen("30", nullptr));
    EXPECT_FALSE(chosen("29", nullptr));  // Alone it is the limit itself.
    EXPECT_TRUE(chosen("29", "0:30:00"));
    EXPECT_FALSE(chosen("20", "29"));
    EXPECT_TRUE(chosen(nullptr, "1"));  // Ignored by itself, as Slurm's.
    EXPECT_FALSE(chosen("31", "UNLIMITED"));
    job.time_limit.reset();
    EXPECT_TRUE(chosen("UNLIMITED", nullptr));
}

TEST(SacctFilter, ChoosesByReasons) {
    api::AccountingRow job;
    const auto chosen = [&](const char* reasons) {
        SacctFilter filter;
        EXPECT_TRUE(filter.set_reasons(reasons).ok()) << reasons;
        return filter.has(job);
    };
    EXPECT_TRUE(chosen("Priority,none"));
    EXPECT_FALSE(chosen("Priority"));
    job.reason = "ReqNodeNotAvail, UnavailableNodes:n1";
    EXPECT_TRUE(chosen("reqnodenotavail"));
    EXPECT_FALSE(chosen("QOSMaxUnknownPerNode,AssocGrpBB,NonZeroExitCode"));
    SacctFilter filter;
    EXPECT_EQ(filter.set_reasons("Priority,Sleep").error().message,
              "unrecognized job reason value 'Sleep'");
}

TEST(SacctFilter, ChoosesByWhetherTheSchedulerStartedIt) {
    api::AccountingRow job;
    const auto chosen = [&](const char* flags) {
        SacctFilter filter;
        EXPECT_TRUE(filter.set_flags(flags).ok()) << flags;
        return filter.has(job);
    };
    EXPECT_TRUE(chosen("None"));
    EXPECT_FALSE(chosen("SchedMain"));
    job.started_at = Time();
    EXPECT_TRUE(chosen("schedmain"));
    EXPECT_TRUE(chosen("SchedSubmit,StartRecieved"));
    EXPECT_FALSE(chosen("SchedSubmit,SchedBackfill"));
    EXPECT_FALSE(chosen("None"));
    EXPECT_FALSE(chosen("None,SchedBackfill"));
    SacctFilter filter;
    EXPECT_EQ(filter.set_flags("Main").error().message, "str_2_job_flags: Invalid job flag Main");
}

TEST(SacctFilter, ChoosesByAssociationsAndComponents) {
    api::AccountingRow job;
    job.job = JobId(13);
    job.account = "bio";
    job.owner.user = "ann";
    SacctFilter filter;
    ASSERT_TRUE(filter.set_associations("3,4").ok());
    EXPECT_FALSE(filter.has(job)) << "there are no such associations";
    filter.associations = {{"bio", ""}, {"chemistry", "ann"}};
    EXPECT_FALSE(filter.has(job));
    filter.associations = {{"bio", "ann"}};
    EXPECT_TRUE(filter.has(job));
    filter.components = {JobId(12)};
    EXPECT_TRUE(filter.has(job));
    job.het = HetComponent{.first = JobId(12), .offset = 1, .size = 2};
    EXPECT_FALSE(filter.has(job));
    EXPECT_FALSE(SacctFilter().set_associations("bio").ok());
}

TEST(SacctFilter, ChoosesByFeaturesAndKeys) {
    api::AccountingRow job;
    job.constraints = "ib&(v100|a100)*2";
    job.wckey = "night";
    const auto chosen = [&](std::vector<std::string> features, std::vector<std::string> keys) {
        SacctFilter filter;
        filter.features = std::move(features), filter.wckeys = std::move(keys);
        return filter.has(job);
    };
    EXPECT_TRUE(chosen({"ib", "a100"}, {}));
    EXPECT_FALSE(chosen({"ib", "h100"}, {})) << "all of them";
    EXPECT_FALSE(chosen({"a10"}, {}));
    EXPECT_TRUE(chosen({}, {"day", "night"}));
    EXPECT_FALSE(chosen({"ib"}, {"day"}));
}

TEST(SacctFilter, ChoosesByGroups) {
    api::AccountingRow job;
    job.owner.gid = 0;
    SacctFilter filter;
    ASSERT_TRUE(filter.set_groups("root,4711").ok());
    EXPECT_TRUE(filter.has(job));
    job.owner.gid = 4711;
    EXPECT_TRUE(filter.has(job));
    job.owner.gid = 1;
    EXPECT_FALSE(filter.has(job));
}

TEST(SacctFilter, RefusesWhatIsNoValue) {
    SacctFilter filter;
    EXPECT_EQ(filter.set_groups("nosuch group").error().message, "Invalid group id: nosuch group");
    for (const char* text : {"", "x", "8-4", "-1", "4-", "99999999999"}) {
        EXPECT_FALSE(filter.set_cpus(text).ok()) << text;
        EXPECT_FALSE(filter.set_node_count(text).ok()) << text;
    }
    EXPECT_FALSE(filter.set_time_least("soon").ok());
    EXPECT_FALSE(filter.set_time_most("soon").ok());
}

}  // namespace
}  // namespace berth::slurm
