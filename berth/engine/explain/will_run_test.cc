// What --test-only says: nothing is changed by it, and a submission gets the start that was said.
#include "berth/engine/explain/will_run.h"

#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::minutes;

const Principal kAsker{.uid = 1000, .gid = 1000, .user = "ann", .group = "ann"};

std::optional<Job> admitted_for(const Engine& engine, Time now, const JobSpec& spec) {
    auto job = admit(engine.state(), now, kAsker, spec);
    if (auto* one = std::get_if<Job>(&job)) return std::move(*one);
    return std::nullopt;
}

StartEstimate estimate_of(Engine& engine, const JobSpec& spec) {
    const auto job = admitted_for(engine, kNow, spec);
    if (!job) ADD_FAILURE() << "it is not admitted";
    return job ? will_run(engine, kNow, {*job}) : StartEstimate{};
}

void cycle_to_end(Engine& engine, Time now) {
    for (int i = 0; i < 20 && !engine.cycle(now, kBudget).complete; ++i) {
    }
}

// The actual or planned start, and the nodes.
std::optional<Time> start_got(const ClusterState& state, JobId id) {
    const Job& job = *state.find_job(id);
    if (job.started_at) return job.started_at;
    const PlannedStart* planned = state.schedule().planned(id);
    return planned == nullptr ? std::nullopt : std::optional(planned->start);
}
std::vector<NodeId> nodes_got(const ClusterState& state, JobId id) {
    std::vector<NodeId> nodes;
    const Job& job = *state.find_job(id);
    if (job.started_at) {
        for (const NodeShare& share : job.allocation->shares) nodes.push_back(share.node);
    } else if (const PlannedStart* planned = state.schedule().planned(id)) {
        for (const NodeId node : planned->amounts.nodes()) nodes.push_back(node);
    }
    return nodes;
}

// ---- By example: two nodes with four GPUs each, of which one is held for an hour.

struct WillRunTest : ::testing::Test {
    WillRunTest() {
        runs = testing::submit(engine, kNow, testing::make_job({.gpus = 4}));
        cycle_to_end(engine, kNow);
    }
    ClusterSpec spec = [] {
        ClusterSpec made = testing::make_cluster(2, {.gpus = 4});
        made.licenses = {{"matlab", 1}};
        return made;
    }();
    Engine engine = testing::make_engine(spec);
    JobId runs{0};
};

TEST_F(WillRunTest, SaysWhenAndWhere) {
    const StartEstimate now = estimate_of(engine, testing::make_job({.gpus = 4, .cpus = 2}));
    ASSERT_EQ(now.start, kNow);
    ASSERT_EQ(now.components.size(), 1U);
    EXPECT_EQ(now.components[0].job, engine.state().next_job_id());
    EXPECT_EQ(now.components[0].nodes, std::vector<NodeId>{NodeId(1)});
    EXPECT_EQ(now.components[0].cpus, 2);
    EXPECT_TRUE(now.planned);
    const StartEstimate gang = estimate_of(engine, testing::make_job({.nodes = 2, .gpus = 4}));
    EXPECT_EQ(gang.start, kNow + minutes(60));
    EXPECT_EQ(gang.components.at(0).nodes.size(), 2U);
}

// Slurm's answers leave out what only people or other jobs can change, and so do these; but they
// name it.
TEST_F(WillRunTest, NamesWhatElseTheJobWouldWaitFor) {
    JobSpec held = testing::make_job({.gpus = 1});
    held.hold = true;
    const StartEstimate one = estimate_of(engine, held);
    EXPECT_EQ(one.start, kNow);
    EXPECT_EQ(one.waits_for, std::vector{PendingReason::job_held_user});
    JobSpec dependent = testing::make_job({.gpus = 1});
    dependent.dependencies =
        std::vector<Dependency>{{.kind = DependencyKind::afterany, .job = runs}};
    const StartEstimate two = estimate_of(engine, dependent);
    EXPECT_EQ(two.start, kNow);
    EXPECT_EQ(two.waits_for, std::vector{PendingReason::dependency});
}

TEST_F(WillRunTest, BeginsNoEarlierThanAsked) {
    JobSpec later = testing::make_job({.gpus = 1});
    later.begin = kNow + minutes(7);
    const StartEstimate found = estimate_of(engine, later);
    EXPECT_EQ(found.start, kNow + minutes(7));
    EXPECT_TRUE(found.waits_for.empty());
}

