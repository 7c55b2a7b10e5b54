// Certificates, requests for them, and keys, as strangers send them or a disk gives them back: read
// or refused; and nobody is certified who has not proved to have the key.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "berth/trust/certificates.h"
#include "berth/trust/join_tokens.h"
#include "berth/trust/secrets.h"
#include "berth/trust/signing_keys.h"

namespace berth {
namespace {

constexpr Time kNow = from_seconds(1'800'000'000);

struct Made {
    Authority authority = *Authority::make("lab", kNow);
    std::string key = *make_key();
    std::string request = *make_request(key, "gpu1");
};

// The true texts with other bytes at one place: nearer to what could be believed than any text is.
std::string changed(std::string text, std::string_view at_and_bytes) {
    if (at_and_bytes.size() < 3) return text;
    const std::size_t at = (static_cast<unsigned char>(at_and_bytes[0]) * 256U +
                            static_cast<unsigned char>(at_and_bytes[1])) %
                           text.size();
    at_and_bytes.remove_prefix(2);
    text.replace(at, std::min(at_and_bytes.size(), text.size() - at), at_and_bytes);
    return text;
}

void check_request(const Made& made, const std::string& request) {
    const auto node = made.authority.certify_node(request, "gpu1", kNow);
    if (!node.ok()) return;
    const auto facts = read_certificate(*node);
    if (!facts.ok() || facts->name != "gpu1") std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const Made made;
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    switch (bytes[0] % 8) {
        case 0: check_request(made, std::string(text)); break;
        case 1: check_request(made, changed(made.request, text)); break;
        case 2: (void)read_certificate(text); break;
        case 3: (void)read_certificate(changed(made.authority.certificate(), text)); break;
        case 4: (void)fingerprint_of(text); break;
        case 5: (void)SigningKeys::of(std::string(text)); break;
        case 6:
            (void)Authority::of(
                {changed(made.authority.pair().key, text), made.authority.certificate()});
            break;
        default: (void)parse_join_token(text); break;
    }
    return 0;
}

}  // namespace berth
