// Configuration: the specification of the cluster in force. It is what the files say, with the ids
// of earlier configurations, and over it the edits that sacctmgr and scontrol have made since.
//
// The edits are already part of spec(). They are kept beside it, to be laid over the next
// configuration that is read from files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/shared.h"
#include "berth/model/accounting_edits.h"
#include "berth/model/cluster_edits.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/event.h"

namespace berth {

class Configuration {
public:
    Configuration() = default;
    // REQUIRES: the edits are part of the specification.
    Configuration(ClusterSpec spec, AccountingEdits accounting, ClusterEdits cluster)
        : spec_(std::move(spec)),
          accounting_edits_(std::move(accounting)),
          cluster_edits_(std::move(cluster)) {}

    const ClusterSpec& spec() const { return spec_; }
    const AccountingEdits& accounting_edits() const { return accounting_edits_; }
    const ClusterEdits& cluster_edits() const { return cluster_edits_; }

    // Lays the known edits over it. REQUIRES: it has the ids of spec(); see keep_ids().
    void install(ClusterSpec kept);
    void edit(const AccountingEdits& edits);
    void edit(const ClusterEdits& edits);

    // A node that joins, or is described anew, when all else stays: so a thousand nodes may join
    // one after the other. nullopt: it is not all that changes, and nothing was changed here.
    std::optional<NodeId> describe_in_place(const NodeDescribed& fact);
    // The specification with the node as it is described, to be installed.
    ClusterSpec with(const NodeDescribed& fact) const;

private:
    using NodeIds = std::map<std::string, NodeId, std::less<>>;

    std::optional<NodeId> find_node(std::string_view name);

    ClusterSpec spec_;
    // By name, of the first nodes: those behind them were not looked for yet. An installed
    // specification begins anew.
    Shared<NodeIds> node_ids_;
    AccountingEdits accounting_edits_;
    ClusterEdits cluster_edits_;
};

}  // namespace berth