// In the flavor in which the job would start first, though its quota is used up elsewhere.
TEST(WillRun, TriesEachFlavorOfTheQueue) {
    ClusterSpec spec = testing::make_cluster(0);
    testing::add_node(spec, "new1", {.gpu_type = "h100", .gpus = 4});
    testing::add_node(spec, "old1", {.gpu_type = "v100", .gpus = 4});
    spec.flavors = {{.name = "new", .nodes = {"new1"}}, {.name = "old", .nodes = {"old1"}}};
    spec.accounts.push_back({.name = "lab", .parent = "root"});
    spec.queues.push_back({.name = "lab", .limit = {{"gres/gpu:new", 1}, {"gres/gpu:old", 4}}});
    spec.scheduling.enforce_limits = true;
    Engine engine = testing::make_engine(spec);
    const auto asking = [](std::int64_t gpus, int time) {
        JobSpec job = testing::make_job({.gpus = gpus, .limit = minutes(time)});
        job.request.edit().gpus_per_node.edit().front().type.clear();
        job.account = "lab";
        return job;
    };
    const auto place = [&](std::int64_t gpus) {
        const StartEstimate found = estimate_of(engine, asking(gpus, 10));
        EXPECT_TRUE(found.start);
        return std::pair(found.start.value_or(Time{}), found.components.at(0).nodes.at(0));
    };
    EXPECT_EQ(place(1), std::pair(kNow, NodeId(0)));
    testing::submit(engine, kNow, asking(1, 60));
    cycle_to_end(engine, kNow);
    EXPECT_EQ(place(1), std::pair(kNow, NodeId(1)));
    testing::submit(engine, kNow, asking(4, 30));
    cycle_to_end(engine, kNow);
    EXPECT_EQ(place(1).second, NodeId(1));
    EXPECT_GE(place(1).first, kNow + minutes(30));
    EXPECT_LT(place(1).first, kNow + minutes(60));
}

TEST_F(WillRunTest, WaitsForLicenses) {
    JobSpec wants = testing::make_job({});
    wants.request.edit().licenses = LicenseRequest{{{"matlab", 1}}, false};
    testing::submit(engine, kNow, wants);
    cycle_to_end(engine, kNow);
    EXPECT_EQ(estimate_of(engine, wants).start, kNow + minutes(60));
}

TEST_F(WillRunTest, KeepsOutOfReservationsOfOthers) {
    Reservation kept{.name = "kept", .start = kNow + minutes(30)};
    kept.end = kNow + minutes(90);
    kept.amounts.emplace_back(NodeId(1), spec.nodes[1].capacity);
    kept.whole_nodes = true;
    kept.users = {"ann"};
    engine.apply(kNow, ReservationSet{kept});
    cycle_to_end(engine, kNow);
    EXPECT_EQ(estimate_of(engine, testing::make_job({.gpus = 4})).start, kNow + minutes(60));
    JobSpec inside = testing::make_job({.gpus = 4, .limit = minutes(30)});
    inside.request.edit().reservation = "kept";
    EXPECT_EQ(estimate_of(engine, inside).start, kNow + minutes(30));
}

TEST_F(WillRunTest, SaysWhatCanNeverRun) {
    engine.apply(kNow,
                 NodeUpdated{.node = NodeId(1), .drained = true, .down = {}, .reason = "broken"});
    cycle_to_end(engine, kNow);
    const StartEstimate drained = estimate_of(engine, testing::make_job({.nodes = 2}));
    EXPECT_FALSE(drained.start);
    EXPECT_EQ(drained.reason, PendingReason::req_node_not_avail);
}

TEST_F(WillRunTest, TellsThatAJobBehindTheDepthIsNotPlanned) {
    spec.scheduling.plan_depth = 1;
    engine.apply(kNow, SpecInstalled{spec});
    testing::submit(engine, kNow, testing::make_job({.nodes = 2, .gpus = 4}));
    cycle_to_end(engine, kNow);
    const StartEstimate found = estimate_of(engine, testing::make_job({.nodes = 2, .gpus = 4}));
    EXPECT_GE(found.start, kNow + minutes(120));
    EXPECT_FALSE(found.planned);
}

