// AccountingChange: what edits of accounts, users and QOS change beyond limits, which the quota
// tree follows by itself.
#pragma once

#include "berth/model/accounting_edits.h"
#include "berth/model/cluster_spec.h"

namespace berth {

struct AccountingChange {
    bool shares = false;  // Who has a share, how large it is, or the priority that goes with it.
    bool qos = false;     // Which QOS there are, their priorities, MaxWall or usage factors.
};

// `before`: the configuration without the edits.
AccountingChange change_of(const ClusterSpec& before, const AccountingEdits& edits);

}  // namespace berth
