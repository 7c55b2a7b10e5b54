#include "berth/server/views/association_rows.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "berth/model/qos_preemption.h"

namespace berth {
namespace {

constexpr std::uint32_t kDepthMax = 64;

class Tree {
public:
    explicit Tree(const ClusterSpec& spec) : spec_(spec) {
        for (const AssociationSpec& one : spec.associations) {
            const AssociationSpec*& known = defaults_.try_emplace(one.user, &one).first->second;
            if (one.is_default && !known->is_default) known = &one;
        }
    }

    std::vector<api::AssociationRow> rows() {
        rows_.push_back(
            {.account = "root", .description = "default root account", .organization = "root"});
        add_users("root", 0);
        add_beneath("root", 1);
        return std::move(rows_);
    }

private:
    std::string level_of(const std::string& user) const {
        if (user == "root") return "Administrator";
        const bool is_operator = std::ranges::find(spec_.operators, user) != spec_.operators.end();
        return is_operator ? "Operator" : "None";
    }

    void add_users(const std::string& account, std::uint32_t depth) {
        std::vector<const AssociationSpec*> users;
        for (const AssociationSpec& one : spec_.associations) {
            if (one.account == account) users.push_back(&one);
        }
        std::ranges::sort(users, {}, &AssociationSpec::user);
        for (const AssociationSpec* one : users) {
            rows_.push_back({.account = account,
                             .parent = account,
                             .user = one->user,
                             .depth = depth + 1,
                             .is_default = defaults_.at(one->user) == one,
                             .shares = one->shares,
                             .shares_of_parent = one->shares_of_parent,
                             .priority = one->priority,
                             .qos = one->qos,
                             .default_qos = one->default_qos,
                             .admin_level = level_of(one->user),
                             .limits = one->limits});
        }
    }

    void add_beneath(const std::string& parent, std::uint32_t depth) {
        if (depth > kDepthMax) return;
        std::vector<const AccountSpec*> accounts;
        for (const AccountSpec& one : spec_.accounts) {
            const std::string& above = one.parent.empty() ? kRoot : one.parent;
            if (above == parent && one.name != kRoot) accounts.push_back(&one);
        }
        std::ranges::sort(accounts, {}, &AccountSpec::name);
        for (const AccountSpec* one : accounts) {
            rows_.push_back({.account = one->name,
                             .parent = parent,
                             .depth = depth,
                             .shares = one->shares,
                             .shares_of_parent = one->shares_of_parent,
                             .priority = one->priority,
                             .qos = one->qos,
                             .default_qos = one->default_qos,
                             .description = one->description,
                             .organization = one->organization,
                             .limits = one->limits,
                             .coordinators = one->coordinators});
            add_users(one->name, depth);
            add_beneath(one->name, depth + 1);
        }
    }

    inline static const std::string kRoot = "root";
    // As jobs without an account get it: the one that is marked, else the user's first.
    std::map<std::string_view, const AssociationSpec*> defaults_;
    const ClusterSpec& spec_;
    std::vector<api::AssociationRow> rows_;
};

}  // namespace

std::vector<api::AssociationRow> association_rows(const ClusterSpec& spec) {
    return Tree(spec).rows();
}

std::vector<api::QosRow> qos_rows(const ClusterSpec& spec) {
    std::vector<api::QosRow> rows;
    for (const QosSpec& one : spec.qos) {
        if (one.gone) continue;
        rows.push_back({.name = one.name,
                        .description = one.description,
                        .priority = one.priority,
                        .max_wall = one.max_wall,
                        .deny_on_limit = one.deny_on_limit,
                        .usage_factor_ppm = one.usage_factor.count(),
                        .limits = one.limits,
                        .preempt = one.preempt,
                        .preempt_mode = qos_preempt_mode_text(one),
                        .grace_time = one.grace_time,
                        .preempt_exempt = one.preempt_exempt,
                        .over_partition_qos = one.over_partition_qos});
    }
    return rows;
}

}  // namespace berth
