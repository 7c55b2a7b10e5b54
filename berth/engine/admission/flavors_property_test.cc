// Quotas by flavor and by type of GPU over long random histories: no limit is ever exceeded, each
// run keeps to one flavor and one type, and what is kept from cycle to cycle decides as what is
// made anew. The use is reckoned anew, from the nodes on which the runs are.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "berth/engine/admission/admission.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using testing::for_each_seed;

// Of six nodes the first two are fat, the next two are lean, the last ones are of no flavor. Each
// has four A100 or four V100, or two of both.
ClusterSpec flavored_cluster(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(0);
    for (int n = 0; n < 6; ++n) {
        const bool is_first = rng.chance(50);
        testing::add_node(spec, "node" + std::to_string(n + 1),
                          {.sockets = 1,
                           .cores_per_socket = 8,
                           .gpu_type = is_first ? "a100" : "v100",
                           .gpus = 4,
                           .features = {n < 2   ? "fat"
                                        : n < 4 ? "lean"
                                                : "plain"}});
    }
    spec.flavors = {{.name = "f", .features = {"fat"}}, {.name = "l", .features = {"lean"}}};
    spec.scheduling.enforce_limits = true;
    const bool lends = rng.chance(50);
    spec.scheduling.preemption.reclaim =
        lends && rng.chance(60) ? PreemptMode::requeue : PreemptMode::off;
    for (const char* const name : {"one", "two", "three"}) {
        spec.accounts.push_back({.name = name});
        QueueSpec queue{.name = name};
        const auto bound = [&](const char* tres, std::int64_t most) {
            if (!rng.chance(60)) return;
            const std::int64_t limit = rng.between(0, most);
            queue.limit = changed(queue.limit, {{tres, limit}});
            if (lends && rng.chance(60))
                queue.nominal = changed(queue.nominal, {{tres, limit / 2}});
        };
        bound("cpu:f", 16);
        bound("cpu:l", 16);
        for (const DimensionId d : spec.dimensions.of_name("gpu"))
            bound(("gres/gpu:" + spec.dimensions.at(d).type).c_str(), 12);
        bound("gres/gpu:f", 8);
        bound("mem:l", 1024 * 1024);
        if (queue != QueueSpec{.name = name}) spec.queues.push_back(std::move(queue));
    }
    return spec;
}

class FlavoredHistory {
public:
    explicit FlavoredHistory(Rng& rng)
        : rng_(rng), engine_(testing::make_engine(flavored_cluster(rng), kNow)), now_(kNow) {}

    void step() {
        now_ += std::chrono::seconds(rng_.between(0, 60));
        const auto& accounts = engine_.state().spec().accounts;
        JobSpec spec = testing::make_job({.nodes = static_cast<std::uint32_t>(rng_.between(1, 2)),
                                          .gpus = rng_.chance(80) ? rng_.between(1, 4) : 0,
                                          .cpus = static_cast<std::uint32_t>(rng_.between(1, 6)),
                                          .limit = std::chrono::hours(rng_.between(1, 9))});
        if (rng_.chance(70)) spec.request.edit().gpus_per_node = without_type(spec);
        if (rng_.chance(15)) spec.array = ArraySpec{.tasks = {0, 1, 2}};
        spec.account =
            accounts[static_cast<std::size_t>(rng_.between(0, std::ssize(accounts) - 1))].name;
        const auto admitted =
            admit(engine_.state(), now_, {.uid = 1000, .gid = 1000, .user = "ann"}, spec);
        if (rng_.chance(66)) {
            if (const auto* const job = std::get_if<Job>(&admitted)) {
                engine_.apply(now_, JobSubmitted{*job});
                ++submitted;
            }
        }
        cycle();
        const std::vector<JobId> held(engine_.state().index().holding().begin(),
                                      engine_.state().index().holding().end());
        for (const JobId id : held) {
            const bool is_dying = engine_.state().find_job(id)->state == JobState::completing;
            if (rng_.between(0, is_dying ? 1 : 12) == 0) testing::finish(engine_, now_, id);
        }
        if (rng_.chance(3)) change_quota();
        cycle();
    }

