#include "berth/store/crc32c.h"

#include <array>
#include <cstring>

namespace berth {

namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82f63b78u : 0u);
        table[byte] = rest;
    }
    return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
    std::uint32_t rest = ~before;
#ifdef __SSE4_2__
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        rest = static_cast<std::uint32_t>(__builtin_ia32_crc32di(rest, word));
    }
#endif
    for (const char byte : bytes) {
        rest = kTable[(rest ^ static_cast<unsigned char>(byte)) & 0xff] ^ (rest >> 8);
    }
    return ~rest;
}

std::uint32_t crc32c_of(std::uint64_t number, std::string_view bytes) {
    std::array<char, 8> little{};
    for (std::size_t i = 0; i < little.size(); ++i) {
        little[i] = static_cast<char>(number >> (8 * i) & 0xff);
    }
    return crc32c(bytes, crc32c({little.data(), little.size()}));
}

}  // namespace berth
