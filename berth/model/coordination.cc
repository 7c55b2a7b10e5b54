#include "berth/model/coordination.h"

#include <algorithm>

namespace berth {
namespace {

constexpr int kDepthMax = 64;  // Of the tree; a circle ends there, too.

const AccountSpec* account_named(const ClusterSpec& spec, std::string_view name) {
    const auto found = std::ranges::find(spec.accounts, name, &AccountSpec::name);
    return found == spec.accounts.end() ? nullptr : &*found;
}

}  // namespace

bool coordinates(const ClusterSpec& spec, std::string_view user, std::string_view account) {
    const AccountSpec* at = account_named(spec, account);
    for (int depth = 0; at != nullptr && depth < kDepthMax; ++depth) {
        if (std::ranges::find(at->coordinators, user) != at->coordinators.end()) return true;
        at = account_named(spec, at->parent);
    }
    return false;
}

}  // namespace berth
