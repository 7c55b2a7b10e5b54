// openb: how many of a shared cluster's GPUs each placement policy gets to use, beside the numbers
// published for the same policies (Weng et al., ATC 2023, Figures 7 to 14).
//
//   openb [--traces DIR] [--orders published|ours] [--seeds 10] [--first-seed 42] [--only POLICY]
//         [--json FILE]
//
// Ends with 1 where a mean is further from the published one than 0.2 points, or where the default
// policy is worse than the published fragmentation gradient on the same orders by more than 0.1 on
// any trace. On other orders of pods and nodes than the published ones, a mean may also be off by
// two standard errors of the difference: some policies depend much on these orders.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "openb_run.h"

namespace berth::openb {
namespace {

constexpr double kTolerance = 0.2, kWorseAtMost = 0.1;

struct Contender {
    std::string name, published;  // As the summary calls it; empty: ours.
    std::vector<RuleSpec> rules;
};

RuleSpec rule(std::string name, std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
    return {
        .kind = "placement", .name = std::move(name), .weight = 1, .settings = std::move(settings)};
}

std::vector<Contender> contenders() {
    return {{"Random", "01-Random", {rule("random")}},
            {"DotProd", "02-DotProd", {rule("dot_product", {{"steps", 100}})}},
            {"GpuClustering", "03-GpuClustering", {rule("gpu_clustering")}},
            {"GpuPacking", "04-GpuPacking", {rule("gpu_packing")}},
            {"BestFit", "05-BestFit", {rule("best_fit", {{"steps", 100}})}},
            {"FGD", "06-FGD", {rule("fgd")}},
            {"default", "", {rule("fragmentation")}}};
}

struct Options {
    std::string traces = "../shared/traces/openb", only, json;
    std::uint64_t seeds = 10, first_seed = 42;
    Orders orders = Orders::published;
};

// "trace|policy|percent" -> what was published of this kind: "mean_of_10_seeds", "std".
std::map<std::string, double> published(const Options& options, const std::string& kind) {
    std::map<std::string, double> means;
    std::ifstream file(options.traces + "/expected/summary_by_arrived_pct.csv");
    std::string line, field;
    std::vector<std::string> names;
    while (std::getline(file, line)) {
        if (line.ends_with('\r')) line.pop_back();
        std::vector<std::string> row;
        std::istringstream fields(line);
        while (std::getline(fields, field, ',')) row.push_back(field);
        if (names.empty()) names = row;
        if (row.size() != names.size() || row[0] != "alloc_pct_of_6212_gpus" || row[3] != kind) {
            continue;
        }
        for (std::size_t i = 4; i < row.size(); ++i) {
            means[row[1] + "|" + row[2] + "|" + names[i]] = std::stod(row[i]);
        }
    }
    return means;
}

struct Mean {
    double at_100 = 0, at_130 = 0, slowest = 0;
    std::string runs;  // Each, as JSON.
};

Mean mean_of(const Trace& trace, const Contender& contender, const Options& options) {
    Mean mean;
    const auto n = static_cast<double>(options.seeds);
    for (std::uint64_t i = 0; i < options.seeds; ++i) {
        const std::uint64_t seed = options.first_seed + i;
        const Outcome one = run(trace, order_of(trace, options.orders, seed), contender.rules);
        mean.at_100 += one.at_100 / n;
        mean.at_130 += one.at_130 / n;
        mean.slowest = std::max(mean.slowest, one.seconds);
        std::ostringstream text;
        text << (i == 0 ? "" : ",") << "[" << seed << "," << one.at_100 << "," << one.at_130 << "]";
        mean.runs += text.str();
    }
    return mean;
}

Options read_options(int argc, char** argv) {
    Options options;
    const char* const shared = std::getenv("BERTH_SHARED");
    if (shared != nullptr) options.traces = std::string(shared) + "/traces/openb";
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--traces") {
            options.traces = value;
        } else if (name == "--seeds") {
            options.seeds = std::stoull(value);
        } else if (name == "--first-seed") {
            options.first_seed = std::stoull(value);
        } else if (name == "--only") {
            options.only = value;
        } else if (name == "--orders" && (value == "published" || value == "ours")) {
            options.orders = value == "ours" ? Orders::ours : Orders::published;
        } else if (name == "--json") {
            options.json = value;
        } else {
            std::fprintf(stderr, "openb: there is no option %s\n", name.c_str());
            std::exit(2);
        }
    }
    return options;
}

