#include "berth/slurm/admin/sacctmgr_show.h"

#include <algorithm>
#include <functional>
#include <ostream>

#include "berth/api/association_tree.h"
#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/limit_keys.h"
#include "berth/slurm/admin/sacctmgr_options.h"
#include "berth/slurm/admin/sacctmgr_table.h"

namespace berth::slurm {
namespace {

// What a line of the table is about; what does not belong to it is null.
struct EntityLine {
    const AccountingView& view;
    const api::AssociationTree& above;
    const api::AssociationRow* row = nullptr;
    const api::QosRow* qos = nullptr;
    Limits limits;
    std::string default_account;
    bool tree = false;
};

using EntityColumn = SacctmgrColumn<EntityLine>;

std::string share_text(const api::AssociationRow& row) {
    return row.shares_of_parent ? "parent" : std::to_string(row.shares);
}

void add_limits(std::vector<EntityColumn>& columns, unsigned of) {
    for (const LimitKey& key : limit_keys()) {
        if ((key.of & of) == 0) continue;
        columns.push_back(
            {std::string(key.names) + "," + std::string(key.column), std::string(key.column),
             key.width, false,
             [&key](const EntityLine& line) { return limit_text(line.limits, key); }});
    }
}

std::string factor_text(std::int64_t ppm) {
    std::string fraction = std::to_string(ppm % 1'000'000);
    fraction.insert(0, 6 - fraction.size(), '0');
    return std::to_string(ppm / 1'000'000) + "." + fraction;
}

EntityColumn plain(std::string names, std::string header, std::size_t width,
                   std::function<std::string(const EntityLine&)> text) {
    return {std::move(names), std::move(header), width, false, std::move(text)};
}
EntityColumn blank(std::string name, std::string header, std::size_t width) {
    return plain(std::move(name), std::move(header), width, [](const EntityLine&) { return ""; });
}

std::vector<EntityColumn> association_columns() {
    std::vector<EntityColumn> all;
    all.push_back(
        plain("Cluster", "Cluster", 10, [](const EntityLine& l) { return l.view.cluster; }));
    all.push_back(plain("Account", "Account", 10, [](const EntityLine& l) {
        return (l.tree ? std::string(l.row->depth, ' ') : "") + l.row->account;
    }));
    all.push_back(plain("User", "User", 10, [](const EntityLine& l) { return l.row->user; }));
    all.push_back(blank("Partition", "Partition", 10));
    all.push_back(plain("Share,Fairshare,Shares", "Share", 9,
                        [](const EntityLine& l) { return share_text(*l.row); }));
    all.push_back(plain("Priority", "Priority", 10, [](const EntityLine& l) {
        return l.row->priority ? std::to_string(*l.row->priority) : std::string();
    }));
    add_limits(all, kOfAssociation);
    all.push_back(plain("QOS,QOSLevel", "QOS", 20,
                        [](const EntityLine& l) { return join(l.above.qos_of(*l.row), ","); }));
    all.push_back(plain("DefaultQOS,DefQOS", "Def QOS", 9,
                        [](const EntityLine& l) { return l.above.default_qos_of(*l.row); }));
    all.push_back(blank("GrpTRESRunMins", "GrpTRESRunMins", 13));
    all.push_back(plain("ParentName", "ParentName", 10, [](const EntityLine& l) {
        return l.row->user.empty() ? l.row->parent : std::string();
    }));
    return all;
}
constexpr const char* kAssociationFormat =
    "Cluster,Account,User,Partition,Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,"
    "MaxJobs,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS,GrpTRESRunMins";

std::vector<EntityColumn> account_columns() {
    std::vector<EntityColumn> all = association_columns();
    all.push_back(plain("Description", "Descr", 20, [](const EntityLine& l) {
        return l.row->description.empty() ? l.row->account : l.row->description;
    }));
    all.push_back(plain("Organization", "Org", 20, [](const EntityLine& l) {
        return l.row->organization.empty() ? l.row->account : l.row->organization;
    }));
    all.push_back(plain("Coordinators", "Coordinators", 20, [](const EntityLine& l) {
        return names_of(l.above.coordinators_of(*l.row));
    }));
    return all;
}

std::vector<EntityColumn> user_columns() {
    std::vector<EntityColumn> all = association_columns();
    all.push_back(plain("DefaultAccount", "Def Acct", 10,
                        [](const EntityLine& l) { return l.default_account; }));
    all.push_back(
        plain("AdminLevel", "Admin", 9, [](const EntityLine& l) { return l.row->admin_level; }));
    all.push_back(plain("Coordinators", "Coord Accounts", 20, [](const EntityLine& l) {
        return names_of(l.above.coordinated_by(l.row->user));
    }));
    return all;
}

std::vector<EntityColumn> qos_columns() {
    std::vector<EntityColumn> all;
    all.push_back(plain("Name", "Name", 10, [](const EntityLine& l) { return l.qos->name; }));
    all.push_back(
        plain("Description", "Descr", 20, [](const EntityLine& l) { return l.qos->description; }));
    all.push_back(plain("Priority", "Priority", 10,
                        [](const EntityLine& l) { return std::to_string(l.qos->priority); }));
    all.push_back(plain("GraceTime", "GraceTime", 10,
                        [](const EntityLine& l) { return format_duration(l.qos->grace_time); }));
    all.push_back(plain("Preempt", "Preempt", 10,
                        [](const EntityLine& l) { return join(l.qos->preempt, ","); }));
    all.push_back(plain("PreemptExemptTime", "PreemptExemptTime", 19, [](const EntityLine& l) {
        return l.qos->preempt_exempt ? format_duration(*l.qos->preempt_exempt) : std::string();
    }));
    all.push_back(plain("PreemptMode", "PreemptMode", 11, [](const EntityLine& l) {
        return l.qos->preempt_mode.empty() ? std::string("cluster") : to_lower(l.qos->preempt_mode);
    }));
    all.push_back(plain("Flags", "Flags", 40, [](const EntityLine& l) {
        return qos_flags_text(l.qos->deny_on_limit, l.qos->over_partition_qos);
    }));
    all.push_back(blank("UsageThreshold", "UsageThres", 10));
    all.push_back(plain("UsageFactor", "UsageFactor", 11,
                        [](const EntityLine& l) { return factor_text(l.qos->usage_factor_ppm); }));
    add_limits(all, kOfQos);
    all.push_back(blank("GrpTRESMins", "GrpTRESMins", 13));
    all.push_back(blank("GrpTRESRunMins", "GrpTRESRunMins", 13));
    all.push_back(blank("GrpWall", "GrpWall", 11));
    all.push_back(plain("MaxWall,MaxWallDurationPerJob", "MaxWall", 11, [](const EntityLine& l) {
        return l.qos->max_wall ? format_duration(*l.qos->max_wall) : std::string();
    }));
    return all;
}
constexpr const char* kQosFormat =
    "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags,UsageThreshold,"
    "UsageFactor,"
    "GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRES,MaxTRESPerNode,"
    "MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,MaxTRESPA,MaxJobsPA,MaxSubmitPA,MinTRES";

std::vector<EntityColumn> cluster_columns() {
    std::vector<EntityColumn> all = association_columns();
    all.push_back(
        plain("ControlHost", "ControlHost", 15, [](const EntityLine& l) { return l.view.host; }));
    all.push_back(plain("ControlPort", "ControlPort", 12,
                        [](const EntityLine&) { return std::string("0"); }));
    all.push_back(plain("RPC", "RPC", 5, [](const EntityLine&) { return std::string("0"); }));
    return all;
}
constexpr const char* kClusterFormat =
    "Cluster,ControlHost,ControlPort,RPC,Share,GrpJobs,GrpTRES,GrpSubmit,MaxJobs,MaxTRES,MaxSubmit,"
    "MaxWall,QOS,DefaultQOS";

}  // namespace

bool is_selected(const std::vector<std::string>& list, const std::string& one) {
    return list.empty() || std::ranges::any_of(list, [&](const std::string& wanted) {
               return iequals(wanted, one);
           });
}

std::vector<const api::AssociationRow*> rows_of(const AccountingView& view, Entity entity,
                                                const Selection& selection, bool each) {
    std::vector<const api::AssociationRow*> rows;
    for (const api::AssociationRow& row : view.associations) {
        if (entity == Entity::account && !each && !row.user.empty()) continue;
        if (entity == Entity::user && row.user.empty()) continue;
        const std::string& own = entity == Entity::user ? row.user : row.account;
        if (entity != Entity::association && !is_selected(selection.names, own)) continue;
        if (!is_selected(selection.accounts, row.account)) continue;
        if (!selection.users.empty() && !is_selected(selection.users, row.user)) continue;
        rows.push_back(&row);
    }
    if (entity == Entity::association) return rows;
    const auto key = [&](const api::AssociationRow* row) {
        return entity == Entity::user ? std::pair(row->user, row->account)
                                      : std::pair(row->account, row->user);
    };
    std::ranges::sort(rows, {}, key);
    if (each) return rows;
    const auto same = [&](const api::AssociationRow* a, const api::AssociationRow* b) {
        return key(a).first == key(b).first;
    };
    rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
    return rows;
}

int show_accounting(const AccountingView& view, Entity entity, const Selection& selection,
                    const SacctmgrOptions& options, Streams& streams) {
    SacctmgrTable<EntityLine> table(options, streams);
    const bool each = selection.with_associations || options.associations;
    std::string format = selection.format;
    if (format.empty()) {
        const std::string more = std::string(",") + kAssociationFormat;
        switch (entity) {
            case Entity::association: format = kAssociationFormat; break;
            case Entity::qos: format = kQosFormat; break;
            case Entity::cluster: format = kClusterFormat; break;
            case Entity::account: format = "Account,Description,Organization"; break;
            case Entity::user: format = "User,DefaultAccount,AdminLevel"; break;
        }
        const bool has_names = entity == Entity::account || entity == Entity::user;
        if (each && has_names) format += more;
        if (selection.with_coordinators && has_names) format += ",Coordinators";
    }
    const std::vector<EntityColumn> columns = entity == Entity::qos       ? qos_columns()
                                              : entity == Entity::account ? account_columns()
                                              : entity == Entity::user    ? user_columns()
                                              : entity == Entity::cluster ? cluster_columns()
                                                                          : association_columns();
    if (!table.choose(columns, format)) return 1;
    if (selection.tree) table.widen("Account", 20);
    table.header();
    const api::AssociationTree above(view.associations, view.qos);
    if (entity == Entity::qos) {
        for (const api::QosRow& one : view.qos) {
            if (is_selected(selection.names, one.name))
                table.line({.view = view, .above = above, .qos = &one, .limits = one.limits});
        }
        return 0;
    }
    if (entity == Entity::cluster) {
        const api::AssociationRow root{.account = "root"};
        table.line({.view = view, .above = above, .row = &root});
        return 0;
    }
    for (const api::AssociationRow* row : rows_of(view, entity, selection, each)) {
        table.line({.view = view,
                    .above = above,
                    .row = row,
                    .limits = above.limits_of(*row),
                    .default_account = above.default_account_of(row->user),
                    .tree = selection.tree});
    }
    return 0;
}

}  // namespace berth::slurm