    // All runs end, one after the other, and what waits has its turn. A job that is over a limit by
    // itself waits for good.
    void end() {
        for (int i = 0; i < 400 && !engine_.state().index().holding().empty(); ++i) {
            now_ += std::chrono::seconds(60);
            testing::finish(engine_, now_, *engine_.state().index().holding().begin());
            cycle();
            if (::testing::Test::HasFailure()) return;
        }
        for (const auto& [id, pending] : engine_.derived().pending.all())
            ASSERT_NE(pending.blocking.reason, PendingReason::none) << "job " << to_string(id);
    }

    int submitted = 0, started = 0, chosen = 0, moved = 0, planned = 0;

private:
    static std::vector<GresRequest> without_type(const JobSpec& spec) {
        std::vector<GresRequest> gpus = *spec.request->gpus_per_node;
        for (GresRequest& one : gpus) one.type.clear();
        return gpus;
    }

    void change_quota() {
        AccountingEdits edits;
        const ClusterSpec& spec = engine_.state().spec();
        if (spec.queues.empty()) return;
        QueueSpec queue =
            spec.queues[static_cast<std::size_t>(rng_.between(0, std::ssize(spec.queues) - 1))];
        for (auto& [tres, most] : queue.limit) most += rng_.between(0, 4);  // Runs stay within it.
        edits.queues.push_back(std::move(queue));
        engine_.apply(now_, AccountingEdited{edits});
    }

    void cycle() {
        for (int i = 0; i < 20; ++i) {
            const Cycle cycle = engine_.cycle(now_, kBudget);
            for (const Fact& fact : cycle.decisions) {
                started += std::holds_alternative<StartJob>(fact) ? 1 : 0;
                moved += std::holds_alternative<JobMoved>(fact) ? 1 : 0;
            }
            engine_.state().check_invariants();
            if (cycle.complete) break;
            ASSERT_LT(i, 19) << "the cycles do not come to an end";
        }
        ASSERT_EQ(check_plan(engine_.state(), now_), std::nullopt);
        planned += static_cast<int>(engine_.state().schedule().planned_starts().size());
        check_runs();
        check_idle_nodes();
    }

    // Of jobs on one node, where no planned start may be in the way, and no quota but limits.
    void check_idle_nodes() {
        const ClusterState& state = engine_.state();
        for (const QueueSpec& queue : state.spec().queues) {
            if (!queue.nominal.empty()) return;
        }
        std::set<std::string> planning;
        for (const auto& [id, start] : state.schedule().planned_starts())
            planning.insert(*state.find_job(id)->spec.account);
        for (const auto& [id, pending] : engine_.derived().pending.all()) {
            const Job& job = *state.find_job(id);
            const bool is_open =
                pending.blocking.reason == PendingReason::none || pending.blocking.by_limit;
            if (!is_open || job.spec.request->nodes_min != 1U) continue;
            if (planning.contains(*job.spec.account)) continue;
            for (std::size_t n = 0; n < state.spec().nodes.size(); ++n) {
                const NodeId node = NodeId::from_index(n);
                if (!engine_.derived().book.planned_on(node).empty()) continue;
                ASSERT_FALSE(could_run_on(job, node))
                    << "job " << to_string(id) << " could run on " << state.spec().node(node).name;
            }
        }
    }

    bool could_run_on(const Job& job, NodeId node) const {
        const NodeFree& free = engine_.state().nodes().free(node);
        const auto& asked = job.spec.request->gpus_per_node;
        const std::int64_t gpus = asked.empty() ? 0 : asked.front().count;
        const std::int64_t cpus = *job.spec.request->cpus_per_task;
        const std::string type = type_of_node(node), flavor = flavor_of_node(node);
        if (std::cmp_less(free.cores.count(), cpus) || popcount(free.devices) < gpus) return false;
        if (!asked.empty() && !asked.front().type.empty() && asked.front().type != type)
            return false;
        const auto has_room = [&](const std::string& tres, std::int64_t amount) {
            if (amount == 0) return true;
            for (const QueueSpec& queue : engine_.state().spec().queues) {
                if (queue.name != *job.spec.account) continue;
                for (const auto& [name, most] : queue.limit) {
                    if (name == tres && used_now(queue.name, tres) + amount > most) return false;
                }
            }
            return true;
        };
        return has_room("cpu:" + flavor, cpus) && has_room("gres/gpu:" + flavor, gpus) &&
               has_room("gres/gpu:" + type, gpus);
    }

