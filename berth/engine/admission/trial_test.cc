// Trials: what is lifted counts no more, what is put counts, and afterwards nothing was.
#include "berth/engine/plan/trial.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/admission/admission.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_search.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::minutes;

PlacementPreference preference_of(const Engine& engine, const EngineView& view) {
    const DerivedState& derived = engine.derived();
    return {derived.policy.placement(), view, JobId(0), &derived.domains, &engine.state(),
            &derived.topologies};
}

std::optional<Found> find(const Engine& engine, const Demand& demand, Window window) {
    const EngineView view(engine.state(), engine.derived(), window.earliest);
    return find_start(demand, window, engine.derived().book, engine.derived().usable,
                      preference_of(engine, view));
}

std::optional<Found> find_now(const Engine& engine, const Demand& demand, Duration length) {
    return find(engine, demand, {kNow, kNow, length});
}

// All that searches read of the plan and the state, as text: equal texts, equal answers.
std::string content_of(const Engine& engine) {
    const ClusterState& state = engine.state();
    const PlanBook& book = engine.derived().book;
    std::string text = std::to_string(state.hash()) + "\n";
    for (std::size_t n = 0; n < state.spec().nodes.size(); ++n) {
        const NodeId node = NodeId::from_index(n);
        const Timeline& timeline = book.timeline(node);
        for (std::size_t step = 0; step < timeline.size(); ++step) {
            text += std::to_string((timeline.start(step) - Time{}).count()) + ":";
            for (const std::int64_t free : timeline.free(step)) text += std::to_string(free) + ",";
        }
        text += " planned";
        for (const JobId job : book.planned_on(node)) text += " " + to_string(job);
        for (const Time start : book.starts_on(node)) {
            text += " " + std::to_string((start - Time{}).count());
        }
        const NodeFree& free = state.nodes().free(node);
        text += " free " + std::to_string(free.devices) + " " + std::to_string(free.withheld) +
                " " + std::to_string(free.jobs) + " " + std::to_string(free.cores.count());
        for (const SharedDevice& shared : free.shared) {
            text += " " + std::to_string(shared.device) + "/" + std::to_string(shared.used.parts);
            const auto until = book.shared_until(node, shared.device);
            text += until ? "@" + std::to_string((*until - Time{}).count()) : "";
        }
        text += "\n";
    }
    if (const FreeGroups* groups = book.free_groups()) {
        for (std::size_t c = 0; c < book.classes().size(); ++c) {
            for (const auto& [room, nodes] : groups->of_class(c)) {
                text += "[";
                for (const NodeId node : nodes) text += to_string(node) + " ";
                text += "]";
            }
        }
    }
    for (const NodeId node : book.planned_nodes()) text += to_string(node) + " ";
    const auto end = next_end(book);
    text += end ? std::to_string((*end - Time{}).count()) : "none";
    for (const char* account : {"physics", "art"}) {
        const auto place = state.quota().place_of(std::string(account), std::string("ann"));
        if (place.account == QuotaTree::kNone) continue;
        const QuotaUse& use = state.quota().account(place.account).use;
        text += " " + std::to_string(use.running);
        for (const std::int64_t seats : use.held->licenses) text += "/" + std::to_string(seats);
    }
    return text;
}

// ---- By example: one node with four GPUs, held by two runs of two.

struct TrialTest : ::testing::Test {
    TrialTest() {
        for (int i = 0; i < 2; ++i) {
            runs.push_back(testing::submit(engine, kNow,
                                           testing::make_job({.gpus = 2, .limit = minutes(60)})));
        }
        engine.cycle(kNow, kBudget);
    }
    Demand demand(std::int64_t gpus) const {
        Job job;
        job.spec = testing::make_job({.gpus = gpus, .limit = minutes(10)});
        return demand_of(engine.state().spec(), job);
    }

    Engine engine = testing::make_engine(testing::make_cluster(1, {.gpus = 4}));
    std::vector<JobId> runs;
};

TEST_F(TrialTest, ALiftedRunGivesWayAndComesBack) {
    const std::string before = content_of(engine);
    EXPECT_FALSE(find_now(engine, demand(2), minutes(10)));
    {
        Trial trial = engine.trial();
        trial.lift(runs[0]);
        EXPECT_TRUE(find_now(engine, demand(2), minutes(10)));
        EXPECT_FALSE(find_now(engine, demand(4), minutes(10)));
        const Trial::Mark mark = trial.mark();
        trial.lift(runs[1]);
        EXPECT_TRUE(find_now(engine, demand(4), minutes(10)));
        trial.back_to(mark);
        EXPECT_FALSE(find_now(engine, demand(4), minutes(10)));
        EXPECT_TRUE(find_now(engine, demand(2), minutes(10)));
    }
    EXPECT_FALSE(find_now(engine, demand(2), minutes(10)));
    EXPECT_EQ(content_of(engine), before);
    engine.state().check_invariants();
}

