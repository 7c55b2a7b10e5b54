// Tasks per socket: admission, and random worlds compared with a count of each socket's free cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "berth/engine/admission/admission.h"
#include "berth/engine/cycle/engine.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

struct Layout {
    std::uint32_t tasks = 1, cpus = 1, per_socket = 0, per_core = 0;
};

JobSpec laid_out(const Layout& layout) {
    JobSpec spec = testing::make_job({.cpus = layout.cpus});
    spec.request.edit().tasks = layout.tasks;
    spec.request.edit().nodes_max = 1;
    spec.request.edit().nearness.edit().layout = {.per_socket = layout.per_socket,
                                                  .per_core = layout.per_core};
    return spec;
}

std::string why_refused(const ClusterSpec& cluster, const JobSpec& spec) {
    const Engine engine = testing::make_engine(cluster);
    const Principal ann{.uid = 1000, .gid = 1000, .user = "ann", .group = "ann"};
    const auto admitted = admit(engine.state(), Time{}, ann, spec);
    const auto* no = std::get_if<Refusing>(&admitted);
    return no == nullptr ? "" : no->message;
}

TEST(TasksPerSocket, AreRefusedWhereNoNodeHasTheSockets) {
    testing::NodeOptions options{.sockets = 2, .cores_per_socket = 4, .gpus = 1};
    options.parts = {{"mps", 100}};
    const ClusterSpec cluster = testing::make_cluster(1, options);
    JobSpec part = laid_out({.per_socket = 1});
    part.request.edit().gres_per_node = {{.name = "mps", .type = {}, .count = 10}};
    const std::pair<JobSpec, std::string> cases[] = {
        {laid_out({.tasks = 2, .cpus = 4, .per_socket = 1}), ""},
        {laid_out({.tasks = 8, .per_socket = 4, .per_core = 1}), ""},
        {laid_out({.tasks = 3, .per_socket = 1}),
         "3 tasks on one node, at most 1 per socket; no node takes more than 2 of 1 CPU"},
        {laid_out({.tasks = 1, .cpus = 5, .per_socket = 1}),
         "1 task on one node, at most 1 per socket; no node takes more than 0 of 5 CPUs"},
        {part,
         "--ntasks-per-socket with part of a GPU (mps, shard, gpumem) is not supported; ask for a "
         "whole one"},
    };
    for (const auto& [spec, message] : cases) EXPECT_EQ(why_refused(cluster, spec), message);
    testing::NodeOptions threads{.sockets = 1, .cores_per_socket = 4, .threads_per_core = 2};
    EXPECT_EQ(why_refused(testing::make_cluster(1, threads), laid_out({.tasks = 5, .per_core = 1})),
              "5 tasks on one node, at most 1 per core; no node takes more than 4 of 1 CPU");
}

// The cores of one socket that are among these.
std::int64_t cores_in(const NodeSpec& node, std::uint32_t socket, const BitSet& cores) {
    std::int64_t count = 0;
    for (std::uint32_t i = 0; i < node.cores_per_socket; ++i)
        count += cores.test(socket * node.cores_per_socket + i) ? 1 : 0;
    return count;
}

// Jobs of one node, whose tasks take whole cores.
struct SocketWorld {
    explicit SocketWorld(Rng& rng) : engine(testing::make_engine(cluster(rng))) {}

    static ClusterSpec cluster(Rng& rng) {
        ClusterSpec spec = testing::make_cluster(0);
        const std::int64_t nodes = rng.between(1, 2);
        for (std::int64_t n = 0; n < nodes; ++n) {
            const auto upto = [&](std::int64_t most) {
                return static_cast<std::uint32_t>(rng.between(1, most));
            };
            testing::NodeOptions options{.sockets = upto(3), .cores_per_socket = 1 + upto(4)};
            options.gpus = options.sockets * static_cast<std::uint32_t>(rng.between(0, 2));
            testing::add_node(spec, "node" + std::to_string(n + 1), options);
        }
        return spec;
    }

