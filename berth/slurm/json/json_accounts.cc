// Accounts, users, associations, QOS and the cluster as `sacctmgr --json show` prints them, and
// shares as `sshare --json` does.
#include <array>

#include "berth/base/text.h"
#include "berth/slurm/json/json_rows.h"

namespace berth::slurm {
namespace {

constexpr std::int64_t kSharesOfParent = 0x7fff'ffff;

std::optional<std::int64_t> count_of(const std::optional<std::uint32_t>& count) {
    return count ? std::optional<std::int64_t>(*count) : std::nullopt;
}

std::optional<std::int64_t> minutes_of(const std::optional<Duration>& limit) {
    return limit ? std::optional(seconds(*limit) / 60) : std::nullopt;
}

// What Berth has no limit of, or cannot have: Slurm writes it so where none is set.
void put_unset(SlurmJson& json, std::string_view name) { json.put_number(name, std::nullopt); }
void put_no_tres(SlurmJson& json, std::string_view name) { json.put_tres(name, ""); }

void put_short(SlurmJson& json, const api::AssociationRow& row, const std::string& cluster) {
    json.put("account", row.account), json.put("cluster", cluster);
    json.put("partition", ""), json.put("user", row.user);
    json.put("id", std::int64_t{0});  // It has no number.
}

void put_short_list(SlurmJson& json, const std::string& cluster,
                    const std::vector<const api::AssociationRow*>& associations) {
    json.begin_list("associations");
    for (const api::AssociationRow* one : associations) {
        json.begin();
        put_short(json, *one, cluster);
        json.end();
    }
    json.end_list();
}

void put_empty(SlurmJson& json, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) json.put(name, std::vector<std::string>{});
}

void put_max_jobs(SlurmJson& json, const Limits& limits) {
    json.begin("jobs");
    json.begin("per");
    json.put_number("count", count_of(limits.group_jobs));
    put_unset(json, "accruing");
    json.put_number("submitted", count_of(limits.group_submitted));
    json.put_number("wall_clock", minutes_of(limits.max_wall));
    json.end();
    json.put_number("active", count_of(limits.max_jobs));
    put_unset(json, "accruing");
    json.put_number("total", count_of(limits.max_submitted));
    json.end();
}

void put_max_tres(SlurmJson& json, const Limits& limits) {
    json.begin("tres");
    json.put_tres("total", to_text(limits.group_tres));
    json.begin("group");
    put_no_tres(json, "minutes");
    json.put_tres("active", to_text(limits.group_tres_run_minutes));
    json.end();
    json.begin("minutes");
    put_no_tres(json, "total");
    json.begin("per"), json.put_tres("job", to_text(limits.max_tres_minutes_per_job)), json.end();
    json.end();
    json.begin("per");
    json.put_tres("job", to_text(limits.max_tres_per_job));
    json.put_tres("node", to_text(limits.max_tres_per_node));
    json.end();
    json.end();
}

void put_qos_jobs(SlurmJson& json, const Limits& limits) {
    json.begin("jobs");
    json.put_number("count", count_of(limits.group_submitted));
    json.begin("active_jobs"), json.begin("per");
    json.put_number("account", count_of(limits.max_jobs_per_account));
    json.put_number("user", count_of(limits.max_jobs));
    json.end(), json.end();
    json.begin("per");
    json.put_number("account", count_of(limits.max_submitted_per_account));
    json.put_number("user", count_of(limits.max_submitted));
    json.end();
    json.end();
    json.begin("accruing"), json.begin("per");
    put_unset(json, "account"), put_unset(json, "user");
    json.end(), json.end();
}

void put_qos_tres(SlurmJson& json, const Limits& limits) {
    json.begin("tres");
    json.put_tres("total", to_text(limits.group_tres));
    json.begin("minutes");
    put_no_tres(json, "total");
    json.begin("per");
    json.put_tres("qos", to_text(limits.group_tres_run_minutes));
    json.put_tres("job", to_text(limits.max_tres_minutes_per_job));
    put_no_tres(json, "account"), put_no_tres(json, "user");
    json.end();
    json.end();
    json.begin("per");
    json.put_tres("account", to_text(limits.max_tres_per_account));
    json.put_tres("job", to_text(limits.max_tres_per_job));
    json.put_tres("node", to_text(limits.max_tres_per_node));
    json.put_tres("user", to_text(limits.max_tres_per_user));
    json.end();
    json.end();
}

void put_qos_limits(SlurmJson& json, const api::QosRow& qos) {
    json.begin("limits");
    json.put("grace_time", seconds(qos.grace_time));
    json.begin("max");
    json.begin("active_jobs");
    put_unset(json, "accruing");
    json.put_number("count", count_of(qos.limits.group_jobs));
    json.end();
    put_qos_jobs(json, qos.limits);
    put_qos_tres(json, qos.limits);
    json.begin("wall_clock"), json.begin("per");
    put_unset(json, "qos");
    json.put_number("job", minutes_of(qos.max_wall));
    json.end(), json.end();
    json.end();
    json.put_billionths("factor", std::nullopt);
    json.begin("min");
    put_unset(json, "priority_threshold");
    json.begin("tres"), json.begin("per");
    json.put_tres("job", to_text(qos.limits.min_tres_per_job));
    json.end(), json.end();
    json.end();
    json.end();
}

// "WITHIN,REQUEUE": of these words, those that data_parser knows.
std::vector<std::string> preempt_modes(const std::string& text) {
    constexpr std::array<std::string_view, 4> kModes = {"SUSPEND", "REQUEUE", "CANCEL", "GANG"};
    std::vector<std::string> modes;
    for (const auto word : split(text, ',')) {
        for (const std::string_view mode : kModes) {
            if (iequals(word, mode)) modes.emplace_back(mode);
        }
    }
    if (modes.empty()) modes.emplace_back("DISABLED");
    return modes;
}

constexpr std::int64_t kSecondsInMinute = 60;

void put_share_tres(SlurmJson& json, const api::ShareRow& share) {
    json.begin("tres");
    json.begin_list("run_seconds");
    for (const auto& [name, minutes] : share.tres_run_minutes) {
        json.begin();
        json.put("name", name), json.put_number("value", minutes * kSecondsInMinute);
        json.end();
    }
    json.end_list();
    json.begin_list("group_minutes"), json.end_list();  // GrpTRESMins: there is no such limit.
    json.begin_list("usage");
    for (const auto& [name, minutes] : share.tres_minutes) {
        json.begin();
        json.put("name", name), json.put("value", minutes * kSecondsInMinute);
        json.end();
    }
    json.end_list();
    json.end();
}

}  // namespace

