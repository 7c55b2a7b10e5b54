#include "berth/model/job_phase.h"

#include "berth/base/duration_text.h"

namespace berth {
namespace {

constexpr std::string_view kWaitedTooLong = "Failed to schedule within ";

bool has_timed_out(const JobCourse& course) {
    return course.state == JobState::deadline && has_waited_too_long(course.reason);
}

}  // namespace

std::string waited_too_long_text(Duration most) {
    return std::string(kWaitedTooLong) + format_duration_units(most);
}

bool has_waited_too_long(std::string_view reason) { return reason.starts_with(kWaitedTooLong); }

JobCourse course_of(const Job& job) {
    return {.state = job.state,
            .is_configuring = job.is_configuring(),
            .is_suspended = job.is_suspended(),
            .reason = job.state_reason,
            .started_at = job.started_at.plain(),
            .ended_at = job.ended_at.plain()};
}

std::string_view phase_of(const JobCourse& course) {
    switch (course.state) {
        case JobState::pending: return "Pending";
        case JobState::running:
            if (course.is_suspended) return "Suspended";
            return course.is_configuring ? "Scheduled" : "Running";
        case JobState::completing: return "Running";
        case JobState::completed: return "Succeeded";
        case JobState::deadline: return has_timed_out(course) ? "Timeout" : "Failed";
        default: return "Failed";
    }
}

std::vector<JobCondition> conditions_of(const JobCourse& course) {
    if (course.state == JobState::pending) return {};
    std::vector<JobCondition> conditions;
    if (has_timed_out(course)) {
        conditions.push_back({.type = "SchedulingTimeout",
                              .status = "True",
                              .reason = "Timeout",
                              .message = std::string(course.reason),
                              .changed_at = course.ended_at.value_or(Time{})});
    } else if (course.started_at) {
        conditions.push_back({.type = "Scheduled",
                              .status = "True",
                              .reason = "AllMembersScheduled",
                              .message = "All pod group members have been scheduled",
                              .changed_at = *course.started_at});
    }
    return conditions;
}

}  // namespace berth
