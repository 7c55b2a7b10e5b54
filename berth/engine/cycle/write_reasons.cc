#include "berth/engine/cycle/write_reasons.h"

#include <algorithm>

namespace berth {

namespace {

constexpr const char* kForMaintenance = "Reserved for maintenance";
constexpr const char* kForOthers = "May be reserved for other job";

bool lacks_licenses(const Demand& demand, const LicenseBook& book, Time now) {
    if (demand.licenses.counts.empty()) return false;
    const auto choices = choices_of(demand.licenses);
    return std::ranges::all_of(choices, [&](const std::vector<LicenseCount>& choice) {
        return std::ranges::any_of(choice, [&](const LicenseCount& one) {
            return one.count > book.free_at(one.name, now);
        });
    });
}

// What reservations keep of the nodes during a run that would begin now.
struct Kept {
    BitSet nodes;
    bool maint = false;  // Some of it is reserved for maintenance.
};
Kept kept_from(const ClusterState& state, const Shape& shape, Time now) {
    Kept kept{BitSet(state.spec().nodes.size())};
    for (const auto& [name, reservation] : state.reservations()) {
        if (name == shape.demand().reservation || !reservation.whole_nodes) continue;
        const Time end = after(now, shape.length);
        const auto spans = spans_of(reservation);
        if (std::ranges::none_of(
                spans, [&](const Span& span) { return span.start < end && span.end > now; })) {
            continue;
        }
        for (const auto& [node, amount] : reservation.amounts) {
            kept.nodes.set(node.index());
            const bool wanted = std::ranges::any_of(
                shape.demand().choices, [&](const BitSet& one) { return one.test(node.index()); });
            kept.maint = kept.maint || (reservation.maint && wanted);
        }
    }
    return kept;
}

// Whether the demand would need some of these nodes.
bool needs(const Demand& demand, const BitSet& kept, const BitSet& usable) {
    if (demand.required.intersects(kept)) return true;
    return std::ranges::all_of(demand.choices, [&](const BitSet& choice) {
        BitSet left = choice;
        left &= usable;
        left -= kept;
        return left.count() < demand.nodes_min;
    });
}

// The reason where neither priority nor resources alone keep the job waiting; else none.
BlockingReason special_reason(const OpenCycle& cycle, const PendingJob& pending) {
    const Shape& shape = *pending.shape;
    const Reservation* own = cycle.state().reservations().find(shape.demand().reservation);
    if (own != nullptr && own->start > cycle.now() && !own->flex) {
        return {.reason = PendingReason::reservation};
    }
    if (lacks_licenses(shape.demand(), cycle.book().licenses(), cycle.now())) {
        return {.reason = PendingReason::licenses};
    }
    if (cycle.state().reservations().empty()) return {};
    const Kept kept = kept_from(cycle.state(), shape, cycle.now());
    if (!needs(shape.demand(), kept.nodes, cycle.derived().usable)) return {};
    return {.reason = PendingReason::req_node_not_avail,
            .more = BlockingReason::More{.detail = kept.maint ? kForMaintenance : kForOthers}};
}

void write_reason(OpenCycle& cycle, PendingJob& pending, bool first) {
    BlockingReason blocking = pending.blocking;
    const Job& job = *cycle.state().find_job(pending.id);
    if (job.het && job.het->offset > 0 && blocking.reason == PendingReason::priority) {
        // The first component's reason holds for all.
        blocking.reason = cycle.state().schedule().reason(job.het->first);
    }
    if (blocking.reason == PendingReason::none) blocking = special_reason(cycle, pending);
    if (blocking.reason == PendingReason::none) {
        blocking.reason = first ? PendingReason::resources : PendingReason::priority;
    }
    ClusterState& written = cycle.mutable_state();
    const bool is_plain = blocking.more->detail.empty();
    if (pending.written_reason != blocking.reason || !is_plain)
        written.set_reason(pending.id, blocking.reason, blocking.more->detail);
    if (pending.unwritten_priority) {
        written.set_priority(pending.id, pending.priority());
    }
    pending.written_reason = is_plain ? blocking.reason : PendingReason::none;
    pending.unwritten_priority = false;
}

// The first job of each partition that waits for resources alone.
std::vector<std::optional<JobId>> firsts(const OpenCycle& cycle) {
    std::vector<std::optional<JobId>> firsts(cycle.state().spec().partitions.size());
    std::size_t left = cycle.order().partitions();
    for (const JobOrder::Entry& entry : cycle.order().entries()) {
        if (left == 0) break;
        if (entry.job == nullptr || firsts[entry.job->partition.index()]) continue;
        if (entry.job->waits_ahead()) continue;
        if (special_reason(cycle, *entry.job).reason != PendingReason::none) continue;
        firsts[entry.job->partition.index()] = entry.job->id;
        --left;
    }
    return firsts;
}

}  // namespace

// Special reasons may change for any job at any time. Without them, only jobs that were evaluated,
// or that became or ceased to be first, are written.
void write_reasons(OpenCycle& cycle) {
    DerivedState& derived = cycle.derived();
    const bool special =
        !cycle.state().reservations().empty() || !cycle.state().spec().licenses.empty();
    const std::vector<std::optional<JobId>> now_first = firsts(cycle);
    const auto write = [&](PendingJob& pending) {
        write_reason(cycle, pending, now_first[pending.partition.index()] == pending.id);
    };
    const std::optional<std::vector<JobId>> concerned = derived.unwritten.take(now_first, special);
    if (!concerned) {
        for (const auto& [id, pending] : derived.pending.all()) write(pending);
        return;
    }
    for (const JobId id : *concerned) {
        if (PendingJob* pending = derived.pending.find(id)) write(*pending);
    }
}

}  // namespace berth
