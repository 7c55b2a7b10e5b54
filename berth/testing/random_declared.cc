#include "berth/testing/random_declared.h"

#include <array>

namespace berth::testing {
namespace {

constexpr std::array<const char*, 3> kReservations = {"course", "fixing", "nightly"};

std::uint32_t small_count(Rng& rng, std::int64_t most) {
    return static_cast<std::uint32_t>(rng.between(1, most));
}

// The last of them is on no cluster.
constexpr std::array<const char*, 3> kLimited = {"license/ansys", "license/matlab",
                                                 "license/maple"};

Limits random_limits(Rng& rng) {
    Limits limits;
    if (rng.chance(40)) limits.group_tres = {{"cpu", rng.between(1, 40)}};
    if (rng.chance(20)) {
        const auto one = static_cast<std::size_t>(rng.between(0, 2));
        limits.group_tres.emplace_back(kLimited.at(one), rng.between(0, 4));
    }
    if (rng.chance(30)) limits.max_tres_per_job = {{"gres/gpu", rng.between(0, 4)}};
    if (rng.chance(30)) limits.max_jobs = small_count(rng, 4);
    if (rng.chance(20)) limits.group_submitted = small_count(rng, 40);
    if (rng.chance(20)) limits.max_wall = std::chrono::minutes(rng.between(10, 1000));
    return limits;
}

}  // namespace

std::vector<LicenseSpec> random_licenses(Rng& rng) {
    std::vector<LicenseSpec> licenses;
    if (rng.chance(60)) licenses.push_back({.name = "ansys", .total = rng.between(0, 4)});
    if (rng.chance(60)) licenses.push_back({.name = "matlab", .total = rng.between(1, 8)});
    return licenses;
}

void add_random_terms(Rng& rng, Time now, const ClusterState& state, Job& job) {
    const auto& licenses = state.spec().licenses;
    if (!licenses.empty() && rng.chance(20)) {
        LicenseRequest& asked = job.spec.request.edit().licenses.edit();
        asked.counts = {{rng.pick(licenses).name, rng.between(1, 2)}};
        asked.any = rng.chance(20);
    }
    if (rng.chance(10)) job.spec.deadline = now + std::chrono::minutes(rng.between(1, 2000));
    if (rng.chance(10)) job.spec.time_min = std::chrono::minutes(1);
    if (!state.reservations().empty() && rng.chance(20)) {
        job.spec.request.edit().reservation = state.reservations().begin()->first;
    }
}

std::optional<Fact> random_reservation(Rng& rng, Time now, const ClusterState& state) {
    Reservation made{.name = kReservations.at(static_cast<std::size_t>(rng.between(0, 2)))};
    made.start = now + std::chrono::minutes(rng.between(-10, 600));
    made.end = made.start + std::chrono::minutes(rng.between(1, 600));
    made.repeat = rng.chance(30) ? Repeat::daily : Repeat::never;
    made.whole_nodes = rng.chance(70);
    for (std::size_t n = 0; n < state.spec().nodes.size(); ++n) {
        if (rng.chance(50)) continue;
        Resources amount = state.spec().nodes[n].capacity;
        if (!made.whole_nodes) amount.set_cpu(cores(1));
        made.amounts.emplace_back(NodeId::from_index(n), amount);
    }
    if (made.amounts.empty()) return std::nullopt;
    made.users = {rng.chance(50) ? "ann" : "ben"};
    if (rng.chance(30)) made.accounts = {"physics"};
    made.maint = rng.chance(20);
    made.flex = rng.chance(20);
    made.overlap = rng.chance(50);
    made.hold_jobs_after = rng.chance(50);
    return ReservationSet{std::move(made)};
}

std::optional<Fact> random_reservation_end(Rng&, Time, const ClusterState& state) {
    if (state.reservations().empty()) return std::nullopt;
    return ReservationDeleted{state.reservations().begin()->first};
}

std::optional<Fact> random_accounting_edit(Rng& rng, Time, const ClusterState& state) {
    AccountingEdits edits;
    if (rng.chance(40)) {
        edits.accounts.push_back({.name = "physics",
                                  .parent = "root",
                                  .shares = rng.between(1, 9),
                                  .limits = random_limits(rng)});
    }
    if (rng.chance(40)) {
        edits.associations.push_back({.account = "physics",
                                      .user = rng.chance(50) ? "ann" : "ben",
                                      .limits = random_limits(rng)});
    }
    if (rng.chance(30)) {
        QosSpec qos{.name = "qos" + std::to_string(rng.between(1, 3))};
        qos.limits = random_limits(rng);
        qos.limits.max_wall.reset();
        edits.qos.push_back(std::move(qos));
    }
    if (rng.chance(10)) edits.removed_associations.emplace_back("physics", "ann");
    if (rng.chance(10)) edits.levels.push_back({"ben", rng.chance(50)});
    if (edits.empty() || state.spec().qos.size() > 8) return std::nullopt;
    return AccountingEdited{std::move(edits)};
}

std::optional<Fact> random_missed_deadline(Rng&, Time now, const ClusterState& state) {
    for (const JobId id : state.index().pending()) {
        const Job& job = *state.find_job(id);
        if (job.spec.deadline && *job.spec.deadline <= now) return DeadlineMissed{id};
    }
    return std::nullopt;
}

}  // namespace berth::testing
