#include "berth/control/requests/authorize.h"

#include <algorithm>
#include <array>

#include "berth/base/assert.h"
#include "berth/model/account_name.h"
#include "berth/model/coordination.h"

namespace berth {
namespace {

// The lowest role that may use the verb on one's own objects, and on those of others or of nobody.
struct Rule {
    Verb verb;
    std::string_view name;
    Role own, others;
    bool by_coordinators = false;  // They may use it on jobs of their accounts as on their own.
};

constexpr Role kUser = Role::user, kOp = Role::op, kAdmin = Role::admin;

// The table. Docs and tests repeat it on purpose: changing it changes what Berth guarantees.
constexpr std::array kRules = {
    Rule{Verb::ping, "ping", kUser, kUser},
    Rule{Verb::view_jobs, "view_jobs", kUser, kUser},
    Rule{Verb::view_job_script, "view_job_script", kUser, kAdmin},
    Rule{Verb::view_nodes, "view_nodes", kUser, kUser},
    Rule{Verb::view_partitions, "view_partitions", kUser, kUser},
    Rule{Verb::view_config, "view_config", kUser, kUser},
    Rule{Verb::view_accounting, "view_accounting", kUser, kUser},
    Rule{Verb::view_events, "view_events", kUser, kUser},
    Rule{Verb::view_metrics, "view_metrics", kUser, kUser},
    Rule{Verb::explain_job, "explain_job", kUser, kUser},
    Rule{Verb::hash_state, "hash_state", kOp, kOp},
    Rule{Verb::submit_job, "submit_job", kUser, kAdmin},
    Rule{Verb::cancel_job, "cancel_job", kUser, kOp, true},
    Rule{Verb::signal_job, "signal_job", kUser, kOp, true},
    Rule{Verb::hold_job, "hold_job", kUser, kOp, true},
    Rule{Verb::hold_job_as_admin, "hold_job_as_admin", kOp, kOp},
    Rule{Verb::release_job, "release_job", kUser, kOp, true},
    Rule{Verb::release_admin_hold, "release_admin_hold", kOp, kOp},
    Rule{Verb::requeue_job, "requeue_job", kUser, kOp, true},
    Rule{Verb::update_job, "update_job", kUser, kOp, true},
    Rule{Verb::raise_limits, "raise_limits", kOp, kOp},
    Rule{Verb::create_step, "create_step", kUser, kAdmin},
    Rule{Verb::complete_job, "complete_job", kUser, kAdmin},
    Rule{Verb::update_node, "update_node", kOp, kOp},
    Rule{Verb::update_partition, "update_partition", kOp, kOp},
    Rule{Verb::edit_reservation, "edit_reservation", kOp, kOp},
    Rule{Verb::edit_accounting, "edit_accounting", kUser, kOp},
    Rule{Verb::reconfigure, "reconfigure", kAdmin, kAdmin},
    Rule{Verb::shutdown, "shutdown", kAdmin, kAdmin},
    Rule{Verb::view_shares, "view_shares", kUser, kUser},
    Rule{Verb::set_usage, "set_usage", kAdmin, kAdmin},
    Rule{Verb::view_diagnostics, "view_diagnostics", kUser, kUser},
    Rule{Verb::reset_diagnostics, "reset_diagnostics", kOp, kOp},
    Rule{Verb::create_join_token, "create_join_token", kAdmin, kAdmin},
    Rule{Verb::create_token, "create_token", kUser, kAdmin},
    Rule{Verb::suspend_job, "suspend_job", kOp, kOp},
    Rule{Verb::top_job, "top_job", kUser, kOp},
    Rule{Verb::notify_job, "notify_job", kUser, kOp},
    Rule{Verb::attach_step, "attach_step", kUser, kAdmin},
    Rule{Verb::edit_nodes, "edit_nodes", kAdmin, kAdmin},
    Rule{Verb::checkpoint_job, "checkpoint_job", kUser, kAdmin},
};

constexpr std::array<Verb, kRules.size()> verbs_of_rules() {
    std::array<Verb, kRules.size()> verbs{};
    for (std::size_t i = 0; i < kRules.size(); ++i) verbs[i] = kRules[i].verb;
    return verbs;
}
constexpr auto kVerbs = verbs_of_rules();

const Rule* find_rule(Verb verb) {
    const auto index = static_cast<std::size_t>(verb);
    if (index >= kRules.size()) return nullptr;
    BERTH_ASSERT(kRules[index].verb == verb);
    return &kRules[index];
}

}  // namespace

bool allowed(Role role, Verb verb, bool own) {
    const Rule* const rule = find_rule(verb);
    if (rule == nullptr || role == Role::none || role > Role::admin) return false;
    return role >= (own ? rule->own : rule->others);
}

// By uid alone: a name can be given to another user, a uid cannot without root.
bool owns(const Principal& principal, const Job& job) { return principal.uid == job.owner->uid; }

bool acts_as_owner(const ClusterSpec& spec, const Principal& principal, Verb verb, const Job& job) {
    if (owns(principal, job)) return true;
    const Rule* const rule = find_rule(verb);
    return rule != nullptr && rule->by_coordinators &&
           coordinates(spec, principal.user, job.spec.account);
}

bool coordinates_all(const ClusterSpec& spec, const Principal& principal,
                     const AccountingEdits& edits) {
    if (!edits.qos.empty() || !edits.levels.empty() || !edits.queues.empty() ||
        !edits.removed_queues.empty())
        return false;
    const auto is_coordinated = [&](std::string_view account) {
        return coordinates(spec, principal.user, account_name(spec, account));
    };
    const auto is_below = [&](std::string_view account) {
        const auto known =
            std::ranges::find(spec.accounts, account_name(spec, account), &AccountSpec::name);
        return known == spec.accounts.end() || is_coordinated(known->parent);
    };
    return std::ranges::all_of(edits.accounts,
                               [&](const AccountSpec& one) {
                                   return is_below(one.name) && is_coordinated(one.parent);
                               }) &&
           std::ranges::all_of(edits.removed_accounts, is_below) &&
           std::ranges::all_of(
               edits.associations,
               [&](const AssociationSpec& one) { return is_coordinated(one.account); }) &&
           std::ranges::all_of(edits.removed_associations,
                               [&](const auto& one) { return is_coordinated(one.first); });
}

std::string_view name(Verb verb) {
    const Rule* const rule = find_rule(verb);
    return rule == nullptr ? "unknown" : rule->name;
}

std::string_view name(Role role) {
    switch (role) {
        case Role::none: return "none";
        case Role::user: return "user";
        case Role::op: return "op";
        case Role::admin: return "admin";
    }
    return "unknown";
}

std::span<const Verb> all_verbs() { return kVerbs; }

}  // namespace berth
