// User tokens: short-lived JSON Web Tokens (EdDSA) by which commands of other hosts prove whose
// they are. The key that a token names decides the algorithm; what its header says of it must
// agree.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/job.h"
#include "berth/trust/signing_keys.h"

namespace berth {

struct UserToken {
    std::string user;
    std::uint32_t uid = 0;
    std::string audience;  // The cluster.
    Time issued_at{}, expires_at{};
    std::string id;
    // That of a job: good while the job runs, and never an administrator's.
    std::optional<JobId> job;
    std::uint32_t attempt = 0;
};

std::string write_user_token(const UserToken& token, const SigningKeys& keys);

// Refuses what is not signed by one of the keys, not for this cluster, or not for now.
Result<UserToken> read_user_token(std::string_view text, const SigningKeys& keys,
                                  std::string_view audience, Time now);

inline constexpr Duration kUserTokenLife = std::chrono::minutes(30);
inline constexpr Duration kUserTokenLifeMax = std::chrono::hours(12);

}  // namespace berth
