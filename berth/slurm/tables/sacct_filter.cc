#include "berth/slurm/tables/sacct_filter.h"

#include <grp.h>

#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth::slurm {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

bool is_within(const CountRange& range, std::size_t count) {
    return count >= range.least && count <= range.most;
}

// Whether the expression has that feature: "ib&(v100|a100)" has three.
bool asks_for(std::string_view constraints, std::string_view feature) {
    constexpr std::string_view kBetween = "&|,()[]*!";
    while (!constraints.empty()) {
        const std::size_t end = std::min(constraints.find_first_of(kBetween), constraints.size());
        if (constraints.substr(0, end) == feature) return true;
        constraints.remove_prefix(std::min(end + 1, constraints.size()));
    }
    return false;
}

std::optional<std::uint32_t> gid_of(const std::string& name_or_gid) {
    const auto number = parse_int64(name_or_gid);
    if (number.ok() && *number >= 0 && *number < UINT32_MAX)
        return static_cast<std::uint32_t>(*number);
    group entry{};
    group* found = nullptr;
    std::array<char, 65536> buffer{};
    const int failed =
        getgrnam_r(name_or_gid.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (failed != 0 || found == nullptr) return std::nullopt;
    return entry.gr_gid;
}

Status set_range(std::optional<CountRange>& range, const char* text, const char* option_name) {
    const std::string_view whole = text;
    const std::size_t dash = whole.find('-');
    const auto least = parse_int64(whole.substr(0, dash));
    const auto most = dash == std::string_view::npos ? least : parse_int64(whole.substr(dash + 1));
    if (!least.ok() || !most.ok() || *least < 0 || *most < *least || *most > UINT32_MAX) {
        return invalid_argument("Invalid --" + std::string(option_name) + " argument: " + text +
                                " (it takes a number or a range, such as 4 or 2-8)");
    }
    range = {static_cast<std::uint32_t>(*least), static_cast<std::uint32_t>(*most)};
    return Done{};
}

Status set_time_limit(std::optional<Duration>& target, const char* text, const char* option_name) {
    const auto limit = parse_time_limit(text);
    if (!limit.ok()) {
        return invalid_argument("Invalid --" + std::string(option_name) + " argument: " + text +
                                " (it takes minutes, hours:minutes:seconds or days-hours)");
    }
    target = limit->value_or(Duration::max());  // UNLIMITED
    return Done{};
}

}  // namespace

Status SacctFilter::set_groups(const char* text) {
    for (const auto word : split(text, ',')) {
        const auto gid = gid_of(std::string(trim(word)));
        if (!gid) return invalid_argument("Invalid group id: " + std::string(word));
        groups.push_back(*gid);
    }
    return Done{};
}

Status SacctFilter::set_cpus(const char* text) { return set_range(cpus, text, "ncpus"); }
Status SacctFilter::set_node_count(const char* text) {
    return set_range(node_count, text, "nnodes");
}
Status SacctFilter::set_time_least(const char* text) {
    return set_time_limit(time_least, text, "timelimit-min");
}
Status SacctFilter::set_time_most(const char* text) {
    return set_time_limit(time_most, text, "timelimit-max");
}

bool SacctFilter::has(const api::AccountingRow& job) const {
    if (!qos.empty() && !is_among(qos, job.qos)) return false;
    if (!wckeys.empty() && !is_among(wckeys, job.wckey)) return false;
    if (!std::ranges::all_of(features, [&](const std::string& feature) {
            return asks_for(job.constraints, feature);
        }))
        return false;
    if (!groups.empty() && std::ranges::find(groups, job.owner.gid) == groups.end()) return false;
    if (cpus && !is_within(*cpus, job.allocated_cpus)) return false;
    if (node_count && !is_within(*node_count, job.nodes.size())) return false;
    if (time_least) {
        const Duration limit = job.time_limit.value_or(Duration::max());
        if (limit < *time_least || limit > time_most.value_or(*time_least)) return false;
    }
    return nodes.empty() || std::ranges::any_of(job.nodes, [&](const std::string& node) {
               return is_among(nodes, node);
           });
}

}  // namespace berth::slurm
