// How long the scheduler takes: a full cycle, that is to order, place and plan every job of a deep
// queue from nothing; and the first decision after one job has ended early. Every plan that it
// makes is checked by engine/plan_check.h, which shares no code with the planner.
//
// The full cycle is made several times from the same state, and the fastest counts: the machine has
// other work, which only ever adds.
//
// engine_bench [--json FILE] [--gate FILE] [--only TEXT] [--queue FILE] [--events N] [--repeat N]
//     [--check no]
// engine_bench --list
//
// --list names the cases, one a line, and measures nothing.
// --gate exits 1 where a limit of that file (bench/gates.h) is missed, and names each.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <set>

#include "bench/engine_load.h"
#include "bench/gates.h"
#include "bench/heap_count.h"
#include "bench/json_number.h"
#include "bench/queue_load.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/engine/state/snapshot.h"

namespace berth::bench {
namespace {

struct Options {
    std::string json, gate, only;
    std::string queue;  // A file: that load instead of ours.
    int events = 40;
    int repeat = 5;
    bool check = true;  // Of the plan made from nothing; for profiles it is only in the way.
    bool list = false;
};

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();  // Meets no gate.

struct Row {
    Load load;
    std::size_t shapes = 0, end_times = 0, running = 0, planned = 0;
    double full_cycle_ms = kNotMeasured;
    // Without an event, or if no event leads to a start, these stay unmeasured.
    double event_ms = kNotMeasured, event_worst_ms = kNotMeasured, settle_ms = kNotMeasured;
    double us_per_job = kNotMeasured;      // Of those that wait.
    double us_per_planned = kNotMeasured;  // Of those promised a start.
    std::size_t bytes_per_job = 0, record_bytes = 0;
    std::string checked;
};

// Of this process alone: the machine has other work.
double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

[[noreturn]] void fail(const Row& row, const std::string& what) {
    std::cerr << row.load.name << ": the plan is wrong: " << what << "\n";
    std::exit(1);
}

void check(Row& row, const Engine& engine, Time now, const PlanCheck& wanted) {
    if (auto wrong = check_plan(engine.state(), now, wanted)) fail(row, *wrong);
}

std::size_t end_times(const Engine& engine) {
    std::set<Time> ends;
    for (const auto& [id, planned] : engine.state().schedule().planned_starts())
        ends.insert(planned.end);
    for (const JobId id : engine.state().index().holding()) {
        ends.insert(limit_end(engine.state().spec(), *engine.state().find_job(id)));
    }
    return ends.size();
}

std::size_t shapes(const Engine& engine) {
    std::set<const void*> seen;
    for (const auto& [id, pending] : engine.derived().pending.all()) {
        seen.insert(pending.shape.get());
    }
    return seen.size();
}

// Those whose user or account has come to a limit are promised nothing any more.
JobTable<PlannedStart> without_limited(const Engine& engine, JobTable<PlannedStart> plan) {
    for (const auto& [id, pending] : engine.derived().pending.all()) {
        if (pending.blocking.by_limit) plan.erase(id);
    }
    return plan;
}

void measure_events(Row& row, Engine& engine, int events, Rng& rng) {
    std::vector<double> first, all;
    Time now(std::chrono::seconds(1));
    for (int i = 0; i < events; ++i) {
        now += std::chrono::seconds(20);
        const auto before = engine.state().schedule().planned_starts();
        end_runs(engine, now);
        const JobId id = pick_run(engine, rng);
        const Job& job = *engine.state().find_job(id);
        std::vector<Fact> ends;
        ends.reserve(job.allocation->shares.size());
        for (const NodeShare& share : job.allocation->shares) {
            ends.push_back(AttemptEnded{id, job.attempt, share.node, ExitStatus{}});
        }
        const double start = cpu_ms();
        double decided = 0;
        for (const Fact& end : ends) engine.apply(now, end);
        run_cycles(engine, now, [&](const Cycle& cycle) {
            const auto starts = [](const Fact& f) { return std::holds_alternative<StartJob>(f); };
            if (decided == 0 && std::ranges::any_of(cycle.decisions, starts)) decided = cpu_ms();
        });
        const double end = cpu_ms();
        all.push_back(end - start);
        if (decided > 0) first.push_back(decided - start);
        if (auto wrong = check_kept(engine.state(), without_limited(engine, before))) {
            fail(row, *wrong);
        }
        if (i % 8 == 7) check(row, engine, now, {});
        fill_queue(engine, row.load, now, rng);
        run_cycles(engine, now, [](const Cycle&) {});
    }
    std::ranges::sort(first);
    std::ranges::sort(all);
    if (!first.empty()) {
        row.event_ms = first[first.size() / 2];
        row.event_worst_ms = first.back();
    }
    if (!all.empty()) row.settle_ms = all[all.size() / 2];
}

double full_cycle_ms(Engine& engine, Time now) {
    const double start = cpu_ms();
    run_cycles(engine, now, [](const Cycle&) {});
    return cpu_ms() - start;
}

Row measure(const Load& load, const GivenQueue* given, const Options& options) {
    Row row{.load = load};
    Rng rng(42);
    Engine engine = given == nullptr ? busy_engine(load, rng) : busy_engine(*given);
    run_cycles(engine, Time{}, [](const Cycle&) {});
    row.running = engine.state().index().holding().size();
    const std::size_t heap_before = heap_in_use();
    if (given == nullptr) {
        fill_queue(engine, load, Time{}, rng);
    } else {
        submit(engine, *given);
    }
    const std::size_t heap_filled = heap_in_use();
    const std::vector<std::string> filled = slices_of(engine.state(), 1U << 20);
    const std::size_t heap_copied = heap_in_use() - heap_filled;
    const Time now(std::chrono::seconds(1));
    row.full_cycle_ms = full_cycle_ms(engine, now);
    engine.mutable_state().take_touched();
    const std::size_t heap_after = heap_in_use() - heap_copied;
    for (int i = 1; i < options.repeat; ++i) {
        Engine again(state_from(filled).value());
        row.full_cycle_ms = std::min(row.full_cycle_ms, full_cycle_ms(again, now));
    }
    const auto pending = engine.state().index().pending().size();
    row.us_per_job = row.full_cycle_ms * 1e3 / static_cast<double>(load.pending);
    row.planned = engine.state().schedule().planned_starts().size();
    if (row.planned > 0)
        row.us_per_planned = row.full_cycle_ms * 1e3 / static_cast<double>(row.planned);
    row.record_bytes = pending * sizeof(Job) < heap_filled - heap_before ? sizeof(Job) : 0;
    row.bytes_per_job = (heap_after - heap_before) / std::max<std::size_t>(pending, 1);
    row.shapes = shapes(engine);
    row.end_times = end_times(engine);
    if (options.check) check(row, engine, now, {.nobody_later_than_without_those_behind = true});
    measure_events(row, engine, options.events, rng);
    return row;
}

void print(const Row& row) {
    std::printf(
        "%-19s %7u %6u %7zu %7zu %7zu %8.1f ms %8.2f us/planned %7.2f ms (worst %.2f, settled "
        "%.1f) %5zu B/job (%zu of it the job's record)\n",
        row.load.name.c_str(), row.load.pending, row.load.nodes, row.shapes, row.end_times,
        row.planned, row.full_cycle_ms, row.us_per_planned, row.event_ms, row.event_worst_ms,
        row.settle_ms, row.bytes_per_job, row.record_bytes);
    std::fflush(stdout);
}

void write_json(const std::vector<Row>& rows, const std::string& file) {
    std::ofstream out(file);
    out << "[\n";
    for (const Row& row : rows) {
        out << "  {\"case\": \"" << row.load.name << "\", \"pending\": " << row.load.pending
            << ", \"nodes\": " << row.load.nodes << ", \"shapes\": " << row.shapes
            << ", \"end_times\": " << row.end_times
            << ", \"full_cycle_ms\": " << json_number(row.full_cycle_ms)
            << ", \"event_ms\": " << json_number(row.event_ms)
            << ", \"us_per_job\": " << json_number(row.us_per_job)
            << ", \"us_per_planned\": " << json_number(row.us_per_planned)
            << ", \"bytes_per_job\": " << row.bytes_per_job
            << ", \"record_bytes\": " << row.record_bytes
            << ", \"event_worst_ms\": " << json_number(row.event_worst_ms)
            << ", \"settle_ms\": " << json_number(row.settle_ms) << ", \"running\": " << row.running
            << ", \"planned\": " << row.planned << "}" << (&row == &rows.back() ? "\n" : ",\n");
    }
    out << "]\n";
    if (!out.flush()) std::cerr << "engine_bench: cannot write " << file << "\n";
}

int run_queue(const Options& options) {
    const Result<GivenQueue> queue = read_queue(options.queue);
    if (!queue.ok()) {
        std::cerr << "engine_bench: " << queue.error().message << "\n";
        return 2;
    }
    Load load{.name = "queue"};
    load.pending = static_cast<std::uint32_t>(queue.value().jobs.size());
    load.nodes = queue.value().nodes;
    const std::vector<Row> rows{measure(load, &queue.value(), options)};
    print(rows.front());
    if (!options.json.empty()) write_json(rows, options.json);
    return 0;
}

// Whose name has this text in it; but a case's whole name means that case alone.
bool is_meant(const Load& load, const std::vector<Load>& all, const std::string& only) {
    const bool is_whole = std::ranges::find(all, only, &Load::name) != all.end();
    return is_whole ? load.name == only : load.name.find(only) != std::string::npos;
}

Measured measured(const Row& row) {
    return {row.load.name,
            {{"full_cycle_ms", row.full_cycle_ms},
             {"event_ms", row.event_ms},
             {"event_worst_ms", row.event_worst_ms},
             {"settle_ms", row.settle_ms},
             {"us_per_job", row.us_per_job},
             {"us_per_planned", row.us_per_planned},
             {"bytes_per_job", static_cast<double>(row.bytes_per_job)}}};
}

// A ratio of a row X to the row beside it: X_unlimited is the same site without limits, X_one the
// same jobs in one queue. bench/write_tables has the same list.
struct Ratio {
    const char *suffix, *value;
    double Row::* figure;
    const char *of, *to;
};
constexpr Ratio kRatios[] = {
    {"_unlimited", "over_unlimited", &Row::us_per_planned, "a planned job", "without limits"},
    {"_unlimited", "cycle_over_unlimited", &Row::full_cycle_ms, "a full cycle", "without limits"},
    {"_one", "over_one_queue", &Row::us_per_planned, "a planned job", "in one queue"}};

void compare_rows(const std::vector<Row>& rows, std::vector<Measured>& all) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const Ratio& one : kRatios) {
            const auto other = std::ranges::find(rows, rows[i].load.name + one.suffix,
                                                 [](const Row& row) { return row.load.name; });
            if (other == rows.end()) continue;
            const double cost = rows[i].*one.figure, beside = (*other).*one.figure;
            if (!(beside > 0)) continue;
            const double ratio = cost / beside;
            all[i].values.emplace_back(one.value, ratio);
            std::printf("%s: %s costs %.2f times that of the same %s\n", rows[i].load.name.c_str(),
                        one.of, ratio, one.to);
        }
    }
}

