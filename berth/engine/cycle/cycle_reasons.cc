// Why a job waits, as readers see it: priority, resources, its reservation, other reservations,
// licenses.
#include <algorithm>

#include "berth/engine/cycle/cycle.h"
#include "berth/engine/state/job_ids.h"

namespace berth {
namespace {

// Jobs whose priority alone changed, written in one cycle: each is published, too.
constexpr std::size_t kWrittenAtOnce = 4096;

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

}  // namespace

BlockingReason CycleRun::special_reason(const PendingJob& pending) const {
    const Shape& shape = *pending.shape;
    const Reservation* own = state().find_reservation(shape.demand().reservation);
    if (own != nullptr && own->start > now_ && !own->flex) {
        return {.reason = PendingReason::reservation};
    }
    if (lacks_licenses(shape.demand(), derived_.book.licenses(), now_)) {
        return {.reason = PendingReason::licenses};
    }
    if (state().reservations().empty()) return {};
    const Kept kept = kept_from(state(), shape, now_);
    if (!needs(shape.demand(), kept.nodes, derived_.usable)) return {};
    return {.reason = PendingReason::req_node_not_avail,
            .detail = kept.maint ? kForMaintenance : kForOthers};
}

void CycleRun::write_reason(PendingJob& pending, bool first) {
    BlockingReason blocking = pending.blocking;
    const Job& job = *state().find_job(pending.id);
    if (job.het && job.het->offset > 0 && blocking.reason == PendingReason::priority) {
        // The first component's reason holds for all.
        blocking.reason = state().reason(job.het->first);
    }
    if (blocking.reason == PendingReason::none) blocking = special_reason(pending);
    if (blocking.reason == PendingReason::none) {
        blocking.reason = first ? PendingReason::resources : PendingReason::priority;
    }
    ClusterState& written = state_;
    if (pending.written_reason != blocking.reason || pending.written_detail ||
        !blocking.detail.empty()) {
        written.set_reason(pending.id, blocking.reason, blocking.detail);
    }
    if (pending.unwritten_priority) {
        written.set_priority(pending.id, pending.priority());
    }
    pending.written_detail = !blocking.detail.empty();
    pending.written_reason = blocking.reason;
    pending.unwritten_priority = false;
}

// The first job of each partition, not counting jobs with a special reason.
std::vector<std::optional<JobId>> CycleRun::firsts() {
    std::vector<std::optional<JobId>> firsts(state().spec().partitions.size());
    std::size_t left = order().partitions();
    for (const JobOrder::Entry& entry : order().entries()) {
        if (left == 0) break;
        if (entry.job == nullptr || firsts[entry.job->partition.index()]) continue;
        if (special_reason(*entry.job).reason != PendingReason::none) continue;
        firsts[entry.job->partition.index()] = entry.job->id;
        --left;
    }
    return firsts;
}

// The first job of a partition that lacks only resources waits for resources; those behind it wait
// by priority. Special reasons may change for any job at any time. Without them, only jobs that
// were evaluated, or that became or ceased to be first, are written.
void CycleRun::write_reasons() {
    const bool special = !state().reservations().empty() || !state().spec().licenses.empty();
    std::vector<JobId> concerned = std::exchange(derived_.unwritten, {});
    std::vector<JobId>& later = derived_.unwritten_later;
    const std::size_t some = std::min(later.size(), kWrittenAtOnce);
    concerned.insert(concerned.end(), later.end() - static_cast<std::ptrdiff_t>(some), later.end());
    later.erase(later.end() - static_cast<std::ptrdiff_t>(some), later.end());
    std::vector<std::optional<JobId>> now_first = firsts();
    const std::vector<std::optional<JobId>> before =
        std::exchange(derived_.first_written, now_first);
    const auto write = [&](PendingJob& pending) {
        write_reason(pending, now_first[pending.partition.index()] == pending.id);
    };
    if (std::exchange(derived_.all_unwritten, false) || special) {
        for (const auto& [id, pending] : derived_.pending.all()) write(pending);
        return;
    }
    for (std::size_t p = 0; p < now_first.size(); ++p) {
        if (p < before.size() && before[p] == now_first[p]) continue;
        if (p < before.size() && before[p]) concerned.push_back(*before[p]);
        if (now_first[p]) concerned.push_back(*now_first[p]);
    }
    put_in_order(concerned);
    for (const JobId id : concerned) {
        if (PendingJob* pending = derived_.pending.find(id)) write(*pending);
    }
}

}  // namespace berth
