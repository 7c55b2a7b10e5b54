#include "berth/cli/sim_compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <thread>

#include "berth/cli/cluster_dir.h"
#include "berth/cli/sim_files.h"
#include "berth/cli/sim_history.h"
#include "berth/cli/sim_run.h"
#include "berth/report/simulation_json.h"

namespace berth::cli {
namespace {

using report::JobGroup;
using report::Metrics;

std::string fixed(double value, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

// Less is better, unless said otherwise.
struct Figure {
    const char* name;
    double (*of)(const Metrics& metrics);
    int digits = 0;
    bool more_is_better = false;
};
constexpr auto kFigures = std::to_array<Figure>({
    {"mean JCT, s", [](const Metrics& m) { return m.all.completion.mean; }},
    {"median JCT, s", [](const Metrics& m) { return m.all.completion.median; }},
    {"p99 JCT, s", [](const Metrics& m) { return m.all.completion.p99; }},
    {"mean waiting, s", [](const Metrics& m) { return m.all.waiting.mean; }},
    {"p90 waiting, s", [](const Metrics& m) { return m.all.waiting.p90; }},
    {"p99 waiting, s", [](const Metrics& m) { return m.all.waiting.p99; }},
    {"mean slowdown", [](const Metrics& m) { return m.all.slowdown.mean; }, 2},
    {"makespan, s", [](const Metrics& m) { return m.makespan; }},
    {"GPUs in use, %", [](const Metrics& m) { return 100 * m.gpu_allocation_arrivals; }, 1, true},
    {"jobs waiting, mean", [](const Metrics& m) { return m.queue_mean; }, 1},
    {"GPUs fragmented, mean", [](const Metrics& m) { return m.fragmented; }, 1},
    {"finish-time fairness, p99", [](const Metrics& m) { return m.all.fairness.p99; }, 2},
    {"jobs starved", [](const Metrics& m) { return static_cast<double>(m.all.starved); }},
    {"Jain index of accounts", [](const Metrics& m) { return m.jain_accounts; }, 3, true},
    {"jobs refused", [](const Metrics& m) { return static_cast<double>(m.refused); }},
    {"jobs that never ran", [](const Metrics& m) { return static_cast<double>(m.stuck); }},
});

Output::Cell change_of(double a, double b, bool more_is_better) {
    if (a == b) return {"same"};
    const Colour colour = (b < a) != more_is_better ? Colour::green : Colour::red;
    if (a == 0) return {"new", colour};
    const double percent = 100 * (b / a - 1);
    return {(percent > 0 ? "+" : "") + fixed(percent, 1) + " %", colour};
}

void print_figures(const Metrics& a, const Metrics& b, Output& output) {
    std::vector<std::vector<Output::Cell>> rows = {{{"FIGURE"}, {"A"}, {"B"}, {"CHANGE"}}};
    for (const Figure& figure : kFigures) {
        const double before = figure.of(a), after = figure.of(b);
        rows.push_back({{figure.name},
                        {fixed(before, figure.digits)},
                        {fixed(after, figure.digits)},
                        change_of(before, after, figure.more_is_better)});
    }
    output.table(rows);
}

// The ten for whom most waiting was won or lost, all their jobs together.
void print_groups(const char* title, const std::vector<JobGroup>& a, const std::vector<JobGroup>& b,
                  Output& output) {
    struct Row {
        std::string name;
        std::size_t jobs = 0;
        double before = 0, after = 0;
        double moved() const { return std::abs(after - before) * static_cast<double>(jobs); }
    };
    std::vector<Row> all;
    for (const JobGroup& group : a) {
        const auto same = std::ranges::find(b, group.name, &JobGroup::name);
        if (same == b.end()) continue;
        all.push_back({group.name, group.waiting.count, group.waiting.mean, same->waiting.mean});
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Row::moved);
    constexpr std::size_t kShown = 10;
    std::vector<std::vector<Output::Cell>> rows = {
        {{title}, {"JOBS"}, {"WAITED A, S"}, {"B, S"}, {"CHANGE"}}};
    for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) {
        const Row& row = all[i];
        rows.push_back({{row.name.empty() ? "(none)" : row.name},
                        {std::to_string(row.jobs)},
                        {fixed(row.before, 0)},
                        {fixed(row.after, 0)},
                        change_of(row.before, row.after, false)});
    }
    output.out() << '\n';
    output.table(rows);
}

Result<ClusterSpec> read_side(const std::string& side, const SimCompareOptions& options) {
    if (side != "current") return read_cluster(side);
    return read_cluster(ClusterDir::find(options.state).config().string());
}

Status compare(const SimCompareOptions& options, Output& output) {
    if (options.from_history == !options.trace.empty()) {
        return Error{ErrorCode::invalid_argument,
                     "give either --from-history or --trace FORMAT:FILE"};
    }
    BERTH_TRY(const ClusterSpec a, read_side(options.a, options));
    BERTH_TRY(const ClusterSpec b, read_side(options.b, options));
    BERTH_TRY(const workload::Workload workload,
              options.from_history ? read_history(ClusterDir::find(options.state).state().string())
                                   : read_trace(options.trace, options.seed, gpus_of(a)));
    output.out() << workload.jobs.size() << " jobs, " << workload.skipped
                 << " with nothing to run, " << workload.bad << " bad; A is " << options.a
                 << ", B is " << options.b << '\n';
    std::vector<report::PolicyRun> runs;
    for (const char* const name : {"A", "B"}) {
        runs.push_back({name, sim::SimulationResult(sim::kSimulationBegin), {}, 0});
    }
    const auto simulate = [&](std::size_t i) {  // Each on a thread of its own.
        runs[i].result =
            sim::simulate(workload, {.cluster = i == 0 ? a : b, .moves_max = kSimulatedMoves});
        runs[i].metrics = report::metrics_of(workload, runs[i].result);
    };
    std::thread other(simulate, 1);
    simulate(0);
    other.join();
    print_figures(runs[0].metrics, runs[1].metrics, output);
    print_groups("ACCOUNT", runs[0].metrics.by_account, runs[1].metrics.by_account, output);
    print_groups("USER", runs[0].metrics.by_user, runs[1].metrics.by_user, output);
    if (options.json.empty()) return Done{};
    const report::RunSettings settings{.trace = options.from_history ? "history" : options.trace,
                                       .cluster = options.a + ", " + options.b,
                                       .rows = workload.rows,
                                       .bad_rows = workload.bad,
                                       .skipped_rows = workload.skipped,
                                       .offered_load = workload::offered_load(workload, gpus_of(a)),
                                       .seed = options.seed};
    return write_file(options.json, report::to_json(settings, runs, false));
}

}  // namespace

int sim_compare(const SimCompareOptions& options, Output& output) {
    const Status status = compare(options, output);
    return status.ok() ? 0 : output.fail(status.error().message);
}

}  // namespace berth::cli
