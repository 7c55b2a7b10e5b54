#include "berth/report/simulation_json.h"

#include <nlohmann/json.hpp>

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Distribution& of) {
    return {{"mean", of.mean},
            {"median", of.median},
            {"p90", of.p90},
            {"p99", of.p99},
            {"max", of.highest}};
}

Json json_of(const JobGroup& group) {
    return {{"name", group.name},
            {"jobs", group.completion.count},
            {"gpu_hours", group.gpu_hours},
            {"jct_s", json_of(group.completion)},
            {"waiting_s", json_of(group.waiting)},
            {"slowdown", json_of(group.slowdown)},
            {"finish_time_fairness", json_of(group.fairness)},
            {"starved", group.starved}};
}

Json json_of(const std::vector<JobGroup>& groups) {
    Json all = Json::array();
    for (const JobGroup& group : groups) all.push_back(json_of(group));
    return all;
}

// The mean of each bucket.
Json json_of(const sim::Series& series) {
    Json values = Json::array();
    for (std::size_t i = 0; i < series.buckets().size(); ++i) {
        const Time from = series.begin() + series.width() * static_cast<Duration::rep>(i);
        const auto width =
            static_cast<double>(std::min(series.width(), series.end() - from).count());
        values.push_back(width > 0 ? static_cast<double>(series.buckets()[i]) / width : 0);
    }
    return {{"width_s", static_cast<double>(series.width().count()) / 1000},
            {"highest", series.highest()},
            {"mean", std::move(values)}};
}

Json json_of(const PolicyRun& run, bool timings) {
    const Metrics& m = run.metrics;
    Json json = {{"policy", run.policy},
                 {"jobs",
                  {{"submitted", m.submitted},
                   {"ended", m.ended},
                   {"refused", m.refused},
                   {"never_ran", m.stuck},
                   {"timeouts", m.timeouts},
                   {"restarts", m.restarts},
                   {"preemptions", m.preemptions},
                   {"lost_runs", m.lost_runs},
                   {"starved", m.all.starved}}},
                 {"makespan_s", m.makespan},
                 {"gpu_allocation", m.gpu_allocation},
                 {"gpu_allocation_while_jobs_arrive", m.gpu_allocation_arrivals},
                 {"queue", {{"mean", m.queue_mean}, {"max", m.queue_highest}}},
                 {"jain_index", {{"users", m.jain_users}, {"accounts", m.jain_accounts}}},
                 {"unfair_fraction", m.unfair},
                 {"fragmentation", {{"gpus", m.fragmented}, {"of_free", m.fragmented_of_free}}},
                 {"all", json_of(m.all)},
                 {"by_size", json_of(m.by_size)},
                 {"by_user", json_of(m.by_user)},
                 {"by_account", json_of(m.by_account)},
                 {"series",
                  {{"gpus_allocated", json_of(run.result.gpus_allocated)},
                   {"jobs_waiting", json_of(run.result.jobs_waiting)},
                   {"gpus_waited_for", json_of(run.result.gpus_waited_for)},
                   {"jobs_running", json_of(run.result.jobs_running)},
                   {"milligpus_fragmented", json_of(run.result.gpus_fragmented)}}},
                 {"events", run.result.events},
                 {"turns", run.result.turns},
                 {"facts", run.result.facts},
                 {"state_hash", run.result.state_hash}};
    Json refusals = Json::array();
    for (const auto& [why, count] : run.result.refusals) {
        refusals.push_back({{"message", why}, {"jobs", count}});
    }
    json["refusals"] = std::move(refusals);
    if (timings) json["wall_s"] = run.wall_seconds;
    if (timings) json["cpu_s"] = run.cpu_seconds;
    return json;
}

}  // namespace

std::string to_json(const RunSettings& settings, const std::vector<PolicyRun>& runs, bool timings) {
    Json json = {{"trace", settings.trace},
                 {"cluster", settings.cluster},
                 {"rows", settings.rows},
                 {"bad_rows", settings.bad_rows},
                 {"skipped_rows", settings.skipped_rows},
                 {"offered_load", settings.offered_load},
                 {"seed", settings.seed}};
    if (!runs.empty()) {
        json["gpus"] = runs.front().result.gpus;
        json["nodes"] = runs.front().result.nodes;
    }
    if (timings) json["peak_memory_bytes"] = settings.peak_memory;
    json["runs"] = Json::array();
    for (const PolicyRun& run : runs) json["runs"].push_back(json_of(run, timings));
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth::report
