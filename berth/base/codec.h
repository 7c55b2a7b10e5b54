// Codec: a struct with BERTH_FIELDS to bytes and back. For the journal, the agent's spool and the
// simulated network; what crosses a real network is protobuf (wire).
//
// A struct is written with its length, so a reader skips fields that it does not know yet, and
// leaves those at their default that an older writer did not know: fields are only ever appended.
// Reading checks every bound before it takes memory, and never trusts a count: what a message says
// in one byte may be hundreds in memory, so all that one becomes has a budget.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/fields.h"
#include "berth/base/hash.h"
#include "berth/base/plain.h"
#include "berth/base/quantity.h"
#include "berth/base/result.h"
#include "berth/base/shared_list.h"
#include "berth/base/strong_id.h"

namespace berth {

namespace codec_detail {
struct AnyVisitor {
    template <class T>
    void operator()(const char*, T&) const {}
};
}  // namespace codec_detail

template <class T>
concept HasFields = requires(const T& t) { T::fields(t, codec_detail::AnyVisitor{}); };

// Appends values to a string of bytes.
class Writer {
public:
    template <class T>
    void operator()(const char*, const T& value) {
        put(value);
    }
    template <class T>
    void write(const T& value) {
        put(value);
    }
    std::string take() { return std::move(bytes_); }

private:
    void varint(std::uint64_t n) {
        while (n >= 0x80) {
            bytes_.push_back(static_cast<char>(n | 0x80));
            n >>= 7;
        }
        bytes_.push_back(static_cast<char>(n));
    }
    template <std::integral T>
    void put(T n) {
        const auto wide =
            static_cast<std::int64_t>(n);  // Zigzag, so that small negatives stay short.
        varint((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
    }
    template <class T>
        requires std::is_enum_v<T>
    void put(T e) {
        put(static_cast<std::underlying_type_t<T>>(e));
    }
    void put(const std::string& s) {
        varint(s.size());
        bytes_ += s;
    }
    void put(const BitSet& bits) {
        put(bits.size());
        put(bits.words());
    }
    template <class Tag, class Rep>
    void put(const StrongId<Tag, Rep>& id) {
        put(id.value());
    }
    template <class Unit>
    void put(const Quantity<Unit>& q) {
        put(q.count());
    }
    template <class Rep, class Period>
    void put(const std::chrono::duration<Rep, Period>& d) {
        put(d.count());
    }
    template <class Clock, class D>
    void put(const std::chrono::time_point<Clock, D>& t) {
        put(t.time_since_epoch());
    }
    template <class T>
    void put(const std::vector<T>& items) {
        varint(items.size());
        for (const T& item : items) put(item);
    }
    template <class T>
    void put(const SharedList<T>& items) {  // As a vector, without making one of it.
        varint(items.size());
        for (const T& item : items) put(item);
    }
    template <class T, std::size_t N>
    void put(const std::array<T, N>& items) {  // Trailing zeroes are left out.
        std::size_t used = N;
        while (used > 0 && items[used - 1] == T{}) --used;
        varint(used);
        for (std::size_t i = 0; i < used; ++i) put(items[i]);
    }
    template <class T>
    void put(const std::optional<T>& maybe) {
        put(maybe.has_value());
        if (maybe) put(*maybe);
    }
    template <HasPlain T>
    void put(const T& held) {
        put(held.plain());
    }
    template <class A, class B>
    void put(const std::pair<A, B>& both) {
        put(both.first);
        put(both.second);
    }
    template <class... Kinds>
    void put(const std::variant<Kinds...>& one) {
        varint(one.index());
        std::visit([this](const auto& kind) { this->put(kind); }, one);
    }
    template <HasFields T>
    void put(const T& value) {
        Writer inner;
        T::fields(value, inner);
        put(inner.bytes_);
    }

    std::string bytes_;
};

// How much memory the elements of what is read may take for each byte that is read: of what comes
// over a link or a socket, and of what we have written down ourselves, where a fact of three bytes
// has room for the largest. What we write stays far below both: see ElementSizes in model's
// codec_test.
inline constexpr std::size_t kMessageRoom = 64;
inline constexpr std::size_t kRecordRoom = 2048;
inline constexpr std::size_t kSmallestRoom = 4096;  // Of all together, at least.

// Reads values back. After the first thing that is wrong it gives only defaults, and ok() is false.
class Reader {
public:
    explicit Reader(std::string_view bytes, std::size_t room_per_byte = kRecordRoom)
        : rest_(bytes),
          own_room_(kSmallestRoom + bytes.size() * room_per_byte),
          room_(&own_room_) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    template <class T>
    void operator()(const char*, T& value) {
        if (!rest_.empty() && ok_)
            get(value);  // Past the end: an older writer did not know this field.
    }
    template <class T>
    void read(T& value) {
        if (ok_) get(value);
    }
    bool ok() const { return ok_; }
    bool at_end() const { return rest_.empty(); }
    bool is_too_large() const { return too_large_; }  // Why it is not ok.

private:
    // Of a struct within what another one reads: their room is one.
    struct Within {
        std::size_t* room;
    };
    Reader(std::string_view bytes, Within other) : rest_(bytes), room_(other.room) {}

    void fail() { ok_ = false, rest_ = {}; }
    // Asked before the memory is taken.
    bool has_room_for(std::size_t items, std::size_t bytes_each) {
        if (!ok_) return false;
        if (items <= *room_ / bytes_each) {
            *room_ -= items * bytes_each;
            return true;
        }
        too_large_ = true;
        fail();
        return false;
    }
    std::uint64_t varint() {
        std::uint64_t n = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            n |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return n;
        }
        fail();
        return 0;
    }
    // A count of things that take at least one byte each.
    std::size_t count() {
        const std::uint64_t n = varint();
        if (n > rest_.size()) fail();
        return ok_ ? static_cast<std::size_t>(n) : 0;
    }
    template <std::integral T>
    void get(T& out) {
        const std::uint64_t n = varint();
        const auto wide = static_cast<std::int64_t>((n >> 1) ^ (~(n & 1) + 1));
        out = static_cast<T>(wide);
        if (static_cast<std::int64_t>(out) != wide) fail();
    }
    template <class T>
        requires std::is_enum_v<T>
    void get(T& out) {
        std::underlying_type_t<T> n{};
        get(n);
        out = static_cast<T>(n);
    }
    void get(std::string& out) {
        const std::size_t n = count();
        if (!has_room_for(n, 1)) return;
        out.assign(rest_.substr(0, n));
        rest_.remove_prefix(n);
    }
    void get(BitSet& out) {
        std::size_t size = 0;
        std::vector<std::uint64_t> words;
        get(size);
        get(words);
        if (auto set = BitSet::from_words(size, std::move(words)); set && ok_) {
            out = *std::move(set);
        } else {
            fail();
        }
    }
    template <class Tag, class Rep>
    void get(StrongId<Tag, Rep>& out) {
        Rep n{};
        get(n);
        out = StrongId<Tag, Rep>(n);
    }
    template <class Unit>
    void get(Quantity<Unit>& out) {
        std::int64_t n = 0;
        get(n);
        out = Quantity<Unit>(n);
    }
    template <class Rep, class Period>
    void get(std::chrono::duration<Rep, Period>& out) {
        Rep n{};
        get(n);
        out = std::chrono::duration<Rep, Period>(n);
    }
    template <class Clock, class D>
    void get(std::chrono::time_point<Clock, D>& out) {
        D since{};
        get(since);
        out = std::chrono::time_point<Clock, D>(since);
    }
    template <class T>
    void get(std::vector<T>& out) {
        out.clear();
        const std::size_t n = count();
        if (!has_room_for(n, sizeof(T))) return;
        out.reserve(n);
        for (std::size_t i = 0; i < n && ok_; ++i) get(out.emplace_back());
    }
    template <class T>
    void get(SharedList<T>& out) {
        out.clear();
        const std::size_t n = count();
        if (!has_room_for(n, sizeof(T))) return;
        for (std::size_t i = 0; i < n && ok_; ++i) get(out.push_back(T{}));
    }
    template <class T, std::size_t N>
    void get(std::array<T, N>& out) {
        out = {};
        const std::size_t used = count();
        if (used > N) return fail();
        for (std::size_t i = 0; i < used && ok_; ++i) get(out[i]);
    }
    template <class T>
    void get(std::optional<T>& out) {
        bool present = false;
        get(present);
        out.reset();
        if (present && ok_) get(out.emplace());
    }
    template <HasPlain T>
    void get(T& out) {
        typename T::Plain value{};
        get(value);
        // What equals the default takes no memory of its own.
        if (!(value == typename T::Plain{}) && !has_room_for(1, sizeof value)) return;
        out = T(std::move(value));
    }
    template <class A, class B>
    void get(std::pair<A, B>& out) {
        get(out.first);
        get(out.second);
    }
    template <class... Kinds>
    void get(std::variant<Kinds...>& out) {
        const std::uint64_t which = varint();
        if (which >= sizeof...(Kinds)) return fail();
        get_kind(out, which, std::index_sequence_for<Kinds...>{});
    }
    template <class Variant, std::size_t... I>
    void get_kind(Variant& out, std::uint64_t which, std::index_sequence<I...>) {
        ((which == I ? get(out.template emplace<I>()) : void()), ...);
    }
    template <HasFields T>
    void get(T& out) {
        const std::size_t n = count();
        Reader inner(rest_.substr(0, n), Within{room_});
        rest_.remove_prefix(n);
        T::fields(out, inner);
        too_large_ = too_large_ || inner.too_large_;
        if (!inner.ok()) fail();
    }

    std::string_view rest_;
    std::size_t own_room_ = 0;
    std::size_t* room_;
    bool ok_ = true;
    bool too_large_ = false;
};

template <class T>
std::string encode(const T& value) {
    Writer writer;
    writer.write(value);
    return writer.take();
}

template <class T>
Result<T> decode(std::string_view bytes, std::size_t room_per_byte = kRecordRoom) {
    Reader reader(bytes, room_per_byte);
    T value{};
    reader.read(value);
    if (reader.is_too_large()) {
        return Error{ErrorCode::invalid_argument,
                     "malformed bytes: " + std::to_string(bytes.size()) +
                         " bytes claim to be more than any record of that size is in memory"};
    }
    if (!reader.ok() || !reader.at_end()) {
        return Error{ErrorCode::invalid_argument,
                     "malformed bytes: not an encoded record of this kind"};
    }
    return value;
}

// A stable hash of everything a value holds: the same on every compiler and at every optimisation.
template <class T>
std::uint64_t hash_of(const T& value) {
    StateHash hash;
    hash.add(std::string_view(encode(value)));
    return hash.value();
}

}  // namespace berth
