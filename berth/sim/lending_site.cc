#include "berth/sim/lending_site.h"

#include <algorithm>
#include <array>

#include "berth/sim/site.h"

namespace berth::sim {
namespace {

using std::chrono::seconds;

std::int64_t all_gpus(const ClusterSpec& spec) {
    std::int64_t all = 0;
    for (const NodeSpec& node : spec.nodes) {
        for (const DimensionId gpu : spec.dimensions.of_name("gpu")) all += node.capacity[gpu];
    }
    return all;
}

TresLimits gpus(std::int64_t count) { return {{"gres/gpu", count}}; }

struct SubtreeShare {
    const char* name;
    std::int64_t percent, least;  // Of all GPUs, but so many at least.
};
// The teams have as many by right as a job may ask for, and lend three quarters of them, so that
// each job can start some day.
constexpr std::array<SubtreeShare, 4> kParts = {{{"lab", 70, 2 * kMostGpusOfAJob},
                                                 {"vision", 40, kMostGpusOfAJob},
                                                 {"speech", 30, kMostGpusOfAJob},
                                                 {"guests", 10, 0}}};

QueueSpec some_queue(const SubtreeShare& part, std::int64_t all, Rng& rng) {
    const std::int64_t nominal = std::max(part.least, all * part.percent / 100);
    QueueSpec queue{.name = part.name, .nominal = gpus(nominal)};
    if (rng.chance(40)) queue.guarantee = gpus(rng.between(0, nominal / 4));
    if (rng.chance(30)) {
        const std::int64_t least = std::max(nominal, kMostGpusOfAJob);
        queue.limit = gpus(rng.between(least, std::max(least, all)));
    }
    return queue;
}

}  // namespace

ClusterSpec with_lending(ClusterSpec spec, Rng rng) {
    spec.accounts = {{.name = "lab", .parent = "root"},
                     {.name = "vision", .parent = "lab"},
                     {.name = "speech", .parent = "lab"},
                     {.name = "guests", .parent = "root"}};
    spec.associations = {{.account = "vision", .user = "ada", .is_default = true},
                         {.account = "speech", .user = "bob", .is_default = true},
                         {.account = "guests", .user = "eve", .is_default = true}};
    const std::int64_t all = all_gpus(spec);
    for (const SubtreeShare& part : kParts) {
        // A queue that names no quota has what those beneath it have.
        const bool names_none = part.name == std::string_view("lab") && rng.chance(50);
        if (!names_none) spec.queues.push_back(some_queue(part, all, rng));
    }
    spec.scheduling.enforce_limits = true;
    PreemptionSpec& preemption = spec.scheduling.preemption;
    preemption.reclaim = rng.chance(70) ? PreemptMode::requeue : PreemptMode::cancel;
    preemption.hold_timeout = seconds(rng.between(30, 600));
    if (rng.chance(30)) preemption.exempt = seconds(rng.between(10, 900));
    if (rng.chance(50)) spec.partitions.front().grace_time = seconds(rng.between(1, 90));
    return spec;
}

std::vector<QuotaChange> random_quota_changes(const ClusterSpec& spec, Rng rng, Duration within) {
    std::vector<QuotaChange> changes;
    const std::int64_t all = all_gpus(spec), count = rng.between(0, 6);
    for (std::int64_t i = 0; i < count; ++i) {
        SubtreeShare part = kParts[static_cast<std::size_t>(rng.between(1, kParts.size() - 1))];
        part.percent = rng.between(0, part.percent);
        changes.push_back({.after = Duration(rng.between(0, within.count()))});
        changes.back().edits.queues = {some_queue(part, all, rng)};
    }
    return changes;
}

}  // namespace berth::sim
