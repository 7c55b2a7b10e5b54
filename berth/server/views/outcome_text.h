// What `berth why` says of a running or ended job, in sentences.
#pragma once

#include <string>
#include <vector>

#include "berth/model/job.h"
#include "berth/model/job_phase.h"
#include "berth/store/accounting.h"

namespace berth {

// The first line has the outcome; the others, indented, say where, for how long and why.
std::vector<std::string> outcome_of(const AccountingRecord& record, Time now);

// What it saves, or has saved, of a run: lines that follow those.
std::vector<std::string> checkpoint_lines(const Job& job, Time now);

// For the phase and the conditions of a job that the controller has forgotten.
JobCourse course_of(const AccountingRecord& record);

}  // namespace berth
