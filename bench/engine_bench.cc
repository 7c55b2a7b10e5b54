// How long a cycle takes: from nothing with everything to plan, and after one event in a busy
// cluster. Prints milliseconds a cycle.
#include <benchmark/benchmark.h>

#include "berth/base/rng.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

constexpr std::uint32_t kBudget = 10'000'000;

JobSpec random_job(Rng& rng) {
    static const std::vector<std::int64_t> kGpus = {1, 1, 1, 2, 4, 8, 8};
    testing::JobOptions options;
    options.gpus = rng.pick(kGpus);
    options.cpus = static_cast<std::uint32_t>(options.gpus * 4);
    if (options.gpus == 8 && rng.chance(30)) {
        options.nodes = static_cast<std::uint32_t>(rng.between(2, 8));
    }
    options.limit = std::chrono::minutes(30 * rng.between(1, 48));
    return testing::make_job(options);
}

Engine busy_engine(std::int64_t nodes, std::int64_t pending, Rng& rng) {
    Engine engine = testing::make_engine(
        testing::make_cluster(static_cast<std::uint32_t>(nodes)));
    while (engine.state().pending_jobs().size() < static_cast<std::size_t>(nodes)) {
        for (int i = 0; i < nodes; ++i) testing::submit(engine, Time{}, random_job(rng));
        engine.cycle(Time{}, kBudget);
    }
    const auto missing = static_cast<std::size_t>(pending);
    while (engine.state().pending_jobs().size() < missing) {
        testing::submit(engine, Time{}, random_job(rng));
    }
    return engine;
}

// Order, place and plan all of it.
void BM_FirstCycle(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        Rng rng(1);
        Engine engine = busy_engine(state.range(1), state.range(0), rng);
        state.ResumeTiming();
        benchmark::DoNotOptimize(engine.cycle(Time(std::chrono::seconds(1)), kBudget));
        state.PauseTiming();
        state.counters["planned"] = static_cast<double>(engine.state().plan().size());
        engine = Engine();
        state.ResumeTiming();
    }
}
BENCHMARK(BM_FirstCycle)
    ->Unit(benchmark::kMillisecond)
    ->ArgNames({"pending", "nodes"})
    ->Args({300, 40})
    ->Args({1000, 100})
    ->Args({10000, 100})
    ->Args({10000, 1000});

// A job ends before its time, another is submitted: what the cycle for that takes.
void BM_AfterOneEvent(benchmark::State& state) {
    Rng rng(1);
    Engine engine = busy_engine(state.range(1), state.range(0), rng);
    Time now(std::chrono::seconds(1));
    engine.cycle(now, kBudget);
    std::size_t decisions = 0, events = 0;
    for (auto _ : state) {
        state.PauseTiming();
        now += std::chrono::seconds(20);
        const auto& holding = engine.state().holding_jobs();
        const auto skip = rng.between(0, static_cast<std::int64_t>(holding.size()) - 1);
        testing::finish(engine, now, *std::next(holding.begin(), skip));
        while (engine.state().pending_jobs().size() < static_cast<std::size_t>(state.range(0))) {
            testing::submit(engine, now, random_job(rng));
        }
        state.ResumeTiming();
        const Cycle cycle = engine.cycle(now, kBudget);
        state.PauseTiming();
        decisions += cycle.decisions.size();
        ++events;
        for (const Fact& fact : cycle.decisions) {
            if (const auto* end = std::get_if<EndJob>(&fact)) {
                testing::finish(engine, now, end->job);
            }
        }
        state.ResumeTiming();
    }
    state.counters["decisions"] = static_cast<double>(decisions) / static_cast<double>(events);
}
BENCHMARK(BM_AfterOneEvent)
    ->Unit(benchmark::kMillisecond)
    ->ArgNames({"pending", "nodes"})
    ->Args({300, 40})
    ->Args({1000, 100})
    ->Args({10000, 100});

}  // namespace
}  // namespace berth

BENCHMARK_MAIN();