    std::int64_t used_now(const std::string& queue, const std::string& tres) const {
        const auto found = used_.find({queue, tres});
        return found == used_.end() ? 0 : found->second;
    }

    std::string type_of_node(NodeId node) const {
        const ClusterSpec& spec = engine_.state().spec();
        for (const DimensionId d : spec.dimensions.of_name("gpu")) {
            if (spec.node(node).capacity[d] > 0) return spec.dimensions.at(d).type;
        }
        return {};
    }

    std::string flavor_of_node(NodeId node) const {
        const std::string& feature = engine_.state().spec().node(node).features.front();
        return feature == "fat" ? "f" : feature == "lean" ? "l" : "";
    }

    // By queue and TRES, from the nodes.
    void check_runs() {
        auto& used = used_;
        used.clear();
        const ClusterSpec& spec = engine_.state().spec();
        for (const JobId id : engine_.state().index().holding()) {
            const Job& run = *engine_.state().find_job(id);
            std::set<std::string> flavors, types;
            for (const NodeShare& share : run.allocation->shares) {
                const std::string flavor = flavor_of_node(share.node);
                flavors.insert(flavor);
                const auto add = [&](const std::string& tres, std::int64_t amount) {
                    used[{run.spec.account, tres}] += amount;
                };
                add("cpu:" + flavor, share.cpus);
                add("mem:" + flavor, share.memory.count() >> 20);
                for (const DimensionId d : spec.dimensions.of_name("gpu")) {
                    if (share.amount[d] == 0) continue;
                    types.insert(spec.dimensions.at(d).type);
                    add("gres/gpu:" + spec.dimensions.at(d).type, share.amount[d]);
                    add("gres/gpu:" + flavor, share.amount[d]);
                }
            }
            const FlavorChoice& choice = run.spec.flavor;
            if (choice.none()) continue;
            ++chosen;
            EXPECT_TRUE(choice.flavor == FlavorChoice::kNone || flavors.size() == 1);
            EXPECT_TRUE(choice.gres_type == FlavorChoice::kNone || types.size() == 1);
        }
        for (const QueueSpec& queue : spec.queues) {
            for (const auto& [tres, most] : queue.limit) {
                const std::int64_t in_use = used[{queue.name, tres}];
                EXPECT_LE(in_use, most) << queue.name << " " << tres;
            }
        }
    }

    Rng& rng_;
    Engine engine_;
    Time now_;
    std::map<std::pair<std::string, std::string>, std::int64_t> used_;  // By queue and TRES.
};

TEST(Flavors, BoundEachRunByTheNodesAndTypesThatItHas) {
    int submitted = 0, started = 0, chosen = 0, moved = 0, planned = 0;
    for_each_seed(100, [&](Rng& rng) {
        FlavoredHistory history(rng);
        for (int i = 0; i < 80 && !::testing::Test::HasFailure(); ++i) history.step();
        if (!::testing::Test::HasFailure()) history.end();
        submitted += history.submitted;
        started += history.started;
        chosen += history.chosen;
        moved += history.moved;
        planned += history.planned;
    });
    EXPECT_GT(submitted, testing::scaled(2000));
    EXPECT_GT(started, testing::scaled(500));
    EXPECT_GT(chosen, testing::scaled(500));
    EXPECT_GT(moved, testing::scaled(500));
    EXPECT_GT(planned, testing::scaled(500));
}

}  // namespace
}  // namespace berth
