// Content: a value as lines of text by which two programs can be compared: the one that wrote a
// file and the one that reads it. A field is named by its place, as in the format ("2.0=7" is field
// 0 of field 2), so that another name in C++ is no difference. Zeroes and empty texts have no line.
//
// Structs grow: fields are appended. So the text says how many fields each struct had ("2{5}"), and
// a later program that is given that text shows no field beyond these.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/codec.h"

namespace berth::baseline {

class Content {
public:
    // `known`: the text of an earlier program, or nothing.
    explicit Content(const std::string& known = {});

    template <class T>
    void add(const std::string& name, const T& value) {
        put(name, value);
    }
    const std::string& text() const { return text_; }

private:
    void line(const std::string& path, const std::string& value);
    // How many of the `all` fields that the struct at `path` has are shown.
    std::size_t shown(const std::string& path, std::size_t all);

    template <std::integral T>
    void put(const std::string& path, T number) {
        if (number != T{}) line(path, std::to_string(number));
    }
    template <class T>
        requires std::is_enum_v<T>
    void put(const std::string& path, T value) {
        put(path, static_cast<std::int64_t>(value));
    }
    void put(const std::string& path, const std::string& text);
    void put(const std::string& path, const BitSet& bits);
    template <class Tag, class Rep>
    void put(const std::string& path, const StrongId<Tag, Rep>& id) {
        put(path, id.value());
    }
    template <class Unit>
    void put(const std::string& path, const Quantity<Unit>& quantity) {
        put(path, quantity.count());
    }
    template <class Rep, class Period>
    void put(const std::string& path, const std::chrono::duration<Rep, Period>& length) {
        put(path, length.count());
    }
    template <class Clock, class D>
    void put(const std::string& path, const std::chrono::time_point<Clock, D>& at) {
        put(path, at.time_since_epoch());
    }
    template <class T>
    void put(const std::string& path, const std::vector<T>& items) {
        put(path, items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            put(path + "." + std::to_string(i), static_cast<const T&>(items[i]));
        }
    }
    template <class T>
    void put(const std::string& path, const SharedList<T>& items) {
        put(path, std::vector<T>(items.begin(), items.end()));
    }
    template <class T, std::size_t N>
    void put(const std::string& path, const std::array<T, N>& items) {
        for (std::size_t i = 0; i < N; ++i) {
            const std::string at = path + "." + std::to_string(i);
            // An array may have grown since.
            if (known_.empty() || known_.contains(at) || !(items[i] == T{})) put(at, items[i]);
        }
    }
    template <class T>
    void put(const std::string& path, const std::optional<T>& maybe) {
        if (!maybe) return;
        line(path, "there");
        put(path, *maybe);
    }
    template <HasPlain T>
    void put(const std::string& path, const T& held) {
        const typename T::Plain& plain = held.plain();
        put(path, plain);
    }
    template <class A, class B>
    void put(const std::string& path, const std::pair<A, B>& both) {
        put(path + ".0", both.first);
        put(path + ".1", both.second);
    }
    template <class... Kinds>
    void put(const std::string& path, const std::variant<Kinds...>& one) {
        line(path, "kind " + std::to_string(one.index()));
        std::visit([&](const auto& kind) { put(path, kind); }, one);
    }
    template <HasFields T>
    void put(const std::string& path, const T& value) {
        std::size_t all = 0, at = 0;
        T::fields(value, [&](const char*, const auto&) { ++all; });
        const std::size_t most = shown(path, all);
        T::fields(value, [&](const char*, const auto& field) {
            if (at++ < most) put(path + "." + std::to_string(at - 1), field);
        });
    }

    std::map<std::string, std::size_t> known_;  // Fields by path.
    std::string text_;
};

// Empty: the same. Else the first line that differs.
std::string difference(const std::string& before, const std::string& now);

}  // namespace berth::baseline
