// Principal: who asks. It comes from the channel (peer credentials or a verified token), never from
// a field of the message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/fields.h"

namespace berth {

enum class Role : std::uint8_t {
    none,  // Not known: may do nothing.
    user,
    op,     // Operator: acts on others' jobs and on nodes.
    admin,  // root, SlurmUser, and the user that the controller runs as.
};

struct Principal {
    std::uint32_t uid = 0, gid = 0;
    std::string user, group;
    Role role = Role::none;
    std::vector<std::string>
        groups;  // All groups of the user, by name: AllowGroups and reservations.
    BERTH_FIELDS(Principal, uid, gid, user, group, role, groups)
};

}  // namespace berth
