#include "berth/engine/cycle/limit_news.h"

#include <map>
#include <set>
#include <string_view>

namespace berth {
namespace {

using Accounts = std::map<std::string_view, const AccountSpec*>;

bool limits_all(const AccountSpec& account) {
    return account.limits.group_jobs || !account.limits.group_tres.empty();
}

// Visits the account and its ancestors up to the root, until `visit` returns false.
template <class Visit>
void each_above(const Accounts& accounts, std::string_view name, Visit visit) {
    for (std::size_t depth = 0; depth < 64; ++depth) {
        const auto known = accounts.find(name);
        if (known == accounts.end() || !visit(*known->second)) return;
        name = known->second->parent;
    }
}

}  // namespace

LimitNews::LimitNews(const ClusterState& state, const LimitUses::Changed& changed)
    : none_(changed.empty() || !state.has_limits()) {
    if (none_) return;
    const ClusterSpec& spec = state.spec();
    Accounts accounts;
    for (const AccountSpec& one : spec.accounts) accounts.emplace(one.name, &one);
    qos_.resize(spec.qos.size());
    std::set<std::string_view> limited;
    std::set<std::pair<std::string_view, std::string_view>> own;
    std::set<std::string_view> users, whole_accounts;  // Those that a QOS limits individually.
    for (const auto& [account, user, qos] : changed) {
        own.emplace(account, user);
        if (qos.index() < qos_.size()) {
            const Limits& limits = spec.qos[qos.index()].limits;
            if (limits.group_jobs || !limits.group_tres.empty()) qos_[qos.index()] = true;
            if (limits.max_jobs || !limits.max_tres_per_user.empty()) users.insert(user);
            if (limits.max_jobs_per_account || !limits.max_tres_per_account.empty()) {
                whole_accounts.insert(account);
            }
        }
        each_above(accounts, account, [&](const AccountSpec& one) {
            if (limits_all(one)) limited.insert(one.name);
            return true;
        });
    }
    usages_.resize(state.usage().size());
    for (std::size_t i = 0; i < usages_.size(); ++i) {
        const UsageRecord& record = state.usage()[i];
        usages_[i] = own.contains({record.account, record.user}) || users.contains(record.user) ||
                     whole_accounts.contains(record.account);
        each_above(accounts, record.account, [&](const AccountSpec& one) {
            if (limited.contains(one.name)) usages_[i] = true;
            return !usages_[i];
        });
    }
}

}  // namespace berth
