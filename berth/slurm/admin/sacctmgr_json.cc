// sacctmgr show --json and --yaml: which rows, and what each has from the accounts above it.
#include <ostream>

#include "berth/api/association_tree.h"
#include "berth/slurm/admin/sacctmgr_show.h"
#include "berth/slurm/json/json_rows.h"

namespace berth::slurm {
namespace {

// With "withassoc" those of this account or user.
std::vector<const api::AssociationRow*> own_associations(const AccountingView& view, Entity entity,
                                                         const api::AssociationRow& of,
                                                         bool are_asked) {
    std::vector<const api::AssociationRow*> own;
    if (!are_asked) return own;
    for (const api::AssociationRow& row : view.associations) {
        const bool is_own =
            entity == Entity::user ? row.user == of.user : row.account == of.account;
        if (is_own) own.push_back(&row);
    }
    return own;
}

void put_rows(SlurmJson& json, const AccountingView& view, Entity entity,
              const Selection& selection, bool with_associations) {
    const api::AssociationTree above(view.associations, view.qos);
    for (const api::AssociationRow* row : rows_of(view, entity, selection, false)) {
        const auto own = own_associations(view, entity, *row, with_associations);
        if (entity == Entity::account) {
            put_account(json, {.row = *row,
                               .cluster = view.cluster,
                               .coordination = above.coordinators_of(*row),
                               .associations = own});
        } else if (entity == Entity::user) {
            put_user(json, {.row = *row,
                            .cluster = view.cluster,
                            .coordination = above.coordinated_by(row->user),
                            .associations = own,
                            .default_account = above.default_account_of(row->user)});
        } else {
            put_association(json, {.row = *row,
                                   .cluster = view.cluster,
                                   .limits = above.limits_of(*row),
                                   .qos = above.qos_of(*row),
                                   .default_qos = above.default_qos_of(*row),
                                   .lineage = above.lineage_of(*row)});
        }
    }
}

std::string_view list_name(Entity entity) {
    switch (entity) {
        case Entity::account: return "accounts";
        case Entity::user: return "users";
        case Entity::association: return "associations";
        case Entity::qos: return "qos";
        case Entity::cluster: return "clusters";
    }
    return "";
}

}  // namespace

void show_accounting_json(const Invocation& call, const AccountingView& view, Entity entity,
                          const Selection& selection, const SacctmgrOptions& options,
                          Streams& streams) {
    SlurmJson json(streams.out, *options.notation);
    json.begin();
    json.begin_list(list_name(entity));
    if (entity == Entity::qos) {
        for (const api::QosRow& one : view.qos) {
            if (is_selected(selection.names, one.name)) put_qos(json, one);
        }
    } else if (entity == Entity::cluster) {
        put_cluster(json, view.cluster, view.host);
    } else {
        put_rows(json, view, entity, selection,
                 selection.with_associations || options.associations);
    }
    json.end_list();
    json.finish(call, view.cluster);
}

}  // namespace berth::slurm
