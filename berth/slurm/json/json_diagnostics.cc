// What the controller has done, as `sdiag --json` prints it.
#include <algorithm>

#include "berth/slurm/json/json_rows.h"

namespace berth::slurm {
namespace {

std::int64_t mean_of(std::int64_t total, std::int64_t count) {
    return count == 0 ? 0 : total / count;
}

// Each as the name of a member and a whole number.
using Numbers = std::initializer_list<std::pair<std::string_view, std::int64_t>>;
void put_numbers(SlurmJson& json, Numbers numbers) {
    for (const auto& [name, number] : numbers) json.put(name, number);
}

void put_cycle_figures(SlurmJson& json, const api::DiagnosticsRow& row) {
    const api::CycleFigures& all = row.cycles;
    const std::int64_t minutes = (seconds(row.now) - seconds(row.since)) / 60;
    put_numbers(json, {{"schedule_cycle_max", all.most},
                       {"schedule_cycle_last", all.last},
                       {"schedule_cycle_sum", all.total},
                       {"schedule_cycle_total", all.cycles},
                       {"schedule_cycle_mean", mean_of(all.total, all.cycles)},
                       {"schedule_cycle_mean_depth", mean_of(all.total_depth, all.cycles)},
                       {"schedule_cycle_per_minute", mean_of(all.cycles, minutes)},
                       {"schedule_cycle_depth", all.total_depth}});
    json.begin("schedule_exit");
    put_numbers(json, {{"end_job_queue", row.ended_with_queue},
                       {"default_queue_depth", 0},
                       {"max_job_start", row.ended_with_most_starts},
                       {"max_rpc_cnt", 0},
                       {"max_sched_time", row.ended_out_of_budget},
                       {"licenses", 0}});
    json.end();
    json.put("schedule_queue_length", all.last_queue);
}

void put_job_figures(SlurmJson& json, const api::DiagnosticsRow& row) {
    put_numbers(json, {{"jobs_submitted", row.jobs_submitted},
                       {"jobs_started", row.jobs_started},
                       {"jobs_completed", row.jobs_completed},
                       {"jobs_canceled", row.jobs_canceled},
                       {"jobs_failed", row.jobs_failed},
                       {"jobs_pending", row.jobs_pending},
                       {"jobs_running", row.jobs_running}});
    json.put_time("job_states_ts", row.now);
}

void put_backfill_figures(SlurmJson& json, const api::DiagnosticsRow& row) {
    const api::CycleFigures& rounds = row.rounds;
    const std::int64_t cycles = rounds.cycles;
    put_numbers(json, {{"bf_backfilled_jobs", row.backfilled_since_start},
                       {"bf_last_backfilled_jobs", row.backfilled},
                       {"bf_backfilled_het_jobs", 0},
                       {"bf_cycle_counter", cycles},
                       {"bf_cycle_mean", mean_of(rounds.total, cycles)},
                       {"bf_depth_mean", mean_of(rounds.total_depth, cycles)},
                       {"bf_depth_mean_try", mean_of(rounds.total_tries, cycles)},
                       {"bf_cycle_sum", rounds.total},
                       {"bf_cycle_last", rounds.last},
                       {"bf_cycle_max", rounds.most}});
    json.begin("bf_exit");
    put_numbers(json, {{"end_job_queue", row.ended_with_queue},
                       {"bf_max_job_start", row.ended_with_most_starts},
                       {"bf_max_job_test", 0},
                       {"bf_max_time", row.ended_out_of_budget},
                       {"bf_node_space_size", 0},
                       {"state_changed", 0}});
    json.end();
    put_numbers(json, {{"bf_last_depth", rounds.last_depth},
                       {"bf_last_depth_try", rounds.last_tries},
                       {"bf_depth_sum", rounds.total_depth},
                       {"bf_depth_try_sum", rounds.total_tries},
                       {"bf_queue_len", rounds.last_queue},
                       {"bf_queue_len_mean", mean_of(rounds.total_queue, cycles)},
                       {"bf_queue_len_sum", rounds.total_queue},
                       {"bf_table_size", rounds.last_planned},
                       {"bf_table_size_sum", rounds.total_planned},
                       {"bf_table_size_mean", mean_of(rounds.total_planned, cycles)}});
    json.put_time("bf_when_last_cycle", rounds.last_at);
    json.put("bf_active", false);  // It is asked between two cycles.
}

void put_call_figures(SlurmJson& json, const std::vector<RpcJson>& calls) {
    json.begin_list("rpcs_by_message_type");
    for (const RpcJson& one : calls) {
        if (one.is_user) continue;
        json.begin();
        json.put("type_id", one.id), json.put("message_type", one.name);
        put_numbers(json, {{"count", one.count},
                           {"queued", 0},
                           {"dropped", 0},
                           {"cycle_last", 0},
                           {"cycle_max", 0},
                           {"total_time", one.total}});
        json.put_number("average_time", mean_of(one.total, one.count));
        json.end();
    }
    json.end_list();
    json.begin_list("rpcs_by_user");
    for (const RpcJson& one : calls) {
        if (!one.is_user) continue;
        json.begin();
        json.put("user_id", one.id), json.put("user", one.name);
        put_numbers(json, {{"count", one.count}, {"total_time", one.total}});
        json.put_number("average_time", mean_of(one.total, one.count));
        json.end();
    }
    json.end_list();
}

}  // namespace

void put_diagnostics(SlurmJson& json, const api::DiagnosticsRow& row,
                     const std::vector<RpcJson>& calls) {
    json.begin("statistics");
    json.put("parts_packed", std::int64_t{1});
    json.put_time("req_time", row.now);
    json.put_time("req_time_start", row.since);
    // Orders to agents and accounting wait in no queue: these are always 0.
    put_numbers(json, {{"server_thread_count", row.server_threads},
                       {"agent_queue_size", 0},
                       {"agent_count", 0},
                       {"agent_thread_count", 0},
                       {"dbd_agent_queue_size", 0},
                       {"gettimeofday_latency", row.clock_latency}});
    put_cycle_figures(json, row);
    put_job_figures(json, row);
    put_backfill_figures(json, row);
    put_call_figures(json, calls);
    json.begin_list("pending_rpcs"), json.end_list();
    json.begin_list("pending_rpcs_by_hostlist"), json.end_list();
    json.end();
}

}  // namespace berth::slurm
