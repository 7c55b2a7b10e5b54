// Texts about a job that Slurm's commands print and that combine several fields.
#pragma once

#include <string>

#include "berth/server/snapshot/read_model.h"

namespace berth {

// "0-5,7%2": the tasks of an array record that have not started; empty for other jobs.
std::string array_pending_text(const Job& job);

// "afterok:12(unfulfilled),after:13+5(unfulfilled)": what the job still waits for, in this
// snapshot.
std::string dependency_text(const Snapshot& snapshot, const Job& job);

// The job's output files, with defaults and with the patterns expanded as far as possible before it
// runs.
std::string std_out_of(const Job& job);
std::string std_err_of(const Job& job);
std::string std_in_of(const Job& job);

}  // namespace berth
