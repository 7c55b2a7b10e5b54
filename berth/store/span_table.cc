#include "berth/store/span_table.h"

#include <algorithm>
#include <set>

#include "berth/base/bitmask.h"
#include "berth/base/codec.h"
#include "berth/model/node_names.h"
#include "berth/store/accounting_table.h"
#include "berth/store/crc32c.h"

namespace berth {

namespace {

std::int64_t number_of(SpanKind kind) { return static_cast<std::int64_t>(kind); }

// What one record may have changed.
struct SpanChanges {
    bool is_new_controller = false;
    bool everything = false;  // A controller began, or another configuration is in force.
    std::set<NodeId> nodes;
    std::set<NodeId> freed;  // A run ended there: of interest if the node gives out less than all.
    std::set<std::string> described, reservations;

    void note(const Fact& fact);
};

void SpanChanges::note(const Fact& fact) {
    if (const auto* ended = std::get_if<AttemptEnded>(&fact)) {
        freed.insert(ended->node);
    } else if (const auto* set = std::get_if<ReservationSet>(&fact)) {
        reservations.insert(set->reservation.name);
    } else if (const auto* gone = std::get_if<ReservationDeleted>(&fact)) {
        reservations.insert(gone->name);
    } else if (const auto* registered = std::get_if<NodeRegistered>(&fact)) {
        nodes.insert(registered->node);
    } else if (const auto* silent = std::get_if<NodeNotResponding>(&fact)) {
        nodes.insert(silent->node);
    } else if (const auto* updated = std::get_if<NodeUpdated>(&fact)) {
        nodes.insert(updated->node);
    } else if (const auto* drained = std::get_if<DevicesDrained>(&fact)) {
        nodes.insert(drained->node);
    } else if (const auto* one = std::get_if<NodeDescribed>(&fact)) {
        described.insert(one->node.name);
    } else if (std::holds_alternative<ControllerStarted>(fact)) {
        is_new_controller = everything = true;
    } else if (std::holds_alternative<SpecInstalled>(fact) ||
               std::holds_alternative<ClusterEdited>(fact)) {
        everything = true;
    }
}

// Drained devices that no run holds any more.
Resources withheld_on(const ClusterState& state, NodeId node) {
    Resources amount;
    const NodeSpec& spec = state.spec().node(node);
    for_each_bit(state.nodes().free(node).withheld, [&](int device) {
        amount[spec.devices[static_cast<std::size_t>(device)].dimension] += 1;
    });
    return amount;
}

// What a node counts as that may be of another size than before, and is not known yet otherwise.
NodeStanding as_before(const NodeStanding& before, NodeStanding now, const Resources& withheld) {
    if (before.capacity == now.capacity) return before;
    const bool gave_work = before.unavailable.cpu().count() == 0;
    if (gave_work) now.unavailable = withheld;
    now.planned = before.planned;
    return now;
}

}  // namespace

NodeStanding standing_of(const ClusterState& state, NodeId node) {
    const NodeSpec& spec = state.spec().node(node);
    const NodeCondition& condition = state.nodes().condition(node);
    NodeStanding standing{.capacity = spec.capacity, .unavailable = withheld_on(state, node)};
    if (condition.schedulable()) return standing;
    standing.unavailable += state.nodes().free(node).amount;
    const bool to_come = spec.origin == NodeOrigin::future || spec.origin == NodeOrigin::cloud;
    standing.planned = to_come && !condition.registered;
    return standing;
}

std::optional<NodeEvent> event_of(const ClusterState& state, NodeId node) {
    const NodeCondition& condition = state.nodes().condition(node);
    const bool is_silent = !condition.registered || !condition.responding;
    if (!is_silent && !condition.drained && !condition.down) return std::nullopt;
    if (standing_of(state, node).planned) return std::nullopt;
    NodeEvent event{.down = condition.down || is_silent,
                    .drained = condition.drained,
                    .responding = !is_silent,
                    .reason = condition.reason,
                    .by = condition.reason_by};
    if (event.reason.empty() && is_silent) event.reason = "Not responding";
    return event;
}

// The spans of one name follow each other, so the last one that began is the only one that a time
// may lie in: each statement finds it by one step in the index, however many there have been.
Result<SpanTable> SpanTable::prepare(Database& database) {
    SpanTable table;
    BERTH_TRY(table.current_,
              database.prepare("SELECT began, ended, row FROM spans WHERE kind = ?1 AND name = ?2 "
                               "AND began <= ?3 ORDER BY began DESC LIMIT 1"));
    BERTH_TRY(table.put_,
              database.prepare("INSERT OR REPLACE INTO spans VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
    BERTH_TRY(table.stop_,
              database.prepare("UPDATE spans SET ended = ?3 WHERE kind = ?1 AND name = ?2 AND "
                               "began = (SELECT max(began) FROM spans WHERE kind = ?1 AND "
                               "name = ?2 AND began < ?3) AND ended > ?3"));
    BERTH_TRY(table.drop_later_, database.prepare("DELETE FROM spans WHERE kind = ?1 AND "
                                                  "name = ?2 AND began >= ?3"));
    BERTH_TRY(
        table.all_current_,
        database.prepare("SELECT name, began, row FROM spans WHERE kind = ?1 AND ended > ?2"));
    return table;
}

Status SpanTable::write(const Record& record, const ClusterState& after) {
    SpanChanges changes;
    for (const Fact& fact : record.facts) changes.note(fact);
    if (changes.is_new_controller) leads_since_ = record.now, settled_by_.reset();
    BERTH_CHECK(settle_absent(record, after));
    if (changes.everything) BERTH_CHECK(follow_all(record.now, after));
    for (const NodeId node : changes.nodes) BERTH_CHECK(follow_node(record.now, node, after));
    for (const NodeId node : changes.freed) BERTH_CHECK(follow_freed(record.now, node, after));
    for (const std::string& name : changes.described)
        BERTH_CHECK(follow_named(record.now, name, after));
    for (const std::string& name : changes.reservations)
        BERTH_CHECK(follow_reservation(record.now, name, after));
    return Done{};
}

// A new controller knows of no node how it is before its agent has come back. Until then a node
// counts as it did before, so that a restart takes nothing from what was available.
bool SpanTable::is_awaited(Time now, NodeId node, const std::optional<Current>& current,
                           const ClusterState& after) const {
    return leads_since_ && current && current->began <= *leads_since_ &&
           now - *leads_since_ < after.spec().scheduling.agent_timeout &&
           !after.nodes().condition(node).registered;
}

// Nodes that have not come back within the agent timeout are unavailable from its end on. No fact
// says so: the first record after that time does it.
Status SpanTable::settle_absent(const Record& record, const ClusterState& after) {
    const Duration timeout = after.spec().scheduling.agent_timeout;
    if (!leads_since_ || record.now - *leads_since_ < timeout) return Done{};
    if (settled_by_ && *settled_by_ != record.sequence) return Done{};
    settled_by_ = record.sequence;
    const Time due = *leads_since_ + timeout;
    BERTH_TRY(const CurrentSpans spans, all_current(SpanKind::node, record.now));
    for (std::size_t i = 0; i < after.spec().nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        const std::string& name = after.spec().node(node).name;
        const auto found = spans.find(name);
        if (after.spec().node(node).gone || found == spans.end()) continue;
        const bool is_absent = !after.nodes().condition(node).registered && found->second &&
                               found->second->began <= *leads_since_;
        if (!is_absent) continue;
        BERTH_CHECK(put_standing(due, name, found->second, standing_of(after, node)));
        BERTH_CHECK(follow_event(due, node, after));
    }
    return Done{};
}

// Spans that are current and should not be come of a program that knew of none, or of other names.
Status SpanTable::follow_all(Time now, const ClusterState& after) {
    BERTH_TRY(CurrentSpans nodes, all_current(SpanKind::node, now));
    for (std::size_t i = 0; i < after.spec().nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        const NodeSpec& spec = after.spec().node(node);
        if (spec.gone) continue;
        const auto found = nodes.find(spec.name);
        const std::optional<Current> current =
            found == nodes.end() ? std::nullopt : std::move(found->second);
        if (found != nodes.end()) nodes.erase(found);
        NodeStanding standing = standing_of(after, node);
        if (is_awaited(now, node, current, after)) {
            const Result<NodeStanding> before = decode<NodeStanding>(current->bytes);
            if (before.ok()) standing = as_before(*before, standing, withheld_on(after, node));
        } else {
            BERTH_CHECK(follow_event(now, node, after));
        }
        BERTH_CHECK(put_standing(now, spec.name, current, standing));
    }
    for (const auto& [name, current] : nodes) BERTH_CHECK(stop_node(name, now));
    BERTH_TRY(const CurrentSpans reserved, all_current(SpanKind::reservation, now));
    for (const auto& [name, reservation] : after.reservations()) {
        if (!reserved.contains(name)) BERTH_CHECK(follow_reservation(now, name, after));
    }
    for (const auto& [name, current] : reserved) {
        if (after.reservations().find(name) == nullptr)
            BERTH_CHECK(stop(SpanKind::reservation, name, now));
    }
    return Done{};
}

Status SpanTable::follow_node(Time now, NodeId node, const ClusterState& after) {
    if (node.index() >= after.spec().nodes.size()) return Done{};
    const NodeSpec& spec = after.spec().node(node);
    if (spec.gone) return stop_node(spec.name, now);
    BERTH_TRY(const std::optional<Current> current, current_of(SpanKind::node, spec.name, now));
    BERTH_CHECK(put_standing(now, spec.name, current, standing_of(after, node)));
    return follow_event(now, node, after);
}

// A node that gives out all it has is as it was.
Status SpanTable::follow_freed(Time now, NodeId node, const ClusterState& after) {
    if (node.index() >= after.spec().nodes.size()) return Done{};
    const NodeCondition& condition = after.nodes().condition(node);
    if (condition.schedulable() && condition.drained_devices.empty()) return Done{};
    BERTH_TRY(const std::optional<Current> current,
              current_of(SpanKind::node, after.spec().node(node).name, now));
    if (is_awaited(now, node, current, after)) return Done{};
    return follow_node(now, node, after);
}

Status SpanTable::follow_named(Time now, const std::string& node, const ClusterState& after) {
    const std::optional<NodeId> id = after.spec().find_node(node);
    return id ? follow_node(now, *id, after) : stop_node(node, now);
}

// Its reason may have changed, too: that is another event.
Status SpanTable::follow_event(Time now, NodeId node, const ClusterState& after) {
    const std::string& name = after.spec().node(node).name;
    BERTH_TRY(const std::optional<Current> current, current_of(SpanKind::event, name, now));
    const std::optional<NodeEvent> event = event_of(after, node);
    if (!event) return current ? stop(SpanKind::event, name, now) : Status(Done{});
    const std::string bytes = encode(*event);
    if (current && current->bytes == bytes) return Done{};
    BERTH_CHECK(stop(SpanKind::event, name, now));
    return start(SpanKind::event, name, now, std::nullopt, bytes);
}

Status SpanTable::put_standing(Time now, const std::string& name,
                               const std::optional<Current>& current,
                               const NodeStanding& standing) {
    const std::string bytes = encode(standing);
    if (current && current->bytes == bytes) return Done{};
    BERTH_CHECK(stop(SpanKind::node, name, now));
    return start(SpanKind::node, name, now, std::nullopt, bytes);
}

// A reservation's span lasts until its end, unless it is changed or deleted before that.
Status SpanTable::follow_reservation(Time now, const std::string& name, const ClusterState& after) {
    BERTH_CHECK(stop(SpanKind::reservation, name, now));
    const Reservation* const reservation = after.reservations().find(name);
    if (reservation == nullptr || reservation->end <= now) return Done{};
    ReservationStanding standing{.reservation = *reservation};
    std::vector<NodeId> nodes;
    nodes.reserve(reservation->amounts.size());
    for (const auto& [node, amount] : reservation->amounts) nodes.push_back(node);
    standing.nodes = names_of(after.spec(), nodes);
    return start(SpanKind::reservation, name, std::max(now, reservation->start), reservation->end,
                 encode(standing));
}

Result<std::optional<SpanTable::Current>> SpanTable::current_of(SpanKind kind,
                                                                const std::string& name, Time now) {
    current_.bind(1, number_of(kind)).bind(2, name).bind(3, column_of(now));
    BERTH_TRY(const bool found, current_.step());
    std::optional<Current> current;
    if (found && current_.number(1) > column_of(now))
        current.emplace(Time(Duration(current_.number(0))), std::string(current_.bytes(2)));
    current_.reset();
    return current;
}

// Of each name that has a span after `now`, too: the one that `now` lies in, if any.
Result<SpanTable::CurrentSpans> SpanTable::all_current(SpanKind kind, Time now) {
    CurrentSpans all;
    all_current_.bind(1, number_of(kind)).bind(2, column_of(now));
    while (true) {
        BERTH_TRY(const bool found, all_current_.step());
        if (!found) return all;
        std::optional<Current>& current = all[std::string(all_current_.bytes(0))];
        const Time began(Duration(all_current_.number(1)));
        if (began <= now) current.emplace(began, std::string(all_current_.bytes(2)));
    }
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

Status SpanTable::stop_node(const std::string& name, Time now) {
    BERTH_CHECK(stop(SpanKind::node, name, now));
    return stop(SpanKind::event, name, now);
}

// What began now or later has never been.
Status SpanTable::stop(SpanKind kind, const std::string& name, Time now) {
    BERTH_CHECK(stop_.bind(1, number_of(kind)).bind(2, name).bind(3, column_of(now)).run());
    return drop_later_.bind(1, number_of(kind)).bind(2, name).bind(3, column_of(now)).run();
}

}  // namespace berth
