#include "berth/server/service/rest_answers.h"

#include <algorithm>
#include <map>

#include "berth/api/association_tree.h"
#include "berth/api/problem.h"
#include "berth/api/row_text.h"
#include "berth/base/text.h"
#include "berth/server/service/rest_list.h"
#include "berth/server/service/visible_rows.h"
#include "berth/server/views/association_rows.h"
#include "berth/server/views/cluster_rows.h"
#include "berth/server/views/declared_rows.h"
#include "berth/slurmrest/row_shapes.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using slurmrest::RestId;
using slurmrest::ShapeWriter;

// Slurm's texts of what a path names and there is not.
ApiResponse not_there(Refusal why, const std::string& what, const std::string& name) {
    api::Problem problem =
        api::problem_of(why, "Failure to query " + what + " " + name + ": there is none");
    problem.status = 404;
    return respond(problem);
}

std::function<void(ShapeWriter&)> last_update(const RestAsked& asked) {
    return [now = asked.snapshot->now](ShapeWriter& json) { json.put_time("last_update", now); };
}

ApiResponse answer_nodes(const RestAsked& asked, std::vector<api::NodeRow> rows) {
    return respond_rows(
        asked.meta, "nodes", std::move(rows),
        [cluster = asked.meta.cluster](ShapeWriter& json, const api::NodeRow& row) {
            slurmrest::put_node(json, row, cluster);
        },
        last_update(asked));
}

ApiResponse answer_one_node(const RestAsked& asked) {
    const std::string& name = asked.call.capture;
    auto row = node_row(*asked.snapshot, name);
    if (!row) return not_there(Refusal::unknown_node, "node", name);
    return answer_nodes(asked, {*std::move(row)});
}

ApiResponse answer_partitions(const RestAsked& asked, bool one) {
    std::vector<api::PartitionRow> rows = partition_rows(*asked.snapshot);
    const std::string& name = asked.call.capture;
    if (one) std::erase_if(rows, [&](const api::PartitionRow& row) { return row.name != name; });
    if (one && rows.empty()) return not_there(Refusal::unknown_partition, "partition", name);
    return respond_rows(
        asked.meta, "partitions", std::move(rows),
        [cluster = asked.meta.cluster](ShapeWriter& json, const api::PartitionRow& row) {
            slurmrest::put_partition(json, row, cluster);
        },
        last_update(asked));
}

ApiResponse answer_reservations(const RestAsked& asked, bool one) {
    auto rows = visible_reservations(*asked.snapshot, asked.who());
    const std::string& name = asked.call.capture;
    if (one) std::erase_if(rows, [&](const api::ReservationRow& row) { return row.name != name; });
    if (one && rows.empty()) return not_there(Refusal::unknown_reservation, "reservation", name);
    return respond_rows(asked.meta, "reservations", std::move(rows), slurmrest::put_reservation,
                        last_update(asked));
}

// As slurmctld: accounts are chosen by name, and of their users those that are named.
ApiResponse answer_shares(const RestAsked& asked) {
    auto rows = visible_shares(*asked.snapshot, asked.who(), wall_time());
    std::erase_if(rows, [&](const api::ShareRow& row) {
        return !asked.query.takes("accounts", row.account) ||
               (!row.user.empty() && !asked.query.takes("users", row.user));
    });
    return respond_document(asked.meta,
                            [&](ShapeWriter& json) { slurmrest::put_shares(json, rows); });
}

// What associations have from above, whether or not the user may see the accounts there.
struct AccountingSite {
    explicit AccountingSite(const ClusterSpec& spec)
        : associations(association_rows(spec)), qos(qos_rows(spec)), above(associations, qos) {}
    AccountingSite(const AccountingSite&) = delete;
    AccountingSite& operator=(const AccountingSite&) = delete;
    ~AccountingSite() = default;

    std::vector<api::AssociationRow> associations;
    std::vector<api::QosRow> qos;
    api::AssociationTree above;
};

ApiResponse answer_associations(const RestAsked& asked) {
    auto rows = visible_associations(*asked.snapshot, asked.who());
    const slurmrest::RestQuery& query = asked.query;
    std::erase_if(rows, [&](const api::AssociationRow& row) {
        return !query.takes("account", row.account) || !query.takes("user", row.user) ||
               !query.takes("parent_account", slurmrest::parent_account_of(row)) ||
               !query.takes("cluster", asked.meta.cluster);
    });
    return respond_rows(
        asked.meta, "associations", std::move(rows),
        [site = std::make_shared<const AccountingSite>(*asked.snapshot->spec),
         cluster = asked.meta.cluster](ShapeWriter& json, const api::AssociationRow& row) {
            const api::AssociationTree& above = site->above;
            slurmrest::put_association(json, {.row = row,
                                              .cluster = cluster,
                                              .limits = above.limits_of(row),
                                              .qos = above.qos_of(row),
                                              .default_qos = above.default_qos_of(row),
                                              .lineage = above.lineage_of(row)});
        });
}

ApiResponse answer_accounts(const RestAsked& asked, bool one) {
    auto rows = visible_associations(*asked.snapshot, asked.who());
    const std::string& name = asked.call.capture;
    std::erase_if(rows, [&](const api::AssociationRow& row) {
        return !row.user.empty() || (one && row.account != name) ||
               !asked.query.takes("description", slurmrest::description_of(row));
    });
    if (one && rows.empty()) return not_there(Refusal::unknown_account, "account", name);
    return respond_rows(
        asked.meta, "accounts", std::move(rows),
        [site = std::make_shared<const AccountingSite>(*asked.snapshot->spec),
         cluster = asked.meta.cluster](ShapeWriter& json, const api::AssociationRow& row) {
            slurmrest::put_account(
                json,
                {.row = row, .cluster = cluster, .coordination = site->above.coordinators_of(row)});
        });
}

