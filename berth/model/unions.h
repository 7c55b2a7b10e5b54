// Unions of lists, for what several of them have together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

namespace berth {

// All unions of one list or more, each once and in order. nullopt: there are more than `most`.
// REQUIRES: each list is sorted and names nothing twice.
template <class T>
std::optional<std::set<std::vector<T>>> unions_of(const std::set<std::vector<T>>& lists,
                                                  std::size_t most) {
    std::set<std::vector<T>> unions;
    for (const std::vector<T>& list : lists) {
        std::set<std::vector<T>> more = {list};
        for (const std::vector<T>& known : unions) {
            std::vector<T> both;
            std::ranges::set_union(known, list, std::back_inserter(both));
            more.insert(std::move(both));
        }
        unions.merge(more);
        if (unions.size() > most) return std::nullopt;
    }
    return unions;
}

}  // namespace berth
