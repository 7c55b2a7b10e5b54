// Spans of nodes and reservations, written in the same transaction as the journal record that they
// derive from.
#pragma once

#include "berth/engine/state/cluster_state.h"
#include "berth/store/spans.h"
#include "berth/store/sqlite.h"

namespace berth {

enum class SpanKind : std::uint8_t { node, reservation };

class SpanTable {
public:
    static Result<SpanTable> prepare(Database& database);

    // REQUIRES: the caller has an open transaction.
    Status write(const Record& record, const ClusterState& after);

private:
    Status follow_all(Time now, const ClusterState& after);
    Status follow_node(Time now, NodeId node, const ClusterState& after);
    Status follow_reservation(Time now, const std::string& name, const ClusterState& after);
    Status start(SpanKind kind, const std::string& name, Time began, std::optional<Time> ended,
                 const std::string& bytes);
    Status stop(SpanKind kind, const std::string& name, Time now);

    Statement open_, put_, stop_, drop_later_, open_names_;
};

// What a node is now, as its span says it.
NodeStanding standing_of(const ClusterState& state, NodeId node);

}  // namespace berth
