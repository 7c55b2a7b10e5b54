#include "berth/cli/sim_kueue.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <vector>

#include "berth/cli/sim_files.h"
#include "berth/report/kueue_table.h"

namespace berth::cli {
namespace {

using report::KueueFigures;
using report::KueueWorkload;
using std::chrono::nanoseconds;

std::string tenths_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

// The CPU time of this thread, or what each turn is said to cost.
class TurnCost : public sim::CostMeter {
public:
    explicit TurnCost(std::optional<nanoseconds> fixed) : fixed_(fixed) {}

    void begin() override { begun_ = used(); }
    nanoseconds end() override {
        const nanoseconds took = fixed_ ? *fixed_ : used() - begun_;
        total_ += took;
        return took;
    }
    double total() const { return std::chrono::duration<double>(total_).count(); }

private:
    static nanoseconds used() {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
    }

    std::optional<nanoseconds> fixed_;
    nanoseconds begun_{}, total_{};
};

struct KueueRun {
    KueueWorkload workload;
    KueueFigures figures;
    double deciding = 0;  // Seconds.
};

Result<std::vector<KueueRun>> run_workloads(const SimKueueOptions& options) {
    std::optional<nanoseconds> fixed;
    if (options.turn_cost >= 0) fixed = std::chrono::microseconds(options.turn_cost);
    std::vector<KueueRun> runs;
    for (const KueueWorkload& published : report::kueue_workloads()) {
        if (!options.only.empty() && published.name != options.only) continue;
        KueueRun run{.workload = published};
        if (options.cohorts > 0)
            run.workload.cohorts = std::min(run.workload.cohorts, options.cohorts);
        TurnCost cost(fixed);
        BERTH_TRY(run.figures, report::run_kueue(run.workload, &cost));
        run.deciding = cost.total();
        runs.push_back(std::move(run));
    }
    return runs;
}

void print_kueue(const std::vector<KueueRun>& runs, Output& output) {
    std::vector<std::vector<Output::Cell>> table = {
        {{"WORKLOAD"}, {"JOBS"}, {"FIGURE"}, {"KUEUE S"}, {"OURS S"}, {"EVICTIONS"}}};
    for (const KueueRun& run : runs) {
        const std::string name(run.workload.name);
        std::size_t jobs = 0;
        std::uint64_t evictions = 0;
        for (const KueueFigures::OfClass& one : run.figures.classes) {
            jobs += one.jobs;
            evictions += one.evictions;
        }
        const double least =
            std::chrono::duration<double>(report::least_makespan(run.workload)).count();
        table.push_back({{name},
                         {std::to_string(jobs)},
                         {"makespan, at least " + tenths_text(least)},
                         {tenths_text(run.workload.published_makespan)},
                         {tenths_text(run.figures.makespan)},
                         {std::to_string(evictions)}});
        for (std::size_t i = 0; i < run.figures.classes.size(); ++i) {
            const KueueFigures::OfClass& one = run.figures.classes[i];
            table.push_back({{name},
                             {std::to_string(one.jobs)},
                             {"time to admission, " + one.name},
                             {tenths_text(run.workload.classes[i].published_admission)},
                             {tenths_text(one.admission)},
                             {std::to_string(one.evictions)}});
        }
    }
    output.table(table);
}

nlohmann::ordered_json json_of_kueue(const std::vector<KueueRun>& runs) {
    auto json = nlohmann::ordered_json::array();
    for (const KueueRun& run : runs) {
        auto classes = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < run.figures.classes.size(); ++i) {
            const KueueFigures::OfClass& one = run.figures.classes[i];
            classes.push_back(
                {{"class", one.name},
                 {"jobs", one.jobs},
                 {"evictions", one.evictions},
                 {"admission_s", one.admission},
                 {"published_admission_s", run.workload.classes[i].published_admission}});
        }
        const double least =
            std::chrono::duration<double>(report::least_makespan(run.workload)).count();
        json.push_back({{"workload", std::string(run.workload.name)},
                        {"cohorts", run.workload.cohorts},
                        {"makespan_s", run.figures.makespan},
                        {"published_makespan_s", run.workload.published_makespan},
                        {"least_makespan_s", least},
                        {"turns", run.figures.turns},
                        {"deciding_s", run.deciding},
                        {"classes", std::move(classes)}});
    }
    return json;
}

Status table_kueue(const SimKueueOptions& options, Output& output) {
    BERTH_TRY(const std::vector<KueueRun> runs, run_workloads(options));
    print_kueue(runs, output);
    for (const KueueRun& run : runs) {
        output.out() << run.workload.name << ": " << run.figures.turns << " turns decided in "
                     << tenths_text(run.deciding) << " s";
        if (options.turn_cost >= 0) output.out() << ", as --turn-cost says";
        output.out() << ".\n";
    }
    if (options.cohorts > 0) {
        output.out() << "Kueue's figures are those of all cohorts, not of " << options.cohorts
                     << ".\n";
    }
    output.out() << "Kueue's are its project's own, on its machines and with its API server. Ours "
                    "count the CPU\ntime that the controller takes to decide, but no commit and no "
                    "network.\n";
    if (!options.json.empty()) return write_file(options.json, json_of_kueue(runs).dump(2) + "\n");
    return Done{};
}

}  // namespace

int sim_table_kueue(const SimKueueOptions& options, Output& output) {
    const Status status = table_kueue(options, output);
    return status.ok() ? 0 : output.fail(status.error().message);
}

}  // namespace berth::cli
