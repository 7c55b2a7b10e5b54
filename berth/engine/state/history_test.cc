// Properties of the state over random clusters and random histories.
#include <gtest/gtest.h>

#include <algorithm>

#include "berth/base/codec.h"
#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/snapshot.h"
#include "berth/testing/random_facts.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr int kSeeds = 150;
constexpr int kFacts = 150;

// Everything that a state shows except its touched sets, to compare two states.
struct Picture {
    std::uint64_t hash = 0;
    std::vector<NodeFree> free;
    std::vector<JobId> pending, holding, finished;
    std::vector<std::vector<JobId>> on_node;
    std::vector<std::pair<PendingReason, std::int64_t>> standings;
    std::vector<UsageRecord> usage;
    friend bool operator==(const Picture&, const Picture&) = default;
};

Picture picture_of(const ClusterState& state) {
    Picture picture{.hash = state.hash(), .free = {}};
    for (std::size_t n = 0; n < state.spec().nodes.size(); ++n) {
        picture.free.push_back(state.nodes().free(NodeId::from_index(n)));
        picture.on_node.push_back(state.index().on_node(NodeId::from_index(n)));
    }
    picture.pending.assign(state.index().pending().begin(), state.index().pending().end());
    picture.holding.assign(state.index().holding().begin(), state.index().holding().end());
    for (const auto& [at, id] : state.index().finished()) picture.finished.push_back(id);
    picture.usage = state.usage().records();
    for (const auto& [id, job] : state.jobs()) {
        picture.standings.emplace_back(state.schedule().reason(id), current_priority(state, id));
    }
    return picture;
}

TEST(History, KeepsTheInvariantsAfterEveryFact) {
    std::size_t on_loan = 0;
    testing::for_each_seed(kSeeds, [&](Rng& rng) {
        const auto check = [&](const ClusterState& state) {
            state.check_invariants();
            for (const auto& [id, run] : state.jobs()) {
                if (has_borrowers(state.jobs(), state.index(), run)) ++on_loan;
            }
        };
        testing::random_history(rng, 3 * kFacts, check, testing::Loans::some);
    });
    EXPECT_GT(on_loan, 0U) << "no run has cores of another";
}

TEST(History, IsUndoneExactly) {
    testing::for_each_seed(kSeeds, [](Rng& rng) {
        ClusterState state = testing::random_history(
            rng, kFacts / 2, [](const ClusterState&) {}, testing::Loans::some);
        for (const auto& [id, job] : state.jobs()) {  // Final ones too: those may be forgotten.
            state.set_reason(id, PendingReason::priority);
            state.set_priority(id, rng.between(1, 100));
        }
        const Picture before = picture_of(state);
        const ClusterState::Touched untouched = (state.take_touched(), state.take_touched());
        const ClusterState::Mark mark = state.checkpoint();
        for (int i = 0; i < 40; ++i) {
            state.apply(Time{}, testing::random_fact(rng, Time{}, state, testing::Loans::some));
            if (const auto first = state.index().pending().begin();
                first != state.index().pending().end()) {
                state.set_reason(*first, PendingReason::resources, "node1");
                state.set_priority(*first, rng.between(1, 100));
            }
        }
        state.rollback(mark);
        state.check_invariants();
        ASSERT_TRUE(picture_of(state) == before);
        const ClusterState::Touched after = state.take_touched();
        EXPECT_TRUE(untouched.jobs.empty() && after.jobs.empty() && after.gone.empty());
        EXPECT_TRUE(after.nodes.empty() && !after.spec && !after.all && !after.reservations);
    });
}

TEST(History, KeepsWhatAnInnerTrialCommitsOnlyIfTheOuterOneDoes) {
    testing::for_each_seed(kSeeds, [](Rng& rng) {
        ClusterState state = testing::random_history(
            rng, kFacts / 2, [](const ClusterState&) {}, testing::Loans::some);
        const Picture before = picture_of(state);
        const auto outer = state.checkpoint();
        const auto inner = state.checkpoint();
        for (int i = 0; i < 10; ++i) {
            state.apply(Time{}, testing::random_fact(rng, Time{}, state, testing::Loans::some));
        }
        const Picture inside = picture_of(state);
        state.commit(inner);
        ASSERT_TRUE(picture_of(state) == inside);
        state.rollback(outer);
        ASSERT_TRUE(picture_of(state) == before);
    });
}

