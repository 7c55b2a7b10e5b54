// AccountingEdits: what was changed of accounts, users, QOS and queues while the cluster runs, over
// what the configuration says.
#pragma once

#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/model/cluster_spec.h"

namespace berth {

struct AdminLevel {
    std::string user;
    bool is_operator = false;

    BERTH_FIELDS(AdminLevel, user, is_operator)
};

// Each entry is the whole of it as it is to be. Of QOS, `gone` says that it is removed.
struct AccountingEdits {
    std::vector<AccountSpec> accounts;
    std::vector<std::string> removed_accounts;
    std::vector<AssociationSpec> associations;
    std::vector<std::pair<std::string, std::string>> removed_associations;  // Account, user.
    std::vector<QosSpec> qos;
    std::vector<AdminLevel> levels;
    std::vector<QueueSpec> queues;
    std::vector<std::string> removed_queues;

    bool empty() const { return *this == AccountingEdits{}; }

    BERTH_FIELDS(AccountingEdits, accounts, removed_accounts, associations, removed_associations,
                 qos, levels, queues, removed_queues)
};

// The later edits over the earlier ones: of each thing, the last word.
void merge(AccountingEdits& into, const AccountingEdits& later);

// Works the edits into a configuration. Ids of QOS stay: new ones come last, removed ones are
// marked.
void apply_edits(ClusterSpec& spec, const AccountingEdits& edits);

}  // namespace berth
