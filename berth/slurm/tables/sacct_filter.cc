#include "berth/slurm/tables/sacct_filter.h"

#include <grp.h>

#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/reason.h"

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

// Slurm's reasons that no PendingReason has; of limits only how their names begin.
constexpr auto kOtherReasons = std::to_array<std::string_view>({"Prolog",
                                                                "FrontEndDown",
                                                                "SchedDefer",
                                                                "NodeDown",
                                                                "SystemFailure",
                                                                "JobLaunchFailure",
                                                                "NonZeroExitCode",
                                                                "RaisedSignal",
                                                                "TimeLimit",
                                                                "InactiveLimit",
                                                                "InvalidAccount",
                                                                "InvalidQOS",
                                                                "BlockMaxError",
                                                                "BlockFreeAction",
                                                                "AccountNotAllowed",
                                                                "JobHoldMaxRequeue",
                                                                "BurstBufferResources",
                                                                "BurstBufferStageIn",
                                                                "BurstBufferOperation",
                                                                "PowerNotAvail",
                                                                "PowerReserved",
                                                                "PartitionConfig",
                                                                "AccountingPolicy",
                                                                "FedJobLock",
                                                                "OutOfMemory"});

bool is_reason(std::string_view word) {
    for (std::size_t i = 0; i < pending_reasons(); ++i) {
        if (iequals(word, slurm_name(static_cast<PendingReason>(i)))) return true;
    }
    const auto is_word = [&](std::string_view other) { return iequals(word, other); };
    return std::ranges::any_of(kOtherReasons, is_word) || starts_with_icase(word, "QOS") ||
           starts_with_icase(word, "Assoc") || starts_with_icase(word, "Max");
}

// "reqnodenotavail" of "ReqNodeNotAvail, UnavailableNodes:n1"
std::string plain_reason(const std::string& reason) {
    return reason.empty() ? "none" : to_lower(reason.substr(0, reason.find(',')));
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

Status SacctFilter::set_reasons(const char* text) {
    for (const auto word : split(text, ',')) {
        if (!is_reason(trim(word)))
            return invalid_argument("unrecognized job reason value '" + std::string(word) + "'");
        reasons.push_back(to_lower(trim(word)));
    }
    return Done{};
}

Status SacctFilter::set_flags(const char* text) {
    constexpr auto kOfOthers = std::to_array<std::string_view>({"SchedSubmit", "SchedBackfill"});
    constexpr auto kOfAllStarts =
        std::to_array<std::string_view>({"SchedMain", "StartRecieved", "StartReceived"});
    JobFlags read;
    for (const auto word : split(text, ',')) {
        const auto is_word = [&](std::string_view one) { return iequals(trim(word), one); };
        const bool of_starts = std::ranges::any_of(kOfAllStarts, is_word);
        const bool is_none = is_word("None");
        if (!of_starts && !is_none && std::ranges::none_of(kOfOthers, is_word))
            return invalid_argument("str_2_job_flags: Invalid job flag " + std::string(word));
        read.none = read.none && is_none;
        read.main = read.main || of_starts;
    }
    flags = read;
    return Done{};
}

Status SacctFilter::set_associations(const char* text) {
    for (const auto word : split(text, ',')) {
        const auto id = parse_int64(trim(word));
        if (!id.ok() || *id < 0)
            return invalid_argument("Invalid association id: " + std::string(word));
        association_ids.push_back(static_cast<std::uint64_t>(*id));
    }
    return Done{};
}

bool SacctFilter::is_chosen(const api::AccountingRow& job) const {
    if (!reasons.empty() && !is_among(reasons, plain_reason(job.reason))) return false;
    if (flags && (flags->none ? job.started_at.has_value() : !job.started_at || !flags->main))
        return false;
    if (!association_ids.empty()) {
        const auto is_its = [&](const auto& one) {
            return !one.second.empty() && one.first == job.account && one.second == *job.owner.user;
        };
        if (std::ranges::none_of(associations, is_its)) return false;
    }
    return components.empty() || !job.het ||
           std::ranges::find(components, job.job) != components.end();
}

bool SacctFilter::has(const api::AccountingRow& job) const {
    if (!is_chosen(job)) return false;
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
