// BERTH_FIELDS(Point, x, y): the one list of a struct's fields. Equality, the codec (base/codec.h),
// the state hash and JSON (api/json.h) all read it, so that a new field cannot be forgotten in one
// of them. Fields are only ever appended: an old journal then still reads, with the new field at
// its default.
#pragma once

#include <string_view>
#include <type_traits>

// Calls visit("name", self.name) for each field, in order.
#define BERTH_FIELDS(type, ...)                                                       \
    [[maybe_unused]] friend bool operator==(const type&, const type&) = default;      \
    template <class Self, class Visit>                                                \
    static void fields([[maybe_unused]] Self& self, [[maybe_unused]] Visit&& visit) { \
        __VA_OPT__(BERTH_EXPAND(BERTH_EACH_FIELD(__VA_ARGS__)))                       \
    }

// The preprocessor's way to walk a list (C++20 __VA_OPT__): each EXPAND level scans again, 256
// fields at most.
#define BERTH_EACH_FIELD(field, ...) \
    visit(#field, self.field);       \
    __VA_OPT__(BERTH_EACH_AGAIN BERTH_PARENS(__VA_ARGS__))
#define BERTH_EACH_AGAIN() BERTH_EACH_FIELD
#define BERTH_PARENS ()
#define BERTH_EXPAND(...) BERTH_EXPAND3(BERTH_EXPAND3(BERTH_EXPAND3(BERTH_EXPAND3(__VA_ARGS__))))
#define BERTH_EXPAND3(...) BERTH_EXPAND2(BERTH_EXPAND2(BERTH_EXPAND2(BERTH_EXPAND2(__VA_ARGS__))))
#define BERTH_EXPAND2(...) BERTH_EXPAND1(BERTH_EXPAND1(BERTH_EXPAND1(BERTH_EXPAND1(__VA_ARGS__))))
#define BERTH_EXPAND1(...) __VA_ARGS__

namespace berth {

// Gives `to` each field of `from` that has the same name and the same type in both. What differs in
// either is left as it is: that is for the caller to convert.
template <class From, class To>
void copy_same_fields(const From& from, To& to) {
    From::fields(from, [&](std::string_view name, const auto& value) {
        To::fields(to, [&](std::string_view other, auto& target) {
            using Value = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::remove_cvref_t<decltype(target)>>) {
                if (name == other) target = value;
            }
        });
    });
}

}  // namespace berth
