#include "berth/engine/cycle/engine.h"

#include <utility>
#include <variant>

#include "berth/engine/cycle/cycle.h"
#include "berth/engine/plan/trial.h"
#include "berth/engine/state/other_tiers.h"

namespace berth {

namespace {

Cycle run_cycle(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget) {
    return CycleRun(state, derived, now, budget).run();
}

}  // namespace

Engine::Engine() : Engine(ClusterState()) {}

Engine::Engine(ClusterState state)
    : state_(std::move(state)), derived_(std::make_unique<DerivedState>()), run_cycle_(run_cycle) {
    derived_->rebuild(state_);
}

Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

namespace {

template <class... Kinds>
bool is_one_of(const Fact& fact) {
    return (std::holds_alternative<Kinds>(fact) || ...);
}

bool changes_spec(const Fact& fact) { return is_one_of<SpecInstalled, NodeDescribed>(fact); }

// A rebuild from the state sees the fact itself.
bool is_seen_by_rebuild(const Fact& fact) {
    return is_one_of<ControllerStarted, NodeRegistered, NodeNotResponding, NodeUpdated, NodeFenced,
                     StepCreated, StepEnded, StepUpdated, StepTimedOut, AccountingEdited,
                     ClusterEdited>(fact);
}

}  // namespace

void Engine::apply(Time now, const Fact& fact) {
    if (const auto* const edited = std::get_if<AccountingEdited>(&fact); edited && !outdated_) {
        const AccountingChange change = change_of(state_.spec(), edited->edits);
        const Shared<LicenseNumbers> numbers = state_.quota().licenses();
        const bool told_apart = state_.quota().queues().tells_apart();
        state_.apply(now, fact);
        const LimitChange limits = limit_change_of(state_, edited->edits);
        if (limits.all && (told_apart || state_.quota().queues().tells_apart())) {
            outdated_ = true;  // Any job may have other flavors to choose from.
            return;
        }
        if (state_.quota().licenses() != numbers) derived_->pending.forget_limit_requests();
        return derived_->note_accounting(state_, change, limits);
    }
    if (const auto* const edited = std::get_if<ClusterEdited>(&fact); edited && !outdated_) {
        const BeforeEdits before(state_.spec(), edited->edits);
        const PartitionTiers tiers = tiers_of(state_.spec());
        state_.apply(now, fact);
        const ClusterChange change = before.change_to(state_.spec());
        if (change.cpus || (change.nodes && state_.quota().queues().flavors().any())) {
            outdated_ = true;
            return;
        }
        derived_->note_edits(state_, now, change);
        return derived_->note_other_order(state_, now, jobs_in_other_order(state_, tiers));
    }
    state_.apply(now, fact);
    if (changes_spec(fact)) {
        outdated_ = true;
    } else if (!outdated_ || !is_seen_by_rebuild(fact)) {
        current().note(state_, now, fact);
    }
}

DerivedState& Engine::current() const {
    if (std::exchange(outdated_, false)) derived_->rebuild(state_);
    return *derived_;
}

void Engine::note_readings(NodeId node, NodeReadings readings) {
    derived_->note_readings(node, std::move(readings));
}

void Engine::limit_moves(std::uint32_t most) { derived_->moves.limit(most); }

void Engine::undo(ClusterState::Mark before, FairShares shares) {
    state_.rollback(before);
    const std::uint32_t moves_max = derived_->moves.most();
    derived_ = std::make_unique<DerivedState>();
    derived_->rebuild(state_);
    derived_->moves.limit(moves_max);
    derived_->fair_shares = std::move(shares);
    outdated_ = false;
}

Trial Engine::trial() { return Trial(state_, current().book); }

Cycle Engine::cycle(Time now, std::uint32_t budget) {
    DerivedState& derived = current();
    const NextCycle& next = derived.next_cycle;
    const Duration wait = state_.spec().scheduling.planning.submission_wait;
    if (!next.is_due(now, wait)) {
        return {.decisions = {}, .complete = true, .wake_at = next.wake_at(wait)};
    }
    if (next.paused_until() && now < *next.paused_until()) {
        return CycleRun(state_, derived, now, budget).run_paused();
    }
    return run_cycle_(state_, derived, now, budget);
}

}  // namespace berth
