// Compares usage with what the runs add up to, over random histories, computed in floating point
// from each fact to the next by what ran meanwhile.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "berth/testing/random_facts.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Sums = std::map<std::pair<std::string, std::string>, long double>;

// Lets time pass: usage decays, and running jobs add to it.
void pass(Sums& sums, const ClusterState& state, Duration length, Duration half_life) {
    const auto seconds = static_cast<long double>(length.count()) / 1000;
    const auto life = static_cast<long double>(half_life.count()) / 1000;
    const long double left = life == 0 ? 1 : std::exp2(-seconds / life);
    const long double weighed = life == 0 ? seconds : (1 - left) * life / std::log(2.0L);
    for (auto& [user, sum] : sums) sum *= left;
    for (const auto& [id, job] : state.jobs()) {
        if (job.state != JobState::running || job.is_suspended()) continue;
        sums[{job.spec.account, job.owner->user}] += weighed * static_cast<long double>(job.cpus);
    }
}

TEST(Usage, IsWhatTheRunsComeTo) {
    testing::for_each_seed(150, [](Rng& rng) {
        ClusterSpec spec = testing::random_cluster(rng);
        const UsageDecay decay = spec.scheduling.usage_decay;
        ClusterState state;
        state.apply(Time{}, ControllerStarted{Epoch(1)});
        state.apply(Time{}, SpecInstalled{spec});
        Sums sums;
        Time now{};
        for (int i = 0; i < 200; ++i) {
            const Duration length(rng.between(0, 60'000));
            pass(sums, state, length, decay.half_life);
            now += length;
            state.apply(now, testing::random_fact(rng, now, state));
        }
        for (const UsageRecord& record : state.usage().records()) {
            const UsageAmount used = record.used_by(now, usage_kind_of(kCpuDimension), decay);
            const long double expected = sums[{record.account, record.user}];
            EXPECT_NEAR(
                static_cast<double>(std::ldexp(static_cast<long double>(used.units()), -32)),
                static_cast<double>(expected), 1e-6 + static_cast<double>(expected) * 1e-9);
        }
    });
}

}  // namespace
}  // namespace berth
