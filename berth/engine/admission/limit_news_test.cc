// A job's limits are checked again only when a change may affect it. The result must equal that of
// checking every job each time.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

void add_quotas(Rng& rng, ClusterSpec& spec) {
    for (const char* name : {"science", "physics", "biology", "art"}) {
        if (rng.chance(30)) continue;
        QueueSpec queue{.name = name, .nominal = {{"gres/gpu", rng.between(1, 3)}}};
        if (rng.chance(30)) queue.lend_max = {{"gres/gpu", rng.between(0, 1)}};
        if (rng.chance(30)) queue.borrow_max = {{"gres/gpu", rng.between(0, 2)}};
        spec.queues.push_back(std::move(queue));
    }
}

ClusterSpec limited_cluster(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(2, {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    spec.scheduling.enforce_limits = true;
    AccountSpec& science = spec.accounts.push_back({.name = "science", .parent = "root"});
    if (rng.chance(50)) science.limits.group_jobs = 4;
    for (const char* name : {"physics", "biology"}) {
        AccountSpec& account = spec.accounts.push_back({.name = name, .parent = "science"});
        if (rng.chance(60)) account.limits.group_tres = {{"gres/gpu", rng.between(1, 5)}};
        for (const char* user : {"ann", "ben"}) {
            AssociationSpec& one = spec.associations.push_back({.account = name, .user = user});
            if (rng.chance(40)) one.limits.max_jobs = 2;
        }
    }
    spec.accounts.push_back({.name = "art", .parent = "root"});
    spec.associations.push_back({.account = "art", .user = "ann"});
    if (rng.chance(50)) add_quotas(rng, spec);
    spec.qos.push_back({.name = "gold"});
    Limits& gold = spec.qos.back().limits;
    if (rng.chance(50)) gold.max_tres_per_user = {{"cpu", 3}};
    if (rng.chance(30)) gold.max_jobs = 2;
    if (rng.chance(30)) gold.max_jobs_per_account = 2;
    if (rng.chance(30)) gold.max_tres_per_account = {{"gres/gpu", 2}};
    if (rng.chance(20)) gold.group_jobs = 3;
    return spec;
}

void submit_some(Rng& rng, Engine& engine, Time now) {
    JobSpec spec = testing::make_job(
        {.gpus = rng.between(0, 2), .limit = std::chrono::minutes(rng.between(1, 30))});
    const std::vector<std::string> accounts = {"physics", "biology", "art"};
    spec.account = rng.pick(accounts);
    const std::string user = rng.chance(50) || spec.account == "art" ? "ann" : "ben";
    if (rng.chance(30)) spec.qos = "gold";
    const Principal who{.uid = 1000, .gid = 1000, .user = user, .group = "users"};
    auto admitted = admit(engine.state(), now, who, spec);
    if (auto* job = std::get_if<Job>(&admitted)) engine.apply(now, JobSubmitted{*job});
}

// The blocking reasons see what starts in a cycle only in the next one.
bool is_settled(const Cycle& cycle) { return cycle.work.ran && cycle.work.starts == 0; }

void check_blockings(const Engine& engine, Time now) {
    for (const auto& [id, pending] : engine.derived().pending.all()) {
        const Job& job = *engine.state().find_job(id);
        const BlockingReason blocking =
            blocking_reason_of(engine.state(), job, *pending.shape, engine.derived().budgets(),
                               engine.derived().running_tasks(job), now);
        ASSERT_EQ(pending.blocking.reason, blocking.reason)
            << "job " << to_string(id) << " of " << job.owner->user.plain() << " in "
            << job.spec.account.plain();
    }
}

TEST(LimitNews, ConcernAllWhoseGateOpensOrShuts) {
    std::size_t shut = 0;
    testing::for_each_seed(100, [&](Rng& rng) {
        Engine engine = testing::make_engine(limited_cluster(rng));
        Time now{};
        for (int i = 0; i < 60; ++i) {
            now += std::chrono::minutes(rng.between(0, 3));
            if (rng.chance(60)) submit_some(rng, engine, now);
            const auto& holding = engine.state().index().holding();
            if (!holding.empty() && rng.chance(60)) {
                testing::finish(engine, now,
                                rng.pick(std::vector<JobId>(holding.begin(), holding.end())));
            }
            if (!is_settled(engine.cycle(now, kBudget))) continue;
            check_blockings(engine, now);
            if (::testing::Test::HasFatalFailure()) return;
            for (const auto& [id, pending] : engine.derived().pending.all()) {
                shut += pending.blocking.by_limit ? 1U : 0U;
            }
            engine.state().check_invariants();
        }
    });
    EXPECT_GT(shut, testing::scaled(500U));
}

}  // namespace
}  // namespace berth
