#include "berth/report/openb_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "berth/workload/table.h"
#include "berth/workload/trace_values.h"

namespace berth::report {
namespace {

constexpr double kTolerance = 0.2, kWorseAtMost = 0.1;  // Points.
constexpr std::string_view kGradient = "06-FGD";
constexpr auto kTraces = std::to_array<std::string_view>(
    {"default", "cpu050", "cpu200", "gpushare40", "gpuspec10", "multigpu20"});

RuleSpec rule(std::string name, std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
    return {
        .kind = "placement", .name = std::move(name), .weight = 1, .settings = std::move(settings)};
}

std::pair<double, double> means_of(const std::vector<OpenbShare>& runs) {
    double at_100 = 0, at_130 = 0;
    for (const OpenbShare& run : runs) {
        at_100 += run.at_100;
        at_130 += run.at_130;
    }
    const auto n = static_cast<double>(std::max<std::size_t>(runs.size(), 1));
    return {at_100 / n, at_130 / n};
}

}  // namespace

std::vector<OpenbPolicy> openb_policies() {
    return {{"Random", "01-Random", {rule("random")}},
            {"DotProd", "02-DotProd", {rule("dot_product", {{"steps", 100}})}},
            {"GpuClustering", "03-GpuClustering", {rule("gpu_clustering")}},
            {"GpuPacking", "04-GpuPacking", {rule("gpu_packing")}},
            {"BestFit", "05-BestFit", {rule("best_fit", {{"steps", 100}})}},
            {"FGD", std::string(kGradient), {rule("fgd")}},
            {"default", "", {rule("fragmentation")}}};
}

std::span<const std::string_view> openb_traces() { return kTraces; }

Result<OpenbPublished> read_openb_published(std::string_view csv) {
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"metric", "workload", "policy", "stat", "arrived_100", "arrived_130"});
    workload::Table table(csv, ',');
    BERTH_CHECK(table.require(kColumns));
    OpenbPublished published;
    while (table.next()) {
        if (table.field("metric") != "alloc_pct_of_6212_gpus") continue;
        std::string_view trace = table.field("workload");
        constexpr std::string_view kBefore = "openb_pod_list_";
        if (trace.starts_with(kBefore)) trace.remove_prefix(kBefore.size());
        const bool is_mean = table.field("stat") == "mean_of_10_seeds";
        if (!is_mean && table.field("stat") != "std") continue;
        for (const char* const at : {"100", "130"}) {
            const std::string_view text = table.field(std::string("arrived_") + at);
            BERTH_TRY(const std::int64_t value, workload::parse_thousandths(text));
            auto& into = is_mean ? published.means : published.deviations;
            into[std::string(trace) + "|" + std::string(table.field("policy")) + "|" + at] =
                static_cast<double>(value) / 1000;
        }
    }
    return published;
}

bool OpenbRow::is_good() const {
    if (is_ours) return at_100 >= gradient_100 - tolerance && at_130 >= gradient_130 - tolerance;
    return published_100 > 0 && std::abs(at_100 - published_100) <= tolerance &&
           std::abs(at_130 - published_130) <= tolerance;
}

OpenbRow openb_row(std::string_view trace, const OpenbPolicy& policy,
                   const std::vector<OpenbShare>& runs, const std::vector<OpenbShare>& gradient,
                   const OpenbPublished& published, bool same_orders) {
    OpenbRow row{.trace = std::string(trace), .policy = policy.name, .is_ours = false};
    row.is_ours = policy.published.empty();
    row.published_policy = row.is_ours ? kGradient : std::string_view(policy.published);
    std::tie(row.at_100, row.at_130) = means_of(runs);
    std::tie(row.gradient_100, row.gradient_130) = means_of(gradient);
    for (const OpenbShare& run : runs) row.slowest = std::max(row.slowest, run.seconds);
    const std::string key = row.trace + "|" + row.published_policy + "|";
    const auto known = [&](const std::map<std::string, double>& of, const char* at) {
        const auto found = of.find(key + at);
        return found == of.end() ? 0 : found->second;
    };
    row.published_100 = known(published.means, "100");
    row.published_130 = known(published.means, "130");
    row.tolerance = row.is_ours ? kWorseAtMost : kTolerance;
    if (same_orders || row.is_ours) return row;
    const double orders = 1.0 / 10 + 1 / static_cast<double>(std::max<std::size_t>(runs.size(), 1));
    const double deviation =
        std::max(known(published.deviations, "100"), known(published.deviations, "130"));
    row.tolerance = std::max(kTolerance, 2 * deviation * std::sqrt(orders));
    return row;
}

}  // namespace berth::report
