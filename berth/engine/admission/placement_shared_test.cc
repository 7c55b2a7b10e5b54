// Shared GPUs: admission, and random worlds compared with a scan of every GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/admission/admission.h"
#include "berth/engine/cycle/engine.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

JobSpec part_job(const std::string& kind, std::int64_t count, std::uint32_t nodes = 1) {
    JobSpec spec = testing::make_job({.nodes = nodes});
    spec.request.edit().gres_per_node = {{.name = kind, .type = {}, .count = count}};
    return spec;
}

std::string refusal(const ClusterSpec& cluster, const JobSpec& spec) {
    const Engine engine = testing::make_engine(cluster);
    const Principal ann{.uid = 1000, .gid = 1000, .user = "ann", .group = "ann"};
    const auto admitted = admit(engine.state(), Time{}, ann, spec);
    const auto* no = std::get_if<Refusing>(&admitted);
    return no == nullptr ? "" : no->message;
}

TEST(PartsOfGpus, AreRefusedWhereTheyCannotBeHad) {
    testing::NodeOptions options{.gpus = 2};
    options.parts = {{"mps", 100}, {"shard", 4}, {"gpumem", gib(80).count()}};
    ClusterSpec cluster = testing::make_cluster(1, options);
    JobSpec both = part_job("mps", 50);
    both.request.edit().gres_per_node.edit().push_back({.name = "shard", .type = {}, .count = 1});
    JobSpec with_gpu = part_job("mps", 50);
    with_gpu.request.edit().gpus_per_node = {{.name = "gpu", .type = {}, .count = 1}};
    JobSpec whole = part_job("shard", 1);
    whole.request.edit().exclusive = true;
    const std::pair<JobSpec, std::string> cases[] = {
        {part_job("mps", 100), ""},
        {part_job("gpumem", gib(80).count()), ""},
        {part_job("mps", 101), "mps:101 of one GPU; one has at most 100"},
        {part_job("gpumem", gib(81).count()), "gpumem:81G of one GPU; one has at most 80G"},
        {both, "a job can have a part of a GPU in one way: name one of mps, shard, gpumem"},
        {with_gpu, "a part of a GPU (mps) and whole GPUs: ask for one of them"},
        {whole, "a part of a GPU (shard) on exclusive nodes is not supported yet"},
    };
    for (const auto& [spec, message] : cases) EXPECT_EQ(refusal(cluster, spec), message);
    for (Device& device : cluster.nodes.edit(0).devices) device.file = "/dev/nvidia0";
    EXPECT_EQ(refusal(cluster, part_job("shard", 1)), "");
    EXPECT_EQ(refusal(cluster, part_job("mps", 50)), "");
}

TEST(PartsOfGpus, AGangHasOneOnEachNode) {
    testing::NodeOptions options{.gpus = 2};
    options.parts = {{"mps", 100}};
    Engine engine = testing::make_engine(testing::make_cluster(2, options));
    const JobId gang = testing::submit(engine, Time{}, part_job("mps", 60, 2));
    engine.cycle(Time{}, 1000);
    const Job& job = *engine.state().find_job(gang);
    ASSERT_EQ(job.nodes.size(), 2U);
    for (const NodeShare& share : job.allocation->shares) {
        ASSERT_TRUE(share.device_share);
        EXPECT_EQ(share.device_share->part.parts, 60);
        EXPECT_EQ(share.devices, bit(0));
    }
    engine.state().check_invariants();
}

TEST(PartsOfGpus, AJobThatTakesLessTimeTakesNoMoreOfAGpu) {
    testing::NodeOptions options{.gpus = 1};
    options.parts = {{"mps", 100}};
    Engine engine = testing::make_engine(testing::make_cluster(1, options));
    JobSpec half = part_job("mps", 50);
    half.request.edit().time_limit = 2h;
    half.time_min = 10min;
    const JobId one = testing::submit(engine, Time{}, half);
    const JobId other = testing::submit(engine, Time{}, half);
    engine.cycle(Time{}, 1000);
    for (const JobId id : {one, other}) {
        const Job& job = *engine.state().find_job(id);
        ASSERT_TRUE(job.allocation) << to_string(id);
        ASSERT_TRUE(job.allocation->shares[0].device_share);
        EXPECT_EQ(job.allocation->shares[0].device_share->part.parts, 50);
    }
    engine.state().check_invariants();
}

