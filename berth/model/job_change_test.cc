#include "berth/model/job_change.h"

#include <gtest/gtest.h>

#include "berth/model/event.h"

namespace berth {
namespace {

// Partition and QOS are names here, and ids in the record.
TEST(JobChange, HasNoFieldThatIsNeitherRecordedNorOfTheRequest) {
    JobChange none;
    JobChange::fields(none, [](std::string_view name, auto&) {
        if (name == "partition" || name == "qos") return;
        JobChange one;
        JobChange::fields(one, [&](std::string_view other, auto& value) {
            if (other == name) value.emplace();
        });
        JobUpdated fact;
        copy_same_fields(one, fact);
        EXPECT_TRUE(fact != JobUpdated{} || one.changes_request()) << name;
    });
}

TEST(JobChange, MovesMemoryFromOneWayOfAskingToTheOther) {
    JobRequest request;
    request.memory_per_cpu = Bytes(1024);
    const JobChange change{.memory_per_node = Bytes(4096)};
    change.apply_to(request);
    EXPECT_EQ(request.memory_per_node, Bytes(4096));
    EXPECT_EQ(request.memory_per_cpu, std::nullopt);
}

TEST(JobChange, LeavesOfWhatIsPreferredOnlyTheNewFeatures) {
    JobRequest request;
    request.nearness.edit().affinities = {
        {.to = Affinity::To::feature, .name = "old", .required = false},
        {.to = Affinity::To::feature, .name = "ib"},
        {.to = Affinity::To::job_on_node, .name = "train", .required = false}};
    JobChange change;
    change.prefer = {"new"};
    change.apply_to(request);
    std::string names;
    for (const Affinity& one : request.nearness->affinities) names += one.name + " ";
    EXPECT_EQ(names, "ib train new ");
}

TEST(JobChange, ThatSharesCoresTakesNoWholeNodeAnyMore) {
    JobRequest request{.exclusive = true};
    JobChange change;
    change.oversubscribe = false;
    change.apply_to(request);
    EXPECT_TRUE(request.exclusive);
    change.oversubscribe = true;
    change.apply_to(request);
    EXPECT_TRUE(request.oversubscribe && !request.exclusive);
}

}  // namespace
}  // namespace berth
