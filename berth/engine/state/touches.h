// Touches: what readers must read again, since something has changed it. Kept until they ask.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "berth/engine/state/job_records.h"
#include "berth/engine/state/job_table.h"
#include "berth/engine/state/undo.h"

namespace berth {

class Touches {
public:
    // Without duplicates, in id order.
    struct Touched {
        std::vector<JobId> jobs, gone;
        std::vector<NodeId> nodes;
        std::vector<std::size_t> usage;
        bool spec = false;  // The configuration itself.
        bool all = false;   // All is to be read anew, whatever is named here.
        bool reservations = false;
    };

    // While a checkpoint is open, what was not touched before goes to the log.
    void add(JobId job, UndoLog& undo);
    void add(NodeId node, UndoLog& undo);
    void add_usage(std::size_t record, UndoLog& undo);
    void add_spec(UndoLog& undo);
    void add_all(UndoLog& undo);  // The configuration, too.
    void add_reservations(UndoLog& undo);
    void undo(const JobTouched& was) { jobs_.erase(was.id); }
    void undo(const NodeTouched& was) { nodes_.erase(was.id); }
    void undo(const UsageTouched& was) { usage_.erase(was.index); }
    void undo(const WholesTouched& was) { wholes_ = was; }

    // Everything since the last call. `jobs` tells which are gone.
    Touched take(const JobRecords& jobs);

private:
    void remember_wholes(UndoLog& undo) const;

    JobTable<bool> jobs_;
    std::set<NodeId> nodes_;
    std::set<std::size_t> usage_;
    WholesTouched wholes_;
};

}  // namespace berth