struct UserAnswer {
    std::vector<api::AssociationRow> associations;  // One or more.
    std::string default_account;
    std::vector<api::Coordination> coordinated;
};

ApiResponse answer_users(const RestAsked& asked, bool one) {
    const auto visible = visible_associations(*asked.snapshot, asked.who());
    const std::vector<api::QosRow> no_qos;
    const api::AssociationTree tree(visible, no_qos);
    std::map<std::string, UserAnswer> by_user;
    for (const api::AssociationRow& row : visible) {
        if (!row.user.empty()) by_user[row.user].associations.push_back(row);
    }
    const std::string& name = asked.call.capture;
    std::vector<UserAnswer> chosen;
    for (auto& [user, answer] : by_user) {
        answer.default_account = tree.default_account_of(user);
        answer.coordinated = tree.coordinated_by(user);
        const bool takes =
            asked.query.takes("admin_level", answer.associations.front().admin_level) &&
            asked.query.takes("default_account", answer.default_account);
        if (takes && (!one || user == name)) chosen.push_back(std::move(answer));
    }
    if (one && chosen.empty()) return not_there(Refusal::unknown_user, "user", name);
    const bool with_associations = one || asked.query.flag("with_assocs");
    return respond_rows(asked.meta, "users", std::move(chosen),
                        [cluster = asked.meta.cluster, with_associations](ShapeWriter& json,
                                                                          const UserAnswer& user) {
                            std::vector<const api::AssociationRow*> own;
                            for (const api::AssociationRow& row : user.associations) {
                                if (with_associations) own.push_back(&row);
                            }
                            slurmrest::put_user(json, {.row = user.associations.front(),
                                                       .cluster = cluster,
                                                       .coordination = user.coordinated,
                                                       .associations = std::move(own),
                                                       .default_account = user.default_account});
                        });
}

ApiResponse answer_qos(const RestAsked& asked, bool one) {
    std::vector<api::QosRow> rows = qos_rows(*asked.snapshot->spec);
    const std::string& name = asked.call.capture;
    std::erase_if(rows, [&](const api::QosRow& row) {
        return (one && row.name != name) || !asked.query.takes("name", row.name) ||
               !asked.query.takes("description", row.description);
    });
    if (one && rows.empty()) return not_there(Refusal::unknown_qos, "QOS", name);
    return respond_rows(asked.meta, "qos", std::move(rows), slurmrest::put_qos);
}

// What the cluster counts: a count of 0 says that it is the kind that is meant.
ApiResponse answer_tres(const RestAsked& asked) {
    std::vector<std::string> names = {"cpu", "mem", "node", "billing"};
    for (const std::string& gres : config_row(*asked.snapshot->spec).gres_names)
        names.push_back("gres/" + gres);
    for (const api::LicenseRow& license : license_rows(*asked.snapshot))
        names.push_back("license/" + license.name);
    return respond_rows(
        asked.meta, "TRES", std::move(names),
        [](ShapeWriter& json, const std::string& name) { slurmrest::put_one_tres(json, name, 0); });
}

ApiResponse answer_clusters(const RestAsked& asked, bool one) {
    const ClusterSpec& spec = *asked.snapshot->spec;
    if (one && asked.call.capture != spec.name)
        return not_there(Refusal::invalid_request, "cluster", asked.call.capture);
    return respond_document(asked.meta, [&](ShapeWriter& json) {
        json.begin_list("clusters");
        slurmrest::put_cluster(json, spec.name, spec.controller_host);
        json.end_list();
    });
}

// Of what a cluster of Berth has none.
ApiResponse answer_nothing(const RestAsked& asked, const char* name) {
    return respond_document(asked.meta, [&](ShapeWriter& json) { json.put_no_items(name); });
}

std::optional<ApiResponse> database_answer(const RestAsked& asked) {
    switch (asked.call.route->id) {
        case RestId::db_associations:
        case RestId::db_association: return answer_associations(asked);
        case RestId::db_accounts: return answer_accounts(asked, false);
        case RestId::db_account: return answer_accounts(asked, true);
        case RestId::db_users: return answer_users(asked, false);
        case RestId::db_user: return answer_users(asked, true);
        case RestId::db_qos: return answer_qos(asked, false);
        case RestId::db_one_qos: return answer_qos(asked, true);
        case RestId::db_tres: return answer_tres(asked);
        case RestId::db_clusters: return answer_clusters(asked, false);
        case RestId::db_cluster: return answer_clusters(asked, true);
        case RestId::db_instances:
        case RestId::db_instance: return answer_nothing(asked, "instances");
        case RestId::db_wckeys: return answer_nothing(asked, "wckeys");
        case RestId::db_wckey:
            return not_there(Refusal::invalid_request, "wckey", asked.call.capture);
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<ApiResponse> rest_answer(const RestAsked& asked) {
    switch (asked.call.route->id) {
        case RestId::list_nodes: return answer_nodes(asked, node_rows(*asked.snapshot));
        case RestId::show_node: return answer_one_node(asked);
        case RestId::list_partitions: return answer_partitions(asked, false);
        case RestId::show_partition: return answer_partitions(asked, true);
        case RestId::list_reservations: return answer_reservations(asked, false);
        case RestId::show_reservation: return answer_reservations(asked, true);
        case RestId::licenses:
            return respond_rows(asked.meta, "licenses", license_rows(*asked.snapshot),
                                slurmrest::put_license, last_update(asked));
        case RestId::shares: return answer_shares(asked);
        default: return database_answer(asked);
    }
}

}  // namespace berth
