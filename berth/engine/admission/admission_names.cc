// Admission: partitions, accounts and QOS by name, and access to them.
#include "berth/base/hostlist.h"
#include "berth/base/text.h"

#include <algorithm>

#include "berth/engine/admission/admission_checks.h"
#include "berth/model/account_name.h"

namespace berth {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

template <class Item>
std::string names_of(const std::vector<Item>& items) {
    std::vector<std::string> names;
    for (const Item& item : items) {
        if (!item.gone) names.push_back(item.name);
    }
    return join(names, ", ");
}

Refusing unknown_partition(const ClusterSpec& spec, const std::string& name) {
    return {
        .why = Refusal::unknown_partition,
        .message = "there is no partition '" + name + "'; there are: " + names_of(spec.partitions),
        .details = {"invalid partition specified: " + name}};
}

const AccountSpec* find_account(const ClusterSpec& spec, std::string_view name) {
    for (const AccountSpec& one : spec.accounts) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

// The user's association with this account; with an empty account, the default association.
const AssociationSpec* association(const ClusterSpec& spec, std::string_view user,
                                   std::string_view account) {
    const AssociationSpec* first = nullptr;
    for (const AssociationSpec& one : spec.associations) {
        if (one.user != user || (!account.empty() && one.account != account)) continue;
        if (one.is_default || !account.empty()) return &one;
        if (first == nullptr) first = &one;
    }
    return first;
}

struct OpenQos {
    const std::vector<std::string>* names = nullptr;  // Empty: all.
    std::string_view chosen;                          // Empty: none.
};

// What the association has of its own, else what the nearest account above it has, each for itself.
// A default that is not open is none; where one QOS alone is open, it is the default.
OpenQos open_qos(const ClusterSpec& spec, const AssociationSpec& own) {
    OpenQos open{&own.qos, own.default_qos};
    const AccountSpec* above = find_account(spec, own.account);
    while (above != nullptr) {
        if (open.names->empty()) open.names = &above->qos;
        if (open.chosen.empty()) open.chosen = above->default_qos;
        // The root, where it is described, is beneath itself; no other account is.
        above = above->parent == above->name ? nullptr : find_account(spec, above->parent);
    }
    if (!open.names->empty() && !contains(*open.names, open.chosen)) open.chosen = {};
    if (open.chosen.empty() && open.names->size() == 1) open.chosen = open.names->front();
    return open;
}

}  // namespace

Objection resolve_partition(const ClusterSpec& spec, const Principal& owner, Job& job) {
    const std::string& name = job.spec.partition;
    const auto partition = name.empty() ? spec.default_partition() : spec.find_partition(name);
    if (!partition) {
        if (!name.empty()) return unknown_partition(spec, name);
        return Refusing{.why = Refusal::no_default_partition,
                        .message = "no partition was named and none is the default; there are: " +
                                   names_of(spec.partitions)};
    }
    job.partition = *partition;
    job.spec.partition = spec.partition(*partition).name;
    const PartitionState state = spec.partition(*partition).state;
    if (state == PartitionState::inactive || state == PartitionState::drain) {
        return Refusing{.why = Refusal::partition_unavailable,
                        .message = "partition " + job.spec.partition + " is " +
                                   (state == PartitionState::drain ? "draining" : "inactive") +
                                   " and takes no new jobs"};
    }
    if (spec.partition(*partition).root_only && owner.role != Role::admin) {
        return Refusing{.why = Refusal::not_allowed,
                        .message = "partition " + job.spec.partition + " is for root only"};
    }
    return std::nullopt;
}

Objection resolve_account(const ClusterSpec& spec, Job& job) {
    SharedText& account = job.spec.account;
    if (!account.empty()) account = account_name(spec, *account);
    const AssociationSpec* known = association(spec, job.owner->user, account);
    if (account.empty() && known != nullptr) account = known->account;
    if (!spec.scheduling.enforce_accounts || known != nullptr) return std::nullopt;
    std::string message = account.empty() ? "user " + job.owner->user + " has no account"
                          : find_account(spec, account) != nullptr
                              ? "user " + job.owner->user + " is not in account " + account
                              : "there is no account '" + account + "'";
    return Refusing{.why = Refusal::unknown_account, .message = std::move(message)};
}

Objection resolve_qos(const ClusterSpec& spec, Job& job) {
    SharedText& name = job.spec.qos;
    const AssociationSpec* known = association(spec, job.owner->user, job.spec.account);
    const OpenQos open = known == nullptr ? OpenQos{} : open_qos(spec, *known);
    if (name.empty() && !open.chosen.empty()) name = std::string(open.chosen);
    if (name.empty()) name = "normal";
    const auto qos = spec.find_qos(name);
    if (!qos && name == "normal") return std::nullopt;  // "normal" always exists, with priority 0.
    if (!qos) {
        return Refusing{
            .why = Refusal::unknown_qos,
            .message = "there is no QOS '" + name + "'; there are: " + names_of(spec.qos)};
    }
    if (spec.scheduling.enforce_accounts && known != nullptr && !open.names->empty() &&
        !contains(*open.names, name)) {
        return Refusing{.why = Refusal::unknown_qos,
                        .message = "QOS " + name + " is not open to user " + job.owner->user +
                                   " in account " + known->account +
                                   "; open are: " + join(*open.names, ", ")};
    }
    job.qos = *qos;
    return std::nullopt;
}

Objection check_partition_access(const ClusterSpec& spec, const Principal& owner, const Job& job) {
    const PartitionSpec& partition = spec.partition(job.partition);
    const auto refused = [&](Refusal why, const std::string& who) {
        return Refusing{.why = why,
                        .message = "partition " + partition.name + " is not open to " + who};
    };
    if (partition.disable_root_jobs && owner.uid == 0)
        return refused(Refusal::not_allowed, "root (DisableRootJobs)");
    if (partition.requires_reservation && job.spec.request->reservation.empty())
        return refused(Refusal::not_allowed, "jobs without --reservation (ReqResv)");
    const std::string& host = job.spec.command->submit_host;
    if (!partition.alloc_nodes.empty() && !host.empty() && !contains(partition.alloc_nodes, host)) {
        return refused(Refusal::not_allowed, "jobs submitted on " + host +
                                                 "; jobs are accepted from " +
                                                 compress_hostlist(partition.alloc_nodes));
    }
    const auto closed = [](const std::vector<std::string>& allow,
                           const std::vector<std::string>& deny, const std::string& one) {
        return (!allow.empty() && !contains(allow, one)) || (allow.empty() && contains(deny, one));
    };
    if (closed(partition.allow_accounts, partition.deny_accounts, job.spec.account)) {
        return refused(Refusal::unknown_account, "account '" + job.spec.account + "'");
    }
    if (closed(partition.allow_qos, partition.deny_qos, job.spec.qos)) {
        return refused(Refusal::unknown_qos, "QOS " + job.spec.qos);
    }
    const auto is_allowed = [&](const std::string& group) {
        return contains(partition.allow_groups, group);
    };
    if (owner.role != Role::admin && !partition.allow_groups.empty() && !is_allowed(owner.group) &&
        std::ranges::none_of(owner.groups, is_allowed)) {
        return refused(Refusal::not_allowed,
                       "user " + owner.user +
                           ", who is in none of its groups: " + join(partition.allow_groups, ", "));
    }
    return std::nullopt;
}

}  // namespace berth
