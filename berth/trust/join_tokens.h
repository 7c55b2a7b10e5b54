// JoinTokens: what lets a machine ask for the certificate of a node, once, for a short time.
//
// A token is "SECRET.FINGERPRINT": the secret is known here by its hash alone, and the fingerprint
// is that of the cluster's authority, so that whoever has the token knows the right controller.
// They live in memory: a restart of the controller forgets them all, which is the safe way to
// forget, and nothing that was used can come back to be used again.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

struct JoinToken {
    std::string secret, fingerprint;
};
std::string to_string(const JoinToken& token);
Result<JoinToken> parse_join_token(std::string_view text);

inline constexpr Duration kJoinTokenLifeMax = std::chrono::hours(24);

// From any thread.
class JoinTokens {
public:
    // The secret of a new one, for these nodes, each once.
    Result<std::string> create(std::vector<std::string> nodes, Duration life, Time now);
    // Whether redeem() would be well. Both refuse without saying more than the bearer of a right
    // token may know.
    Status check(std::string_view secret, const std::string& node, Time now);
    Status redeem(std::string_view secret, const std::string& node, Time now);

private:
    struct Known {
        std::set<std::string> nodes, joined;
        Time until{};
    };
    // REQUIRES: mutex_ is held.
    Result<Known*> find(std::string_view secret, const std::string& node, Time now);
    std::mutex mutex_;
    std::map<std::string, Known> by_hash_;
};

}  // namespace berth
