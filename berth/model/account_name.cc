#include "berth/model/account_name.h"

#include <algorithm>
#include <map>

#include "berth/base/text.h"

namespace berth {

bool is_accounting_name(std::string_view name) {
    return !name.empty() && name.size() <= 255 &&
           name.find_first_of(" \t\n,;:|=\"'/") == std::string_view::npos;
}

std::string account_name(const ClusterSpec& spec, std::string_view name) {
    std::string folded = to_lower(name);
    if (folded == name) {  // Most are; an older account may still be in other letters.
        const auto is = [&](const AccountSpec& one) { return one.name == folded; };
        const auto like = [&](const AccountSpec& one) { return iequals(one.name, folded); };
        if (std::ranges::any_of(spec.accounts, is)) return folded;
        const auto found = std::ranges::find_if(spec.accounts, like);
        return found == spec.accounts.end() ? folded : found->name;
    }
    const bool exact = std::ranges::any_of(
        spec.accounts, [&](const AccountSpec& one) { return one.name == name; });
    return exact ? std::string(name) : account_name(spec, folded);
}

void spell_accounts(const ClusterSpec& spec, const std::vector<std::string*>& names) {
    // Of each name in small letters, how accounts are spelled that differ in case alone: in order.
    std::map<std::string, std::vector<std::string_view>> alike;
    for (const std::string* const name : names) alike.try_emplace(to_lower(*name));
    for (const AccountSpec& one : spec.accounts) {
        const auto found = alike.find(to_lower(one.name));
        if (found != alike.end()) found->second.push_back(one.name);
    }
    for (std::string* const name : names) {
        const auto& [folded, known] = *alike.find(to_lower(*name));
        const auto is_known = [&](std::string_view spelling) {
            return std::ranges::find(known, spelling) != known.end();
        };
        if (is_known(*name)) continue;
        *name = known.empty() || is_known(folded) ? folded : std::string(known.front());
    }
}

std::string denied_or_allowed_account(const ClusterSpec& spec, std::string_view name) {
    if (!name.starts_with('-')) return account_name(spec, name);
    return "-" + account_name(spec, name.substr(1));
}

}  // namespace berth
