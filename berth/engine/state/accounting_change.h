// AccountingChange: what edits of accounts, users and QOS change. The quota tree follows limits by
// itself; the plan counts their use anew.
#pragma once

#include "berth/model/accounting_edits.h"
#include "berth/model/cluster_spec.h"

namespace berth {

struct AccountingChange {
    bool shares = false;  // Who has a share, how large it is, or the priority that goes with it.
    bool limits = false;  // Any limit or quota, or who is bound by it.
    bool qos = false;     // Which QOS there are, their priorities, MaxWall or usage factors.
};

// `before`: the configuration without the edits.
AccountingChange change_of(const ClusterSpec& before, const AccountingEdits& edits);

}  // namespace berth
