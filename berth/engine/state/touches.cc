#include "berth/engine/state/touches.h"

namespace berth {

void Touches::add(JobId job, UndoLog& undo) {
    if (jobs_.contains(job)) return;
    jobs_[job] = true;
    if (undo.recording()) undo.record(JobTouched{job});
}

void Touches::add(NodeId node, UndoLog& undo) {
    if (nodes_.insert(node).second && undo.recording()) undo.record(NodeTouched{node});
}

void Touches::add_usage(std::size_t record, UndoLog& undo) {
    if (usage_.insert(record).second && undo.recording()) undo.record(UsageTouched{record});
}

void Touches::remember_wholes(UndoLog& undo) const {
    if (undo.recording()) undo.record(wholes_);
}

void Touches::add_spec(UndoLog& undo) {
    remember_wholes(undo);
    wholes_.spec = true;
}

void Touches::add_all(UndoLog& undo) {
    remember_wholes(undo);
    wholes_.spec = wholes_.all = true;
}

void Touches::add_reservations(UndoLog& undo) {
    remember_wholes(undo);
    wholes_.reservations = true;
}

Touches::Touched Touches::take(const JobRecords& jobs) {
    Touched touched;
    for (const auto& [id, is_touched] : jobs_) {
        (jobs.contains(id) ? touched.jobs : touched.gone).push_back(id);
    }
    touched.nodes.assign(nodes_.begin(), nodes_.end());
    touched.usage.assign(usage_.begin(), usage_.end());
    touched.spec = wholes_.spec;
    touched.all = wholes_.all;
    touched.reservations = wholes_.reservations;
    *this = Touches();
    return touched;
}

}  // namespace berth
