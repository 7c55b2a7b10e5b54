// How the generator is seeded needs its own state after 7.8e12 numbers, which Go carries as a
// table. Here it is found by a jump: numbers far ahead are sums of the first 607 ones, and the
// factors are those of x^n modulo the polynomial of the recurrence.
#include "berth/report/go_random.h"

#include <array>
#include <bit>
#include <vector>

#include "berth/base/assert.h"

namespace berth::report {
namespace {

constexpr std::size_t kLong = 607, kShort = 273;
constexpr std::uint64_t kWarmedUp = 7'800'000'000'000;
constexpr std::int64_t kModulus = 0x7fffffff;

using State = std::array<std::uint64_t, kLong>;

// The minimal standard generator with Park and Miller's second multiplier.
std::uint64_t step(std::int64_t& x) {
    x = x * 48271 % kModulus;
    return static_cast<std::uint64_t>(x);
}

// Three numbers, each so many bits above the next, for each word of a state.
State spread(std::int64_t x, int bits) {
    for (int i = 0; i < 20; ++i) step(x);
    State state{};
    for (std::uint64_t& word : state) {
        word = step(x) << (2 * bits);
        word ^= step(x) << bits;
        word ^= step(x);
    }
    return state;
}

// A polynomial of a degree below 607, over the integers modulo 2^64.
using Polynomial = std::array<std::uint64_t, kLong>;

// What is left of a longer one, as x^607 = x^334 + 1: z[n] = z[n - 273] + z[n - 607].
Polynomial reduced(std::array<std::uint64_t, 2 * kLong>& terms) {
    for (std::size_t i = terms.size(); i-- > kLong;) {
        terms[i - kShort] += terms[i];
        terms[i - kLong] += terms[i];
    }
    Polynomial rest{};
    for (std::size_t i = 0; i < kLong; ++i) rest[i] = terms[i];
    return rest;
}

// x^n, by squaring for each bit of n.
Polynomial power_of_x(std::uint64_t n) {
    Polynomial power{1};
    for (int bit = static_cast<int>(std::bit_width(n)); bit-- > 0;) {
        const std::size_t odd = (n >> bit) & 1;
        std::array<std::uint64_t, 2 * kLong> product{};
        for (std::size_t i = 0; i < kLong; ++i) {
            for (std::size_t j = 0; j < kLong; ++j) product[i + j + odd] += power[i] * power[j];
        }
        power = reduced(product);
    }
    return power;
}

// The n-th number drawn is written at this place of the state.
std::size_t place_of(std::uint64_t n) { return (2 * kLong - kShort - 1 - n % kLong) % kLong; }

State warmed_up() {
    const State first = spread(1, 10);
    // The numbers in the order in which they are drawn; those of the first state come before.
    std::array<std::uint64_t, 2 * kLong> drawn{};
    for (std::size_t i = 0; i < kLong; ++i) drawn[i] = first[place_of(i)];
    for (std::size_t i = kLong; i < drawn.size(); ++i) {
        drawn[i] = drawn[i - kLong] + drawn[i - kShort];
    }
    const Polynomial factors = power_of_x(kWarmedUp);
    State state{};
    for (std::size_t i = 0; i < kLong; ++i) {
        std::uint64_t& word = state[place_of(kWarmedUp + i)];
        for (std::size_t k = 0; k < kLong; ++k) word += factors[k] * drawn[i + k];
    }
    return state;
}

}  // namespace

GoRandom::GoRandom(std::int64_t seed) {
    static const State warm = warmed_up();
    std::int64_t x = seed % kModulus;
    if (x < 0) x += kModulus;
    if (x == 0) x = 89482311;
    state_ = spread(x, 20);
    for (std::size_t i = 0; i < kLong; ++i) state_[i] ^= warm[i];
}

std::uint64_t GoRandom::next() {
    tap_ = (tap_ + kLong - 1) % kLong;
    feed_ = (feed_ + kLong - 1) % kLong;
    return state_[feed_] += state_[tap_];
}

std::int64_t GoRandom::int63() { return static_cast<std::int64_t>(next() & (~0ULL >> 1)); }

std::int32_t GoRandom::below(std::int32_t n) {
    BERTH_ASSERT(n > 0);
    const std::int64_t range = std::int64_t{1} << 31;
    const std::int64_t end = range - range % n;  // From here on, small rests would come too often.
    std::int64_t drawn = int63() >> 32;
    while (drawn >= end) drawn = int63() >> 32;
    return static_cast<std::int32_t>(drawn % n);
}

std::vector<std::int32_t> GoRandom::permutation(std::int32_t n) {
    std::vector<std::int32_t> numbers;
    for (std::int32_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(below(i + 1));
        numbers.push_back(i);
        numbers.back() = numbers[at];
        numbers[at] = i;
    }
    return numbers;
}

std::uint32_t GoRandom::scaled(std::uint32_t n) {
    const std::uint32_t uneven = (0U - n) % n;
    std::uint64_t product = 0;
    do {
        product = static_cast<std::uint64_t>(int63() >> 31) * n;
    } while (static_cast<std::uint32_t>(product) < uneven);
    return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace berth::report