struct Published {
    std::map<std::string, double> means, deviations;
};

bool are_published(const Options& options) {
    return options.orders == Orders::published && options.seeds == 10 && options.first_seed == 42;
}

// Whether one is further from the published mean than it may be.
bool is_off(const Mean& mean, const Published& known, const std::string& key,
            const Options& options) {
    const double orders = 1.0 / 10 + 1 / static_cast<double>(options.seeds);
    const auto off = [&](double ours, const std::string& at) {
        const double error =
            are_published(options) ? 0 : known.deviations.at(key + at) * std::sqrt(orders);
        return std::abs(ours - known.means.at(key + at)) > std::max(kTolerance, 2 * error);
    };
    return off(mean.at_100, "100") || off(mean.at_130, "130");
}

// One policy on one trace, as a line. True: it is as it should be.
bool compare(const std::string& trace_name, const Contender& contender, const Mean& mean,
             const Mean& fgd, const Published& known, const Options& options) {
    const bool ours = contender.published.empty();
    const std::string key = "openb_pod_list_" + trace_name + "|" +
                            (ours ? "06-FGD" : contender.published) + "|arrived_";
    const bool bad = ours ? fgd.at_100 > 0 && (mean.at_100 < fgd.at_100 - kWorseAtMost ||
                                               mean.at_130 < fgd.at_130 - kWorseAtMost)
                          : is_off(mean, known, key, options);
    std::printf("%-11s %-14s %8.2f %8.2f %8.2f %8.2f %7.2f%s\n", trace_name.c_str(),
                contender.name.c_str(), mean.at_100, known.means.at(key + "100"), mean.at_130,
                known.means.at(key + "130"), mean.slowest, bad ? "  <-" : "");
    std::fflush(stdout);
    return !bad;
}

int report(const Options& options) {
    const Published known{published(options, "mean_of_10_seeds"), published(options, "std")};
    if (known.means.empty()) {
        std::printf("SKIPPED: openb needs the traces, which are not in %s\n",
                    options.traces.c_str());
        return 0;
    }
    std::ofstream json;
    if (!options.json.empty()) json.open(options.json);
    int wrong = 0;
    double gain = 0;
    const char* const kTraces[] = {"default",    "cpu050",    "cpu200",
                                   "gpushare40", "gpuspec10", "multigpu20"};
    std::printf("%-11s %-14s %8s %8s %8s %8s %7s\n", "trace", "policy", "@100", "paper", "@130",
                "paper", "s/run");
    for (const char* const name : kTraces) {
        const Trace trace = read_trace(options.traces, name);
        Mean fgd;
        for (const Contender& contender : contenders()) {
            if (!options.only.empty() && options.only != contender.name) continue;
            const Mean mean = mean_of(trace, contender, options);
            if (contender.name == "FGD") fgd = mean;
            wrong += compare(name, contender, mean, fgd, known, options) ? 0 : 1;
            if (contender.published.empty() && fgd.at_100 > 0) {
                gain += (mean.at_100 - fgd.at_100 + mean.at_130 - fgd.at_130) / 2;
            }
            json << "{\"trace\":\"" << name << "\",\"policy\":\"" << contender.name
                 << "\",\"at_100\":" << mean.at_100 << ",\"at_130\":" << mean.at_130
                 << ",\"slowest_s\":" << mean.slowest << ",\"runs\":[" << mean.runs << "]}\n";
        }
    }
    if (options.only.empty()) {
        std::printf("the default policy over the gradient as published, on the same seeds: %+.2f\n",
                    gain / static_cast<double>(std::size(kTraces)));
    }
    return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace berth::openb

int main(int argc, char** argv) {
    return berth::openb::report(berth::openb::read_options(argc, argv));
}