// 1 where one is missed.
int hold_gates(const std::vector<Row>& rows, const Options& options) {
    std::vector<Measured> all;
    all.reserve(rows.size());
    for (const Row& row : rows) all.push_back(measured(row));
    compare_rows(rows, all);
    if (options.gate.empty()) return 0;
    const Result<std::vector<Gate>> gates = read_gates(options.gate);
    if (!gates.ok()) {
        std::cerr << "engine_bench: " << gates.error().message << "\n";
        return 2;
    }
    const std::vector<std::string> lines = missed(*gates, all, !options.only.empty());
    for (const std::string& line : lines) std::cerr << "MISSED " << line << "\n";
    return lines.empty() ? 0 : 1;
}

std::vector<Load> all_cases() {
    std::vector<Load> loads;
    for (const auto& [mix, name] : {std::pair(Mix::philly, "philly"), {Mix::heavy, "heavy"}}) {
        for (const auto& [pending, nodes] :
             {std::pair(1'000U, 100U), {10'000U, 1'000U}, {100'000U, 10'000U}}) {
            loads.push_back({std::string(name) + "_" + std::to_string(pending / 1000) + "k", mix,
                             pending, nodes});
        }
    }
    loads.push_back({"heavy_10k_limits", Mix::heavy, 10'000, 1'000, Owners::accounts});
    loads.push_back({"heavy_100k_limits", Mix::heavy, 100'000, 10'000, Owners::accounts});
    loads.push_back({"users_10k", Mix::heavy, 10'000, 1'000, Owners::users});
    loads.push_back({"users_10k_unlimited", Mix::heavy, 10'000, 1'000, Owners::users, false});
    loads.push_back({"users_100k", Mix::heavy, 100'000, 10'000, Owners::users});
    for (const auto& [name, queues] : {std::pair("queues_100k", 1'000U), {"queues_100k_one", 1U}}) {
        loads.push_back({name, Mix::philly, 100'000, 10'000, Owners::queues, true, queues});
    }
    return loads;
}

int list_cases() {
    for (const Load& load : all_cases()) std::printf("%s\n", load.name.c_str());
    return 0;
}

int run(const Options& options) {
    if (options.list) return list_cases();
    if (!options.queue.empty()) return run_queue(options);
    const std::vector<Load> loads = all_cases();
    std::vector<Row> rows;
    std::printf("%-19s %7s %6s %7s %7s %7s\n", "case", "pending", "nodes", "shapes", "ends",
                "planned");
    for (const Load& load : loads) {
        if (!is_meant(load, loads, options.only)) continue;
        rows.push_back(measure(load, nullptr, options));
        print(rows.back());
    }
    if (!options.json.empty()) write_json(rows, options.json);
    if (rows.empty()) {
        std::cerr << "engine_bench: there is no case '" << options.only << "'\n";
        return 2;
    }
    return hold_gates(rows, options);
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
    berth::bench::Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--list") {
            options.list = true;
            continue;
        }
        const bool known = name == "--json" || name == "--gate" || name == "--only" ||
                           name == "--events" || name == "--repeat" || name == "--check" ||
                           name == "--queue";
        if (!known || i + 1 == argc) {
            std::cerr << "usage: engine_bench [--json FILE] [--gate FILE] [--only TEXT] "
                         "[--queue FILE] [--events N] [--repeat N] [--check no]\n"
                         "       engine_bench --list\n";
            return 2;
        }
        const std::string value = argv[++i];
        if (name == "--json") options.json = value;
        if (name == "--gate") options.gate = value;
        if (name == "--only") options.only = value;
        if (name == "--queue") options.queue = value;
        if (name == "--check") options.check = value != "no";
        if (name == "--repeat") options.repeat = std::max(std::atoi(value.c_str()), 1);
        if (name == "--events") options.events = std::max(std::atoi(value.c_str()), 0);
    }
    return berth::bench::run(options);
}
