#include "berth/engine/limits/reservation_access.h"

#include <algorithm>

namespace berth {
namespace {

bool is_deny_list(const std::vector<std::string>& list) {
    return !list.empty() && list.front().starts_with('-');
}

bool lists(const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::any_of(list,
                               [&, skip = is_deny_list(list) ? 1U : 0U](const std::string& one) {
                                   return std::string_view(one).substr(skip) == name;
                               });
}

// "alice,bob": one of them. "-carol": anyone but carol.
bool is_in(const std::vector<std::string>& list, const std::string& name) {
    return list.empty() || lists(list, name) != is_deny_list(list);
}

// Each group of the owner counts, so one that is denied keeps out a member of others.
bool has_group_in(const std::vector<std::string>& list, const Owner& owner,
                  const std::vector<std::string>& groups) {
    if (list.empty()) return true;
    const auto is_named = [&](const std::string& group) { return lists(list, group); };
    return (is_named(owner.group) || std::ranges::any_of(groups, is_named)) != is_deny_list(list);
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

bool may_use(const Reservation& reservation, const Job& job,
             const std::vector<std::string>* groups) {
    const bool either = reservation.users.empty() || reservation.groups.empty();
    const bool user = is_in(reservation.users, job.owner->user);
    const bool group = groups == nullptr || has_group_in(reservation.groups, *job.owner, *groups);
    const bool who = either ? user && group : user || group;
    return who && is_in(reservation.accounts, job.spec.account) &&
           is_in(reservation.qos, job.spec.qos);
}

}  // namespace berth
