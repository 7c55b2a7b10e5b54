// RandomMessage: fills a message with values of every kind, the odd ones among them.
#pragma once

#include "berth/api/enum_names.h"
#include "berth/base/codec.h"
#include "berth/base/rng.h"

namespace berth::api {

class RandomMessage {
public:
    explicit RandomMessage(Rng& rng) : rng_(rng) {}

    template <HasFields T>
    void fill(T& out) {
        T::fields(out, *this);
    }
    template <class T>
    void operator()(const char*, T& out) {
        fill(out);
    }
    void fill(bool& out) { out = below(2) == 1; }
    template <std::integral T>
    void fill(T& out) {
        // Bits of a random width, so that the small and the largest both come up.
        const std::uint64_t bits = rng_.next();
        out = static_cast<T>(bits >> (bits % 64));
    }
    void fill(std::string& out) {
        out.clear();
        for (std::uint64_t n = below(12); n > 0; --n) {
            out += static_cast<char>(below(3) == 0 ? below(256) : 'a' + below(26));
        }
    }
    template <class T>
        requires std::is_enum_v<T>
    void fill(T& out) {
        out = static_cast<T>(below(enum_names<T>().size()));
    }
    template <class Tag, class Rep>
    void fill(StrongId<Tag, Rep>& out) {
        Rep number{};
        fill(number);
        out = StrongId<Tag, Rep>(number);
    }
    template <class Unit>
    void fill(Quantity<Unit>& out) {
        std::int64_t count = 0;
        fill(count);
        out = Quantity<Unit>(count);
    }
    void fill(Duration& out) {
        out = std::chrono::seconds(static_cast<std::int64_t>(below(1ULL << 50)));
    }
    void fill(Time& out) {
        Duration since{};
        fill(since);
        out = Time(since);
    }
    template <class T>
    void fill(std::optional<T>& out) {
        out.reset();
        if (below(2) == 1) fill(out.emplace());
    }
    template <HasPlain T>
    void fill(T& out) {
        typename T::Plain value{};
        fill(value);
        out = T(std::move(value));
    }
    template <class A, class B>
    void fill(std::pair<A, B>& out) {
        fill(out.first);
        fill(out.second);
    }
    template <class T>
    void fill(std::vector<T>& out) {
        out.clear();
        for (std::uint64_t n = below(4); n > 0; --n) fill(out.emplace_back());
    }

private:
    std::uint64_t below(std::uint64_t n) { return rng_.next() % n; }

    Rng& rng_;
};

}  // namespace berth::api
