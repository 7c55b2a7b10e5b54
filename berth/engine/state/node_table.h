// NodeTable: what is known of the nodes beyond their configuration: the condition of each, and what
// is free on it.
//
// It has exactly the nodes of the configuration. What a node has free is its capacity, less what
// jobs hold there, less its drained devices. check() compares that with the jobs.
//
// Only ClusterState changes it. While a checkpoint is open, the old values go to the undo log.
#pragma once

#include <utility>
#include <vector>

#include "berth/base/assert.h"
#include "berth/engine/state/job_index.h"
#include "berth/engine/state/job_records.h"
#include "berth/engine/state/node_free.h"
#include "berth/engine/state/undo.h"
#include "berth/model/cluster_spec.h"

namespace berth {

class NodeTable {
public:
    // What the free resources follow from, beside the conditions.
    struct Sources {
        const ClusterSpec& spec;
        const JobRecords& jobs;
        const JobIndex& index;
    };

    std::size_t size() const { return conditions_.size(); }
    const NodeCondition& condition(NodeId node) const {
        BERTH_ASSERT(node.index() < conditions_.size());
        return conditions_[node.index()];
    }
    const NodeFree& free(NodeId node) const {
        BERTH_ASSERT(node.index() < free_.size());
        return free_[node.index()];
    }

    template <class Change>
    void change_condition(NodeId node, UndoLog& undo, Change change) {
        NodeCondition& condition = conditions_[node.index()];
        if (undo.recording()) {
            undo.record(ConditionBefore{node, std::make_shared<const NodeCondition>(condition)});
        }
        change(condition);
    }
    // A job takes or gives back its share of a node. take() REQUIRES: the share is free.
    void take(const NodeShare& share, const NodeSpec& spec, UndoLog& undo);
    void give_back(const NodeShare& share, const NodeSpec& spec, UndoLog& undo);

    // The configuration has changed: of all nodes, some of which may be new, or of one.
    void follow_spec(const Sources& sources, UndoLog& undo);
    void follow_spec(NodeId node, const Sources& sources, UndoLog& undo);
    // Other devices of the node are drained.
    void follow_drained(NodeId node, const Sources& sources, UndoLog& undo);

    // Of a snapshot, before anything else.
    void load(std::vector<NodeCondition> conditions, const Sources& sources);

    void undo(const ConditionBefore& was) { conditions_[was.id.index()] = *was.condition; }
    void undo(const FreeBefore& was) { free_[was.id.index()] = *was.free; }
    void undo(const NodesBefore& was);

    // For trials, which restore it themselves.
    NodeFree& free_in_trial(NodeId node) { return free_[node.index()]; }

    // Aborts unless free and held resources together are the node, and nothing is held twice.
    void check(const Sources& sources) const;

private:
    void remember(NodeId node, UndoLog& undo) const;
    void remember_all(UndoLog& undo) const;
    void compute_free(const Sources& sources);
    NodeFree free_of(NodeId node, const Sources& sources) const;
    void check_shared(std::size_t node, const NodeSpec& spec, DeviceMask held_whole) const;

    std::vector<NodeCondition> conditions_;  // By NodeId, as free_.
    std::vector<NodeFree> free_;
};

}  // namespace berth
