#include "berth/model/job_phase.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

constexpr Time kBegan = from_seconds(1000), kEnded = from_seconds(2000);

TEST(JobPhase, FollowsFromTheState) {
    struct Case {
        JobCourse course;
        const char* phase;
    };
    for (const auto& [course, phase] : {
             Case{{.state = JobState::pending}, "Pending"},
             Case{{.state = JobState::running, .is_configuring = true}, "Scheduled"},
             Case{{.state = JobState::running}, "Running"},
             Case{{.state = JobState::running, .is_suspended = true}, "Suspended"},
             Case{{.state = JobState::completing}, "Running"},
             Case{{.state = JobState::completed}, "Succeeded"},
             Case{{.state = JobState::failed}, "Failed"},
             Case{{.state = JobState::cancelled}, "Failed"},
             Case{{.state = JobState::timeout}, "Failed"},
             Case{{.state = JobState::node_fail}, "Failed"},
             Case{{.state = JobState::preempted}, "Failed"},
             Case{{.state = JobState::deadline, .reason = "DeadLine"}, "Failed"},
             Case{{.state = JobState::deadline, .reason = "Failed to schedule within 10m0s"},
                  "Timeout"},
         }) {
        EXPECT_EQ(phase_of(course), phase);
    }
}

TEST(JobPhase, AJobThatHasItsNodesIsScheduled) {
    const std::vector<JobCondition> scheduled = {
        {.type = "Scheduled",
         .status = "True",
         .reason = "AllMembersScheduled",
         .message = "All pod group members have been scheduled",
         .changed_at = kBegan}};
    EXPECT_EQ(conditions_of({.state = JobState::running, .started_at = kBegan}), scheduled);
    EXPECT_EQ(
        conditions_of({.state = JobState::completed, .started_at = kBegan, .ended_at = kEnded}),
        scheduled);
    // It waits, for the first time or again; or it was cancelled before its start.
    EXPECT_TRUE(conditions_of({.state = JobState::pending}).empty());
    EXPECT_TRUE(conditions_of({.state = JobState::pending, .started_at = kBegan}).empty());
    EXPECT_TRUE(conditions_of({.state = JobState::cancelled, .ended_at = kEnded}).empty());
    EXPECT_TRUE(
        conditions_of({.state = JobState::deadline, .reason = "DeadLine", .ended_at = kEnded})
            .empty());
}

TEST(JobPhase, AJobThatHasWaitedTooLongSaysHowLong) {
    const std::string reason = waited_too_long_text(std::chrono::minutes(10));
    EXPECT_EQ(conditions_of({.state = JobState::deadline, .reason = reason, .ended_at = kEnded}),
              (std::vector<JobCondition>{{.type = "SchedulingTimeout",
                                          .status = "True",
                                          .reason = "Timeout",
                                          .message = "Failed to schedule within 10m0s",
                                          .changed_at = kEnded}}));
}

}  // namespace
}  // namespace berth
