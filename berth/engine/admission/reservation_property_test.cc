// Random clusters with reservations and licenses: no run and no planned start violates them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "berth/engine/admission/admission.h"
#include "berth/engine/admission/reservation_choice.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/engine/plan/reservation_book.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::minutes;
constexpr std::int64_t kSeats = 4;

ClusterSpec random_licensed_cluster(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(static_cast<std::uint32_t>(rng.between(1, 4)));
    spec.licenses = {{"ansys", 1}, {"matlab", kSeats}};
    spec.scheduling.kill_wait = std::chrono::seconds(rng.between(0, 30));
    return spec;
}

Reservation random_reservation(Rng& rng, const ClusterSpec& spec, Time now, std::string name) {
    Reservation made{.name = std::move(name)};
    made.start = now + minutes(rng.between(0, 200));
    made.end = made.start + minutes(rng.between(10, 120));
    made.whole_nodes = rng.chance(60);
    made.flex = rng.chance(20);
    made.hold_jobs_after = rng.chance(50);
    if (rng.chance(40)) made.repeat = rng.chance(50) ? Repeat::daily : Repeat::hourly;
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        if (rng.chance(50) && !made.amounts.empty()) continue;
        const NodeSpec& node = spec.nodes[n];
        made.amounts.emplace_back(
            NodeId::from_index(n),
            made.whole_nodes ? node.capacity : share_for_gpus(spec, node, rng.between(1, 8)));
    }
    if (made.repeat == Repeat::hourly) made.end = made.start + minutes(rng.between(10, 50));
    return made;
}

JobSpec random_reserving_job(Rng& rng) {
    JobSpec spec = testing::make_job({.nodes = static_cast<std::uint32_t>(rng.between(1, 2)),
                                      .gpus = rng.between(0, 8),
                                      .limit = minutes(rng.between(1, 150))});
    if (rng.chance(40))
        spec.request.edit().licenses = LicenseRequest{{{"matlab", rng.between(1, 3)}}, false};
    if (rng.chance(20)) {
        spec.request.edit().licenses =
            LicenseRequest{{{"ansys", 1}, {"matlab", 2}}, rng.chance(50)};
    }
    if (rng.chance(40)) spec.request.edit().reservation = rng.chance(50) ? "one" : "two";
    if (rng.chance(20)) spec.time_min = minutes(rng.between(1, 20));
    return spec;
}

// What a job holds or is planned to hold, and when.
struct Holder {
    JobId job{0};
    Span span;
    std::vector<std::pair<NodeId, Resources>> amounts;
    std::vector<LicenseCount> licenses;
    std::string reservation;
    bool running = false;
};

std::vector<Holder> holders_of(const ClusterState& state) {
    std::vector<Holder> holders;
    for (const JobId id : state.index().holding()) {
        const Job& job = *state.find_job(id);
        Holder one{.job = id,
                   .span = {*job.started_at, after(*job.started_at, job.time_limit)},
                   .amounts = {},
                   .licenses = job.allocation->licenses,
                   .reservation = job.spec.request->reservation,
                   .running = true};
        for (const NodeShare& share : job.allocation->shares) {
            one.amounts.emplace_back(share.node, share.amount);
        }
        holders.push_back(std::move(one));
    }
    for (const auto& [id, planned] : state.schedule().planned_starts()) {
        holders.push_back({id,
                           {planned.start, planned.end},
                           planned.amounts.plain(),
                           *planned.licenses,
                           state.find_job(id)->spec.request->reservation});
    }
    return holders;
}

void expect_licenses_suffice(const std::vector<Holder>& holders, Time now) {
    for (const Holder& at : holders) {
        std::int64_t seats = 0;
        const Time begin = std::max(at.span.start, now);
        for (const Holder& other : holders) {
            if (other.span.start > begin || other.span.end <= begin) continue;
            for (const LicenseCount& one : other.licenses) {
                if (one.name == "matlab") seats += one.count;
            }
        }
        ASSERT_LE(seats, kSeats) << "when job " << to_string(at.job) << " begins";
    }
}