void put_association(SlurmJson& json, const AssociationJson& association) {
    const api::AssociationRow& row = association.row;
    const Limits& limits = association.limits;
    json.begin();
    put_empty(json, {"accounting"});
    json.put("account", row.account), json.put("cluster", association.cluster);
    json.put("comment", "");
    json.begin("default"), json.put("qos", association.default_qos), json.end();
    put_empty(json, {"flags"});
    json.begin("max");
    put_max_jobs(json, limits);
    put_max_tres(json, limits);
    json.begin("per"), json.begin("account"), put_unset(json, "wall_clock"), json.end(), json.end();
    json.end();
    json.put("id", std::int64_t{0});
    json.put("is_default", row.is_default), json.put("lineage", association.lineage);
    json.begin("min"), put_unset(json, "priority_threshold"), json.end();
    json.put("parent_account", row.user.empty() ? row.parent : std::string());
    json.put("partition", "");
    json.put_number("priority", row.priority);
    json.put("qos", association.qos);
    json.put("shares_raw", row.shares_of_parent ? kSharesOfParent : row.shares);
    json.put("user", row.user);
    json.end();
}

void put_account(SlurmJson& json, const api::AssociationRow& account, const std::string& cluster,
                 const std::vector<const api::AssociationRow*>& associations) {
    json.begin();
    put_short_list(json, cluster, associations);
    put_empty(json, {"coordinators"});
    json.put("description", account.description.empty() ? account.account : account.description);
    json.put("name", account.account);
    json.put("organization", account.organization.empty() ? account.account : account.organization);
    put_empty(json, {"flags"});
    json.end();
}

void put_user(SlurmJson& json, const api::AssociationRow& user, const std::string& default_account,
              const std::string& cluster,
              const std::vector<const api::AssociationRow*>& associations) {
    json.begin();
    json.put("administrator_level", std::vector<std::string>{user.admin_level});
    put_short_list(json, cluster, associations);
    put_empty(json, {"coordinators"});
    json.begin("default");
    json.put("account", default_account), json.put("wckey", "");
    json.end();
    put_empty(json, {"flags"});
    json.put("name", user.user), json.put("old_name", "");
    put_empty(json, {"wckeys"});
    json.end();
}

void put_qos(SlurmJson& json, const api::QosRow& qos) {
    json.begin();
    json.put("description", qos.description);
    json.put("flags", qos.deny_on_limit ? std::vector<std::string>{"DENY_LIMIT"}
                                        : std::vector<std::string>{});
    json.put("id", std::int64_t{0});  // It has no number.
    put_qos_limits(json, qos);
    json.put("name", qos.name);
    json.begin("preempt");
    json.put("list", qos.preempt), json.put("mode", preempt_modes(qos.preempt_mode));
    json.put_number("exempt_time", qos.preempt_exempt ? std::optional(seconds(*qos.preempt_exempt))
                                                      : std::nullopt);
    json.end();
    json.put_number("priority", qos.priority);
    json.put_billionths("usage_factor", qos.usage_factor_ppm * 1000);
    json.put_billionths("usage_threshold", std::nullopt);
    json.end();
}

void put_cluster(SlurmJson& json, const std::string& cluster, const std::string& host) {
    json.begin();
    json.begin("controller");
    json.put("host", host), json.put("port", std::int64_t{0});  // As the table has it.
    json.end();
    put_empty(json, {"flags"});
    json.put("name", cluster), json.put("nodes", "");
    json.begin("associations"), json.begin("root");
    put_short(json, api::AssociationRow{.account = "root"}, cluster);
    json.end(), json.end();
    json.put("rpc_version", std::int64_t{0});
    put_no_tres(json, "tres");
    json.end();
}

void put_share(SlurmJson& json, const api::ShareRow& share) {
    const bool is_root = share.user.empty() && share.parent.empty();
    const bool of_parent = !share.raw_shares && !is_root;
    json.begin();
    json.put("id", std::int64_t{0});
    json.put("cluster", share.cluster);
    json.put("name", share.user.empty() ? share.account : share.user);
    json.put("parent", share.user.empty() ? share.parent : share.account);
    json.put("partition", "");
    json.put_billionths("shares_normalized", share.norm_shares);
    json.put_number("shares", of_parent ? std::optional(kSharesOfParent) : share.raw_shares);
    put_share_tres(json, share);
    json.put_billionths("effective_usage", share.effective_usage);
    json.put_billionths("usage_normalized", share.norm_usage);
    json.put("usage", share.raw_usage);
    json.begin("fairshare");
    json.put_billionths("factor", share.fair_share);
    if (share.level_fs_infinite) {
        json.put_infinite("level");
    } else {
        json.put_billionths("level", share.level_fs);
    }
    json.end();
    json.put("type", std::vector<std::string>{share.user.empty() ? "ASSOCIATION" : "USER"});
    json.end();
}

}  // namespace berth::slurm
