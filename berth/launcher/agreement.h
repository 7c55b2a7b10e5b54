// agrees(): whether an agent's copy of an order matches the copy that the controller signed, in the
// fields that the agent knows. An older agent leaves out newer fields, which are the last ones of
// their struct, so a field left at its default may differ there; any other value must match. The
// launcher always carries out the signed copy.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "berth/base/codec.h"

namespace berth {

template <class T>
bool agrees(const T& asked, const T& meant);

namespace agreement_detail {

template <class T>
bool same(const T& asked, const T& meant) {
    return asked == meant;
}

template <class T>
bool same(const std::vector<T>& asked, const std::vector<T>& meant) {
    if (asked.size() != meant.size()) return false;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (!agrees(asked[i], meant[i])) return false;
    }
    return true;
}

template <class T>
bool same(const std::optional<T>& asked, const std::optional<T>& meant) {
    if (asked.has_value() != meant.has_value()) return false;
    return !asked || agrees(*asked, *meant);
}

template <HasFields T>
bool same_fields(const T& asked, const T& meant) {
    std::vector<const void*> fields;
    T::fields(meant, [&](const char*, const auto& field) { fields.push_back(&field); });
    const T nothing{};
    std::vector<const void*> defaults;
    T::fields(nothing, [&](const char*, const auto& field) { defaults.push_back(&field); });
    std::size_t i = 0;
    bool same_so_far = true, same_when_said = true;
    T::fields(asked, [&](const char*, const auto& field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        const bool is_default = field == *static_cast<const Field*>(defaults[i]);
        same_so_far = same_so_far && agrees(field, *static_cast<const Field*>(fields[i]));
        if (!is_default) same_when_said = same_so_far;  // Trailing defaults may be left out.
        ++i;
    });
    return same_when_said;
}

}  // namespace agreement_detail

template <class T>
bool agrees(const T& asked, const T& meant) {
    if constexpr (HasPlain<T>) {
        const typename T::Plain &one = asked.plain(), &other = meant.plain();
        return agrees(one, other);
    } else if constexpr (HasFields<T>) {
        return agreement_detail::same_fields(asked, meant);
    } else {
        return agreement_detail::same(asked, meant);
    }
}

}  // namespace berth
