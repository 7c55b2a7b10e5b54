// The users that this node knows.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth {

struct UserRecord {
    std::uint32_t uid = 0, gid = 0;
    std::string name, home, shell;
};

Result<UserRecord> find_user(std::uint32_t uid);

// The groups that the user is in, `gid` among them.
std::vector<gid_t> group_ids_of(const std::string& user, gid_t gid);

}  // namespace berth
