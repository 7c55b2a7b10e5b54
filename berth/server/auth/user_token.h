// User tokens: short-lived JSON Web Tokens (EdDSA) that identify the user of commands on other
// hosts. The key that a token names decides the algorithm; the header's `alg` must agree.
// docs/dependencies.md says why libjwt is not used.
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
    // Set in the token of a job: valid while the job runs, and never with administrator rights.
    std::optional<JobId> job;
    std::uint32_t attempt = 0;
};

std::string write_user_token(const UserToken& token, const SigningKeys& keys);

// Refuses a token that none of the keys has signed, that is for another cluster, or that is not
// valid at `now`.
Result<UserToken> read_user_token(std::string_view text, const SigningKeys& keys,
                                  std::string_view audience, Time now);

inline constexpr Duration kUserTokenLife = std::chrono::minutes(30);
inline constexpr Duration kUserTokenLifeMax = std::chrono::hours(12);

}  // namespace berth
