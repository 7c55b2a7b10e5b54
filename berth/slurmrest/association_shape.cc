// Associations, accounts, users and the cluster as slurmrestd's slurmdbd routes give them, and as
// `sacctmgr --json show` prints them.
#include "berth/slurmrest/limit_shape.h"
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurmrest {
namespace {

void put_short(ShapeWriter& json, const api::AssociationRow& row, const std::string& cluster) {
    json.put("account", row.account), json.put("cluster", cluster);
    json.put("partition", ""), json.put("user", row.user);
    json.put("id", std::int64_t{0});  // It has no number.
}

void put_short_list(ShapeWriter& json, const std::string& cluster,
                    const std::vector<const api::AssociationRow*>& associations) {
    json.begin_list("associations");
    for (const api::AssociationRow* one : associations) {
        json.begin();
        put_short(json, *one, cluster);
        json.end();
    }
    json.end_list();
}

void put_coordination(ShapeWriter& json, const std::vector<api::Coordination>& all) {
    json.begin_list("coordinators");
    for (const api::Coordination& one : all) {
        json.begin();
        json.put("name", one.name), json.put("direct", one.direct);
        json.end();
    }
    json.end_list();
}

void put_job_limits(ShapeWriter& json, const Limits& limits) {
    json.begin("jobs");
    json.begin("per");
    put_most(json, "count", limits.group_jobs);
    json.put_number("accruing", std::nullopt);
    put_most(json, "submitted", limits.group_submitted);
    put_most_minutes(json, "wall_clock", limits.max_wall);
    json.end();
    put_most(json, "active", limits.max_jobs);
    json.put_number("accruing", std::nullopt);
    put_most(json, "total", limits.max_submitted);
    json.end();
}

void put_tres_limits(ShapeWriter& json, const Limits& limits) {
    json.begin("tres");
    put_most_tres(json, "total", limits.group_tres);
    json.begin("group");
    put_most_tres(json, "minutes", limits.group_tres_minutes);
    put_most_tres(json, "active", limits.group_tres_run_minutes);
    json.end();
    json.begin("minutes");
    json.put_no_items("total");
    json.begin("per"), put_most_tres(json, "job", limits.max_tres_minutes_per_job), json.end();
    json.end();
    json.begin("per");
    put_most_tres(json, "job", limits.max_tres_per_job);
    put_most_tres(json, "node", limits.max_tres_per_node);
    json.end();
    json.end();
}

}  // namespace

std::string parent_account_of(const api::AssociationRow& row) {
    return row.user.empty() ? row.parent : std::string();
}

std::string description_of(const api::AssociationRow& account) {
    return account.description.empty() ? account.account : account.description;
}

void put_association(ShapeWriter& json, const AssociationShape& association) {
    const api::AssociationRow& row = association.row;
    json.begin();
    json.put_no_items("accounting");
    put_short(json, row, association.cluster);
    json.put("comment", "");
    json.begin("default"), json.put("qos", association.default_qos), json.end();
    json.put_no_items("flags");
    json.begin("max");
    put_job_limits(json, association.limits);
    put_tres_limits(json, association.limits);
    json.begin("per"), json.begin("account");
    put_most_minutes(json, "wall_clock", row.limits.group_wall);
    json.end(), json.end();
    json.end();
    json.put("is_default", row.is_default), json.put("lineage", association.lineage);
    json.begin("min"), json.put_number("priority_threshold", std::nullopt), json.end();
    json.put("parent_account", parent_account_of(row));
    json.put_number("priority", row.priority);
    json.put("qos", association.qos);
    json.put("shares_raw", row.shares_of_parent ? kSharesOfParent : row.shares);
    json.end();
}

void put_account(ShapeWriter& json, const HolderShape& shape) {
    const api::AssociationRow& account = shape.row;
    json.begin();
    put_short_list(json, shape.cluster, shape.associations);
    put_coordination(json, shape.coordination);
    json.put("description", description_of(account)), json.put("name", account.account);
    json.put("organization", account.organization.empty() ? account.account : account.organization);
    json.put_no_items("flags");
    json.end();
}

void put_user(ShapeWriter& json, const HolderShape& shape) {
    const api::AssociationRow& user = shape.row;
    json.begin();
    json.put("administrator_level",
             std::vector{user.admin_level.empty() ? std::string("None") : user.admin_level});
    put_short_list(json, shape.cluster, shape.associations);
    put_coordination(json, shape.coordination);
    json.begin("default");
    json.put("account", shape.default_account), json.put("wckey", "");
    json.end();
    json.put_no_items("flags");
    json.put("name", user.user), json.put("old_name", "");
    json.put_no_items("wckeys");
    json.end();
}

void put_cluster(ShapeWriter& json, const std::string& cluster, const std::string& host) {
    json.begin();
    json.begin("controller");
    json.put("host", host), json.put("port", std::int64_t{0});  // As sacctmgr's table has it.
    json.end();
    json.put_no_items("flags");
    json.put("name", cluster), json.put("nodes", "");
    json.begin("associations"), json.begin("root");
    put_short(json, api::AssociationRow{.account = "root"}, cluster);
    json.end(), json.end();
    json.put("rpc_version", std::int64_t{0});
    json.put_no_items("tres");
    json.end();
}

}  // namespace berth::slurmrest
