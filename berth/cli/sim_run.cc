// berth sim run: reads a trace and a cluster, runs one simulation for each policy, over the cores,
// and shows the figures.
#include "berth/cli/sim_run.h"

#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <ostream>
#include <thread>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/cli/sim_files.h"
#include "berth/cli/sim_progress.h"
#include "berth/report/html.h"
#include "berth/workload/trace_values.h"

namespace berth::cli {
namespace {

Status read_length(const std::string& name, const std::string& text, Duration& into) {
    if (text.empty()) return Done{};
    const auto length = parse_time_limit(text);
    if (!length.ok()) return prefixed(name + ": ", length.error());
    if (!*length) return Error{ErrorCode::invalid_argument, name + " should be a length of time"};
    into = **length;
    return Done{};
}

Result<sim::SubmissionRules> read_limits(const std::string& text) {
    sim::SubmissionRules rules;
    if (text.empty() || text == "rounded") return rules;
    if (text == "exact") {
        rules.limit = sim::LimitRule::exact;
    } else if (text == "none") {
        rules.limit = sim::LimitRule::none;
    } else if (text.find_first_of("-:") != std::string::npos) {
        BERTH_CHECK(read_length("--limits", text, rules.limit_for_all));
        rules.limit = sim::LimitRule::same;
    } else {
        const auto factor = workload::parse_thousandths(text);
        if (!factor.ok() || *factor < 1000 || *factor > 1'000'000) {
            return Error{ErrorCode::invalid_argument,
                         "--limits " + text +
                             " should be rounded, exact, none, a factor from 1 to 1000, or a "
                             "length of time such as 7-00:00:00"};
        }
        rules.limit = sim::LimitRule::times;
        rules.limit_percent = *factor / 10;
    }
    return rules;
}

Result<sim::Wear> read_wear(const SimRunOptions& options) {
    sim::Wear wear{.seed = options.seed};
    BERTH_CHECK(read_length("--node-mtbf", options.node_mtbf, wear.time_between_losses));
    BERTH_CHECK(read_length("--node-repair", options.node_repair, wear.repair));
    BERTH_CHECK(read_length("--restart-cost", options.restart_cost, wear.restart_cost));
    BERTH_CHECK(read_length("--checkpoint", options.checkpoint, wear.checkpoint));
    return wear;
}

double thread_cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::int64_t peak_memory() {
    constexpr std::int64_t kUnit = 1024;  // Linux counts in these.
    rusage usage{};
    return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * kUnit : 0;
}

// Each policy's simulation, as many at a time as there are threads. Each has one thread to itself.
std::vector<report::PolicyRun> run_all(const workload::Workload& workload,
                                       const std::vector<sim::SimulationOptions>& options,
                                       const std::vector<std::string>& names, unsigned threads,
                                       ProgressLine& progress) {
    std::vector<std::optional<report::PolicyRun>> runs(options.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < options.size(); i = next++) {
            sim::SimulationOptions mine = options[i];
            mine.progress = [&progress, i](const sim::Progress& now) { progress.note(i, now); };
            const auto begun = std::chrono::steady_clock::now();
            const double cpu_before = thread_cpu_seconds();
            sim::SimulationResult result = sim::simulate(workload, mine);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
            const double cpu = thread_cpu_seconds() - cpu_before;
            report::Metrics metrics = report::metrics_of(workload, result);
            runs[i] = {names[i], std::move(result), std::move(metrics), took.count(), cpu};
        }
    };
    std::vector<std::thread> crew;
    for (unsigned i = 1; i < threads; ++i) crew.emplace_back(work);
    work();
    for (std::thread& one : crew) one.join();
    progress.end();
    std::vector<report::PolicyRun> all;
    all.reserve(runs.size());
    for (auto& run : runs) all.push_back(*std::move(run));
    return all;
}

std::string time_text(double seconds) {
    char text[32];
    if (seconds < 120) {
        std::snprintf(text, sizeof text, "%.0f s", seconds);
    } else if (seconds < 7200) {
        std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
    } else if (seconds < 3600 * 200) {
        std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
    } else {
        std::snprintf(text, sizeof text, "%.1f d", seconds / 86400);
    }
    return text;
}

std::string number_text(double value, const char* format) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

void print_runs(const std::vector<report::PolicyRun>& runs, Output& output) {
    std::vector<std::vector<Output::Cell>> rows = {{{"POLICY"},
                                                    {"JOBS"},
                                                    {"JCT"},
                                                    {"MEDIAN"},
                                                    {"P90"},
                                                    {"P99"},
                                                    {"WAIT"},
                                                    {"MEDIAN"},
                                                    {"P90"},
                                                    {"P99"},
                                                    {"MAKESPAN"},
                                                    {"ALLOC"},
                                                    {"QUEUE"},
                                                    {"FRAG"},
                                                    {"FTF P99"},
                                                    {"EVENTS/S"},
                                                    {"TOOK"},
                                                    {"CPU"}}};
    for (const report::PolicyRun& run : runs) {
        const report::Metrics& m = run.metrics;
        const auto per_second = static_cast<double>(run.result.events) / run.wall_seconds;
        std::vector<Output::Cell> row = {{run.policy}, {std::to_string(m.ended)}};
        for (const report::Distribution* of : {&m.all.completion, &m.all.waiting}) {
            for (const double value : {of->mean, of->median, of->p90, of->p99}) {
                row.push_back({time_text(value)});
            }
        }
        row.push_back({time_text(m.makespan)});
        row.push_back({number_text(100 * m.gpu_allocation_arrivals, "%.1f%%")});
        row.push_back({number_text(m.queue_mean, "%.1f")});
        row.push_back({number_text(m.fragmented, "%.1f")});
        row.push_back({number_text(m.all.fairness.p99, "%.1f")});
        row.push_back({number_text(per_second, "%.0f")});
        row.push_back({number_text(run.wall_seconds, "%.1f s")});
        row.push_back({number_text(run.cpu_seconds, "%.1f s")});
        rows.push_back(std::move(row));
    }
    output.table(rows);
    for (const report::PolicyRun& run : runs) {
        for (const auto& [why, count] : run.result.refusals) {
            output.out() << run.policy << ": " << count << " jobs were refused: " << why << '\n';
        }
        if (run.metrics.stuck > 0) {
            output.out() << run.policy << ": " << run.metrics.stuck << " jobs never ran\n";
        }
    }
}

void print_workload(const workload::Workload& workload, const report::RunSettings& settings,
                    const ClusterSpec& cluster, Output& output) {
    output.out() << settings.trace << ": " << workload.jobs.size() << " jobs of " << workload.rows
                 << " rows";
    if (workload.bad > 0) output.out() << ", " << workload.bad << " of them bad";
    if (workload.skipped > 0) output.out() << ", " << workload.skipped << " with nothing to run";
    output.out() << "; " << cluster.nodes.size() << " nodes, " << gpus_of(cluster)
                 << " GPUs, offered load " << number_text(settings.offered_load, "%.3f") << '\n';
    constexpr std::size_t kShown = 5;
    for (std::size_t i = 0; i < std::min(kShown, workload.errors.size()); ++i) {
        output.out() << "  line " << workload.errors[i].line << ": " << workload.errors[i].message
                     << '\n';
    }
    if (workload.bad > kShown) output.out() << "  … and " << workload.bad - kShown << " more\n";
}

Status write_results(const SimRunOptions& options, const report::RunSettings& settings,
                     const workload::Workload& workload,
                     const std::vector<report::PolicyRun>& runs) {
    if (!options.json.empty()) {
        BERTH_CHECK(write_file(options.json, report::to_json(settings, runs, options.timings)));
    }
    if (!options.csv.empty()) BERTH_CHECK(write_file(options.csv, report::to_csv(workload, runs)));
    if (!options.report.empty()) {
        BERTH_CHECK(write_file(options.report, report::to_html(settings, workload, runs)));
    }
    return Done{};
}

// A requeued job that keeps nothing of its run would begin again for ever.
Status check_slice(const SimRunOptions& given, const sim::SimulationOptions& options) {
    const Duration step = options.wear.checkpoint, cost = options.wear.restart_cost;
    if (options.time_slice <= Duration(0)) return Done{};
    if (step <= Duration(0) || step > options.time_slice) {
        return Error{ErrorCode::invalid_argument,
                     std::string("--time-slice needs --checkpoint=LENGTH, no longer than the "
                                 "slice: without it a requeued job loses ") +
                         "its whole run, and a job longer than the slice never ends"};
    }
    if (step + cost <= options.time_slice) return Done{};
    return Error{ErrorCode::invalid_argument,
                 "--time-slice " + given.time_slice + " is shorter than --restart-cost " +
                     given.restart_cost + " and --checkpoint " + given.checkpoint +
                     " together: a requeued job would never progress; use a longer slice"};
}

// Nodes are lost so often that a job loses each of its runs before any of it is kept.
Status check_hope(const SimRunOptions& given, const workload::Workload& workload,
                  const std::vector<report::PolicyRun>& runs) {
    for (const report::PolicyRun& run : runs) {
        if (!run.result.hopeless) continue;
        const workload::TraceJob& job = workload.jobs[*run.result.hopeless];
        const std::string mend =
            given.checkpoint.empty()
                ? "add --checkpoint=LENGTH, so that what a lost run had done is not done again"
                : "use a shorter --checkpoint than " + given.checkpoint;
        return Error{ErrorCode::invalid_argument,
                     run.policy + ": job " + std::to_string(*run.result.hopeless + 1) +
                         " of the trace would never end: it runs " +
                         time_text(static_cast<double>(seconds(job.run_time))) + ", and " +
                         std::to_string(sim::kRunsInVain) +
                         " runs in a row were cut short before any of it was kept (--node-mtbf " +
                         given.node_mtbf + "); " + mend};
    }
    return Done{};
}

Status run(const SimRunOptions& options, Output& output) {
    BERTH_TRY(const ClusterSpec cluster, read_cluster(options.cluster));
    BERTH_TRY(workload::Workload workload,
              read_trace(options.trace, options.seed, gpus_of(cluster)));
    BERTH_TRY(const sim::SubmissionRules rules, read_limits(options.limits));
    BERTH_TRY(const sim::Wear wear, read_wear(options));
    if (options.first > 0 && options.first < workload.jobs.size()) {
        workload.jobs.resize(options.first);
    }
    if (options.load > 0) workload::scale_load(workload, gpus_of(cluster), options.load);
    std::vector<std::string> remarks;
    std::vector<sim::SimulationOptions> all;
    for (const std::string& name : options.policies) {
        BERTH_TRY(ClusterSpec mine, read_cluster(options.cluster, name, remarks));
        sim::SimulationOptions one{.cluster = std::move(mine), .submission = rules, .wear = wear};
        BERTH_CHECK(read_length("--time-slice", options.time_slice, one.time_slice));
        BERTH_CHECK(check_slice(options, one));
        one.keep_runs = !options.report.empty() && all.empty();  // Of the first, for its Gantt.
        one.agent_latency = std::chrono::milliseconds(options.agent_latency_ms);
        one.moves_max = options.moves;
        all.push_back(std::move(one));
    }
    report::RunSettings settings{.trace = options.trace,
                                 .cluster = options.cluster,
                                 .rows = workload.rows,
                                 .bad_rows = workload.bad,
                                 .skipped_rows = workload.skipped,
                                 .offered_load = workload::offered_load(workload, gpus_of(cluster)),
                                 .seed = options.seed};
    for (const std::string& remark : remarks) output.out() << remark << '\n';
    print_workload(workload, settings, cluster, output);
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned wanted = options.threads > 0 ? options.threads : cores;
    ProgressLine progress(all.size(), workload.jobs.size());
    const auto runs = run_all(workload, all, options.policies,
                              std::min(wanted, static_cast<unsigned>(all.size())), progress);
    BERTH_CHECK(check_hope(options, workload, runs));
    settings.peak_memory = peak_memory();
    print_runs(runs, output);
    output.out() << "Peak memory: " << settings.peak_memory / 1'000'000 << " MB\n";
    return write_results(options, settings, workload, runs);
}

}  // namespace

int sim_run(const SimRunOptions& options, Output& output) {
    const Status status = run(options, output);
    return status.ok() ? 0 : output.fail(status.error().message);
}

}  // namespace berth::cli
