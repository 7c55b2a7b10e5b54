#include "berth/cli/sim_openb.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "berth/base/text.h"
#include "berth/cli/sim_files.h"
#include "berth/report/openb_table.h"

namespace berth::cli {
namespace {

using report::OpenbPolicy;
using report::OpenbRow;
using report::OpenbShare;
using report::OpenbTrace;

std::string fixed(double value, bool with_sign = false) {
    char text[40];
    std::snprintf(text, sizeof text, with_sign ? "%+.2f" : "%.2f", value);
    return text;
}

struct Input {
    std::vector<OpenbTrace> traces;
    std::vector<OpenbPolicy> policies;
    report::OpenbPublished published;
};

Result<Input> read_input(const SimOpenbOptions& options) {
    Input input;
    const std::string folder = options.traces + "/openb/";
    BERTH_TRY(const std::string figures, read_file(folder + "expected/summary_by_arrived_pct.csv"));
    BERTH_TRY(input.published, report::read_openb_published(figures));
    BERTH_TRY(const std::string nodes, read_file(folder + "openb_node_list_gpu_node.csv"));
    for (const std::string_view name : report::openb_traces()) {
        const std::string path = folder + "openb_pod_list_" + std::string(name) + ".csv.zst";
        BERTH_TRY(const std::string pods, read_file(path));
        auto trace = report::openb_trace(nodes, pods);
        if (!trace.ok()) return prefixed(path + ": ", trace.error());
        input.traces.push_back(std::move(trace).value());
    }
    std::vector<std::string_view> names;
    const std::vector<OpenbPolicy> all = report::openb_policies();
    for (const OpenbPolicy& policy : all) {
        names.push_back(policy.name);
        if (options.only.empty() || policy.name == options.only) input.policies.push_back(policy);
    }
    if (!input.policies.empty()) return input;
    return Error{ErrorCode::not_found,
                 "--only " + options.only + ": there are " + join(names, ", ")};
}

// Every run, by trace, policy and order; so many at a time.
std::vector<OpenbShare> run_all(const Input& input, const SimOpenbOptions& options) {
    const std::size_t per_trace = input.policies.size() * options.runs;
    std::vector<OpenbShare> shares(input.traces.size() * per_trace);
    const report::OpenbOrders orders =
        options.orders == "ours" ? report::OpenbOrders::ours : report::OpenbOrders::published;
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < shares.size(); i = next++) {
            const OpenbTrace& trace = input.traces[i / per_trace];
            const OpenbPolicy& policy = input.policies[i % per_trace / options.runs];
            const auto order =
                report::openb_order(trace, orders, options.first_seed + i % options.runs);
            shares[i] = report::run_openb(trace, order, policy.rules);
        }
    };
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> crew;
    for (unsigned i = 1; i < (options.threads > 0 ? options.threads : cores); ++i) {
        crew.emplace_back(work);
    }
    work();
    for (std::thread& one : crew) one.join();
    return shares;
}

std::vector<OpenbRow> rows_of(const Input& input, const SimOpenbOptions& options) {
    const std::vector<OpenbShare> all = run_all(input, options);
    const bool same =
        options.orders == "published" && options.runs == 10 && options.first_seed == 42;
    std::vector<OpenbRow> rows;
    const auto runs_of = [&](std::size_t trace, std::size_t policy) {
        const auto begin =
            all.begin() +
            static_cast<std::ptrdiff_t>((trace * input.policies.size() + policy) * options.runs);
        return std::vector<OpenbShare>(begin, begin + static_cast<std::ptrdiff_t>(options.runs));
    };
    const auto gradient = std::ranges::find(input.policies, "FGD", &OpenbPolicy::name);
    for (std::size_t t = 0; t < input.traces.size(); ++t) {
        const auto beside =
            gradient == input.policies.end()
                ? std::vector<OpenbShare>()
                : runs_of(t, static_cast<std::size_t>(gradient - input.policies.begin()));
        for (std::size_t p = 0; p < input.policies.size(); ++p) {
            rows.push_back(report::openb_row(report::openb_traces()[t], input.policies[p],
                                             runs_of(t, p), beside, input.published, same));
        }
    }
    return rows;
}

// Ours stands beside what the gradient was published to come to.
void print_rows(const std::vector<OpenbRow>& rows, Output& output) {
    std::vector<std::vector<Output::Cell>> table = {{{"TRACE"},
                                                     {"POLICY"},
                                                     {"PUBLISHED @100"},
                                                     {"OURS"},
                                                     {"DIFFERENCE"},
                                                     {"PUBLISHED @130"},
                                                     {"OURS"},
                                                     {"DIFFERENCE"},
                                                     {"S/RUN"}}};
    std::size_t cells = 0, near = 0;
    double worst = 0;
    for (const OpenbRow& row : rows) {
        const Colour colour = row.is_good() ? Colour::none : Colour::red;
        const double off_100 = row.at_100 - row.published_100,
                     off_130 = row.at_130 - row.published_130;
        table.push_back({{row.trace},
                         {row.is_ours ? row.policy + " / FGD" : row.policy},
                         {fixed(row.published_100)},
                         {fixed(row.at_100)},
                         {fixed(off_100, true), colour},
                         {fixed(row.published_130)},
                         {fixed(row.at_130)},
                         {fixed(off_130, true), colour},
                         {fixed(row.slowest)}});
        if (row.is_ours) continue;
        cells += 2;
        for (const double off : {off_100, off_130}) {
            near += std::abs(off) <= row.tolerance ? 1U : 0U;
            worst = std::max(worst, std::abs(off));
        }
    }
    output.table(table);
    if (cells > 0) {
        output.out() << near << " of " << cells
                     << " cells are within their tolerance (0.2 points on the "
                     << "published orders); the worst is off by " << fixed(worst) << '\n';
    }
}

nlohmann::ordered_json json_of(const std::vector<OpenbRow>& rows) {
    auto json = nlohmann::ordered_json::array();
    for (const OpenbRow& row : rows) {
        json.push_back({{"trace", row.trace},
                        {"policy", row.policy},
                        {"published_policy", row.published_policy},
                        {"at_100", row.at_100},
                        {"published_100", row.published_100},
                        {"at_130", row.at_130},
                        {"published_130", row.published_130},
                        {"good", row.is_good()}});
    }
    return json;
}

Status table_openb(const SimOpenbOptions& options, Output& output, bool& good) {
    const auto begun = std::chrono::steady_clock::now();
    BERTH_TRY(const Input input, read_input(options));
    const std::vector<OpenbRow> rows = rows_of(input, options);
    print_rows(rows, output);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    output.out() << "Took " << fixed(took.count()) << " s for "
                 << input.traces.size() * input.policies.size() * options.runs
                 << " runs; the paper's simulator, in Go, takes some 30 min of CPU for one.\n";
    good = std::ranges::all_of(rows, &OpenbRow::is_good);
    if (!options.json.empty()) return write_file(options.json, json_of(rows).dump(2) + "\n");
    return Done{};
}

}  // namespace

int sim_table_openb(const SimOpenbOptions& options, Output& output) {
    bool good = true;
    const Status status = table_openb(options, output, good);
    if (!status.ok()) return output.fail(status.error().message);
    return good ? 0 : output.fail("some figures are outside their tolerance");
}

}  // namespace berth::cli
