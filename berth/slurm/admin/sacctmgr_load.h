// sacctmgr load: what a file of accounts and users changes, found before anything is changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/slurm/admin/sacctmgr_show.h"

namespace berth::slurm {

// An option that cannot be taken, in Slurm's words.
struct LoadProblem {
    std::size_t line = 0;
    std::string what;
};

struct LoadPlan {
    std::vector<AccountingEdits> edits;  // One call each, in this order; empty: nothing is new.
    AccountingView accounts, users;      // The new ones, for their tables.
    std::string changes;                 // A line per change of what was there.
    std::vector<LoadProblem> problems;   // What is left out; of lenient plans alone.
};

struct LoadOptions {
    std::string cluster;   // What the file's cluster is called here; empty: as in the file.
    bool clean = false;    // What is not in the file is removed, and the rest begins anew.
    bool lenient = false;  // What cannot be taken is left out, and the rest is planned.
};

// An error holds the problems of all lines, in Slurm's words; of a lenient plan it is of a line
// without which the rest has no meaning.
Result<LoadPlan> plan_load(const AccountingView& view, std::string_view file,
                           const LoadOptions& options);

}  // namespace berth::slurm
