// Tokens as strangers send them: none that we have not signed is ever taken.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "berth/server/user_token.h"
#include "berth/trust/join_tokens.h"
#include "berth/trust/secrets.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const SigningKeys keys = *SigningKeys::of(*make_signing_key());
    static const std::string header =
        base64url(R"({"alg":"EdDSA","typ":"JWT","kid":")" + keys.id() + R"("})");
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const Time now = from_seconds(1'800'000'000);
    if (read_user_token(text, keys, "lab", now).ok()) std::abort();
    (void)parse_join_token(text);
    // The claims behind a signature that is right: what a stranger cannot reach, but must not
    // crash.
    const std::string signed_text = header + '.' + base64url(text);
    (void)read_user_token(signed_text + '.' + base64url(keys.sign(signed_text)), keys, "lab", now);
    if (const auto back = from_base64url(text); back && base64url(*back) != text) std::abort();
    return 0;
}
