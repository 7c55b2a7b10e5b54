// Reclaim over long random histories: what is lent comes back to whom it belongs, no more than was
// lent, and no limit is ever exceeded. The quotas are reckoned anew from the runs each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using testing::for_each_seed;

constexpr std::int64_t kGpus = 16;

// Up to two labs, with queues below them or none, which share 16 GPUs on four nodes.
ClusterSpec quota_cluster(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(4, {.gpus = 4});
    spec.scheduling.enforce_limits = true;
    spec.scheduling.preemption.reclaim =
        rng.between(0, 3) == 0 ? PreemptMode::cancel : PreemptMode::requeue;
    const auto add = [&](const std::string& name, const std::string& parent, std::int64_t nominal) {
        spec.accounts.push_back({.name = name, .parent = parent});
        if (nominal < 0) return;
        QueueSpec queue{.name = name, .nominal = {{"gres/gpu", nominal}}};
        if (rng.between(0, 2) == 0) queue.guarantee = {{"gres/gpu", rng.between(0, nominal)}};
        if (rng.between(0, 2) == 0)
            queue.limit = {{"gres/gpu", nominal + rng.between(0, kGpus - nominal)}};
        spec.queues.push_back(std::move(queue));
    };
    std::int64_t left = kGpus;
    for (const char* const lab : {"lab", "dep"}) {
        const std::int64_t nominal = rng.between(2, left / 2);
        left -= nominal;
        const bool has_queues = rng.between(0, 2) != 0;
        add(lab, "root", has_queues && rng.between(0, 1) == 0 ? -1 : nominal);
        if (!has_queues) continue;
        const std::int64_t first = rng.between(1, nominal);
        add(lab + std::string("_a"), lab, first);
        add(lab + std::string("_b"), lab, nominal - first);
    }
    add("guests", "root", rng.between(0, 1) == 0 ? -1 : left);
    return spec;
}

// What the queues use, as a person would reckon it.
class Books {
public:
    // `now`: with what will run in the room that others leave. nullopt: without.
    Books(const ClusterState& state, std::optional<Time> now) : spec_(state.spec()) {
        for (const JobId id : state.index().holding()) {
            const Job& run = *state.find_job(id);
            if (run.state == JobState::running && !run.allocation->preempted) add(run);
        }
        for (const auto& [id, until] : state.schedule().preemptor_holds()) {
            const Job* const job = state.find_job(id);
            if (now && job->state == JobState::pending && *now < until) add(*job);
        }
    }
    bool has_right(const Job& job) const {
        return std::ranges::all_of(chain(job.spec.account), [&](const std::string& queue) {
            return by_right(queue) + gpus_of(job) <= nominal(queue).value_or(kGpus);
        });
    }
    void add(const Job& job) { runs_[job.id] = {job.spec.account, gpus_of(job)}; }
    void drop(JobId job) { runs_.erase(job); }

    static std::int64_t gpus_of(const Job& job) {
        const auto nodes = static_cast<std::int64_t>(job.spec.request->nodes_min);
        return job.spec.request->gpus_per_node.front().count * nodes;
    }
    std::vector<std::string> chain(std::string account) const {
        std::vector<std::string> names;
        for (; account != "root"; account = parent(account)) names.push_back(account);
        return names;
    }
    std::int64_t used(const std::string& account) const {
        std::int64_t sum = 0;
        for (const auto& [id, run] : runs_) {
            const std::vector<std::string> names = chain(run.first);
            if (std::ranges::find(names, account) != names.end()) sum += run.second;
        }
        return sum;
    }
    std::optional<std::int64_t> nominal(const std::string& account) const {
        if (const QueueSpec* const queue = find(account)) return queue->nominal.front().second;
        std::optional<std::int64_t> sum;
        for (const AccountSpec& one : spec_.accounts) {
            const auto below = one.parent == account ? nominal(one.name) : std::nullopt;
            if (below) sum = sum.value_or(0) + *below;
        }
        return sum;
    }
    std::int64_t by_right(const std::string& account) const {
        std::int64_t sum = 0;
        for (const auto& [id, run] : runs_) sum += run.first == account ? run.second : 0;
        for (const AccountSpec& one : spec_.accounts)
            if (one.parent == account) sum += by_right(one.name);
        const auto most = nominal(account);
        return most ? std::min(sum, *most) : sum;
    }
    std::int64_t limit(const std::string& account) const {
        const QueueSpec* const queue = find(account);
        return queue == nullptr || queue->limit.empty() ? kGpus : queue->limit.front().second;
    }

private:
    std::string parent(const std::string& account) const {
        return std::ranges::find(spec_.accounts, account, &AccountSpec::name)->parent;
    }
    const QueueSpec* find(const std::string& account) const {
        const auto found = std::ranges::find(spec_.queues, account, &QueueSpec::name);
        return found == spec_.queues.end() ? nullptr : &*found;
    }