    void submit(Rng& rng) {
        const auto upto = [&](std::int64_t most) {
            return static_cast<std::uint32_t>(rng.between(1, most));
        };
        JobSpec spec = laid_out(
            {.tasks = upto(4), .cpus = upto(2), .per_socket = rng.chance(60) ? upto(3) : 0});
        if (rng.chance(20))
            spec.request.edit().nearness.edit().layout.over_sockets = CoreOrder::cyclic;
        if (rng.chance(25)) {
            const std::uint32_t each = upto(2), sockets = rng.chance(80) ? upto(2) : 3;
            spec.request.edit().gpus_per_node = {{"gpu", "", std::int64_t{each} * sockets}};
            if (rng.chance(80)) spec.request.edit().nearness.edit().layout.gpus_per_socket = each;
        }
        spec.request.edit().time_limit = std::chrono::minutes(10 * rng.between(1, 12));
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

    // How many GPUs near the socket are among these devices.
    static std::int64_t gpus_in(const NodeSpec& node, std::uint32_t socket, DeviceMask devices) {
        std::int64_t count = 0;
        for_each_bit(devices, [&](int i) {
            const std::size_t core = node.devices[static_cast<std::size_t>(i)].cores.find_first();
            count += core / node.cores_per_socket == socket ? 1 : 0;
        });
        return count;
    }

    // Whether the job has room on some node now, ignoring planned starts.
    bool fits_somewhere(const Job& job) const {
        const ClusterSpec& spec = engine.state().spec();
        const JobRequest& request = job.spec.request;
        const TaskLayout& layout = request.nearness->layout;
        for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
            const NodeSpec& node = spec.nodes[n];
            const NodeFree& free = engine.state().nodes().free(NodeId::from_index(n));
            if (!request.gpus_per_node.empty() &&
                popcount(free.devices) < request.gpus_per_node->front().count)
                continue;
            std::vector<std::int64_t> tasks;
            for (std::uint32_t s = 0; s < node.sockets; ++s) {
                if (gpus_in(node, s, free.devices) < layout.gpus_per_socket) continue;
                std::int64_t here = cores_in(node, s, free.cores) / *request.cpus_per_task;
                if (layout.per_socket > 0) here = std::min<std::int64_t>(here, layout.per_socket);
                if (here > 0) tasks.push_back(here);
            }
            std::ranges::sort(tasks, std::greater{});
            if (layout.gpus_per_socket > 0) {
                const auto sockets = static_cast<std::size_t>(request.gpus_per_node->front().count /
                                                              layout.gpus_per_socket);
                if (tasks.size() < sockets) continue;
                tasks.resize(sockets);
            }
            if (std::accumulate(tasks.begin(), tasks.end(), std::int64_t{0}) >= *request.tasks)
                return true;
        }
        return false;
    }

    void check() {
        engine.state().check_invariants();
        EXPECT_EQ(check_plan(engine.state(), now).value_or(""), "");
        for (const JobId id : engine.state().index().holding())
            check_run(*engine.state().find_job(id));
        check_waiting();
    }

    void check_run(const Job& job) {
        const JobRequest& request = job.spec.request;
        const std::int64_t most = request.nearness->layout.per_socket;
        const NodeShare& share = job.allocation->shares.front();
        EXPECT_EQ(share.cores.count(), std::size_t{*request.tasks} * *request.cpus_per_task);
        EXPECT_EQ(share.amount.cpu(), cores(static_cast<std::int64_t>(share.cores.count())));
        const std::int64_t gpus = request.nearness->layout.gpus_per_socket;
        if (most == 0 && gpus == 0) return;
        ++runs_checked;
        const NodeSpec& node = engine.state().spec().node(share.node);
        std::int64_t sockets = 0;
        for (std::uint32_t s = 0; s < node.sockets; ++s) {
            const std::int64_t here = cores_in(node, s, share.cores);
            if (most > 0) {
                EXPECT_LE(here, most * *request.cpus_per_task) << to_string(job.id);
            }
            EXPECT_EQ(here % *request.cpus_per_task, 0) << to_string(job.id);
            if (gpus == 0) continue;
            const std::int64_t near = gpus_in(node, s, share.devices);
            EXPECT_TRUE(near == gpus || (near == 0 && here == 0)) << to_string(job.id);
            sockets += near > 0 ? 1 : 0;
        }
        if (gpus > 0) {
            EXPECT_EQ(sockets * gpus, request.gpus_per_node->front().count);
        }
    }

    // The first job in the queue, when no other job has a planned start, waits only for what is not
    // free. No planned start moves later, and none passes without a start.
    void check_waiting() {
        const auto& pending = engine.state().index().pending();
        if (!pending.empty()) {
            const Job& first = *engine.state().find_job(*pending.begin());
            const std::size_t own = engine.state().schedule().planned(first.id) == nullptr ? 0 : 1;
            const bool alone = engine.state().schedule().planned_starts().size() == own;
            const TaskLayout& layout = first.spec.request->nearness->layout;
            if (alone && (layout.per_socket > 0 || layout.gpus_per_socket > 0)) {
                ++heads_checked;
                EXPECT_FALSE(fits_somewhere(first)) << to_string(first.id);
            }
        }
        std::map<JobId, Time> starts;
        for (const auto& [id, planned] : engine.state().schedule().planned_starts()) {
            starts[id] = planned.start;
            EXPECT_GT(planned.start, now) << to_string(id);
            const auto before = planned_for.find(id);
            if (before != planned_for.end()) {
                EXPECT_LE(planned.start, before->second);
            }
        }
        planned_for = std::move(starts);
    }

    Engine engine;
    Time now{};
    std::map<JobId, Time> planned_for;
    int heads_checked = 0, runs_checked = 0;
};

TEST(TasksPerSocket, AreKeptToAndPlannedStartsComeTrue) {
    int heads_checked = 0, runs_checked = 0;
    testing::for_each_seed(300, [&](Rng& rng) {
        SocketWorld world(rng);
        for (int step = 0; step < 40; ++step) {
            const std::int64_t jobs = rng.between(0, 3);
            for (std::int64_t i = 0; i < jobs; ++i) world.submit(rng);
            if (rng.chance(60)) world.finish_one(rng);
            world.settle();
            world.check();
            world.advance_to(world.now + std::chrono::minutes(rng.between(1, 8)));
        }
        heads_checked += world.heads_checked;
        runs_checked += world.runs_checked;
    });
    if (!testing::number_in_environment("BERTH_SEED")) {
        EXPECT_GT(heads_checked, testing::scaled(50));
        EXPECT_GT(runs_checked, testing::scaled(500));
    }
}

}  // namespace
}  // namespace berth
