#include "berth/engine/engine.h"

#include "berth/engine/cycle.h"

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

void Engine::plant(PlantedBug bug) { outlook_->planted = bug; }

Cycle Engine::cycle(Time now, std::uint32_t budget) {
    const std::optional<Time>& wake_at = outlook_->wake_at;
    if (!outlook_->changed && (!wake_at || now < *wake_at)) {
        return {.decisions = {}, .complete = true, .wake_at = wake_at};
    }
    return CycleRun(*this, *outlook_, now, budget).run();
}

}  // namespace berth