    const ClusterSpec& spec_;
    std::map<JobId, std::pair<std::string, std::int64_t>> runs_;
};

class LendingHistory {
public:
    explicit LendingHistory(Rng& rng)
        : rng_(rng), engine_(testing::make_engine(quota_cluster(rng), kNow)), now_(kNow) {}

    void step() {
        now_ += std::chrono::seconds(rng_.between(0, 60));
        const auto& accounts = engine_.state().spec().accounts;
        const auto at = rng_.between(0, static_cast<std::int64_t>(accounts.size()) - 1);
        JobSpec spec = testing::make_job({.nodes = static_cast<std::uint32_t>(rng_.between(1, 2)),
                                          .gpus = rng_.between(1, 4),
                                          .limit = std::chrono::hours(rng_.between(1, 9))});
        spec.account = accounts[static_cast<std::size_t>(at)].name;
        if (rng_.between(0, 2) != 0) testing::submit(engine_, now_, spec);
        cycle();
        for (const JobId id : std::vector(engine_.state().index().holding().begin(),
                                          engine_.state().index().holding().end())) {
            const bool is_dying = engine_.state().find_job(id)->state == JobState::completing;
            if (rng_.between(0, is_dying ? 1 : 15) == 0) testing::finish(engine_, now_, id);
        }
        cycle();
    }

    int reclaimed = 0, borrowed = 0;

private:
    void cycle() {
        for (int i = 0; i < 20; ++i) {
            Books books(engine_.state(), now_);
            const Cycle cycle = engine_.cycle(now_, kBudget);
            for (const Fact& fact : cycle.decisions) follow(books, fact);
            engine_.state().check_invariants();
            if (cycle.complete) break;
            ASSERT_LT(i, 19) << "the cycles do not come to an end";
        }
        ASSERT_EQ(check_plan(engine_.state(), now_), std::nullopt);
        check_limits();
    }

    void follow(Books& books, const Fact& fact) {
        if (const auto* const start = std::get_if<StartJob>(&fact)) {
            books.add(*engine_.state().find_job(start->job));
        } else if (const auto* const preempted = std::get_if<JobsPreempted>(&fact)) {
            check(books, *preempted);
            for (const auto& victim : preempted->victims) books.drop(victim.job);
            books.add(*engine_.state().find_job(preempted->preemptor));
            ++reclaimed;
        }
    }

    void check(const Books& books, const JobsPreempted& fact) {
        const Job& job = *engine_.state().find_job(fact.preemptor);
        const std::vector<std::string> own = books.chain(job.spec.account);
        EXPECT_TRUE(books.has_right(job));
        std::map<std::string, std::vector<std::int64_t>> taken;
        for (const auto& victim : fact.victims) {
            const Job& run = *engine_.state().find_job(victim.job);
            int others = 0;
            for (const std::string& queue : books.chain(run.spec.account)) {
                if (std::ranges::find(own, queue) != own.end()) break;
                ++others;
                EXPECT_GT(books.used(queue), books.nominal(queue).value_or(0)) << queue;
                taken[queue].push_back(Books::gpus_of(run));
            }
            EXPECT_GT(others, 0) << "reclaimed from itself";
        }
        for (auto& [queue, amounts] : taken) {
            std::ranges::sort(amounts);
            std::int64_t before_last = 0;
            for (std::size_t i = 0; i + 1 < amounts.size(); ++i) before_last += amounts[i];
            EXPECT_LT(before_last, books.used(queue) - books.nominal(queue).value_or(0)) << queue;
        }
    }

    void check_limits() {
        const Books books(engine_.state(), std::nullopt);
        for (const AccountSpec& one : engine_.state().spec().accounts) {
            EXPECT_LE(books.used(one.name), books.limit(one.name)) << one.name;
            const auto nominal = books.nominal(one.name);
            if (nominal && books.used(one.name) > *nominal) ++borrowed;
        }
    }

    Rng& rng_;
    Engine engine_;
    Time now_;
};

TEST(Reclaim, TakesBackWhatWasLentAndNoMore) {
    int reclaimed = 0, borrowed = 0;
    for_each_seed(150, [&](Rng& rng) {
        LendingHistory history(rng);
        for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) history.step();
        reclaimed += history.reclaimed;
        borrowed += history.borrowed;
    });
    EXPECT_GT(reclaimed, testing::scaled(150));
    EXPECT_GT(borrowed, testing::scaled(1000));
}

}  // namespace
}  // namespace berth
