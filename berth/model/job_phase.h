// The phase and the conditions of a job, as pod groups and training jobs on Kubernetes show them.
// Both are derived from what is known of the job; nothing of them is stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/job.h"
#include "berth/model/job_condition.h"

namespace berth {

// What a phase is derived from. `reason` must outlive it.
struct JobCourse {
    JobState state = JobState::pending;
    bool is_configuring = false, is_suspended = false;
    std::string_view reason;  // Job::state_reason
    std::optional<Time> started_at, ended_at;
};
JobCourse course_of(const Job& job);

// "Pending", "Scheduled" (it has its nodes, and waits for PrologSlurmctld), "Running" (until the
// last process has ended), "Suspended", "Succeeded", "Failed", or "Timeout": it did not start
// within its longest wait.
std::string_view phase_of(const JobCourse& course);

// Of a job that waits: none, also if it has run before.
std::vector<JobCondition> conditions_of(const JobCourse& course);

// Why a job has ended that did not start within its longest wait: "Failed to schedule within
// 10m0s". Its condition says the same.
std::string waited_too_long_text(Duration most);
bool has_waited_too_long(std::string_view reason);

}  // namespace berth
