#include "berth/store/packing.h"

#include <lz4.h>

#include "berth/base/assert.h"

namespace berth {

namespace {

// The first byte. After kLz4 follow the length of the bytes (four bytes) and one block.
constexpr char kPlain = 0, kLz4 = 1;
constexpr std::size_t kHead = 5;
// Below this length compression is not worth the work.
constexpr std::size_t kWorthIt = 200;
// An LZ4 block expands by at most this factor: so a damaged length cannot demand much memory.
constexpr std::size_t kMostGain = 256;

Error cannot_unpack(const char* how) { return {ErrorCode::invalid_argument, how}; }

std::string plain(std::string_view bytes) {
    std::string packed;
    packed.reserve(1 + bytes.size());
    packed += kPlain;
    packed += bytes;
    return packed;
}

}  // namespace

std::string pack(std::string_view bytes) {
    if (bytes.size() < kWorthIt || bytes.size() > LZ4_MAX_INPUT_SIZE) return plain(bytes);
    const int size = static_cast<int>(bytes.size());
    std::string packed(kHead + static_cast<std::size_t>(LZ4_compressBound(size)), kLz4);
    for (std::size_t i = 1; i < kHead; ++i)
        packed[i] = static_cast<char>(bytes.size() >> (8 * (i - 1)) & 0xff);
    const int got = LZ4_compress_default(bytes.data(), packed.data() + kHead, size,
                                         static_cast<int>(packed.size() - kHead));
    BERTH_ASSERT(got > 0);
    packed.resize(kHead + static_cast<std::size_t>(got));
    return packed.size() < bytes.size() ? packed : plain(bytes);
}

Result<std::string> unpack(std::string_view packed) {
    if (packed.empty()) return cannot_unpack("is empty");
    const char kind = packed.front();
    if (kind == kPlain) return std::string(packed.substr(1));
    if (kind != kLz4) return cannot_unpack("is packed in a way that is not known here");
    if (packed.size() <= kHead) return cannot_unpack("does not say how long it is");
    std::size_t size = 0;
    for (std::size_t i = 1; i < kHead; ++i)
        size |= std::size_t{static_cast<unsigned char>(packed[i])} << (8 * (i - 1));
    packed.remove_prefix(kHead);
    if (size > LZ4_MAX_INPUT_SIZE || size / kMostGain > packed.size())
        return cannot_unpack("says that it is longer than it can be");
    std::string bytes(size, '\0');
    const int got = LZ4_decompress_safe(packed.data(), bytes.data(),
                                        static_cast<int>(packed.size()), static_cast<int>(size));
    if (got != static_cast<int>(size)) return cannot_unpack("cannot be unpacked");
    return bytes;
}

}  // namespace berth