TEST_F(WillRunTest, FindsATimeForAllComponents) {
    std::vector<Job> jobs;
    for (std::uint32_t i = 0; i < 2; ++i) {
        auto job = admitted_for(engine, kNow, testing::make_job({.gpus = 4}));
        ASSERT_TRUE(job);
        const JobId first = engine.state().next_job_id();
        job->het = HetComponent{first, i, 2};
        job->id = job->het->id(i);
        jobs.push_back(*job);
    }
    const StartEstimate found = will_run(engine, kNow, jobs);
    EXPECT_EQ(found.start, kNow + minutes(60));
    ASSERT_EQ(found.components.size(), 2U);
    EXPECT_NE(found.components[0].nodes, found.components[1].nodes);
}

TEST_F(WillRunTest, LetsComponentsHaveWhatIsLeftOfTheirReservation) {
    Reservation kept{.name = "kept", .start = kNow, .end = kNow + minutes(30)};
    kept.amounts.emplace_back(NodeId(1), spec.nodes[1].capacity);
    kept.users = {"ann"};
    engine.apply(kNow, ReservationSet{kept});
    cycle_to_end(engine, kNow);
    JobSpec inside = testing::make_job({.gpus = 2});
    inside.request.edit().time_limit.reset();
    inside.request.edit().reservation = "kept";
    std::vector<Job> jobs;
    const JobId first = engine.state().next_job_id();
    for (std::uint32_t i = 0; i < 2; ++i) {
        auto job = admitted_for(engine, kNow, inside);
        ASSERT_TRUE(job);
        job->het = HetComponent{first, i, 2};
        job->id = job->het->id(i);
        jobs.push_back(*job);
    }
    const std::uint64_t before = engine.state().hash();
    for (const Duration later : {minutes(0), minutes(10)}) {
        const StartEstimate found = will_run(engine, kNow + later, jobs);
        EXPECT_EQ(found.start, kNow + later);
        ASSERT_EQ(found.components.size(), 2U);
        EXPECT_EQ(found.components[1].nodes, std::vector<NodeId>{NodeId(1)});
    }
    EXPECT_EQ(engine.state().hash(), before);
}

// ---- By chance.

ClusterSpec random_asked_cluster(Rng& rng) {
    testing::NodeOptions options{.sockets = 1, .cores_per_socket = 8, .gpus = 4};
    if (rng.chance(50)) options.parts = {{"mps", 100}};
    ClusterSpec spec =
        testing::make_cluster(static_cast<std::uint32_t>(rng.between(2, 5)), options);
    spec.licenses = {{"matlab", 2}};
    spec.scheduling.kill_wait = std::chrono::seconds(rng.between(0, 30));
    spec.partitions.push_back({.name = "other", .nodes = {NodeId(0), NodeId(1)}});
    if (rng.chance(30)) spec.partitions.back().priority_tier = 5;
    if (rng.chance(30)) spec.scheduling.plan_depth = 5;
    return spec;
}

JobSpec random_asked_job(Rng& rng) {
    JobSpec spec = testing::make_job({.nodes = static_cast<std::uint32_t>(rng.between(1, 2)),
                                      .gpus = rng.between(0, 4),
                                      .cpus = static_cast<std::uint32_t>(rng.between(1, 4)),
                                      .limit = minutes(rng.between(1, 120))});
    JobRequest& request = spec.request.edit();
    if (rng.chance(15)) {
        request.gpus_per_node = {};
        request.gres_per_node = {{.name = "mps", .type = {}, .count = rng.between(10, 100)}};
    }
    if (rng.chance(15)) request.licenses = LicenseRequest{{{"matlab", 1}}, false};
    if (rng.chance(15)) request.reservation = "kept";
    if (rng.chance(20)) spec.partition = "other";
    if (rng.chance(10)) spec.hold = true;
    if (rng.chance(10)) spec.time_min = minutes(1);
    if (rng.chance(15)) spec.array = ArraySpec{.tasks = {1, 2, 3}};
    return spec;
}

// One history on two engines, of which one is asked all the time.
class AskedTwins {
public:
    AskedTwins(Rng& rng, bool backfill) : rng_(rng), spec_(random_asked_cluster(rng)) {
        spec_.scheduling.backfill = backfill;
        asked_ = testing::make_engine(spec_);
        plain_ = testing::make_engine(spec_);
        Reservation kept{.name = "kept", .start = now_ + minutes(rng.between(0, 60))};
        kept.end = kept.start + minutes(rng.between(10, 90));
        kept.amounts.emplace_back(NodeId(0), spec_.nodes[0].capacity);
        kept.whole_nodes = true;
        kept.users = {"ann"};
        apply(ReservationSet{kept});
    }

