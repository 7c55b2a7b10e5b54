// A QOS as slurmrestd's slurmdbd routes give it, and as `sacctmgr --json show qos` prints it.
#include <array>

#include "berth/base/text.h"
#include "berth/slurmrest/limit_shape.h"
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurmrest {
namespace {

void put_qos_jobs(ShapeWriter& json, const Limits& limits) {
    json.begin("active_jobs");
    json.put_number("accruing", std::nullopt);
    put_most(json, "count", limits.group_jobs);
    json.end();
    json.begin("jobs");
    put_most(json, "count", limits.group_submitted);
    json.begin("active_jobs"), json.begin("per");
    put_most(json, "account", limits.max_jobs_per_account);
    put_most(json, "user", limits.max_jobs);
    json.end(), json.end();
    json.begin("per");
    put_most(json, "account", limits.max_submitted_per_account);
    put_most(json, "user", limits.max_submitted);
    json.end();
    json.end();
}

void put_qos_tres(ShapeWriter& json, const Limits& limits) {
    json.begin("tres");
    put_most_tres(json, "total", limits.group_tres);
    json.begin("minutes");
    json.put_no_items("total");
    json.begin("per");
    put_most_tres(json, "qos", limits.group_tres_run_minutes);
    put_most_tres(json, "job", limits.max_tres_minutes_per_job);
    json.put_no_items("account"), json.put_no_items("user");
    json.end();
    json.end();
    json.begin("per");
    put_most_tres(json, "account", limits.max_tres_per_account);
    put_most_tres(json, "job", limits.max_tres_per_job);
    put_most_tres(json, "node", limits.max_tres_per_node);
    put_most_tres(json, "user", limits.max_tres_per_user);
    json.end();
    json.end();
}

void put_qos_limits(ShapeWriter& json, const api::QosRow& row) {
    json.begin("limits");
    json.put("grace_time", seconds(row.grace_time));
    json.begin("max");
    put_qos_jobs(json, row.limits);
    put_qos_tres(json, row.limits);
    json.begin("wall_clock"), json.begin("per");
    json.put_number("qos", std::nullopt);
    put_most_minutes(json, "job", row.max_wall);
    json.end(), json.end();
    json.begin("accruing"), json.begin("per");
    json.put_number("account", std::nullopt), json.put_number("user", std::nullopt);
    json.end(), json.end();
    json.end();
    json.put_billionths("factor", std::nullopt);
    json.begin("min");
    json.put_number("priority_threshold", std::nullopt);
    json.begin("tres"), json.begin("per");
    put_most_tres(json, "job", row.limits.min_tres_per_job);
    json.end(), json.end();
    json.end();
    json.end();
}

// "WITHIN,REQUEUE": data_parser knows how jobs are preempted, not by which. It has one word for
// "not at all" and for "as the cluster says", and none for CHECKPOINT, after which jobs are
// requeued.
std::vector<std::string> preempt_modes(const std::string& text) {
    constexpr std::array<std::string_view, 4> kModes = {"SUSPEND", "REQUEUE", "CANCEL", "GANG"};
    std::vector<std::string> modes;
    for (const auto word : split(text, ',')) {
        for (const std::string_view mode : kModes) {
            if (iequals(word, mode)) modes.emplace_back(mode);
        }
        if (iequals(word, "CHECKPOINT")) modes.emplace_back("REQUEUE");
    }
    if (modes.empty()) modes.emplace_back("DISABLED");
    return modes;
}

}  // namespace

void put_qos(ShapeWriter& json, const api::QosRow& row) {
    json.begin();
    json.put("description", row.description);
    std::vector<std::string> flags;
    if (row.deny_on_limit) flags.emplace_back("DENY_LIMIT");
    if (row.over_partition_qos) flags.emplace_back("OVERRIDE_PARTITION_QOS");
    json.put("flags", flags);
    json.put("id", std::int64_t{0});  // It has no number.
    put_qos_limits(json, row);
    json.put("name", row.name);
    json.begin("preempt");
    json.put("list", row.preempt), json.put("mode", preempt_modes(row.preempt_mode));
    json.put_number("exempt_time", row.preempt_exempt ? std::optional(seconds(*row.preempt_exempt))
                                                      : std::nullopt);
    json.end();
    json.put_number("priority", row.priority);
    json.put_billionths("usage_factor", row.usage_factor_ppm * 1000);
    json.put_billionths("usage_threshold", std::nullopt);
    json.end();
}

}  // namespace berth::slurmrest
