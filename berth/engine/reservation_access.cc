#include "berth/engine/reservation_access.h"

#include <algorithm>

namespace berth {
namespace {

// "alice,bob": one of them. "-carol": all but her.
bool is_in(const std::vector<std::string>& list, const std::string& name) {
    if (list.empty()) return true;
    const bool denies = list.front().starts_with('-');
    const auto names_it = [&](const std::string& one) {
        return denies ? one.substr(1) == name : one == name;
    };
    return std::ranges::any_of(list, names_it) != denies;
}

}  // namespace

bool may_use(const Reservation& reservation, const Job& job) {
    const bool either = reservation.users.empty() || reservation.groups.empty();
    const bool user = is_in(reservation.users, job.owner->user);
    const bool group = is_in(reservation.groups, job.owner->group);
    const bool who = either ? user && group : user || group;
    return who && is_in(reservation.accounts, job.spec.account) &&
           is_in(reservation.qos, job.spec.qos);
}

}  // namespace berth
