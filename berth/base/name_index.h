// NameIndex: where in a list each name is. With it two long lists are held against each other
// without searching one of them for each element of the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace berth {

// `Name` is cheap to copy: a std::string_view, or a pair of two. It may refer to the list, which
// must then stay as it is.
template <class Name>
class NameIndex {
public:
    struct Entry {
        Name name;
        std::size_t first = 0, last = 0;  // Which elements are the first and the last of this name.
    };

    NameIndex() = default;
    template <class Items, class NameOf>
    NameIndex(const Items& items, NameOf name_of) {
        entries_.reserve(items.size());
        for (const auto& item : items) {
            const std::size_t at = entries_.size();
            entries_.push_back({name_of(item), at, at});
        }
        std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
            return a.name == b.name ? a.first < b.first : a.name < b.name;
        });
        std::size_t names = 0;
        for (const Entry& entry : entries_) {
            if (names > 0 && entries_[names - 1].name == entry.name) {
                entries_[names - 1].last = entry.last;
            } else {
                entries_[names++] = entry;
            }
        }
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(names), entries_.end());
    }

    std::size_t size() const { return entries_.size(); }  // How many names there are.
    // nullptr: nothing is called so.
    const Entry* find(const Name& name) const {
        const auto at = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
        return at == entries_.end() || at->name != name ? nullptr : &*at;
    }
    bool contains(const Name& name) const { return find(name) != nullptr; }
    // Below size(), another one for each name. REQUIRES: the entry is one of find().
    std::size_t number_of(const Entry& entry) const {
        return static_cast<std::size_t>(&entry - entries_.data());
    }

private:
    std::vector<Entry> entries_;  // By name.
};

template <class Items, class NameOf>
NameIndex(const Items&, NameOf) -> NameIndex<
    std::remove_cvref_t<std::invoke_result_t<NameOf, const typename Items::value_type&>>>;

}  // namespace berth
