// CRC-32C (Castagnoli): a checksum that detects damage to a record on disk.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

// `before`: the checksum of the preceding bytes, which this one continues.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// Covers the number too: the right bytes under a wrong number do not match.
std::uint32_t crc32c_of(std::uint64_t number, std::string_view bytes);

}  // namespace berth
