#include "berth/server/auth/user_token.h"

#include <limits>

#include "berth/api/json_value.h"
#include "berth/api/json_writer.h"
#include "berth/base/text.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

using api::JsonValue;

constexpr std::size_t kLettersMax = 4096;
constexpr Duration kClocksDiffer = std::chrono::seconds(30);

constexpr const char* kNotOurs =
    "the token is not signed by a key of this controller; keys may have been changed since: "
    "`scontrol token` makes another";

Error refuse(std::string why) { return {ErrorCode::permission_denied, std::move(why)}; }

std::string header_of(const std::string& key) {
    return api::to_text({api::JsonObject{{"alg", {"EdDSA"}}, {"typ", {"JWT"}}, {"kid", {key}}}});
}

std::string claims_of(const UserToken& token) {
    api::JsonObject claims = {{"sub", {token.user}},
                              {"uid", {std::int64_t{token.uid}}},
                              {"aud", {token.audience}},
                              {"iat", {seconds(token.issued_at)}},
                              {"exp", {seconds(token.expires_at)}},
                              {"jti", {token.id}}};
    if (token.job) {
        claims.push_back({"job", {std::int64_t{token.job->value()}}});
        claims.push_back({"attempt", {std::int64_t{token.attempt}}});
    }
    return api::to_text({std::move(claims)});
}

// An object out of one of the token's parts.
Result<JsonValue> part_of(std::string_view text) {
    const auto bytes = from_base64url(text);
    if (!bytes) return refuse("the token is garbled");
    auto value = api::parse_json(*bytes, {.depth = 4, .values = 64});
    if (!value.ok()) return refuse("the token is garbled");
    return value;
}

Result<std::string> text_in(const JsonValue& object, std::string_view name) {
    const JsonValue* const found = object.find(name);
    const auto* const text = found == nullptr ? nullptr : found->as<std::string>();
    if (text == nullptr) return refuse("the token does not say '" + std::string(name) + "'");
    return *text;
}

Result<std::int64_t> number_in(const JsonValue& object, std::string_view name) {
    const JsonValue* const found = object.find(name);
    const auto* const number = found == nullptr ? nullptr : found->as<std::int64_t>();
    if (number == nullptr || *number < 0 || *number > std::int64_t{1} << 40)
        return refuse("the token does not say '" + std::string(name) + "'");
    return *number;
}

Result<std::uint32_t> small_number_in(const JsonValue& object, std::string_view name) {
    BERTH_TRY(const std::int64_t number, number_in(object, name));
    if (number > std::numeric_limits<std::uint32_t>::max())
        return refuse("the token's '" + std::string(name) + "' is out of range");
    return static_cast<std::uint32_t>(number);
}

Result<UserToken> token_of(const JsonValue& claims) {
    UserToken token;
    BERTH_TRY(token.user, text_in(claims, "sub"));
    BERTH_TRY(token.uid, small_number_in(claims, "uid"));
    BERTH_TRY(token.audience, text_in(claims, "aud"));
    BERTH_TRY(token.id, text_in(claims, "jti"));
    BERTH_TRY(const std::int64_t issued, number_in(claims, "iat"));
    BERTH_TRY(const std::int64_t expires, number_in(claims, "exp"));
    token.issued_at = from_seconds(issued);
    token.expires_at = from_seconds(expires);
    if (claims.find("job") != nullptr) {
        BERTH_TRY(const std::uint32_t job, small_number_in(claims, "job"));
        BERTH_TRY(token.attempt, small_number_in(claims, "attempt"));
        token.job = JobId(job);
    }
    return token;
}

// Which of our keys is said to have signed it. A key that we do not have costs nothing more.
Result<std::string> key_of(std::string_view part, const SigningKeys& keys) {
    BERTH_TRY(const JsonValue header, part_of(part));
    BERTH_TRY(const std::string algorithm, text_in(header, "alg"));
    if (algorithm != "EdDSA")
        return refuse("the token is signed by '" + algorithm.substr(0, 20) + "', and not EdDSA");
    BERTH_TRY(std::string key, text_in(header, "kid"));
    if (!keys.has(key)) return refuse(kNotOurs);
    return key;
}

Status check_claims(const UserToken& token, std::string_view audience, Time now) {
    if (token.audience != audience)
        return refuse("the token is for cluster '" + token.audience.substr(0, 100) + "'");
    if (token.issued_at > now + kClocksDiffer) return refuse("the token is from the future");
    if (token.expires_at <= now)
        return refuse("the token has expired: `scontrol token` makes another");
    return Done{};
}

}  // namespace

std::string write_user_token(const UserToken& token, const SigningKeys& keys) {
    const std::string text = base64url(header_of(keys.id())) + '.' + base64url(claims_of(token));
    return text + '.' + base64url(keys.sign(text));
}

Result<UserToken> read_user_token(std::string_view text, const SigningKeys& keys,
                                  std::string_view audience, Time now) {
    if (text.size() > kLettersMax) return refuse("the token is too long to be one");
    const std::vector<std::string_view> parts = split(text, '.');
    if (parts.size() != 3) return refuse("this is no JSON Web Token");
    BERTH_TRY(const std::string key, key_of(parts[0], keys));
    BERTH_TRY(const JsonValue claims, part_of(parts[1]));
    BERTH_TRY(UserToken token, token_of(claims));
    // What needs no arithmetic comes first: a flood of old tokens costs little.
    BERTH_CHECK(check_claims(token, audience, now));
    const auto signature = from_base64url(parts[2]);
    if (!signature || !keys.verify(key, text.substr(0, text.rfind('.')), *signature))
        return refuse(kNotOurs);
    return token;
}

}  // namespace berth
