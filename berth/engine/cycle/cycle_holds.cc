// The part of a cycle that holds nodes for the first job of a partition if it has no known start.
// Otherwise a stream of small jobs could pass it forever where running jobs have no time limit.
#include <algorithm>

#include "berth/engine/cycle/cycle.h"

namespace berth {

// Whether the job was tried with a planned start and none was found, however late.
bool CycleRun::lacks_a_start(const PendingJob& job) const {
    const Kind& kind = *job.shape->kind;
    if (job.component) return false;  // Holding nodes for one component could block the others.
    // Held nodes do not help a job that waits for other jobs or for licenses.
    if (kind.depends_on_running || !kind.demand.licenses.counts.empty()) return false;
    return job.looked && job.looked_ahead && derived_.book.planned_start(job.id) == nullptr;
}

// Whether the node could serve the job at some time, if the jobs without an end were gone.
CycleRun::Prospect CycleRun::prospect_of(const PendingJob& job, NodeId node) const {
    const Demand& demand = job.shape->demand();
    Timeline timeline = derived_.book.timeline(node, demand.reservation);
    Prospect prospect = Prospect::serves;
    for (const JobId id : state().jobs_on(node)) {
        const PlannedReservation* run = derived_.book.find(id);
        if (run == nullptr || run->end < kNever) continue;
        prospect = Prospect::serves_when_empty;
        for (const auto& [at, amount] : run->amounts) {
            if (at == node) timeline.give_back(now_, kNever, amount);
        }
    }
    const NodeSpec& spec = state().spec().node(node);
    for (std::size_t i = timeline.step_at(now_); i < timeline.size(); ++i) {
        const Time start = std::max(timeline.start(i), now_);
        const Resources room = timeline.least_free(start, after(start, job.shape->length));
        if (tasks_that_fit(demand, spec, room, tasks_per_node_max(demand)) > 0) return prospect;
    }
    return Prospect::none;
}

// As few nodes as suffice, preferring those with most of what the job wants free now: then little
// is left to wait for.
BitSet CycleRun::nodes_to_hold(const PendingJob& job, const BitSet& taken) const {
    const Demand& demand = job.shape->demand();
    BitSet none(derived_.usable.size());
    std::vector<std::tuple<std::int64_t, std::size_t, NodeId>> candidates;
    // Whether some node is blocked by a job without an end. Otherwise the job lacks something else.
    bool waits = false;
    DimensionSet wanted = 0;
    for (const auto* list : {&demand.gres_per_node, &demand.gres_per_task, &demand.gres_total}) {
        for (const GresDemand& gres : *list) wanted |= gres.dimensions;
    }
    for (std::size_t n = 0; n < none.size(); ++n) {
        const NodeId node = NodeId::from_index(n);
        const bool serves =
            std::ranges::any_of(demand.choices, [&](const BitSet& one) { return one.test(n); });
        if (!serves || !derived_.usable.test(n) || taken.test(n)) continue;
        const Prospect prospect = prospect_of(job, node);
        if (prospect == Prospect::none) continue;
        waits = waits || prospect == Prospect::serves_when_empty;
        const Resources& free = state().free(node).amount;
        std::int64_t much = wanted == 0 ? free.cpu().count() : 0;
        for_each_bit(wanted, [&](int d) { much += free[DimensionId(static_cast<unsigned>(d))]; });
        candidates.emplace_back(-much, state().jobs_on(node).size(), node);
    }
    if (!waits) return none;
    std::ranges::sort(candidates);
    for (std::size_t count = std::max(demand.nodes_min, 1U); !candidates.empty(); count *= 2) {
        BitSet few = none;
        for (std::size_t i = 0; i < std::min(count, candidates.size()); ++i) {
            few.set(std::get<NodeId>(candidates[i]).index());
        }
        const auto room = [&](NodeId node) {
            return few.test(node.index()) ? &state().spec().node(node).capacity : nullptr;
        };
        const auto placed = place(demand, room, preference_);
        if (const auto* parts = std::get_if<std::vector<Part>>(&placed)) {
            BitSet nodes = none;
            for (const Part& part : *parts) nodes.set(part.node.index());
            return nodes;
        }
        if (count >= candidates.size()) break;
    }
    return none;
}

// Keeps the nodes held before if they are still suitable; otherwise chooses others.
std::optional<HeadHold> CycleRun::hold_for(const PendingJob& job, const BitSet& taken) const {
    const HeadHold* known = derived_.holds.of(job.id);
    const bool stands = known != nullptr && known->nodes.is_subset_of(derived_.usable) &&
                        !known->nodes.intersects(taken);
    HeadHold hold{job.id, stands ? known->nodes : nodes_to_hold(job, taken)};
    if (hold.nodes.empty()) return std::nullopt;
    return hold;
}

// Returns true if other nodes are held than before.
bool CycleRun::hold_for_heads() {
    const Duration wait = scheduling().planning.hold_after;
    std::vector<HeadHold> holds;
    derived_.holds.next.reset();
    BitSet taken(derived_.usable.size());
    std::vector<bool> seen(state().spec().partitions.size());
    const auto& entries = order().entries();
    const std::size_t looks = std::min<std::size_t>(entries.size(), DerivedState::kHead);
    const bool may_hold =
        scheduling().backfill && wait < Duration::max() && derived_.book.has_endless();
    for (std::size_t i = 0; may_hold && i < looks; ++i) {
        const PendingJob* job = entries[i].job;
        if (job == nullptr || seen[job->partition.index()]) continue;
        seen[job->partition.index()] = true;
        if (!lacks_a_start(*job)) continue;
        const Job& record = *state().find_job(job->id);
        if (record.spec.deadline) continue;
        const Time from = after(record.eligible_at.value_or(record.submitted_at), wait);
        if (from > now_) {
            if (!derived_.holds.next || from < *derived_.holds.next) derived_.holds.next = from;
            continue;
        }
        auto hold = hold_for(*job, taken);
        if (!hold) continue;
        taken |= hold->nodes;
        holds.push_back(*std::move(hold));
    }
    if (holds == derived_.holds.all()) return false;
    for (const NodeId node : derived_.holds.replace(std::move(holds), taken.size())) {
        book().note_release(node);
    }
    return true;
}

BitSet CycleRun::open_to(const PendingJob& job) const {
    return derived_.holds.open_to(job.id, derived_.usable);
}

}  // namespace berth