TEST_F(TrialTest, WhatIsPutTakesRoom) {
    const JobId waiting =
        testing::submit(engine, kNow, testing::make_job({.gpus = 4, .limit = minutes(10)}));
    engine.cycle(kNow, kBudget);
    ASSERT_NE(engine.state().schedule().planned(waiting), nullptr);
    const std::string before = content_of(engine);
    {
        Trial trial = engine.trial();
        trial.lift(waiting);
        trial.lift(runs[0]);
        trial.lift(runs[1]);
        PlannedReservation all{.start = kNow, .end = kNow + minutes(10), .amounts = {}};
        all.amounts = NodeAmounts{{NodeId(0), engine.state().spec().nodes[0].capacity}};
        trial.put(waiting, all);
        EXPECT_FALSE(find_now(engine, demand(1), minutes(10)));
        const auto later =
            find(engine, demand(4), {kNow, kNow + minutes(60), Duration(minutes(10))});
        ASSERT_TRUE(later);
        EXPECT_EQ(later->start, kNow + minutes(10));
    }
    EXPECT_EQ(content_of(engine), before);
}

TEST_F(TrialTest, ADrainedGpuOfALiftedRunIsNobodys) {
    const Job& job = *engine.state().find_job(runs[0]);
    const DeviceMask held = job.allocation->shares.front().whole_devices();
    engine.apply(kNow, DevicesDrained{.node = NodeId(0), .devices = held, .drained = true});
    const std::string before = content_of(engine);
    {
        Trial trial = engine.trial();
        trial.lift(runs[0]);
        EXPECT_FALSE(find_now(engine, demand(1), minutes(10)));
        EXPECT_FALSE(find_now(engine, demand(1), minutes(600)));
    }
    EXPECT_EQ(content_of(engine), before);
    engine.state().check_invariants();
}

// ---- By chance: two engines with one history, of which one is tried on all the time.

ClusterSpec random_cluster(Rng& rng) {
    testing::NodeOptions options{.gpus = 4};
    options.parts = {{"mps", 100}};
    ClusterSpec spec =
        testing::make_cluster(static_cast<std::uint32_t>(rng.between(1, 5)), options);
    spec.licenses = {{"matlab", 3}};
    spec.accounts.push_back({.name = "physics", .parent = "root"});
    spec.accounts.push_back({.name = "art", .parent = "root"});
    if (rng.chance(50)) {
        spec.scheduling.enforce_limits = true;
        spec.accounts.edit(0).limits.group_tres = {{"gres/gpu", rng.between(1, 9)}};
    }
    return spec;
}

JobSpec random_job(Rng& rng) {
    JobSpec spec = testing::make_job({.nodes = static_cast<std::uint32_t>(rng.between(1, 2)),
                                      .gpus = rng.between(0, 4),
                                      .limit = minutes(rng.between(1, 120))});
    if (rng.chance(20)) {
        spec.request.edit().gpus_per_node = {};
        spec.request.edit().gres_per_node = {
            {.name = "mps", .type = {}, .count = rng.between(10, 100)}};
    }
    if (rng.chance(20)) spec.request.edit().licenses = LicenseRequest{{{"matlab", 1}}, false};
    if (rng.chance(20)) spec.request.edit().reservation = "kept";
    spec.account = rng.chance(50) ? "physics" : "art";
    return spec;
}

class Twins {
public:
    explicit Twins(Rng& rng) : rng_(rng), spec_(random_cluster(rng)) {
        if (!rng.chance(30)) return;
        Reservation kept{.name = "kept", .start = now_ + minutes(rng.between(0, 60))};
        kept.end = kept.start + minutes(rng.between(10, 90));
        kept.amounts.emplace_back(NodeId(0), spec_.nodes[0].capacity);
        kept.whole_nodes = true;
        kept.users = {"ann"};
        apply(ReservationSet{kept});
    }

