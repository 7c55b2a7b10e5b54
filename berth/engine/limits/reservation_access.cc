#include "berth/engine/limits/reservation_access.h"

#include <algorithm>

namespace berth {
namespace {

// "alice,bob": one of them. "-carol": anyone but carol.
bool is_in(const std::vector<std::string>& list, const std::string& name) {
    if (list.empty()) return true;
    const bool denies = list.front().starts_with('-');
    const auto names_it = [&](const std::string& one) {
        return denies ? one.substr(1) == name : one == name;
    };
    return std::ranges::any_of(list, names_it) != denies;
}

// Whole minutes, at least one: a shorter limit would be useless.
Duration whole_minutes(Duration length) {
    constexpr Duration kOneMinute = std::chrono::minutes(1);
    return std::max(kOneMinute, length / kOneMinute * kOneMinute);
}

}  // namespace

const Reservation* bounding_reservation(const ClusterState& state, const Job& job) {
    const JobRequest& request = job.spec.request;
    if (request.reservation.empty() || request.time_limit) return nullptr;
    const Reservation* reservation = state.reservations().find(request.reservation);
    return reservation != nullptr && !reservation->flex ? reservation : nullptr;
}

Duration longest_limit(const ClusterState& state, const Job& job) {
    const Reservation* const reservation = bounding_reservation(state, job);
    if (reservation == nullptr) return job.time_limit;
    return std::min(job.time_limit, whole_minutes(reservation->end - reservation->start));
}

bool may_use(const Reservation& reservation, const Job& job) {
    const bool either = reservation.users.empty() || reservation.groups.empty();
    const bool user = is_in(reservation.users, job.owner->user);
    const bool group = is_in(reservation.groups, job.owner->group);
    const bool who = either ? user && group : user || group;
    return who && is_in(reservation.accounts, job.spec.account) &&
           is_in(reservation.qos, job.spec.qos);
}

}  // namespace berth
