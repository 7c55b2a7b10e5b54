// Edits of accounts, users, QOS and queues while jobs wait: the engine that follows them goes on as
// one made anew from the same state would.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/made_anew.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

const std::vector<std::string> kEditedAccounts = {"science", "physics", "biology", "art"};
const std::vector<std::string> kEditedUsers = {"ann", "ben"};

Limits edited_limits(Rng& rng) {
    Limits limits;
    if (rng.chance(40)) limits.group_tres = {{"gres/gpu", rng.between(0, 6)}};
    if (rng.chance(20)) limits.group_jobs = 2;
    if (rng.chance(20)) limits.max_jobs = 1;
    if (rng.chance(20)) limits.max_tres_per_job = {{"gres/gpu", rng.between(0, 3)}};
    if (rng.chance(10)) limits.max_wall = std::chrono::minutes(rng.between(5, 60));
    return limits;
}

Limits edited_limits_of_qos(Rng& rng) {
    Limits limits = edited_limits(rng);
    limits.max_wall.reset();
    if (rng.chance(30)) limits.max_tres_per_user = {{"cpu", rng.between(1, 4)}};
    if (rng.chance(20)) limits.max_jobs_per_account = 2;
    if (rng.chance(20)) limits.max_submitted = 50;
    return limits;
}

QueueSpec edited_queue(Rng& rng, const std::string& name) {
    QueueSpec queue{.name = name, .nominal = {{"gres/gpu", rng.between(0, 6)}}};
    if (rng.chance(30)) queue.guarantee = {{"gres/gpu", rng.between(0, queue.nominal[0].second)}};
    if (rng.chance(30)) queue.limit = {{"gres/gpu", queue.nominal[0].second + rng.between(0, 2)}};
    if (rng.chance(30)) queue.nominal.emplace_back("cpu", rng.between(0, 12));
    if (rng.chance(20)) queue.allow_preemption = rng.chance(50);
    if (rng.chance(20)) queue.allow_preempt_from = {rng.pick(kEditedAccounts)};
    if (rng.chance(20) && name != "art") queue.lenders = {"art"};
    if (rng.chance(20)) queue.grace_period = std::chrono::seconds(rng.between(0, 90));
    return queue;
}

