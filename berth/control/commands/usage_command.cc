// Usage set by an administrator: imported from another scheduler, or reset.
#include <algorithm>

#include "berth/control/commands/commands.h"
#include "berth/model/account_name.h"

namespace berth {
namespace {

constexpr std::size_t kEntriesMax = 100'000;
constexpr std::size_t kAccountNameMax = 256;
constexpr std::int64_t kBillingMax = std::int64_t{1} << 53;

bool is_association(const ClusterSpec& spec, const UsageSet::Entry& entry) {
    return std::any_of(spec.associations.begin(), spec.associations.end(),
                       [&](const AssociationSpec& one) {
                           return one.account == entry.account && one.user == entry.user;
                       }) ||
           (entry.account == "root" && entry.user == "root");
}

std::optional<Refused> wrong(const ClusterState& state, const UsageSet::Entry& entry) {
    const auto refuse = [&](const std::string& why) {
        return refused(Refusal::invalid_request, "usage of user '" + entry.user + "' in account '" +
                                                     entry.account + "': " + why);
    };
    if (entry.user.empty()) return refuse("it needs a user; accounts have what their users have");
    if (entry.user.size() > kAccountNameMax || entry.account.size() > kAccountNameMax) {
        return refuse("names have up to " + std::to_string(kAccountNameMax) + " letters");
    }
    if (entry.billing < 0 || entry.billing > kBillingMax) {
        return refuse("it must be from 0 to " + std::to_string(kBillingMax) + " seconds");
    }
    const bool enforced = state.spec().scheduling.enforce_accounts;
    if (enforced && !is_association(state.spec(), entry)) {
        return refuse("there is no such association");
    }
    return std::nullopt;
}

}  // namespace

Answer set_usage(TurnBuilder& builder, const Principal& principal, SetUsage command) {
    if (auto no = forbidden(principal, Verb::set_usage)) return *no;
    if (command.entries.size() > kEntriesMax) {
        return refused(Refusal::invalid_request,
                       "more than " + std::to_string(kEntriesMax) + " at once");
    }
    for (UsageSet::Entry& entry : command.entries) {
        entry.account = account_name(builder.state().spec(), entry.account);
        if (auto no = wrong(builder.state(), entry)) return *no;
    }
    builder.record(UsageSet{std::move(command.entries), principal.uid});
    return Done{};
}

}  // namespace berth
