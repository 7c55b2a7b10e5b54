#include "berth/server/auth/access.h"

#include <algorithm>

namespace berth {

std::optional<Verb> verb_of(const api::Route& route) {
    if (route.verb.empty()) return std::nullopt;
    const auto verbs = all_verbs();
    const auto found =
        std::ranges::find_if(verbs, [&](Verb verb) { return name(verb) == route.verb; });
    return found == verbs.end() ? static_cast<Verb>(verbs.size()) : *found;
}

bool may_use(const api::Route& route, Role role, bool own) {
    const std::optional<Verb> verb = verb_of(route);
    return !verb || allowed(role, *verb, own);
}

}  // namespace berth
