// The texts about a job that Slurm's commands print and that take more than one field to make.
#pragma once

#include <string>

#include "berth/server/snapshot/read_model.h"

namespace berth {

// "0-5,7%2": the tasks of an array record that have not started; empty for other jobs.
std::string array_pending_text(const Job& job);

// "afterok:12(unfulfilled),after:13+5(unfulfilled)": what it still waits for, as in this edition.
std::string dependency_text(const Snapshot& snapshot, const Job& job);

// Its output files, with the default where none was given and the patterns filled in as far as they
// are known before it runs.
std::string std_out_of(const Job& job);
std::string std_err_of(const Job& job);
std::string std_in_of(const Job& job);

}  // namespace berth
