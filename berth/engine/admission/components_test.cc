// Heterogeneous jobs among others: their components start together or not at all, their plan is
// feasible, and planned starts are kept.
#include <algorithm>

#include "berth/base/rng.h"
#include "berth/engine/admission/admission.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

class ComponentsWorld {
public:
    explicit ComponentsWorld(Rng& rng)
        : rng_(rng), engine_(testing::make_engine(testing::make_cluster(4))) {}

    void step() {
        const Time until = now_ + std::chrono::minutes(rng_.between(1, 20));
        // Limits and planned starts are due to the second.
        while (wake_at_ && *wake_at_ <= until) {
            now_ = std::max(now_, *wake_at_);
            look();
        }
        now_ = until;
        if (rng_.chance(60)) submit();
        if (rng_.chance(50)) end_one();
        look();
    }
    int started() const { return started_; }
    int together() const { return together_; }

private:
    void look() {
        const JobTable<PlannedStart> before = engine_.state().schedule().planned_starts();
        for (bool more = true; more;) {
            Cycle cycle = engine_.cycle(now_, 1000);
            more = !cycle.complete;
            wake_at_ = cycle.wake_at;
        }
        check(before);
        if (!end_overdue()) return;
        look();
    }

    JobSpec spec() {
        return testing::make_job({.nodes = static_cast<std::uint32_t>(rng_.between(1, 2)),
                                  .gpus = rng_.between(0, 8),
                                  .cpus = static_cast<std::uint32_t>(rng_.between(1, 16)),
                                  .limit = std::chrono::minutes(rng_.between(10, 110))});
    }

    void submit() {
        const auto size = static_cast<std::uint32_t>(rng_.between(1, 3));
        const JobId first = engine_.state().next_job_id();
        for (std::uint32_t i = 0; i < size; ++i) {
            const Principal ann{.uid = 1000, .gid = 100, .user = "ann", .role = Role::user};
            Job job = std::get<Job>(admit(engine_.state(), now_, ann, spec()));
            if (size > 1) job.het = HetComponent{first, i, size};
            engine_.apply(now_, JobSubmitted{job});
        }
    }

    // With all its components, as the controller does.
    void end(JobId id) {
        const Job& job = *engine_.state().find_job(id);
        const HetComponent all = job.het.plain().value_or(HetComponent{id, 0, 1});
        for (std::uint32_t i = 0; i < all.size; ++i) {
            if (engine_.state().find_job(all.id(i))->allocation) {
                testing::finish(engine_, now_, all.id(i));
            }
        }
    }
    void end_one() {
        const auto& holding = engine_.state().index().holding();
        if (holding.empty()) return;
        const std::vector<JobId> ids(holding.begin(), holding.end());
        end(rng_.pick(std::span<const JobId>(ids)));
    }
    // Whether a job past its expected end may delay planned starts.
    bool any_overdue() const {
        const auto& holding = engine_.state().index().holding();
        return std::ranges::any_of(holding, [&](JobId id) {
            return engine_.state().find_job(id)->state == JobState::completing;
        });
    }
    // Ends jobs that the cycle has told to end.
    bool end_overdue() {
        std::vector<JobId> ids;
        for (const JobId id : engine_.state().index().holding()) {
            if (engine_.state().find_job(id)->state == JobState::completing) ids.push_back(id);
        }
        for (const JobId id : ids) testing::finish(engine_, now_, id);
        return !ids.empty();
    }

    void check(const JobTable<PlannedStart>& before) {
        engine_.state().check_invariants();
        EXPECT_EQ(check_plan(engine_.state(), now_), std::nullopt);
        if (!any_overdue()) {
            EXPECT_EQ(check_kept(engine_.state(), before), std::nullopt);
        }
        for (const auto& [id, job] : engine_.state().jobs()) {
            if (job.state == JobState::running) ++started_;
            if (!job.het) continue;
            const Job& first = *engine_.state().find_job(job.het->first);
            EXPECT_EQ(job.state == JobState::pending, first.state == JobState::pending);
            EXPECT_EQ(job.started_at, first.started_at);
            together_ += job.state == JobState::running && job.het->offset > 0;
            const PlannedStart* const own = engine_.state().schedule().planned(id);
            const PlannedStart* const all = engine_.state().schedule().planned(first.id);
            ASSERT_EQ(own == nullptr, all == nullptr);
            if (own == nullptr) continue;
            EXPECT_EQ(own->start, all->start);
        }
    }

    Rng& rng_;
    Engine engine_;
    Time now_ = from_seconds(1000);
    std::optional<Time> wake_at_;
    int started_ = 0, together_ = 0;
};

TEST(HeterogeneousJobs, StartTogetherOrNotAtAllAmongOthers) {
    testing::for_each_seed(40, [](Rng& rng) {
        ComponentsWorld world(rng);
        for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) world.step();
        EXPECT_GT(world.started(), 0);
        EXPECT_GT(world.together(), 0);
    });
}

}  // namespace
}  // namespace berth
