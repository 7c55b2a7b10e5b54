// Trials on a full cluster: runs of 2 to 16 nodes are lifted until a gang of 16 nodes could start
// in their place, or too few for that; the gang is placed; all is taken back. What preemption does
// to choose its victims. CPU time of 1 000 trials.
#include <cstdio>
#include <ctime>
#include <vector>

#include "bench/engine_load.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_search.h"
#include "berth/engine/plan/trial.h"

namespace berth::bench {
namespace {

constexpr std::uint32_t kNodes = 1'000, kGangNodes = 16;
constexpr int kTrials = 1'000;
constexpr Time kStart{};

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Every node is held, by runs of 2 to 16 nodes.
Engine full_engine(Rng& rng) {
    Engine engine = empty_engine(kNodes, 1);
    for (std::uint32_t first = 0; first < kNodes;) {
        const std::uint32_t left = kNodes - first;
        auto nodes = static_cast<std::uint32_t>(rng.between(2, 16));
        if (left - std::min(nodes, left) < 2) nodes = left;
        run_on_whole(engine, first, nodes, std::chrono::minutes(rng.between(60, 6000)));
        first += nodes;
    }
    return engine;
}

struct Result {
    int placed = 0;
    double ms = 0;
};

Result try_gangs(Engine& engine, Rng& rng) {
    const ClusterState& state = engine.state();
    const DerivedState& derived = engine.derived();
    const std::vector<JobId> runs(state.index().holding().begin(), state.index().holding().end());
    const Duration length = std::chrono::minutes(30);
    const Job gang = job_of(state, kStart, 0, kGangNodes, 8, length);
    const Demand demand = demand_of(state.spec(), gang);
    const EngineView view(state, derived, kStart);
    const PlacementPreference preference{derived.policy.placement(), view,   JobId(0),
                                         &derived.domains,           &state, &derived.topologies};
    const ClassRequirements requirements =
        requirements_of(demand, state.spec(), engine.trial().book());
    Result result;
    const double before = cpu_ms();
    for (int i = 0; i < kTrials; ++i) {
        const std::size_t wanted = rng.chance(75) ? kGangNodes : kGangNodes / 2;
        Trial trial = engine.trial();
        for (std::size_t freed = 0; freed < wanted;) {
            const JobId run = rng.pick(runs);
            const PlannedReservation* const held = derived.book.find(run);
            if (held == nullptr) continue;  // Lifted already.
            freed += held->amounts.nodes().size();
            trial.lift(run);
        }
        const auto found = find_start(demand, {kStart, kStart, length}, derived.book,
                                      derived.usable, preference, &requirements);
        result.placed += found ? 1 : 0;
    }
    result.ms = cpu_ms() - before;
    return result;
}

void run(const char* name, std::uint32_t queue) {
    Rng rng(7);
    Engine engine = full_engine(rng);
    for (std::uint32_t i = 0; i < queue; ++i) {
        const auto nodes = static_cast<std::uint32_t>(rng.between(1, 8));
        const Duration limit = std::chrono::minutes(rng.between(10, 2000));
        engine.apply(kStart, JobSubmitted{job_of(engine.state(), kStart, 0, nodes, 8, limit)});
    }
    run_cycles(engine, kStart, [](const Cycle&) {});
    const Result result = try_gangs(engine, rng);
    std::printf("%-22s %8u %9zu %8d %12.1f ms %10.1f us\n", name, queue,
                engine.state().schedule().planned_starts().size(), result.placed, result.ms,
                result.ms * 1e3 / kTrials);
}

}  // namespace
}  // namespace berth::bench

int main() {
    std::printf("%-22s %8s %9s %8s %15s %13s\n", "case", "pending", "planned", "placed",
                "1 000 trials", "each");
    berth::bench::run("full_1000_nodes", 0);
    berth::bench::run("full_1000_nodes_queue", 2'000);
    return 0;
}