ClusterSpec edited_site(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(2, {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    spec.scheduling.enforce_limits = rng.chance(90);
    for (const std::string& name : kEditedAccounts) {
        const bool is_top = name == "science" || name == "art";
        AccountSpec& account =
            spec.accounts.push_back({.name = name, .parent = is_top ? "root" : "science"});
        if (rng.chance(40)) account.limits = edited_limits(rng);
        for (const std::string& user : kEditedUsers) {
            if (rng.chance(70)) spec.associations.push_back({.account = name, .user = user});
        }
    }
    if (rng.chance(40)) spec.scheduling.preemption.reclaim = PreemptMode::requeue;
    if (rng.chance(50)) spec.queues.push_back(edited_queue(rng, "science"));
    spec.qos.push_back({.name = "gold", .priority = 10});
    if (rng.chance(50)) spec.qos.back().limits = edited_limits_of_qos(rng);
    if (rng.chance(60)) {
        spec.scheduling.rules.push_back({.kind = "priority", .name = "fair_share", .weight = 1000});
        spec.scheduling.rules.push_back({.kind = "priority", .name = "qos", .weight = 500});
        spec.scheduling.priority_period = std::chrono::seconds(1);  // Each step has its own.
    }
    return spec;
}

template <class Spec, class Is>
Spec known_spec_or(const SharedList<Spec>& all, Is is, const Spec& otherwise) {
    const auto at = std::ranges::find_if(all, is);
    return at == all.end() ? otherwise : *at;
}

void edit_account(Rng& rng, const ClusterSpec& spec, AccountingEdits& edits) {
    const std::string name = rng.chance(90) ? rng.pick(kEditedAccounts) : "music";
    AccountSpec account = known_spec_or(
        spec.accounts, [&](const auto& one) { return one.name == name; },
        AccountSpec{.name = name, .parent = "root"});
    if (rng.chance(80)) account.limits = rng.chance(70) ? edited_limits(rng) : Limits{};
    if (rng.chance(20)) account.shares = rng.between(1, 9);
    if (rng.chance(10)) account.parent = name == "physics" && rng.chance(50) ? "art" : "root";
    edits.accounts.push_back(std::move(account));
}

void edit_association(Rng& rng, const ClusterSpec& spec, AccountingEdits& edits) {
    const std::string account = rng.pick(kEditedAccounts), user = rng.pick(kEditedUsers);
    if (rng.chance(15)) return edits.removed_associations.emplace_back(account, user), void();
    AssociationSpec association = known_spec_or(
        spec.associations,
        [&](const auto& one) { return one.account == account && one.user == user; },
        AssociationSpec{.account = account, .user = user});
    if (rng.chance(80)) association.limits = rng.chance(70) ? edited_limits(rng) : Limits{};
    if (rng.chance(20)) association.shares = rng.between(1, 9);
    edits.associations.push_back(std::move(association));
}

void edit_qos(Rng& rng, const ClusterSpec& spec, AccountingEdits& edits) {
    QosSpec qos = rng.chance(90) ? spec.qos[rng.chance(30) ? 0 : 1] : QosSpec{.name = "silver"};
    if (rng.chance(80)) qos.limits = rng.chance(80) ? edited_limits_of_qos(rng) : Limits{};
    if (rng.chance(20)) qos.priority = rng.between(0, 20);
    if (rng.chance(10)) qos.max_wall = std::chrono::minutes(20);
    if (rng.chance(10)) qos.usage_factor = 2 * kPpmOne;
    edits.qos.push_back(std::move(qos));
}

AccountingEdited some_edit(Rng& rng, const ClusterSpec& spec) {
    AccountingEdits edits;
    if (rng.chance(60)) edit_account(rng, spec, edits);
    if (rng.chance(40)) edit_association(rng, spec, edits);
    if (rng.chance(30)) edit_qos(rng, spec, edits);
    if (rng.chance(5)) edits.removed_accounts.emplace_back("art");
    if (rng.chance(20)) edits.queues.push_back(edited_queue(rng, rng.pick(kEditedAccounts)));
    if (rng.chance(10)) edits.removed_queues.push_back(rng.pick(kEditedAccounts));
    return {std::move(edits)};
}

void submit_any(Rng& rng, Engine& engine, Time now) {
    JobSpec spec = testing::make_job(
        {.gpus = rng.between(0, 3), .limit = std::chrono::minutes(rng.between(1, 40))});
    spec.account = rng.pick(kEditedAccounts);
    if (rng.chance(40)) spec.qos = "gold";
    const Principal who{.uid = 1000, .gid = 1000, .user = rng.pick(kEditedUsers), .group = "users"};
    auto admitted = admit(engine.state(), now, who, spec);
    if (auto* job = std::get_if<Job>(&admitted)) engine.apply(now, JobSubmitted{*job});
}

struct EditsSeen {
    std::size_t edits = 0, starts = 0, in_place = 0, waiting_for_limits = 0;
};

// Of this moment, the book of limits says what the quota tree says. Planned starts that are late
// are in the book alone.
void expect_book_agrees(const Engine& engine, Time now, EditsSeen& seen) {
    const ClusterState& state = engine.state();
    const PlanBook& book = engine.derived().book;
    for (const auto& [id, planned] : book.planned_starts()) {
        if (planned.start <= now) return;
    }
    for (const auto& [id, pending] : engine.derived().pending.all()) {
        const Job& job = *state.find_job(id);
        const Demand& demand = pending.shape->demand();
        const LimitRequest asked = limit_request_of(state, job.partition, demand);
        if (!may_start_alone(state, job, demand, asked)) continue;
        const auto use = book.limits().use_of(state, job, demand, asked);
        const bool may_start =
            limit_reason_on_start(state, job, demand, asked).reason == PendingReason::none;
        ASSERT_EQ(book.limits().first_free(use, now, now, Duration(1)).has_value(), may_start)
            << to_string(id);
        seen.waiting_for_limits += may_start ? 0U : 1U;
    }
}

void live_through_edits(Rng& rng, EditsSeen& seen) {
    Engine engine = testing::make_engine(edited_site(rng));
    Time now{};
    for (int i = 0; i < 30; ++i) {
        now += std::chrono::seconds(rng.between(1, 100));
        for (int n = 0; n < 3; ++n) submit_any(rng, engine, now);
        const auto& holding = engine.state().index().holding();
        if (!holding.empty() && rng.chance(60)) {
            testing::finish(engine, now,
                            rng.pick(std::vector<JobId>(holding.begin(), holding.end())));
        }
        end_runs_in_time(engine, now);
        const std::uint64_t generation = engine.derived().book.generation();
        for (std::int64_t n = rng.between(1, 3); n > 0; --n) {
            engine.apply(now, some_edit(rng, engine.state().spec()));
            ++seen.edits;
        }
        engine.state().check_invariants();
        Engine made = made_anew(engine);
        const std::uint32_t starts = settle_all(engine, now);
        ASSERT_EQ(settle_all(made, now), starts);
        ASSERT_EQ(check_plan(engine.state(), now), std::nullopt);
        expect_book_agrees(engine, now, seen);
        // Which searches for victims were in vain is remembered, but not by an engine made anew.
        const bool reclaims = engine.state().spec().scheduling.preemption.reclaims();
        expect_as_anew(engine, made, starts > 0 || reclaims);
        if (::testing::Test::HasFatalFailure()) return;
        seen.starts += starts;
        seen.in_place += engine.derived().book.generation() == generation ? 1U : 0U;
        engine.state().check_invariants();
    }
}

TEST(AccountingEdits, LeadToWhatAnEngineMadeAnewDecides) {
    EditsSeen seen;
    std::size_t tried = 0;
    testing::for_each_seed(60, [&](Rng& rng) {
        ++tried;
        live_through_edits(rng, seen);
    });
    EXPECT_EQ(seen.in_place, tried * 30) << "the plan was made anew";
    EXPECT_GT(seen.edits, tried * 40);
    EXPECT_GT(seen.starts, tried / 2);
    EXPECT_GT(seen.waiting_for_limits, tried);
}

// An edit of limits asks for the jobs below the account alone.
TEST(AccountingEdits, OfALimitConcernTheJobsBelowIt) {
    Rng rng(1);
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 4});
    spec.scheduling.enforce_limits = true;
    for (const std::string& name : kEditedAccounts) {
        AccountSpec& account = spec.accounts.push_back({.name = name, .parent = "root"});
        account.limits.group_tres = {{"gres/gpu", 0}};
        spec.associations.push_back({.account = name, .user = "ann"});
    }
    Engine engine = testing::make_engine(std::move(spec));
    for (const std::string& name : kEditedAccounts) {
        JobSpec job = testing::make_job({.gpus = 1});
        job.account = name;
        testing::submit(engine, kNow, job);
    }
    settle_all(engine, kNow);
    ASSERT_EQ(engine.state().index().holding().size(), 0U);
    AccountingEdits edits;
    edits.accounts.push_back(engine.state().spec().accounts[1]);
    edits.accounts.front().limits.group_tres = {{"gres/gpu", 1}};
    engine.mutable_state().take_touched();
    engine.apply(kNow, AccountingEdited{edits});
    settle_all(engine, kNow);
    EXPECT_EQ(engine.state().index().holding().size(), 1U);
    EXPECT_EQ(engine.mutable_state().take_touched().jobs.size(), 1U);
}

