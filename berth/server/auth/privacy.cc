#include "berth/server/auth/privacy.h"

#include <algorithm>

#include "berth/engine/limits/reservation_access.h"

namespace berth {

bool Privacy::hides(PrivateKind kind) const {
    const bool is_user = principal_.role == Role::user || principal_.role == Role::none;
    return is_user && (spec_.private_data & bit_of(kind)) != 0;
}

bool Privacy::shows(const Reservation& reservation) const {
    if (!hides(PrivateKind::reservations)) return true;
    std::vector<std::string> accounts = {""};
    for (const AssociationSpec& one : spec_.associations) {
        if (one.user == principal_.user) accounts.push_back(one.account);
    }
    std::vector<std::string> qos;
    qos.reserve(spec_.qos.size());
    for (const QosSpec& one : spec_.qos) qos.push_back(one.name);
    Job job;
    job.owner = Owner{.uid = principal_.uid,
                      .gid = principal_.gid,
                      .user = principal_.user,
                      .group = principal_.group};
    for (const std::string& account : accounts) {
        job.spec.account = account;
        for (const std::string& name : qos) {
            job.spec.qos = name;
            if (may_use(reservation, job, &principal_.groups)) return true;
        }
    }
    return false;
}

}  // namespace berth
