// sacctmgr show: accounts, users, associations, QOS and the cluster as Slurm's tables.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

enum class Entity : unsigned char { account, user, association, qos, cluster };

struct SacctmgrOptions {
    bool immediate = false;     // -i
    bool no_header = false;     // -n
    bool parsable = false;      // -p: "|" behind every cell
    bool parsable2 = false;     // -P: "|" between them
    bool associations = false;  // -s
    bool quiet = false;
};

// The words after the entity: "where name=x account=y", "format=a,b%20", "withassoc", "tree".
struct Selection {
    std::vector<std::string> names, accounts, users, qos;
    std::string format;
    bool with_associations = false, tree = false;
};

struct AccountingView {
    std::string cluster, host;
    std::vector<api::AssociationRow> associations;
    std::vector<api::QosRow> qos;
};

int show_accounting(const AccountingView& view, Entity entity, const Selection& selection,
                    const SacctmgrOptions& options, Streams& streams);

// The effective limits: a user's own, else those of the accounts above (except group limits).
Limits inherited_limits(const AccountingView& view, const api::AssociationRow& row);

}  // namespace berth::slurm
