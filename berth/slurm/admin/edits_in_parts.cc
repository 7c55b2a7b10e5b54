#include "berth/slurm/admin/edits_in_parts.h"

#include <algorithm>

namespace berth::slurm {
namespace {

// The controller takes more changes in a call, but no body of more than 8 MiB.
constexpr std::size_t kCallMost = 10'000;
constexpr std::size_t kPartMost = 5000;  // Of accounts or of users, if there are more.

template <class Spec>
void add_parts(std::vector<AccountingEdits>& parts, const std::vector<Spec>& specs,
               std::vector<Spec> AccountingEdits::* member) {
    for (std::size_t begin = 0; begin < specs.size(); begin += kPartMost) {
        const auto from = specs.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::size_t count = std::min(kPartMost, specs.size() - begin);
        AccountingEdits part;
        (part.*member).assign(from, from + static_cast<std::ptrdiff_t>(count));
        parts.push_back(std::move(part));
    }
}

std::size_t depth_of(const AccountSpec& account,
                     const std::map<std::string, AccountSpec>& accounts) {
    std::size_t depth = 0;
    for (const AccountSpec* one = &account; depth <= accounts.size(); ++depth) {
        const auto above = accounts.find(one->parent);
        if (one->parent == "root" || above == accounts.end()) break;
        one = &above->second;
    }
    return depth;
}

}  // namespace

std::vector<AccountingEdits> edits_in_parts(AccountingEdits all,
                                            const std::map<std::string, AccountSpec>& accounts) {
    if (all.empty()) return {};
    const std::size_t count = all.accounts.size() + all.associations.size() + all.levels.size() +
                              all.removed_accounts.size() + all.removed_associations.size();
    if (count <= kCallMost) return {std::move(all)};
    std::vector<AccountingEdits> parts;
    std::vector<AccountSpec> own = std::move(all.accounts);
    std::vector<AssociationSpec> users = std::move(all.associations);
    all.accounts.clear();
    all.associations.clear();
    std::ranges::stable_sort(own, {},
                             [&](const AccountSpec& one) { return depth_of(one, accounts); });
    add_parts(parts, own, &AccountingEdits::accounts);
    add_parts(parts, users, &AccountingEdits::associations);
    if (!all.empty()) parts.push_back(std::move(all));
    return parts;
}

}  // namespace berth::slurm