TEST(History, GivesTheSameStateWhenReplayedFromBytes) {
    testing::for_each_seed(kSeeds, [](Rng& rng) {
        ClusterState state, again;
        for (const Fact& fact : {Fact(ControllerStarted{Epoch(1)}),
                                 Fact(SpecInstalled{testing::random_cluster(rng)})}) {
            state.apply(Time{}, fact);
            again.apply(Time{}, fact);
        }
        for (int i = 0; i < kFacts; ++i) {
            const Time now = from_seconds(i);
            const Record record{
                .now = now,
                .facts = {testing::random_fact(rng, now, state, testing::Loans::some)},
                .payloads = {}};
            const auto read = decode<Record>(encode(record));
            ASSERT_TRUE(read.ok());
            ASSERT_EQ(*read, record);
            state.apply(now, record.facts[0]);
            again.apply(read->now, read->facts[0]);
        }
        ASSERT_EQ(state.hash(), again.hash());
    });
}

TEST(History, SurvivesASnapshotInSlicesOfAnySize) {
    testing::for_each_seed(kSeeds, [](Rng& rng) {
        ClusterState state =
            testing::random_history(rng, kFacts, [](const ClusterState&) {}, testing::Loans::some);
        const auto slice_bytes = static_cast<std::size_t>(rng.between(1, 8000));
        const std::vector<std::string> slices = slices_of(state, slice_bytes);
        for (const std::string& slice : slices) EXPECT_LT(slice.size(), slice_bytes + 16'000);
        auto loaded = state_from(slices);
        ASSERT_TRUE(loaded.ok());
        loaded->check_invariants();
        ASSERT_TRUE(picture_of(*loaded) == picture_of(state));
        // The loaded state also continues in the same way.
        const Fact next = testing::random_fact(rng, Time{}, state, testing::Loans::some);
        state.apply(Time{}, next);
        loaded->apply(Time{}, next);
        ASSERT_EQ(loaded->hash(), state.hash());
    });
}

TEST(History, RefusesASnapshotThatIsDamagedAndNeverCrashesOnOne) {
    testing::for_each_seed(30, [](Rng& rng) {
        const ClusterState state =
            testing::random_history(rng, 40, [](const ClusterState&) {}, testing::Loans::some);
        const std::vector<std::string> slices = slices_of(state, 2000);
        for (std::size_t left_out = 0; left_out < slices.size(); ++left_out) {
            std::vector<std::string> some = slices;
            some.erase(some.begin() + static_cast<std::ptrdiff_t>(left_out));
            EXPECT_FALSE(state_from(some).ok());
        }
        for (int i = 0; i < 200; ++i) {
            std::vector<std::string> changed = slices;
            std::string& slice = rng.pick(std::span(changed));
            const auto flipped = static_cast<char>(rng.next());
            char& byte = slice[static_cast<std::size_t>(
                rng.between(0, static_cast<std::int64_t>(slice.size()) - 1))];
            byte = static_cast<char>(byte ^ flipped);
            (void)state_from(changed);
        }
    });
}

TEST(History, TellsReadersExactlyWhatChanged) {
    testing::for_each_seed(kSeeds, [](Rng& rng) {
        std::map<JobId, Job> seen;
        std::vector<NodeFree> free;
        ClusterState state;
        state.apply(Time{}, SpecInstalled{testing::random_cluster(rng)});
        for (int i = 0; i < kFacts; ++i) {
            state.apply(Time{}, testing::random_fact(rng, Time{}, state, testing::Loans::some));
            const ClusterState::Touched touched = state.take_touched();
            for (const JobId id : touched.jobs) seen[id] = *state.find_job(id);
            for (const JobId id : touched.gone) seen.erase(id);
            if (touched.all) free.assign(state.spec().nodes.size(), {});
            ASSERT_TRUE(touched.spec || free.size() == state.spec().nodes.size());
            free.resize(state.spec().nodes.size());
            for (std::size_t n = 0; n < free.size(); ++n) {
                const bool told = std::ranges::binary_search(touched.nodes, NodeId::from_index(n));
                if (told || touched.all) free[n] = state.nodes().free(NodeId::from_index(n));
                ASSERT_EQ(free[n], state.nodes().free(NodeId::from_index(n)));
            }
            ASSERT_EQ(seen.size(), state.jobs().size());
            for (const auto& [id, job] : state.jobs()) ASSERT_TRUE(seen.at(id) == job);
        }
    });
}

}  // namespace
}  // namespace berth
