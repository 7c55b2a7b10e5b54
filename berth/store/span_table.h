// Spans of nodes, of their events and of reservations, written in the same transaction as the
// journal record that they derive from.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "berth/engine/state/cluster_state.h"
#include "berth/store/spans.h"
#include "berth/store/sqlite.h"

namespace berth {

enum class SpanKind : std::uint8_t { node, reservation, event };

class SpanTable {
public:
    static Result<SpanTable> prepare(Database& database);

    // REQUIRES: the caller has an open transaction. A record whose transaction was rolled back may
    // be written again.
    Status write(const Record& record, const ClusterState& after);

private:
    // The span that a time lies in.
    struct Current {
        Time began{};
        std::string bytes;
    };
    using CurrentSpans = std::map<std::string, std::optional<Current>>;

    Status follow_all(Time now, const ClusterState& after);
    Status follow_node(Time now, NodeId node, const ClusterState& after);
    Status follow_freed(Time now, NodeId node, const ClusterState& after);
    Status follow_named(Time now, const std::string& node, const ClusterState& after);
    Status follow_event(Time now, NodeId node, const ClusterState& after);
    Status follow_reservation(Time now, const std::string& name, const ClusterState& after);
    Status put_standing(Time now, const std::string& name, const std::optional<Current>& current,
                        const NodeStanding& standing);

    bool is_awaited(Time now, NodeId node, const std::optional<Current>& current,
                    const ClusterState& after) const;
    Status settle_absent(const Record& record, const ClusterState& after);

    Result<std::optional<Current>> current_of(SpanKind kind, const std::string& name, Time now);
    Result<CurrentSpans> all_current(SpanKind kind, Time now);
    Status start(SpanKind kind, const std::string& name, Time began, std::optional<Time> ended,
                 const std::string& bytes);
    Status stop(SpanKind kind, const std::string& name, Time now);
    Status stop_node(const std::string& name, Time now);

    Statement current_, put_, stop_, drop_later_, all_current_;
    std::optional<Time> leads_since_;  // When the present controller began.
    // The record with which the nodes that did not come back to it were found absent.
    std::optional<std::uint64_t> settled_by_;
};

// What a node is now, as its span says it.
NodeStanding standing_of(const ClusterState& state, NodeId node);
// nullopt: it takes work, or is yet to come.
std::optional<NodeEvent> event_of(const ClusterState& state, NodeId node);

}  // namespace berth
