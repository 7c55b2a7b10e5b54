// The parts of StateHash that need no inlining.
#include "berth/base/hash.h"

#include <cstddef>

namespace berth {

// Bytes are put together by shifts, so that the byte order of the processor plays no part.
void StateHash::add(std::string_view text) {
    add_word(text.size());
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * (i % 8));
        if (i % 8 == 7) {
            add_word(word);
            word = 0;
        }
    }
    if (text.size() % 8 != 0) add_word(word);
}

std::uint64_t StateHash::value() const {
    std::uint64_t hash = state_ ^ words_;
    hash = (hash ^ (hash >> 32)) * kSecond;
    hash = (hash ^ (hash >> 29)) * kFirst;
    return hash ^ (hash >> 32);
}

}  // namespace berth
