#include "berth/api/field_choice.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "berth/base/codec.h"
#include "berth/base/text.h"

namespace berth::api {

struct FieldChoice::Known {
    std::string_view name;
    std::vector<Known> (*within)();  // Its own fields; nullptr: it has none.

    struct List {
        std::vector<Known> fields;
        template <class T>
        void operator()(const char* field, T&) {
            if constexpr (HasFields<std::remove_const_t<T>>) {
                fields.push_back({field, of<std::remove_const_t<T>>});
            } else {
                fields.push_back({field, nullptr});
            }
        }
    };
    template <class T>
    static std::vector<Known> of() {
        List list;
        const T none{};
        T::fields(none, list);
        return list.fields;
    }
};

Result<FieldChoice> FieldChoice::choose(const std::vector<Known>& known,
                                        const std::vector<std::string>& names) {
    FieldChoice choice;
    if (names.empty()) return choice;
    choice.wanted_.resize(known.size());
    std::map<std::size_t, std::vector<std::string>> within;
    for (const std::string& name : names) {
        const std::size_t dot = name.find('.');
        const auto at =
            std::ranges::find(known, std::string_view(name).substr(0, dot), &Known::name);
        if (at == known.end() || (dot != std::string::npos && at->within == nullptr)) {
            std::vector<std::string_view> all;
            all.reserve(known.size());
            for (const Known& one : known) all.push_back(one.name);
            return Error{ErrorCode::invalid_argument,
                         name + " is not a field; there are " + join(all, ", ")};
        }
        const auto index = static_cast<std::size_t>(at - known.begin());
        choice.wanted_[index] = true;
        if (dot != std::string::npos) within[index].push_back(name.substr(dot + 1));
    }
    for (auto& [index, some] : within) {
        BERTH_TRY(choice.within_[index], choose(known[index].within(), some));
    }
    for (const std::string& name : names) {  // All of it, where that is asked for, too.
        const auto at = std::ranges::find(known, name, &Known::name);
        if (at != known.end()) choice.within_.erase(static_cast<std::size_t>(at - known.begin()));
    }
    return choice;
}

const FieldChoice& FieldChoice::within(std::size_t index) const {
    static const FieldChoice all;
    const auto found = within_.find(index);
    return found == within_.end() ? all : found->second;
}

template <class T>
Result<FieldChoice> FieldChoice::of(const std::vector<std::string>& names) {
    return choose(Known::of<T>(), names);
}

#define BERTH_API_DEFINE(T) \
    template Result<FieldChoice> FieldChoice::of<T>(const std::vector<std::string>&);
BERTH_API_MESSAGES(BERTH_API_DEFINE)
#undef BERTH_API_DEFINE

}  // namespace berth::api
