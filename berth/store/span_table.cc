#include "berth/store/span_table.h"

#include <algorithm>
#include <set>

#include "berth/base/codec.h"
#include "berth/model/node_names.h"
#include "berth/store/accounting_table.h"
#include "berth/store/crc32c.h"

namespace berth {

namespace {

std::int64_t number_of(SpanKind kind) { return static_cast<std::int64_t>(kind); }

// What one record may have changed.
struct SpanChanges {
    bool everything = false;  // A controller began, or another configuration is in force.
    std::set<NodeId> nodes;
    std::set<NodeId> freed;  // A run ended there: of interest if the node takes no work.
    std::set<std::string> reservations;
};

SpanChanges changes_of(const Record& record) {
    SpanChanges changes;
    for (const Fact& fact : record.facts) {
        if (const auto* ended = std::get_if<AttemptEnded>(&fact)) {
            changes.freed.insert(ended->node);
        } else if (const auto* set = std::get_if<ReservationSet>(&fact)) {
            changes.reservations.insert(set->reservation.name);
        } else if (const auto* gone = std::get_if<ReservationDeleted>(&fact)) {
            changes.reservations.insert(gone->name);
        } else if (const auto* registered = std::get_if<NodeRegistered>(&fact)) {
            changes.nodes.insert(registered->node);
        } else if (const auto* silent = std::get_if<NodeNotResponding>(&fact)) {
            changes.nodes.insert(silent->node);
        } else if (const auto* updated = std::get_if<NodeUpdated>(&fact)) {
            changes.nodes.insert(updated->node);
        } else if (std::holds_alternative<ControllerStarted>(fact) ||
                   std::holds_alternative<SpecInstalled>(fact) ||
                   std::holds_alternative<ClusterEdited>(fact) ||
                   std::holds_alternative<NodeDescribed>(fact)) {
            changes.everything = true;
        }
    }
    return changes;
}

}  // namespace

NodeStanding standing_of(const ClusterState& state, NodeId node) {
    const NodeSpec& spec = state.spec().node(node);
    const NodeCondition& condition = state.nodes().condition(node);
    NodeStanding standing{.capacity = spec.capacity};
    if (condition.schedulable()) return standing;
    standing.unavailable = state.nodes().free(node).amount;
    const bool to_come = spec.origin == NodeOrigin::future || spec.origin == NodeOrigin::cloud;
    standing.planned = to_come && !condition.registered;
    return standing;
}

Result<SpanTable> SpanTable::prepare(Database& database) {
    SpanTable table;
    BERTH_TRY(table.open_, database.prepare("SELECT row FROM spans WHERE kind = ?1 AND name = ?2 "
                                            "AND ended > ?3 AND began <= ?3"));
    BERTH_TRY(table.put_,
              database.prepare("INSERT OR REPLACE INTO spans VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
    BERTH_TRY(table.stop_, database.prepare("UPDATE spans SET ended = ?3 WHERE kind = ?1 AND "
                                            "name = ?2 AND began < ?3 AND ended > ?3"));
    BERTH_TRY(table.drop_later_, database.prepare("DELETE FROM spans WHERE kind = ?1 AND "
                                                  "name = ?2 AND began >= ?3"));
    BERTH_TRY(table.open_names_, database.prepare("SELECT DISTINCT name FROM spans WHERE "
                                                  "kind = ?1 AND ended > ?2"));
    return table;
}

Status SpanTable::write(const Record& record, const ClusterState& after) {
    const SpanChanges changes = changes_of(record);
    if (changes.everything) BERTH_CHECK(follow_all(record.now, after));
    for (const NodeId node : changes.nodes) BERTH_CHECK(follow_node(record.now, node, after));
    for (const NodeId node : changes.freed) {
        const bool is_known = node.index() < after.spec().nodes.size();
        if (is_known && !after.nodes().condition(node).schedulable())
            BERTH_CHECK(follow_node(record.now, node, after));
    }
    for (const std::string& name : changes.reservations)
        BERTH_CHECK(follow_reservation(record.now, name, after));
    return Done{};
}

// Spans that are open and should not be come of a program that knew of none, or of other names.
Status SpanTable::follow_all(Time now, const ClusterState& after) {
    std::set<std::string> nodes, open;
    for (std::size_t i = 0; i < after.spec().nodes.size(); ++i) {
        const NodeId node(static_cast<std::uint32_t>(i));
        if (after.spec().node(node).gone) continue;
        nodes.insert(after.spec().node(node).name);
        BERTH_CHECK(follow_node(now, node, after));
    }
    open_names_.bind(1, number_of(SpanKind::node)).bind(2, column_of(now));
    while (true) {
        BERTH_TRY(const bool found, open_names_.step());
        if (!found) break;
        open.emplace(open_names_.bytes(0));
    }
    for (const std::string& name : open) {
        if (!nodes.contains(name)) BERTH_CHECK(stop(SpanKind::node, name, now));
    }
    open.clear();
    open_names_.bind(1, number_of(SpanKind::reservation)).bind(2, column_of(now));
    while (true) {
        BERTH_TRY(const bool found, open_names_.step());
        if (!found) break;
        open.emplace(open_names_.bytes(0));
    }
    for (const auto& [name, reservation] : after.reservations()) {
        if (!open.contains(name)) BERTH_CHECK(follow_reservation(now, name, after));
    }
    for (const std::string& name : open) {
        if (after.reservations().find(name) == nullptr)
            BERTH_CHECK(stop(SpanKind::reservation, name, now));
    }
    return Done{};
}

Status SpanTable::follow_node(Time now, NodeId node, const ClusterState& after) {
    if (node.index() >= after.spec().nodes.size()) return Done{};
    const NodeSpec& spec = after.spec().node(node);
    if (spec.gone) return stop(SpanKind::node, spec.name, now);
    const std::string bytes = encode(standing_of(after, node));
    open_.bind(1, number_of(SpanKind::node)).bind(2, spec.name).bind(3, column_of(now));
    BERTH_TRY(const bool found, open_.step());
    const bool is_so = found && open_.bytes(0) == bytes;
    open_.reset();
    if (is_so) return Done{};
    BERTH_CHECK(stop(SpanKind::node, spec.name, now));
    return start(SpanKind::node, spec.name, now, std::nullopt, bytes);
}

// A reservation's span lasts until its end, unless it is changed or deleted before that.
Status SpanTable::follow_reservation(Time now, const std::string& name, const ClusterState& after) {
    BERTH_CHECK(stop(SpanKind::reservation, name, now));
    const Reservation* const reservation = after.reservations().find(name);
    if (reservation == nullptr || reservation->end <= now) return Done{};
    ReservationStanding standing{.reservation = *reservation};
    std::vector<NodeId> nodes;
    for (const auto& [node, amount] : reservation->amounts) nodes.push_back(node);
    standing.nodes = names_of(after.spec(), nodes);
    return start(SpanKind::reservation, name, std::max(now, reservation->start), reservation->end,
                 encode(standing));
}

Status SpanTable::start(SpanKind kind, const std::string& name, Time began,
                        std::optional<Time> ended, const std::string& bytes) {
    const std::int64_t at = column_of(began);
    return put_.bind(1, number_of(kind))
        .bind(2, name)
        .bind(3, at)
        .bind(4, ended ? column_of(*ended) : kOpen)
        .bind_bytes(5, bytes)
        .bind(6, crc32c_of(static_cast<std::uint64_t>(at), bytes))
        .run();
}

// What began now or later has never been.
Status SpanTable::stop(SpanKind kind, const std::string& name, Time now) {
    BERTH_CHECK(stop_.bind(1, number_of(kind)).bind(2, name).bind(3, column_of(now)).run());
    return drop_later_.bind(1, number_of(kind)).bind(2, name).bind(3, column_of(now)).run();
}

}  // namespace berth