// Within a reservation's time, only its own jobs use its part of a node.
void expect_kept_clear(const ClusterState& state, const std::vector<Holder>& holders,
                       const Reservation& reservation, const JobSet& before_it) {
    for (const Span& span : spans_of(reservation)) {
        for (const auto& [node, kept] : reservation.amounts) {
            for (const Holder& at : holders) {
                const Time begin = std::max(at.span.start, span.start);
                Resources others;
                for (const Holder& one : holders) {
                    const bool counts = one.reservation != reservation.name &&
                                        !before_it.contains(one.job) && one.span.start <= begin &&
                                        one.span.end > begin;
                    if (!counts || begin >= span.end) continue;
                    for (const auto& [on, amount] : one.amounts) {
                        if (on == node) others += amount;
                    }
                }
                ASSERT_TRUE(fits(others + kept, state.spec().node(node).capacity))
                    << reservation.name << " when job " << to_string(at.job) << " begins";
            }
        }
    }
}

void expect_within(const Holder& holder, const Reservation& reservation) {
    if (holder.reservation != reservation.name || reservation.flex) return;
    bool within = false;
    for (const Span& span : spans_of(reservation)) {
        within = within || (holder.span.start >= span.start && holder.span.end <= span.end);
    }
    ASSERT_TRUE(within) << "job " << to_string(holder.job) << " in " << reservation.name;
    for (const auto& [node, amount] : holder.amounts) {
        const auto part =
            std::ranges::find(reservation.amounts, node, &std::pair<NodeId, Resources>::first);
        ASSERT_TRUE(part != reservation.amounts.end() && fits(amount, part->second));
    }
}

TEST(Reservations, AndLicensesAreKeptByEveryRunAndEveryPromise) {
    int started_in_one = 0, planned_for = 0;
    testing::for_each_seed(150, [&](Rng& rng) {
        Time now{};
        Engine engine = testing::make_engine(random_licensed_cluster(rng));
        const ClusterSpec spec = engine.state().spec();
        const Principal who{.uid = 1, .gid = 1, .user = "ann", .group = "ann", .role = Role::admin};
        std::map<std::string, JobSet> before;  // Jobs that ran when it was made.
        for (int step = 0; step < 25; ++step) {
            for (const char* name : {"one", "two"}) {
                if (engine.state().reservations().find(name) != nullptr || !rng.chance(20))
                    continue;
                Reservation made = random_reservation(rng, spec, now, name);
                const Reservation* other =
                    engine.state().reservations().find(name == std::string("one") ? "two" : "one");
                if (other != nullptr) continue;  // Overlapping reservations are not tested here.
                before[name] = engine.state().index().holding();
                engine.apply(now, ReservationSet{made});
            }
            for (std::int64_t i = rng.between(0, 4); i > 0; --i) {
                auto admitted = admit(engine.state(), now, who, random_reserving_job(rng));
                if (const Job* job = std::get_if<Job>(&admitted)) {
                    engine.apply(now, JobSubmitted{*job});
                }
            }
            const Cycle cycle = engine.cycle(now, kBudget);
            ASSERT_TRUE(cycle.complete);
            engine.state().check_invariants();
            const auto wrong = check_plan(engine.state(), now);
            ASSERT_FALSE(wrong) << *wrong;
            const std::vector<Holder> holders = holders_of(engine.state());
            expect_licenses_suffice(holders, now);
            for (const auto& [name, reservation] : engine.state().reservations()) {
                expect_kept_clear(engine.state(), holders, reservation, before[name]);
                for (const Holder& one : holders) {
                    // Jobs of an earlier occurrence may still run.
                    if (!one.running || one.span.start == now) expect_within(one, reservation);
                    if (one.reservation != name) continue;
                    (one.running ? started_in_one : planned_for) += 1;
                }
            }
            for (const JobId id : JobSet(engine.state().index().holding())) {
                const Job& job = *engine.state().find_job(id);
                if (rng.chance(20) || job.state == JobState::completing) {
                    testing::finish(engine, now, id);
                }
            }
            now += minutes(rng.between(1, 40));
        }
    });
    EXPECT_GT(started_in_one, testing::scaled(100));
    EXPECT_GT(planned_for, testing::scaled(100));
}

}  // namespace
}  // namespace berth
