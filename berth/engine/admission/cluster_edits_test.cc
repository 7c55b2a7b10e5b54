// Edits of partitions and nodes while jobs wait and run: the engine that follows them goes on as
// one made anew from the same state would.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/state/cluster_change.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/made_anew.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr std::size_t kEditedNodes = 6;

ClusterSpec edited_cluster(Rng& rng) {
    ClusterSpec spec =
        testing::make_cluster(kEditedNodes, {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        if (rng.chance(50)) spec.nodes.edit(i).features = {"fast"};
    }
    PartitionSpec small = spec.partitions.front();
    small.name = "small";
    small.is_default = false;
    small.nodes.edit().resize(2);
    spec.partitions.push_back(std::move(small));
    spec.qos.push_back({.name = "few"});
    spec.qos.back().limits.group_jobs = 2;
    spec.qos.push_back({.name = "each"});
    spec.qos.back().limits.max_tres_per_user = {{"gres/gpu", 6}};
    spec.scheduling.enforce_limits = rng.chance(50);
    if (rng.chance(50)) {
        spec.scheduling.rules.push_back({.kind = "priority", .name = "partition", .weight = 1000});
        spec.scheduling.priority_period = std::chrono::seconds(1);  // Each step has its own.
    }
    return spec;
}

std::vector<std::string> some_nodes(Rng& rng, const ClusterSpec& spec) {
    std::vector<std::string> nodes;
    for (const NodeSpec& node : spec.nodes) {
        if (rng.chance(60)) nodes.push_back(node.name);
    }
    return nodes;
}

PartitionEdit edit_of_partition(Rng& rng, const ClusterSpec& spec) {
    PartitionEdit edit{.name = rng.pick(std::vector<std::string>{"main", "small", "made"}),
                       .change = {}};
    if (edit.name == "made") {
        edit.is_new = !spec.find_partition("made");
        edit.change.state = "UP";
        edit.change.nodes = some_nodes(rng, spec);
        return edit;
    }
    PartitionChange& change = edit.change;
    switch (rng.between(0, 7)) {
        case 0: change.state = rng.chance(70) ? "UP" : "DOWN"; break;
        case 1: change.nodes = some_nodes(rng, spec); break;
        case 2: change.max_time = rng.chance(50) ? "20" : "UNLIMITED"; break;
        case 3: change.priority_tier = rng.between(1, 3); break;
        case 4: change.priority_job_factor = rng.between(1, 9); break;
        case 6: change.over_time_limit = rng.between(-1, 9); break;
        case 5: change.qos = rng.pick(std::vector<std::string>{"", "few", "each"}); break;
        default: change.max_nodes = rng.between(1, 3); break;
    }
    return edit;
}

ClusterEdited some_edit_of_cluster(Rng& rng, const ClusterSpec& spec) {
    ClusterEdits edits;
    if (rng.chance(70)) edits.partitions.push_back(edit_of_partition(rng, spec));
    if (rng.chance(40)) {
        NodeEdit edit{.name = spec.nodes[rng.next() % spec.nodes.size()].name, .change = {}};
        if (rng.chance(60)) edit.change.features.emplace();
        if (rng.chance(50) && edit.change.features) edit.change.features->emplace_back("fast");
        if (rng.chance(50)) edit.change.weight = static_cast<std::uint32_t>(rng.between(1, 5));
        if (rng.chance(20)) edit.change.comment = "looked at";
        edits.nodes.push_back(std::move(edit));
    }
    return {std::move(edits)};
}

void submit_somewhere(Rng& rng, Engine& engine, Time now) {
    JobSpec spec = testing::make_job({.nodes = rng.chance(50) ? 1U : 2U,
                                      .gpus = rng.between(0, 4),
                                      .limit = std::chrono::minutes(rng.between(1, 40))});
    spec.partition = rng.pick(std::vector<std::string>{"main", "main", "small"});
    if (rng.chance(30)) spec.request.edit().constraint = "fast";
    const Principal who{.uid = 1000, .gid = 1000, .user = "ann", .group = "users"};
    auto admitted = admit(engine.state(), now, who, spec);
    if (auto* job = std::get_if<Job>(&admitted)) engine.apply(now, JobSubmitted{*job});
}

struct Seen {
    std::size_t edits = 0, starts = 0, waiting = 0;
};

void live_through_edits_of_cluster(Rng& rng, Seen& seen) {
    Engine engine = testing::make_engine(edited_cluster(rng));
    Time now{};
    for (int i = 0; i < 30; ++i) {
        now += std::chrono::seconds(rng.between(1, 100));
        for (int n = 0; n < 3; ++n) submit_somewhere(rng, engine, now);
        const auto& holding = engine.state().index().holding();
        if (!holding.empty() && rng.chance(60)) {
            testing::finish(engine, now,
                            rng.pick(std::vector<JobId>(holding.begin(), holding.end())));
        }
        end_runs_in_time(engine, now);
        for (std::int64_t n = rng.between(1, 3); n > 0; --n) {
            engine.apply(now, some_edit_of_cluster(rng, engine.state().spec()));
            ++seen.edits;
        }
        engine.state().check_invariants();
        Engine made = made_anew(engine);
        ASSERT_EQ(engine.derived().book.classes(), made.derived().book.classes());
        const std::uint32_t starts = settle_all(engine, now);
        ASSERT_EQ(settle_all(made, now), starts);
        expect_as_anew(engine, made, starts > 0);
        if (::testing::Test::HasFatalFailure()) return;
        seen.starts += starts;
        seen.waiting += engine.state().index().pending().size();
        engine.state().check_invariants();
    }
}

TEST(ClusterEdits, LeadToWhatAnEngineMadeAnewDecides) {
    Seen seen;
    std::size_t tried = 0;
    testing::for_each_seed(60, [&](Rng& rng) {
        ++tried;
        live_through_edits_of_cluster(rng, seen);
    });
    EXPECT_GT(seen.edits, tried * 40);
    EXPECT_GT(seen.starts, tried * 2);
    EXPECT_GT(seen.waiting, tried * 60);
}

// The quota tree is made anew then, and may number users otherwise.
TEST(ClusterEdits, OfAPartitionThatGoesWithItsQosChangeTheLimitsOfAll) {
    Rng rng(1);
    ClusterSpec spec = edited_cluster(rng);
    spec.partitions.back().qos = "few";
    const BeforeEdits before(spec, {});
    EXPECT_FALSE(before.change_to(spec).qos);
    close_partition(spec.partitions.back());
    EXPECT_TRUE(before.change_to(spec).qos);
}

// What the jobs of other partitions know is not looked for again.
TEST(ClusterEdits, ConcernTheJobsOfTheirPartition) {
    Rng rng(1);
    Engine engine = testing::make_engine(edited_cluster(rng));
    std::vector<JobId> jobs;
    for (const char* partition : {"main", "small"}) {
        for (int i = 0; i < 10; ++i) {
            JobSpec spec = testing::make_job({.nodes = 2, .gpus = 4});
            spec.partition = partition;
            jobs.push_back(testing::submit(engine, kNow, spec));
        }
    }
    settle_all(engine, kNow);
    const auto* const before = engine.derived().pending.find(jobs[9])->shape.get();
    const std::uint64_t generation = engine.derived().book.generation();
    PartitionEdit edit{.name = "small", .change = {}};
    edit.change.max_time = "2:00";
    engine.apply(kNow, ClusterEdited{{.partitions = {edit}, .nodes = {}}});
    const DerivedState& derived = engine.derived();
    EXPECT_EQ(derived.pending.find(jobs[9])->shape.get(), before);
    EXPECT_FALSE(derived.pending.find(jobs[9])->unsettled);
    EXPECT_TRUE(derived.pending.find(jobs[19])->unsettled);
    EXPECT_EQ(derived.book.generation(), generation) << "the nodes are grouped as before";
    settle_all(engine, kNow);
    EXPECT_EQ(engine.state().schedule().reason(jobs[19]), PendingReason::partition_time_limit);
}

ClusterEdited one_edit(const std::string& partition, const PartitionChange& change) {
    return {{.partitions = {{.name = partition, .change = change}}, .nodes = {}}};
}

// Two nodes, each with a run, and a job that waits for the first of them that is free.
struct Waiting {
    Engine engine;
    JobId job{0};
};
Waiting one_waits(const ClusterSpec& spec) {
    Waiting made{testing::make_engine(spec, kNow)};
    for (const int length : {1, 2}) {
        testing::submit(made.engine, kNow,
                        testing::make_job({.gpus = 4, .limit = std::chrono::hours(length)}));
    }
    made.job = testing::submit(made.engine, kNow, testing::make_job({.gpus = 2}));
    settle_all(made.engine, kNow);
    return made;
}

TEST(ClusterEdits, MoveAPlannedStartOffANodeThatLeaves) {
    auto [engine, job] = one_waits(testing::make_cluster(2, {.gpus = 4}));
    const PlannedStart first = *engine.state().schedule().planned(job);
    const NodeId node = *first.amounts.nodes().begin();
    PartitionChange change;
    change.nodes = std::vector<std::string>{node == NodeId{0} ? "node2" : "node1"};
    engine.apply(kNow, one_edit("main", change));
    settle_all(engine, kNow);
    const PlannedStart* const second = engine.state().schedule().planned(job);
    ASSERT_NE(second, nullptr);
    EXPECT_NE(*second->amounts.nodes().begin(), node);
    EXPECT_GT(second->start, first.start);
}

TEST(ClusterEdits, PlanForWhatJobsTakeThen) {
    ClusterSpec spec = testing::make_cluster(2, {.gpus = 4});
    spec.partitions.front().exclusive = true;
    auto [engine, job] = one_waits(spec);
    const auto gpus = [&, waiting = job](const Engine& of) {
        return gpus_of(
            of.state().spec().dimensions,
            {.nodes = 1, .amount = of.state().schedule().planned(waiting)->amounts.amount(0)});
    };
    EXPECT_EQ(gpus(engine), 4);
    PartitionChange change;
    change.exclusive = false;
    engine.apply(kNow, one_edit("main", change));
    settle_all(engine, kNow);
    EXPECT_EQ(gpus(engine), 2);
}

}  // namespace
}  // namespace berth
