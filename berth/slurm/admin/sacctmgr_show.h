// sacctmgr show: accounts, users, associations, QOS and the cluster as Slurm's tables.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/admin/sacctmgr_table.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

enum class Entity : unsigned char { account, user, association, qos, cluster };

// The words after the entity: "where name=x account=y", "format=a,b%20", "withassoc", "withcoord",
// "tree".
struct Selection {
    std::vector<std::string> names, accounts, users, qos;
    std::string format;
    bool with_associations = false, with_coordinators = false, tree = false;
};

struct AccountingView {
    std::string cluster, host;
    std::vector<api::AssociationRow> associations;
    std::vector<api::QosRow> qos;
};

int show_accounting(const AccountingView& view, Entity entity, const Selection& selection,
                    const SacctmgrOptions& options, Streams& streams);

// The same as JSON or YAML, in the shapes of Slurm's data_parser. REQUIRES: options.notation
void show_accounting_json(const Invocation& call, const AccountingView& view, Entity entity,
                          const Selection& selection, const SacctmgrOptions& options,
                          Streams& streams);

// The lines, in Slurm's order: accounts and users by name, associations as the tree goes. `each`:
// of accounts and users every association, otherwise one of each name.
std::vector<const api::AssociationRow*> rows_of(const AccountingView& view, Entity entity,
                                                const Selection& selection, bool each);
bool is_selected(const std::vector<std::string>& names, const std::string& name);

}  // namespace berth::slurm
