#include "berth/model/queue_options.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/micro.h"

namespace berth {
namespace {

constexpr std::int64_t kGraceSecondsMax = 365 * 86'400;

struct Counts {
    std::string_view name;
    TresLimits QueueSpec::* member;
};
constexpr std::array<Counts, 5> kCounts = {{{"nominal", &QueueSpec::nominal},
                                            {"guarantee", &QueueSpec::guarantee},
                                            {"limit", &QueueSpec::limit},
                                            {"lend_max", &QueueSpec::lend_max},
                                            {"borrow_max", &QueueSpec::borrow_max}}};

struct Bound {
    std::string_view name;
    std::optional<std::uint32_t> QueueSpec::* member;
};
struct Names {
    std::string_view name;
    std::vector<std::string> QueueSpec::* member;
};
constexpr std::array<Names, 2> kNames = {
    {{"allow_preempt_from", &QueueSpec::allow_preempt_from}, {"lenders", &QueueSpec::lenders}}};

constexpr std::array<Bound, 2> kBounds = {
    {{"max_jobs", &QueueSpec::jobs_max}, {"max_gpus_per_job", &QueueSpec::gpus_per_job_max}}};

Error wrong(std::string_view option, std::string_view value, const std::string& why) {
    return invalid_argument(std::string(option) + ": " + std::string(value) + " " + why);
}

Status set_counts(TresLimits& into, std::string_view option, std::string_view value) {
    const auto counts = value.empty() ? TresLimits{} : parse_flavored_counts(value);
    if (!counts) return wrong(option, value, "should be a list like 'cpu=64,mem=512G,gres/gpu=8'");
    for (const auto& [tres, count] : *counts) {
        if (tres == "billing") return wrong(option, value, "names billing, which has no quota");
        if (count < 0) return wrong(option, value, "should have no negative numbers");
    }
    into = *counts;
    return Done{};
}

// 0.25; as parts per million.
Status set_ratio(QueueSpec& queue, std::string_view option, std::string_view value) {
    queue.borrow_ratio_max.reset();
    if (value.empty()) return Done{};
    const auto parts = parse_micro(value);
    if (!parts) {
        return wrong(option, value, "should be a fraction of the nominal quota, like 0.25");
    }
    queue.borrow_ratio_max = Ppm(*parts);
    return Done{};
}

Status set_allowed(QueueSpec& queue, std::string_view option, std::string_view value) {
    queue.allow_preemption.reset();
    if (value.empty()) return Done{};
    queue.allow_preemption = parse_yes_no(value);
    if (queue.allow_preemption) return Done{};
    return wrong(option, value, "should be yes or no");
}

void set_names(std::vector<std::string>& into, std::string_view value) {
    into.clear();
    for (const std::string_view name : split(value, ',')) {
        if (!trim(name).empty()) into.push_back(to_lower(trim(name)));
    }
}

Status set_grace(QueueSpec& queue, std::string_view option, std::string_view value) {
    queue.grace_period.reset();
    if (value.empty()) return Done{};
    const auto seconds = parse_int64(value);
    if (!seconds.ok() || *seconds < 0 || *seconds > kGraceSecondsMax) {
        return wrong(option, value, "should be a whole number of seconds, at most a year");
    }
    queue.grace_period = std::chrono::seconds(*seconds);
    return Done{};
}

Status set_bound(std::optional<std::uint32_t>& into, std::string_view option,
                 std::string_view value) {
    into.reset();
    if (value.empty()) return Done{};
    const auto most = parse_int64(value);
    if (!most.ok() || *most < 0 || *most > std::int64_t{UINT32_MAX})
        return wrong(option, value, "should be a whole number, like 16");
    into = static_cast<std::uint32_t>(*most);
    return Done{};
}

// 10,100
Status set_priorities(QueueSpec& queue, std::string_view option, std::string_view value) {
    queue.priorities.reset();
    if (value.empty()) return Done{};
    const auto ends = split(value, ',');
    if (ends.size() == 2) {
        const auto least = parse_int64(trim(ends.front())), most = parse_int64(trim(ends.back()));
        if (least.ok() && most.ok() && *least <= *most) {
            queue.priorities = PriorityRange{*least, *most};
            return Done{};
        }
    }
    return wrong(option, value, "should be the least and the most that it admits, like 10,100");
}

std::string ratio_text(Ppm ratio) {
    std::string text = std::to_string(ratio.count() / kMicro);
    if (ratio.count() % kMicro == 0) return text;
    std::string decimals = std::to_string(kMicro + ratio.count() % kMicro);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    return text + "." + decimals.substr(1);
}

}  // namespace

Status set_queue_option(QueueSpec& queue, std::string_view option, std::string_view value) {
    const std::string name = to_lower(option);
    const auto counts = std::ranges::find(kCounts, name, &Counts::name);
    if (counts != kCounts.end()) return set_counts(queue.*counts->member, option, value);
    const auto bound = std::ranges::find(kBounds, name, &Bound::name);
    if (bound != kBounds.end()) return set_bound(queue.*bound->member, option, value);
    const auto names = std::ranges::find(kNames, name, &Names::name);
    if (names != kNames.end()) {
        set_names(queue.*names->member, value);
        return Done{};
    }
    if (name == "priority_range") return set_priorities(queue, option, value);
    if (name == "max_borrow_ratio") return set_ratio(queue, option, value);
    if (name == "allow_preemption") return set_allowed(queue, option, value);
    if (name == "grace_period") return set_grace(queue, option, value);
    return invalid_argument(
        "there is no option " + std::string(option) +
        " of a queue; there are nominal, guarantee, limit, lend_max, "
        "borrow_max, max_borrow_ratio, lenders, allow_preemption, "
        "allow_preempt_from, grace_period, max_jobs, max_gpus_per_job, priority_range");
}

Status set_queue_options(QueueSpec& queue, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
            return invalid_argument(word + " should be OPTION=VALUE, like nominal=gres/gpu=8");
        }
        BERTH_CHECK(set_queue_option(queue, word.substr(0, equals), word.substr(equals + 1)));
    }
    return Done{};
}

std::vector<QueueOption> options_of(const QueueSpec& queue) {
    std::vector<QueueOption> options;
    for (const Counts& counts : kCounts) {
        if (!(queue.*counts.member).empty())
            options.push_back({std::string(counts.name), to_text(queue.*counts.member)});
    }
    if (queue.borrow_ratio_max)
        options.push_back({"max_borrow_ratio", ratio_text(*queue.borrow_ratio_max)});
    if (queue.allow_preemption)
        options.push_back({"allow_preemption", *queue.allow_preemption ? "yes" : "no"});
    for (const Names& names : kNames) {
        if (!(queue.*names.member).empty())
            options.push_back({std::string(names.name), join(queue.*names.member, ",")});
    }
    if (queue.grace_period)
        options.push_back({"grace_period", std::to_string(seconds(*queue.grace_period))});
    for (const Bound& bound : kBounds) {
        if (const auto& most = queue.*bound.member)
            options.push_back({std::string(bound.name), std::to_string(*most)});
    }
    if (queue.priorities) {
        options.push_back({"priority_range", std::to_string(queue.priorities->least) + "," +
                                                 std::to_string(queue.priorities->most)});
    }
    return options;
}

}  // namespace berth
