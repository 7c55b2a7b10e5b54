#include "berth/trust/secrets.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <array>
#include <cstdint>

#include "berth/base/assert.h"

namespace berth {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string hex(const unsigned char* bytes, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += "0123456789abcdef"[bytes[i] >> 4];
        text += "0123456789abcdef"[bytes[i] & 15];
    }
    return text;
}

}  // namespace

std::string random_secret(std::size_t bytes) {
    std::string drawn(bytes, '\0');
    for (std::size_t got = 0; got < bytes;) {
        const ssize_t n = getrandom(drawn.data() + got, bytes - got, 0);
        if (n > 0) got += static_cast<std::size_t>(n);
    }
    return base64url(drawn);
}

std::string base64url(std::string_view bytes) {
    std::string text;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char byte : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(byte);
        for (held += 8; held >= 6; held -= 6) text += kLetters[bits >> (held - 6) & 63];
    }
    if (held > 0) text += kLetters[bits << (6 - held) & 63];
    return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char letter : text) {
        const std::size_t value = kLetters.find(letter);
        if (value == std::string_view::npos) return std::nullopt;
        bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffff;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>(bits >> held & 0xff);
    }
    // One text for each content: what is left over must be nothing.
    if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
    return bytes;
}

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
    return hex(digest.data(), digest.size());
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(),
         &length);
    return hex(digest.data(), length);
}

bool equal_secrets(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace berth
