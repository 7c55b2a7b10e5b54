// Secrets and their texts: random bytes, hashes, base64url.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth {

// From the kernel. `bytes` of them, as base64url without padding.
std::string random_secret(std::size_t bytes);

std::string base64url(std::string_view bytes);
// nullopt: it is none. Padding is none either.
std::optional<std::string> from_base64url(std::string_view text);

std::string sha256_hex(std::string_view bytes);
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

// Takes as long wherever they differ.
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace berth
