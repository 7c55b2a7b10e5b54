#include "berth/engine/cycle/hold_for_heads.h"

#include <algorithm>
#include <tuple>

namespace berth {

namespace {

bool has_endless(const PlanBook& book) {
    return !book.ends().expected.empty() && book.ends().expected.rbegin()->first == kNever;
}

// Whether the job was tried with a planned start and none was found, however late.
bool lacks_a_start(const OpenCycle& cycle, const PendingJob& job) {
    const Kind& kind = *job.shape->kind;
    if (job.is_component())
        return false;  // Holding nodes for one component could block the others.
    // Held nodes do not help a job that waits for other jobs or for licenses.
    if (kind.depends_on_running || !kind.demand.licenses.counts.empty()) return false;
    if (job.limited || job.waits_ahead()) return false;  // Nor one that waits for limits.
    return job.looked && job.looked_ahead && cycle.book().planned_start(job.id) == nullptr;
}

enum class Prospect : std::uint8_t { none, serves, serves_when_empty };

// Whether the node could serve the job at some time, if the jobs without an end were gone.
Prospect prospect_of(const OpenCycle& cycle, const PendingJob& job, NodeId node) {
    const Demand& demand = job.shape->demand();
    Timeline timeline = cycle.book().timeline(node, demand.reservation);
    Prospect prospect = Prospect::serves;
    for (const JobId id : cycle.state().index().on_node(node)) {
        const PlannedReservation* run = cycle.book().find(id);
        if (run == nullptr || run->end < kNever) continue;
        prospect = Prospect::serves_when_empty;
        run->each_booked([&](NodeId at, const Resources& amount) {
            if (at == node) timeline.give_back(cycle.now(), kNever, amount);
        });
    }
    const NodeSpec& spec = cycle.state().spec().node(node);
    for (std::size_t i = timeline.step_at(cycle.now()); i < timeline.size(); ++i) {
        const Time start = std::max(timeline.start(i), cycle.now());
        const Resources room = timeline.least_free(start, after(start, job.shape->length));
        if (tasks_that_fit(demand, spec, room, tasks_per_node_max(demand)) > 0) return prospect;
    }
    return Prospect::none;
}

// As few nodes as suffice, preferring those with most of what the job wants free now: then little
// is left to wait for.
BitSet nodes_to_hold(const OpenCycle& cycle, const PendingJob& job, const BitSet& taken) {
    const BitSet& usable = cycle.derived().usable;
    const Demand& demand = job.shape->demand();
    BitSet none(usable.size());
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
        if (!serves || !usable.test(n) || taken.test(n)) continue;
        const Prospect prospect = prospect_of(cycle, job, node);
        if (prospect == Prospect::none) continue;
        waits = waits || prospect == Prospect::serves_when_empty;
        const Resources& free = cycle.state().nodes().free(node).amount;
        std::int64_t much = wanted == 0 ? free.cpu().count() : 0;
        for_each_bit(wanted, [&](int d) { much += free[DimensionId(static_cast<unsigned>(d))]; });
        candidates.emplace_back(-much, cycle.state().index().on_node(node).size(), node);
    }
    if (!waits) return none;
    std::ranges::sort(candidates);
    for (std::size_t count = std::max(demand.nodes_min, 1U); !candidates.empty(); count *= 2) {
        BitSet few = none;
        for (std::size_t i = 0; i < std::min(count, candidates.size()); ++i) {
            few.set(std::get<NodeId>(candidates[i]).index());
        }
        const auto room = [&](NodeId node) {
            return few.test(node.index()) ? &cycle.state().spec().node(node).capacity : nullptr;
        };
        const auto placed = place(demand, room, cycle.preference());
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
std::optional<HeadHold> hold_for(const OpenCycle& cycle, const PendingJob& job,
                                 const BitSet& taken) {
    const HeadHold* known = cycle.derived().holds.of(job.id);
    const bool stands = known != nullptr && known->nodes.is_subset_of(cycle.derived().usable) &&
                        !known->nodes.intersects(taken);
    HeadHold hold{job.id, stands ? known->nodes : nodes_to_hold(cycle, job, taken)};
    if (hold.nodes.empty()) return std::nullopt;
    return hold;
}

}  // namespace

bool hold_for_heads(OpenCycle& cycle) {
    DerivedState& derived = cycle.derived();
    HeadHolds& held = derived.holds;
    const Duration wait = cycle.scheduling().planning.hold_after;
    std::vector<HeadHold> holds;
    held.next.reset();
    BitSet taken(derived.usable.size());
    std::vector<bool> seen(cycle.state().spec().partitions.size());
    const auto& entries = cycle.order().entries();
    const std::size_t looks = std::min<std::size_t>(entries.size(), DerivedState::kHead);
    const bool may_hold =
        cycle.scheduling().backfill && wait < Duration::max() && has_endless(derived.book);
    for (std::size_t i = 0; may_hold && i < looks; ++i) {
        const PendingJob* job = entries[i].job;
        if (job == nullptr || seen[job->partition.index()]) continue;
        seen[job->partition.index()] = true;
        if (!lacks_a_start(cycle, *job)) continue;
        const Job& record = *cycle.state().find_job(job->id);
        if (record.spec.deadline) continue;
        const Time from = after(record.eligible_at.value_or(record.submitted_at), wait);
        if (from > cycle.now()) {
            if (!held.next || from < *held.next) held.next = from;
            continue;
        }
        auto hold = hold_for(cycle, *job, taken);
        if (!hold) continue;
        taken |= hold->nodes;
        holds.push_back(*std::move(hold));
    }
    if (holds == held.all()) return false;
    for (const NodeId node : held.replace(std::move(holds), taken.size())) {
        cycle.book().note_release(node);
    }
    return true;
}

}  // namespace berth