// A QOS that comes to preempt another moves the jobs that wait already.
TEST(AccountingEdits, WhomAQosPreemptsOrdersWhatWaits) {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 4});
    spec.scheduling.preemption = {.by = PreemptBy::qos, .mode = PreemptMode::requeue};
    spec.scheduling.preemption.exempt = std::chrono::hours(100);
    spec.qos.push_back({.name = "urgent"});
    Engine engine = testing::make_engine(spec, kNow);
    const JobId running = testing::submit(engine, kNow, testing::make_job({.gpus = 4}));
    engine.cycle(kNow, kBudget);
    const JobId first = testing::submit(engine, kNow, testing::make_job({.gpus = 4}));
    JobSpec asked = testing::make_job({.gpus = 4});
    asked.qos = "urgent";
    const JobId second = testing::submit(engine, kNow, asked);
    engine.cycle(kNow, kBudget);
    AccountingEdited edit;
    edit.edits.qos.push_back(spec.qos.back());
    edit.edits.qos.back().preempt = {"normal"};
    engine.apply(kNow, edit);
    engine.cycle(kNow, kBudget);
    ASSERT_EQ(engine.state().find_job(running)->state, JobState::running) << "it is exempt";
    const auto& entries = engine.derived().pending.order().entries();
    std::vector<JobId> order;
    for (const JobOrder::Entry& entry : entries) {
        if (entry.job != nullptr) order.push_back(entry.job->id);
    }
    EXPECT_EQ(order, (std::vector{second, first}));
}

}  // namespace
}  // namespace berth
