// Cores that a run lends. A run that is preempted by suspension keeps all that it holds; once every
// node has proved that it stands still, other jobs may start on its cores.
//
// A core may so be held by several runs at once. Of these the one that began last runs, and each
// other one stands still: it lends the core to those that began after it. The node counts the core
// once. Nothing else is ever held twice. Runs that take turns lend each other cores as well,
// without standing still until the end: see turns.h.
#pragma once

#include "berth/engine/state/job_index.h"
#include "berth/engine/state/job_records.h"

namespace berth {

// Which runs share cores with one run: those below it, which lend them, or above, which borrow.
enum class Sharers : std::uint8_t { below, above, all };

// Whether the run began after the other one.
inline bool is_above(const Job& run, const Job& other) {
    return *run.started_at > *other.started_at;
}

// Whether the run lends its cores until others have ended, and no process of it goes on: its nodes
// have proved that it stands still, or it is being killed.
bool stands_still(const Job& run);

// Whether such a preemption of now only asks for more cores of a run that stands still already.
bool lends_already(const Job& run, Time now);

// What the run holds of the node; nullptr: nothing.
const NodeShare* share_on(const Job& run, NodeId node);

// Those cores of the run's share that such runs hold as well.
BitSet shared_cores(const JobRecords& jobs, const JobIndex& index, const Job& run,
                    const NodeShare& share, Sharers of);

// Whether others have cores of a run that lends them.
bool has_borrowers(const JobRecords& jobs, const JobIndex& index, const Job& run);

// Whether these cores of the node may be taken though they are held: by runs that stand still. What
// begins in turns may also take those of runs that lend by turns.
bool are_lent(const JobRecords& jobs, const JobIndex& index, NodeId node, const BitSet& held,
              bool in_turns = false);

// The CPU that goes with these cores of the share.
Millicpu cpu_of(const NodeShare& share, const BitSet& cores);

// The share without these cores. REQUIRES: they are its own.
NodeShare without_cores(NodeShare share, const BitSet& cores);

}  // namespace berth