TEST(LinkedGpus, AJobThatTakesLessTimeHasAsManyAsItAsksFor) {
    Engine engine = testing::make_engine(testing::make_cluster(1));  // 8 GPUs, linked in fours.
    JobSpec spec = testing::make_job({.gpus = 2, .limit = 2h});
    spec.request.edit().nearness.edit().pack = true;
    spec.time_min = 10min;
    const JobId id = testing::submit(engine, Time{}, spec);
    engine.cycle(Time{}, 1000);
    ASSERT_TRUE(engine.state().find_job(id)->allocation);
    EXPECT_EQ(popcount(engine.state().find_job(id)->allocation->shares[0].devices), 2);
}

// ---- Comparison with a scan of every GPU.

struct SharedWorld {
    explicit SharedWorld(Rng& rng) : engine(testing::make_engine(cluster(rng))) {}

    static ClusterSpec cluster(Rng& rng) {
        ClusterSpec spec = testing::make_cluster(0);
        const std::int64_t nodes = rng.between(1, 3);
        for (std::int64_t n = 0; n < nodes; ++n) {
            testing::NodeOptions options{.sockets = 1, .cores_per_socket = 6};
            options.gpus = static_cast<std::uint32_t>(rng.between(1, 3));
            options.gpu_type = rng.chance(70) ? "a100" : "t4";
            options.parts = {{"mps", 100}};
            if (rng.chance(60)) options.parts.emplace_back("shard", rng.between(2, 4));
            testing::add_node(spec, "node" + std::to_string(n + 1), options);
        }
        if (spec.dimensions.find("gpu", "a100") && rng.chance(30)) {
            spec.scheduling.rules = {{.kind = "placement", .name = "fgd", .weight = 1}};
        }
        return spec;
    }

    void submit(Rng& rng) {
        JobSpec spec = testing::make_job({.limit = std::chrono::minutes(10 * rng.between(1, 12))});
        const std::int64_t kind = rng.between(0, 9);
        if (kind < 5) {
            spec.request.edit().gres_per_node = {{"mps", "", 10 * rng.between(1, 10)}};
        } else if (kind < 7 && engine.state().spec().dimensions.find("shard", "")) {
            spec.request.edit().gres_per_node = {{"shard", "", rng.between(1, 2)}};
        } else if (kind < 9) {
            spec.request.edit().gpus_per_node = {{"gpu", "", rng.between(1, 2)}};
        }
        if (rng.chance(20)) spec.time_min = std::chrono::minutes(5);
        const Principal ann{.uid = 1, .gid = 1, .user = "ann", .group = "ann"};
        auto admitted = admit(engine.state(), now, ann, spec);
        if (Job* job = std::get_if<Job>(&admitted)) engine.apply(now, JobSubmitted{*job});
    }

    void finish_one(Rng& rng) {
        const auto& holding = engine.state().index().holding();
        if (holding.empty()) return;
        auto at = holding.begin();
        std::advance(at, rng.between(0, static_cast<std::int64_t>(holding.size()) - 1));
        testing::finish(engine, now, *at);
    }

