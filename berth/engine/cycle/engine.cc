#include "berth/engine/cycle/engine.h"

#include <utility>
#include <variant>

#include "berth/engine/cycle/cycle.h"

namespace berth {

Engine::Engine() : Engine(ClusterState()) {}

Engine::Engine(ClusterState state)
    : state_(std::move(state)), derived_(std::make_unique<DerivedState>()) {
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

bool changes_spec(const Fact& fact) {
    return is_one_of<SpecInstalled, AccountingEdited, ClusterEdited, NodeDescribed>(fact);
}

// A rebuild from the state sees the fact itself.
bool is_seen_by_rebuild(const Fact& fact) {
    return is_one_of<ControllerStarted, NodeRegistered, NodeNotResponding, NodeUpdated, NodeFenced,
                     StepCreated, StepEnded>(fact);
}

}  // namespace

void Engine::apply(Time now, const Fact& fact) {
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
    std::vector<NodeReadings>& all = derived_->readings;
    if (all.size() <= node.index()) all.resize(node.index() + 1);
    all[node.index()] = std::move(readings);
}

void Engine::limit_moves(std::uint32_t most) { derived_->moves_max = most; }

void Engine::undo(ClusterState::Mark before, FairShares shares) {
    state_.rollback(before);
    const InjectedFault injected = derived_->injected;
    const std::uint32_t moves_max = derived_->moves_max;
    derived_ = std::make_unique<DerivedState>();
    derived_->rebuild(state_);
    derived_->injected = injected;
    derived_->moves_max = moves_max;
    derived_->fair_shares = std::move(shares);
    outdated_ = false;
}

Trial Engine::trial() { return Trial(state_, current().book); }

void Engine::plant(InjectedFault bug) { derived_->injected = bug; }

Cycle Engine::cycle(Time now, std::uint32_t budget) {
    DerivedState& derived = current();
    std::optional<Time> wake_at = derived.wake_at;
    if (derived.submitted_at) {
        const Time due = *derived.submitted_at + state_.spec().scheduling.planning.submission_wait;
        if (!wake_at || due < *wake_at) wake_at = due;
    }
    if (!derived.changed && (!wake_at || now < *wake_at)) {
        return {.decisions = {}, .complete = true, .wake_at = wake_at};
    }
    CycleRun cycle(state_, derived, now, budget);
    return derived.paused_until && now < *derived.paused_until ? cycle.run_paused() : cycle.run();
}

}  // namespace berth
