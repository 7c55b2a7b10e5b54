// Names of accounts are of one case, as in Slurm: whatever is asked for is folded to lower case.
// Accounts that an older version took with capital letters keep them, and are found all the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth {

// Whether an account, a user in accounts or a QOS may be called so.
bool is_accounting_name(std::string_view name);

// As the cluster spells this account: in lower case, unless it knows it in just these letters.
std::string account_name(const ClusterSpec& spec, std::string_view name);

// Gives each of the names, of which there may be thousands, what account_name() makes of it.
void spell_accounts(const ClusterSpec& spec, const std::vector<std::string*>& names);

// The same of a name that may have a "-" before it.
std::string denied_or_allowed_account(const ClusterSpec& spec, std::string_view name);

}  // namespace berth
