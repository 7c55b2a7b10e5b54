// CRC-32C (Castagnoli): a checksum that notices what a disk may do to a record.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

// `before` continues the checksum of what came before these bytes.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// Of numbered bytes: the right bytes under a wrong number are wrong.
std::uint32_t crc32c_of(std::uint64_t number, std::string_view bytes);

}  // namespace berth
