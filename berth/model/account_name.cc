#include "berth/model/account_name.h"

#include <algorithm>

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

std::string denied_or_allowed_account(const ClusterSpec& spec, std::string_view name) {
    if (!name.starts_with('-')) return account_name(spec, name);
    return "-" + account_name(spec, name.substr(1));
}

}  // namespace berth
