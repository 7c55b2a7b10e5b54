#include "berth/api/association_tree.h"

#include <algorithm>

#include "berth/model/limit_inheritance.h"

namespace berth::api {
namespace {

constexpr std::size_t kDeepest = 64;

}  // namespace

AssociationTree::AssociationTree(const std::vector<AssociationRow>& associations,
                                 const std::vector<QosRow>& qos) {
    for (const AssociationRow& row : associations) {
        if (row.user.empty()) {
            accounts_.emplace(row.account, &row);
        } else if (const auto [at, is_first] = defaults_.emplace(row.user, &row);
                   !is_first && row.is_default && !at->second->is_default) {
            at->second = &row;
        }
    }
    for (const QosRow& one : qos) all_qos_.push_back(one.name);
    std::ranges::sort(all_qos_);
}

std::vector<const AssociationRow*> AssociationTree::path_of(const AssociationRow& row) const {
    std::vector<const AssociationRow*> path;
    for (const AssociationRow* at = &row; at != nullptr && path.size() <= kDeepest;) {
        path.push_back(at);
        const auto above = accounts_.find(at->parent);
        at = above == accounts_.end() || above->second == at ? nullptr : above->second;
    }
    return path;
}

Limits AssociationTree::limits_of(const AssociationRow& row) const {
    Limits limits = row.limits;
    for (const AssociationRow* one : path_of(row)) {
        if (one != &row) inherit_limits(limits, one->limits);
    }
    return limits;
}

std::vector<std::string> AssociationTree::qos_of(const AssociationRow& row) const {
    for (const AssociationRow* one : path_of(row)) {
        if (one->qos.empty()) continue;
        std::vector<std::string> names = one->qos;
        std::ranges::sort(names);
        return names;
    }
    return all_qos_;
}

std::string AssociationTree::default_qos_of(const AssociationRow& row) const {
    for (const AssociationRow* one : path_of(row)) {
        if (!one->default_qos.empty()) return one->default_qos;
    }
    return {};
}

std::string AssociationTree::lineage_of(const AssociationRow& row) const {
    std::string lineage = "/";
    if (!row.user.empty()) lineage += "0-" + row.user + "/";
    for (const AssociationRow* one : path_of(row)) {
        if (one->user.empty() && one->account != "root") lineage.insert(0, "/" + one->account);
    }
    return lineage;
}

std::string AssociationTree::default_account_of(std::string_view user) const {
    const auto found = defaults_.find(user);
    return found == defaults_.end() ? std::string() : found->second->account;
}

std::vector<Coordination> AssociationTree::coordinators_of(const AssociationRow& account) const {
    std::map<std::string, bool> all;
    for (const AssociationRow* one : path_of(account)) {
        for (const std::string& user : one->coordinators) all.try_emplace(user, one == &account);
    }
    std::vector<Coordination> coordinators;
    coordinators.reserve(all.size());
    for (const auto& [name, direct] : all) coordinators.push_back({name, direct});
    return coordinators;
}

std::vector<Coordination> AssociationTree::coordinated_by(std::string_view user) const {
    std::vector<Coordination> accounts;
    for (const auto& [name, row] : accounts_) {
        for (const Coordination& one : coordinators_of(*row)) {
            if (one.name == user) accounts.push_back({std::string(name), one.direct});
        }
    }
    return accounts;
}

std::string names_of(const std::vector<Coordination>& all) {
    std::string names;
    for (const Coordination& one : all) names += (names.empty() ? "" : ",") + one.name;
    return names;
}

}  // namespace berth::api
