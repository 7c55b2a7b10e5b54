// What is declared and not run, as slurmrestd gives it: licenses, reservations, and shares as
// `sshare --json` prints them, too.
#include "berth/api/row_text.h"
#include "berth/base/text.h"
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurmrest {
namespace {

using api::nodes_text;

// "MAINT,PURGE_COMP=00:05:00": data_parser has the names alone.
std::vector<std::string> flag_names(const std::string& text) {
    std::vector<std::string> names;
    if (text.empty()) return names;
    for (const auto flag : split(text, ',')) names.emplace_back(flag.substr(0, flag.find('=')));
    return names;
}

void put_shared_tres(ShapeWriter& json, const api::ShareRow& share) {
    json.begin("tres");
    json.begin_list("run_seconds");
    for (const auto& [tres, minutes] : share.tres_run_minutes) {
        json.begin();
        json.put("name", tres), json.put_number("value", minutes * 60);
        json.end();
    }
    json.end_list();
    json.begin_list("group_minutes");
    for (const auto& [tres, minutes] : share.group_minutes) {
        json.begin();
        json.put("name", tres), json.put_number("value", minutes);
        json.end();
    }
    json.end_list();
    json.begin_list("usage");
    for (const auto& [tres, minutes] : share.tres_minutes) {
        json.begin();
        json.put("name", tres), json.put("value", minutes * 60);
        json.end();
    }
    json.end_list();
    json.end();
}

void put_share(ShapeWriter& json, const api::ShareRow& share) {
    const bool is_user = !share.user.empty();
    const bool is_root = !is_user && share.parent.empty();
    json.begin();
    json.put("id", std::int64_t{0}), json.put("cluster", share.cluster);
    json.put("name", is_user ? share.user : share.account);
    json.put("parent", is_user ? share.account : share.parent), json.put("partition", "");
    json.put_billionths("shares_normalized", share.norm_shares);
    json.put_number(
        "shares", share.raw_shares || is_root ? share.raw_shares : std::optional(kSharesOfParent));
    put_shared_tres(json, share);
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
    json.put("type", std::vector<std::string>{is_user ? "USER" : "ASSOCIATION"});
    json.end();
}

}  // namespace

void put_license(ShapeWriter& json, const api::LicenseRow& license) {
    json.begin();
    json.put("LicenseName", license.name);
    json.put("Total", license.total), json.put("Used", license.used);
    json.put("Free", license.total - license.used - license.reserved);
    json.put("Remote", false);
    json.put("Reserved", license.reserved);
    json.put("LastConsumed", std::int64_t{0}), json.put("LastDeficit", std::int64_t{0});
    json.put("LastUpdate", std::int64_t{0});
    json.put("Nodes", "");
    json.end();
}

void put_reservation(ShapeWriter& json, const api::ReservationRow& reservation) {
    json.begin();
    json.put("accounts", join(reservation.accounts, ","));
    json.put("burst_buffer", "");
    json.put("core_count", reservation.cores);
    json.put_no_items("core_specializations");
    json.put_time("end_time", reservation.end);
    json.put("features", reservation.features);
    json.put("flags", flag_names(reservation.flags));
    json.put("groups", join(reservation.groups, ","));
    json.put("licenses", "");
    json.put("max_start_delay", std::int64_t{0});
    json.put("name", reservation.name);
    json.put("node_count", static_cast<std::int64_t>(reservation.nodes.size()));
    json.put("node_list", nodes_text(reservation.nodes));
    json.put("partition", reservation.partition);
    json.begin("purge_completed"), json.put_number("time", std::nullopt), json.end();
    json.put_time("start_time", reservation.start);
    json.put("tres", reservation.tres);
    json.put("users", join(reservation.users, ","));
    json.end();
}

void put_shares(ShapeWriter& json, const std::vector<api::ShareRow>& shares) {
    std::int64_t total = 0;
    json.begin("shares");
    json.begin_list("shares");
    for (const api::ShareRow& share : shares) {
        put_share(json, share);
        total += share.raw_shares.value_or(0);
    }
    json.end_list();
    json.put("total_shares", total);
    json.end();
}

}  // namespace berth::slurmrest
