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

}  // namespace
}  // namespace berth
