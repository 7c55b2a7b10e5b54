#include "berth/engine/cycle/engine.h"

#include "berth/engine/cycle/cycle.h"

namespace berth {

Engine::Engine() : Engine(ClusterState()) {}

Engine::Engine(ClusterState state)
    : state_(std::move(state)), outlook_(std::make_unique<Outlook>()) {
    outlook_->rebuild(state_);
}

Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::apply(Time now, const Fact& fact) {
    state_.apply(now, fact);
    outlook_->note(state_, now, fact);
}

void Engine::note_readings(NodeId node, NodeReadings readings) {
    std::vector<NodeReadings>& all = outlook_->readings;
    if (all.size() <= node.index()) all.resize(node.index() + 1);
    all[node.index()] = std::move(readings);
}

void Engine::limit_moves(std::uint32_t most) { outlook_->moves_max = most; }

void Engine::undo(ClusterState::Mark before, FairShares shares) {
    state_.rollback(before);
    const PlantedBug planted = outlook_->planted;
    const std::uint32_t moves_max = outlook_->moves_max;
    outlook_ = std::make_unique<Outlook>();
    outlook_->rebuild(state_);
    outlook_->planted = planted;
    outlook_->moves_max = moves_max;
    outlook_->fair_shares = std::move(shares);
}

void Engine::plant(PlantedBug bug) { outlook_->planted = bug; }

Cycle Engine::cycle(Time now, std::uint32_t budget) {
    Outlook& outlook = *outlook_;
    std::optional<Time> wake_at = outlook.wake_at;
    if (outlook.submitted_at) {
        const Time due = *outlook.submitted_at + state_.spec().scheduling.planning.submission_wait;
        if (!wake_at || due < *wake_at) wake_at = due;
    }
    if (!outlook.changed && (!wake_at || now < *wake_at)) {
        return {.decisions = {}, .complete = true, .wake_at = wake_at};
    }
    CycleRun cycle(state_, outlook, now, budget);
    return outlook.paused_until && now < *outlook.paused_until ? cycle.run_paused() : cycle.run();
}

}  // namespace berth
