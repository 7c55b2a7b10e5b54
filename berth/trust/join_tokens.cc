#include "berth/trust/join_tokens.h"

#include <utility>

#include "berth/trust/secrets.h"

namespace berth {
namespace {

constexpr std::size_t kTokensMax = 1000, kNodesMax = 20'000;
constexpr std::size_t kSecretBytes = 24, kSecretLetters = 32, kFingerprintLetters = 64;
// One that is over is remembered for a while, so that it can be called expired.
constexpr Duration kRemembered = std::chrono::hours(24);

Error refuse(std::string why) { return {ErrorCode::permission_denied, std::move(why)}; }

}  // namespace

std::string to_string(const JoinToken& token) { return token.secret + '.' + token.fingerprint; }

Result<JoinToken> parse_join_token(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot != kSecretLetters || text.size() != kSecretLetters + 1 + kFingerprintLetters ||
        !from_base64url(text.substr(0, dot)) ||
        text.find_first_not_of("0123456789abcdef", dot + 1) != std::string_view::npos) {
        return Error{ErrorCode::invalid_argument,
                     "this is no token to join with: `berth token create --node NAME` prints one, "
                     "97 letters long"};
    }
    return JoinToken{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

Result<std::string> JoinTokens::create(std::vector<std::string> nodes, Duration life, Time now) {
    if (nodes.empty() || nodes.size() > kNodesMax)
        return Error{ErrorCode::invalid_argument, "a token should name 1 to 20000 nodes"};
    if (life <= Duration{} || life > kJoinTokenLifeMax)
        return Error{ErrorCode::invalid_argument, "a token should live for 1 second to 24 hours"};
    const std::lock_guard lock(mutex_);
    std::erase_if(by_hash_, [&](const auto& one) { return one.second.until + kRemembered < now; });
    if (by_hash_.size() >= kTokensMax)
        return Error{ErrorCode::resource_exhausted, "there are 1000 tokens: let some expire"};
    std::string secret = random_secret(kSecretBytes);
    Known& made = by_hash_[sha256_hex(secret)];
    made.nodes.insert(std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
    made.until = now + life;
    return secret;
}

Result<JoinTokens::Known*> JoinTokens::find(std::string_view secret, const std::string& node,
                                            Time now) {
    const auto found = by_hash_.find(sha256_hex(secret));
    if (found == by_hash_.end()) {
        return refuse(
            "the token is not known: it is mistyped, or the controller was started again "
            "since; `berth token create` makes another");
    }
    Known& known = found->second;
    if (known.until <= now)
        return refuse("the token has expired: `berth token create` makes another");
    if (!known.nodes.contains(node)) return refuse("the token is not for node '" + node + "'");
    if (known.joined.contains(node))
        return refuse("node '" + node + "' has joined with this token already: each may once");
    return &known;
}

Status JoinTokens::check(std::string_view secret, const std::string& node, Time now) {
    const std::lock_guard lock(mutex_);
    BERTH_TRY([[maybe_unused]] const Known* const known, find(secret, node, now));
    return Done{};
}

Status JoinTokens::redeem(std::string_view secret, const std::string& node, Time now) {
    const std::lock_guard lock(mutex_);
    BERTH_TRY(Known* const known, find(secret, node, now));
    known->joined.insert(node);
    return Done{};
}

}  // namespace berth
