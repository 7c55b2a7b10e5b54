// The controller's figures as slurmrestd's GET diag gives them, and as `sdiag --json` prints them.
// Lengths are in microseconds.
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurmrest {
namespace {

using Figures = std::initializer_list<std::pair<std::string_view, std::int64_t>>;

void put_figures(ShapeWriter& json, Figures figures) {
    for (const auto& [name, number] : figures) json.put(name, number);
}

// Zero where nothing was counted.
std::int64_t mean_of(std::int64_t total, std::int64_t count) {
    return count > 0 ? total / count : 0;
}

// Orders to agents and accounting wait in no queue: those numbers are always 0.
void put_server(ShapeWriter& json, const api::DiagnosticsRow& row) {
    json.put("parts_packed", std::int64_t{1});
    json.put_time("req_time", row.now), json.put_time("req_time_start", row.since);
    put_figures(json, {{"server_thread_count", row.server_threads},
                       {"agent_queue_size", 0},
                       {"agent_count", 0},
                       {"agent_thread_count", 0},
                       {"dbd_agent_queue_size", 0},
                       {"gettimeofday_latency", row.clock_latency}});
}

void put_main_scheduler(ShapeWriter& json, const api::DiagnosticsRow& row) {
    const api::CycleFigures& all = row.cycles;
    const std::int64_t minutes = (seconds(row.now) - seconds(row.since)) / 60;
    put_figures(json, {{"schedule_cycle_max", all.most},
                       {"schedule_cycle_last", all.last},
                       {"schedule_cycle_sum", all.total},
                       {"schedule_cycle_total", all.cycles},
                       {"schedule_cycle_mean", mean_of(all.total, all.cycles)},
                       {"schedule_cycle_mean_depth", mean_of(all.total_depth, all.cycles)},
                       {"schedule_cycle_per_minute", mean_of(all.cycles, minutes)},
                       {"schedule_cycle_depth", all.total_depth},
                       {"schedule_queue_length", all.last_queue}});
    json.begin("schedule_exit");
    put_figures(json, {{"end_job_queue", row.ended_with_queue},
                       {"default_queue_depth", 0},
                       {"max_job_start", row.ended_with_most_starts},
                       {"max_rpc_cnt", 0},
                       {"max_sched_time", row.ended_out_of_budget},
                       {"licenses", 0}});
    json.end();
}

void put_job_counts(ShapeWriter& json, const api::DiagnosticsRow& row) {
    put_figures(json, {{"jobs_submitted", row.jobs_submitted},
                       {"jobs_started", row.jobs_started},
                       {"jobs_completed", row.jobs_completed},
                       {"jobs_canceled", row.jobs_canceled},
                       {"jobs_failed", row.jobs_failed},
                       {"jobs_pending", row.jobs_pending},
                       {"jobs_running", row.jobs_running}});
    json.put_time("job_states_ts", row.now);
}

// The rounds that see to the whole queue are what Slurm's backfill scheduler does.
void put_backfill(ShapeWriter& json, const api::DiagnosticsRow& row) {
    const api::CycleFigures& rounds = row.rounds;
    put_figures(json, {{"bf_backfilled_jobs", row.backfilled_since_start},
                       {"bf_last_backfilled_jobs", row.backfilled},
                       {"bf_backfilled_het_jobs", 0},
                       {"bf_cycle_counter", rounds.cycles},
                       {"bf_cycle_mean", mean_of(rounds.total, rounds.cycles)},
                       {"bf_depth_mean", mean_of(rounds.total_depth, rounds.cycles)},
                       {"bf_depth_mean_try", mean_of(rounds.total_tries, rounds.cycles)},
                       {"bf_cycle_sum", rounds.total},
                       {"bf_cycle_last", rounds.last},
                       {"bf_cycle_max", rounds.most},
                       {"bf_last_depth", rounds.last_depth},
                       {"bf_last_depth_try", rounds.last_tries},
                       {"bf_depth_sum", rounds.total_depth},
                       {"bf_depth_try_sum", rounds.total_tries},
                       {"bf_queue_len", rounds.last_queue},
                       {"bf_queue_len_mean", mean_of(rounds.total_queue, rounds.cycles)},
                       {"bf_queue_len_sum", rounds.total_queue},
                       {"bf_table_size", rounds.last_planned},
                       {"bf_table_size_sum", rounds.total_planned},
                       {"bf_table_size_mean", mean_of(rounds.total_planned, rounds.cycles)}});
    json.begin("bf_exit");
    put_figures(json, {{"end_job_queue", row.ended_with_queue},
                       {"bf_max_job_start", row.ended_with_most_starts},
                       {"bf_max_job_test", 0},
                       {"bf_max_time", row.ended_out_of_budget},
                       {"bf_node_space_size", 0},
                       {"state_changed", 0}});
    json.end();
    json.put_time("bf_when_last_cycle", rounds.last_at);
    json.put("bf_active", false);  // It is asked between two cycles.
}

void put_calls(ShapeWriter& json, const std::vector<RpcFigures>& calls) {
    json.begin_list("rpcs_by_message_type");
    for (const RpcFigures& one : calls) {
        json.begin();
        json.put("type_id", one.id), json.put("message_type", one.name);
        put_figures(json, {{"count", one.count},
                           {"queued", 0},
                           {"dropped", 0},
                           {"cycle_last", 0},
                           {"cycle_max", 0},
                           {"total_time", one.total}});
        json.put_number("average_time", mean_of(one.total, one.count));
        json.end();
    }
    json.end_list();
}

void put_callers(ShapeWriter& json, const std::vector<RpcFigures>& users) {
    json.begin_list("rpcs_by_user");
    for (const RpcFigures& one : users) {
        json.begin();
        json.put("user_id", one.id), json.put("user", one.name);
        put_figures(json, {{"count", one.count}, {"total_time", one.total}});
        json.put_number("average_time", mean_of(one.total, one.count));
        json.end();
    }
    json.end_list();
}

}  // namespace

void put_diagnostics(ShapeWriter& json, const DiagnosticsShape& diagnostics) {
    const api::DiagnosticsRow& row = diagnostics.row;
    json.begin("statistics");
    put_server(json, row);
    put_main_scheduler(json, row);
    put_job_counts(json, row);
    put_backfill(json, row);
    put_calls(json, diagnostics.calls);
    put_callers(json, diagnostics.users);
    json.put_no_items("pending_rpcs"), json.put_no_items("pending_rpcs_by_hostlist");
    json.end();
}

}  // namespace berth::slurmrest
