// Users as this node knows them.
#pragma once

#include "berth/base/result.h"
#include "berth/host/job_environment.h"

namespace berth {

Result<UserRecord> find_user(std::uint32_t uid);

}  // namespace berth
