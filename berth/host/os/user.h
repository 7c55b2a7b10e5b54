// The users that this node knows.
#pragma once

#include <cstdint>
#include <string>

#include "berth/base/result.h"

namespace berth {

struct UserRecord {
    std::uint32_t uid = 0, gid = 0;
    std::string name, home, shell;
};

Result<UserRecord> find_user(std::uint32_t uid);

}  // namespace berth
