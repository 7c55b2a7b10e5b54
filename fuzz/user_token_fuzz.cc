// Tokens as strangers send them: none that we have not signed is ever taken.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "berth/server/auth/user_token.h"
#include "berth/trust/join_tokens.h"
#include "berth/trust/secrets.h"

using berth::base64url;
using berth::from_base64url;
using berth::from_seconds;
using berth::make_signing_key;
using berth::parse_join_token;
using berth::read_user_token;
using berth::SigningKeys;
using berth::Time;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const SigningKeys keys = *SigningKeys::of(*make_signing_key());
    static const std::string header =
        base64url(R"({"alg":"EdDSA","typ":"JWT","kid":")" + keys.id() + R"("})");
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const Time now = from_seconds(1'800'000'000);
    if (read_user_token(text, keys, "lab", now).ok()) std::abort();
    (void)parse_join_token(text);
    // The claims behind a signature that is right: what a stranger cannot reach, but must not
    // crash. A signature takes longer than all the rest.
    if (size % 8 == 0) {
        const std::string signed_text = header + '.' + base64url(text);
        const std::string token = signed_text + '.' + base64url(keys.sign(signed_text));
        (void)read_user_token(token, keys, "lab", now);
    } else {  // As a stranger may send them: with the key's name, and no signature of it.
        const std::string token = header + '.' + base64url(text) + "." + std::string(86, 'A');
        if (read_user_token(token, keys, "lab", now).ok()) std::abort();
    }
    if (const auto back = from_base64url(text); back && base64url(*back) != text) std::abort();
    return 0;
}