    void step() {
        now_ += std::chrono::seconds(rng_.between(0, 1200));
        if (rng_.chance(70)) {
            if (auto job = admitted_for(asked_, now_, random_asked_job(rng_)))
                apply(JobSubmitted{*job});
        }
        const auto& holding = asked_.state().index().holding();
        if (!holding.empty() && rng_.chance(40)) {
            const JobId job = rng_.pick(std::vector<JobId>(holding.begin(), holding.end()));
            testing::finish(asked_, now_, job);
            testing::finish(plain_, now_, job);
        }
    }
    void ask() {
        const std::uint64_t before = asked_.state().hash();
        const auto job = admitted_for(asked_, now_, random_asked_job(rng_));
        if (!job) return;
        const StartEstimate found = will_run(asked_, now_, {*job});
        ++(found.start ? starts : refusals);
        ASSERT_EQ(asked_.state().hash(), before);
        asked_.state().check_invariants();
    }
    void cycle() {
        for (bool done = false; !done;) {
            const Cycle a = asked_.cycle(now_, kBudget), b = plain_.cycle(now_, kBudget);
            ASSERT_TRUE(a.decisions == b.decisions);
            ASSERT_EQ(a.wake_at, b.wake_at);
            done = a.complete;
        }
    }
    // Asked on an engine at rest, then submitted.
    void submit_as_asked() {
        const auto job = admitted_for(asked_, now_, random_asked_job(rng_));
        if (!job) return;
        const StartEstimate said = will_run(asked_, now_, {*job});
        apply(JobSubmitted{*job});
        cycle();
        if (!said.waits_for.empty()) return;
        const ClusterState& state = asked_.state();
        // Of an array, the first task.
        const JobId id = job->spec.array && state.find_job(JobId(job->id.value() + 1)) != nullptr
                             ? JobId(job->id.value() + 1)
                             : job->id;
        const auto start = start_got(state, id);
        if (!said.planned && said.start != now_) {
            EXPECT_EQ(start, std::nullopt);
            return;
        }
        ++compared;
        EXPECT_EQ(start, said.start);
        // Its nodes may be others of the same start: without backfill, the jobs behind it are
        // planned again before it; with --time-min, it may take more time elsewhere; and where GPUs
        // are shared, placement counts what jobs ask for, the new one too.
        const bool are_told = spec_.scheduling.backfill && !job->spec.time_min && !shares_gpus();
        if (said.start && are_told) {
            EXPECT_EQ(nodes_got(state, id), said.components.at(0).nodes);
        }
    }
    static inline std::size_t starts = 0, refusals = 0, compared = 0;

private:
    void apply(const Fact& fact) {
        asked_.apply(now_, fact);
        plain_.apply(now_, fact);
    }

    bool shares_gpus() const { return !spec_.dimensions.of_name("mps").empty(); }

    Rng& rng_;
    Time now_ = kNow;
    ClusterSpec spec_;
    Engine asked_, plain_;
};

TEST(WillRun, ChangesNoDecision) {
    AskedTwins::starts = AskedTwins::refusals = 0;
    testing::for_each_seed(20, [&](Rng& rng) {
        AskedTwins twins(rng, rng.chance(80));
        for (int step = 0; step < 40; ++step) {
            twins.step();
            for (int i = 0; i < 5; ++i) twins.ask();
            twins.cycle();
            if (::testing::Test::HasFatalFailure()) return;
        }
    });
    EXPECT_GT(AskedTwins::starts, testing::scaled(1000U));
    EXPECT_GT(AskedTwins::refusals, testing::scaled(10U));
}

TEST(WillRun, IsWhatASubmissionGets) {
    for (const bool backfill : {true, false}) {
        AskedTwins::compared = 0;
        testing::for_each_seed(20, [&](Rng& rng) {
            AskedTwins twins(rng, backfill);
            for (int step = 0; step < 40; ++step) {
                twins.step();
                twins.cycle();
                twins.submit_as_asked();
                if (::testing::Test::HasFailure()) return;
            }
        });
        const bool few = testing::seeds_of(20) < 20;  // Most are of one or two seeds.
        EXPECT_GT(AskedTwins::compared, few ? 0U : 300U) << backfill;
    }
}

}  // namespace
}  // namespace berth
