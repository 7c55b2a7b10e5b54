#include "berth/engine/state/node_table.h"

#include <algorithm>

#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/turns.h"

namespace berth {
namespace {

// What is lent counts for the run that lends it.
void subtract_held(NodeFree& free, const NodeTable::Sources& sources, const Job& run,
                   const NodeShare& share) {
    const NodeSpec& node = sources.spec.node(share.node);
    if (!sources.index.any_lender_on(share.node)) return subtract(free, share, node);
    const BitSet lent = shared_cores(sources.jobs, sources.index, run, share, Sharers::below);
    subtract(free, without_cores(share, lent), node);
}

// Aborts unless each run that others have cores of stands still, or all others do that take turns
// with it.
void check_lent(const NodeTable::Sources& sources, const Job& run, const NodeShare& share,
                const BitSet& held) {
    const JobRecords& jobs = sources.jobs;
    const BitSet lent = shared_cores(jobs, sources.index, run, share, Sharers::above);
    BERTH_ASSERT(lent.empty() || stands_still(run) || run.lends_by_turns());
    if (run.lends_by_turns() && !is_at_rest(run)) {  // It has its turn: nobody else has.
        for (const JobId id : turn_sharers(jobs, sources.index, run))
            BERTH_ASSERT(is_at_rest(jobs.at(id)));
    }
    const BitSet all = shared_cores(jobs, sources.index, run, share, Sharers::all);
    BERTH_ASSERT((held & share.cores).is_subset_of(all));
}

}  // namespace

void NodeTable::take(const NodeShare& share, const NodeSpec& spec, UndoLog& undo) {
    NodeFree& free = free_[share.node.index()];
    BERTH_ASSERT(fits(share.amount, free.amount) && share.cores.is_subset_of(free.cores) &&
                 (share.whole_devices() & ~free.devices) == 0);
    BERTH_ASSERT(!share.device_share || has_room_for(spec, free, *share.device_share));
    remember(share.node, undo);
    subtract(free, share, spec);
}

void NodeTable::give_back(const NodeShare& share, const NodeSpec& spec, UndoLog& undo) {
    remember(share.node, undo);
    berth::give_back(free_[share.node.index()], share, spec);
}

void NodeTable::follow_spec(const Sources& sources, UndoLog& undo) {
    remember_all(undo);
    conditions_.resize(sources.spec.nodes.size());
    compute_free(sources);
}

void NodeTable::follow_spec(NodeId node, const Sources& sources, UndoLog& undo) {
    remember_all(undo);
    conditions_.resize(sources.spec.nodes.size());
    free_.resize(sources.spec.nodes.size());
    free_[node.index()] = free_of(node, sources);
}

void NodeTable::follow_drained(NodeId node, const Sources& sources, UndoLog& undo) {
    remember(node, undo);
    free_[node.index()] = free_of(node, sources);
}

void NodeTable::load(std::vector<NodeCondition> conditions, const Sources& sources) {
    BERTH_ASSERT(conditions.size() == sources.spec.nodes.size());
    conditions_ = std::move(conditions);
    compute_free(sources);
}

void NodeTable::undo(const NodesBefore& was) {
    conditions_ = *was.conditions;
    free_ = *was.free;
}

void NodeTable::remember(NodeId node, UndoLog& undo) const {
    if (!undo.recording()) return;
    undo.record(FreeBefore{node, std::make_shared<const NodeFree>(free_[node.index()])});
}

void NodeTable::remember_all(UndoLog& undo) const {
    if (!undo.recording()) return;
    undo.record(NodesBefore{std::make_shared<const std::vector<NodeCondition>>(conditions_),
                            std::make_shared<const std::vector<NodeFree>>(free_)});
}

void NodeTable::compute_free(const Sources& sources) {
    const ClusterSpec& spec = sources.spec;
    free_.clear();
    for (const NodeSpec& node : spec.nodes) free_.push_back(all_free(node));
    for (const JobId id : sources.index.holding()) {
        const Job& run = sources.jobs.at(id);
        for (const NodeShare& share : run.allocation->shares)
            subtract_held(free_[share.node.index()], sources, run, share);
    }
    for (std::size_t n = 0; n < free_.size(); ++n) {
        drain(free_[n], conditions_[n].drained_mask(), spec.nodes[n]);
    }
}

NodeFree NodeTable::free_of(NodeId node, const Sources& sources) const {
    const NodeSpec& spec = sources.spec.node(node);
    NodeFree free = all_free(spec);
    for (const JobId id : sources.index.on_node(node)) {
        const Job& run = sources.jobs.at(id);
        for (const NodeShare& share : run.allocation->shares) {
            if (share.node == node) subtract_held(free, sources, run, share);
        }
    }
    drain(free, condition(node).drained_mask(), spec);
    return free;
}

void NodeTable::check(const Sources& sources) const {
    const SharedList<NodeSpec>& specs = sources.spec.nodes;
    BERTH_ASSERT(conditions_.size() == specs.size() && free_.size() == specs.size());
    std::vector<BitSet> held_cores(specs.size());
    std::vector<DeviceMask> held_devices(specs.size());
    for (const JobId id : sources.index.holding()) {
        for (const NodeShare& share : sources.jobs.at(id).allocation->shares) {
            const std::size_t node = share.node.index();
            BERTH_ASSERT((held_devices[node] & share.whole_devices()) == 0);
            held_devices[node] |= share.whole_devices();
            std::size_t known = held_cores[node].size();
            if (known == 0) {
                held_cores[node] = BitSet(share.cores.size());
                known = share.cores.size();
            }
            // Skipped if the node was reconfigured.
            if (known != share.cores.size()) continue;
            check_lent(sources, sources.jobs.at(id), share, held_cores[node]);
            held_cores[node] |= share.cores;
        }
    }
    NodeTable expected;
    expected.load(conditions_, sources);
    BERTH_ASSERT(expected.free_ == free_);
    for (std::size_t n = 0; n < specs.size(); ++n) check_shared(n, specs[n], held_devices[n]);
}

// No device is held both whole and in parts, and no more parts are held than it has.
void NodeTable::check_shared(std::size_t node, const NodeSpec& spec, DeviceMask held_whole) const {
    for (const SharedDevice& shared : free_[node].shared) {
        const Device& device = spec.devices[shared.device];
        BERTH_ASSERT(shared.jobs > 0 && (held_whole & bit(static_cast<int>(shared.device))) == 0);
        const auto kind =
            std::ranges::find(device.shares, shared.used.dimension, &ShareKind::dimension);
        if (kind == device.shares.end()) continue;  // The node was reconfigured.
        BERTH_ASSERT(shared.used.parts <= kind->parts || free_[node].amount[kind->dimension] < 0);
    }
}

}  // namespace berth