    void step() {
        now_ += std::chrono::seconds(rng_.between(0, 1200));
        if (rng_.chance(70)) submit();
        const auto& holding = tried_.state().index().holding();
        if (!holding.empty() && rng_.chance(50)) {
            const JobId job = rng_.pick(std::vector<JobId>(holding.begin(), holding.end()));
            testing::finish(tried_, now_, job);
            testing::finish(plain_, now_, job);
        }
        if (rng_.chance(10)) {
            apply(DevicesDrained{.node = random_node(),
                                 .devices = bit(static_cast<int>(rng_.between(0, 3))),
                                 .drained = rng_.chance(60)});
        }
    }
    void try_out() {
        const std::string before = content_of(tried_);
        {
            Trial trial = tried_.trial();
            try_some(trial);
        }
        ++trials;
        ASSERT_EQ(content_of(tried_), before);
    }
    void cycle() {
        const Cycle a = tried_.cycle(now_, kBudget), b = plain_.cycle(now_, kBudget);
        ASSERT_TRUE(a.decisions == b.decisions);
        ASSERT_EQ(a.wake_at, b.wake_at);
        ASSERT_EQ(content_of(tried_), content_of(plain_));
        tried_.state().check_invariants();
    }
    static inline std::size_t trials = 0, lifted = 0, put = 0;

private:
    void apply(const Fact& fact) {
        tried_.apply(now_, fact);
        plain_.apply(now_, fact);
    }
    NodeId random_node() {
        return NodeId::from_index(
            static_cast<std::size_t>(rng_.between(0, static_cast<int>(spec_.nodes.size()) - 1)));
    }
    void submit() {
        const Principal ann{.uid = 1000, .gid = 1000, .user = "ann", .group = "ann"};
        auto admitted = admit(tried_.state(), now_, ann, random_job(rng_));
        if (auto* job = std::get_if<Job>(&admitted)) apply(JobSubmitted{*job});
    }

    // Lifts and puts jobs, and now and then goes back to some mark.
    void try_some(Trial& trial) {
        std::vector<Trial::Mark> marks = {trial.mark()};
        for (std::int64_t i = rng_.between(1, 8); i > 0; --i) {
            if (rng_.chance(15)) {
                const auto at =
                    static_cast<std::size_t>(rng_.between(0, static_cast<int>(marks.size()) - 1));
                trial.back_to(marks[at]);
                marks.resize(at + 1);
            }
            if (rng_.chance(30)) marks.push_back(trial.mark());
            rng_.chance(70) ? lift_some(trial) : put_some(trial);
        }
    }
    void lift_some(Trial& trial) {
        const PlanBook& book = tried_.derived().book;
        std::vector<JobId> some;
        for (const auto& [id, job] : tried_.state().jobs()) {
            if (book.find(id) != nullptr) some.push_back(id);
        }
        if (some.empty()) return;
        trial.lift(rng_.pick(some));
        ++lifted;
    }
    void put_some(Trial& trial) {
        const PlanBook& book = tried_.derived().book;
        for (const auto& [id, pending] : tried_.derived().pending.all()) {
            if (book.find(id) != nullptr || rng_.chance(50)) continue;
            const Duration length = pending.shape->length;
            const auto found = find(tried_, pending.shape->demand(),
                                    {now_, now_ + minutes(rng_.between(0, 500)), length});
            if (!found) continue;
            PlannedReservation planned{
                .start = found->start, .end = after(found->start, length), .amounts = {}};
            planned.rarely =
                PlannedReservation::Rarely{.licenses = found->licenses,
                                           .reservation = pending.shape->demand().reservation,
                                           .lent = {}};
            NodeAmounts amounts;
            for (const Part& part : found->parts) {
                amounts.emplace_back(part.node, part.take.amount);
            }
            planned.amounts = amounts;
            trial.put(id, planned);
            ++put;
            return;
        }
    }

    Rng& rng_;
    Time now_ = kNow;
    ClusterSpec spec_;
    Engine tried_ = testing::make_engine(spec_), plain_ = testing::make_engine(spec_);
};

// BERTH_SEEDS=250 is more than 100 000 trials.
TEST(Trial, LeavesNoTraceInContentAndDecisions) {
    Twins::trials = Twins::lifted = Twins::put = 0;
    testing::for_each_seed(20, [&](Rng& rng) {
        Twins twins(rng);
        for (int step = 0; step < 40; ++step) {
            twins.step();
            for (int i = 0; i < 10; ++i) twins.try_out();
            twins.cycle();
            if (::testing::Test::HasFatalFailure()) return;
        }
    });
    EXPECT_GT(Twins::lifted, Twins::trials / 2);
    EXPECT_GT(Twins::put, Twins::trials / 20);
}

}  // namespace
}  // namespace berth