    // Runs cycles and ends the jobs whose time is up, so that no job overruns.
    std::optional<Time> settle() {
        for (;;) {
            const Cycle cycle = engine.cycle(now, 100'000);
            std::vector<JobId> ended;
            for (const JobId id : engine.state().index().holding()) {
                if (engine.state().find_job(id)->state == JobState::completing) ended.push_back(id);
            }
            for (const JobId id : ended) testing::finish(engine, now, id);
            if (ended.empty()) return cycle.wake_at;
        }
    }
    void advance_to(Time end) {
        for (auto wake = settle(); wake && *wake < end; wake = settle()) now = *wake;
        now = end;
    }

    // How a GPU is held: parts by kind, and whether it is held whole.
    struct Held {
        std::map<DimensionId, std::int64_t> parts;
        int whole = 0;
    };
    Held held(NodeId node, std::uint32_t device) const {
        Held held;
        for (const JobId id : engine.state().index().holding()) {
            for (const NodeShare& share : engine.state().find_job(id)->allocation->shares) {
                if (share.node != node || (share.devices >> device & 1) == 0) continue;
                if (share.device_share && share.device_share->device == device) {
                    held.parts[share.device_share->part.dimension] +=
                        share.device_share->part.parts;
                } else {
                    ++held.whole;
                }
            }
        }
        return held;
    }

    // Whether any GPU could give this part now, ignoring planned starts.
    bool fits_somewhere(const ShareKind& part) const {
        const ClusterSpec& spec = engine.state().spec();
        for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            if (engine.state().nodes().free(node).cores.empty()) continue;
            for (std::uint32_t i = 0; i < spec.nodes[n].devices.size(); ++i) {
                const Held now_held = held(node, i);
                if (now_held.whole > 0 || now_held.parts.size() > 1) continue;
                std::int64_t used = 0;
                if (!now_held.parts.empty()) {
                    if (now_held.parts.begin()->first != part.dimension) continue;
                    used = now_held.parts.begin()->second;
                }
                for (const ShareKind& own : spec.nodes[n].devices[i].shares) {
                    if (own.dimension == part.dimension && used + part.parts <= own.parts)
                        return true;
                }
            }
        }
        return false;
    }

    void check() {
        engine.state().check_invariants();
        EXPECT_EQ(check_plan(engine.state(), now).value_or(""), "");
        const ClusterSpec& spec = engine.state().spec();
        for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
            for (std::uint32_t i = 0; i < spec.nodes[n].devices.size(); ++i) {
                const Held one = held(NodeId::from_index(n), i);
                EXPECT_LE(one.whole + static_cast<int>(one.parts.size()), 1);
                for (const ShareKind& own : spec.nodes[n].devices[i].shares) {
                    const auto used = one.parts.find(own.dimension);
                    if (used == one.parts.end()) continue;
                    EXPECT_LE(used->second, own.parts);
                }
            }
        }
        check_waiting();
    }

    // The first job in the queue, when no other job has a planned start, waits only for what is not
    // free; and no planned start moves later.
    void check_waiting() {
        const auto& pending = engine.state().index().pending();
        if (!pending.empty()) {
            const Job& first = *engine.state().find_job(*pending.begin());
            const Demand demand = demand_of(engine.state().spec(), first);
            const std::size_t own = engine.state().schedule().planned(first.id) == nullptr ? 0 : 1;
            if (demand.share && engine.state().schedule().planned_starts().size() == own) {
                ++heads_checked;
                EXPECT_FALSE(fits_somewhere(*demand.share)) << to_string(first.id);
            }
        }
        std::map<JobId, Time> starts;
        for (const auto& [id, planned] : engine.state().schedule().planned_starts()) {
            starts[id] = planned.start;
            const auto before = planned_for.find(id);
            if (before == planned_for.end()) continue;
            EXPECT_LE(planned.start, std::max(before->second, now));
        }
        planned_for = std::move(starts);
    }

    Engine engine;
    Time now{};
    std::map<JobId, Time> planned_for;
    int heads_checked = 0;
};

TEST(PartsOfGpus, NoGpuIsInTwoWaysAtOnceAndTheFirstInLineGetsWhatThereIs) {
    int heads_checked = 0;
    testing::for_each_seed(300, [&](Rng& rng) {
        SharedWorld world(rng);
        for (int step = 0; step < 40; ++step) {
            const std::int64_t jobs = rng.between(0, 3);
            for (std::int64_t i = 0; i < jobs; ++i) world.submit(rng);
            if (rng.chance(60)) world.finish_one(rng);
            world.settle();
            world.check();
            world.advance_to(world.now + std::chrono::minutes(rng.between(1, 8)));
        }
        heads_checked += world.heads_checked;
    });
    if (!testing::number_in_environment("BERTH_SEED")) {
        EXPECT_GT(heads_checked, testing::scaled(100));
    }
}

}  // namespace
}  // namespace berth
