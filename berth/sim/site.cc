#include "berth/sim/site.h"

#include <algorithm>
#include <array>

#include "berth/base/hostlist.h"

namespace berth::sim {
namespace {

using std::chrono::minutes;

constexpr std::array<const char*, 3> kUsers = {"ada", "bob", "eve"};
constexpr std::int64_t kShards = 4;
constexpr std::int64_t kSeatsMost = 2;

void add_accounts(ClusterSpec& spec, Rng& rng) {
    spec.accounts = {{.name = "physics", .parent = "root", .shares = 60},
                     {.name = "bio", .parent = "root", .shares = 40}};
    for (const char* const user : kUsers) {
        const bool in_bio = std::string_view(user) == "bob";
        spec.associations.push_back(
            {.account = in_bio ? "bio" : "physics", .user = user, .is_default = true});
    }
    if (rng.chance(60)) {
        spec.accounts.edit(0).limits.group_tres = {
            {"gres/gpu", kMostGpusOfAJob + rng.between(0, kMostGpusOfAJob)}};
    }
    if (rng.chance(40)) {
        spec.accounts.edit(1).limits.group_jobs = static_cast<std::uint32_t>(rng.between(2, 8));
    }
}

void add_qos(ClusterSpec& spec, Rng& rng) {
    spec.qos.push_back({.name = "high", .priority = 1000});
    if (rng.chance(60)) {
        spec.qos[0].limits.max_tres_per_user = {
            {"gres/gpu", kMostGpusOfAJob + rng.between(0, kMostGpusOfAJob / 2)}};
    }
    if (rng.chance(40)) {
        spec.qos[0].limits.max_jobs = static_cast<std::uint32_t>(rng.between(3, 12));
    }
    if (rng.chance(60)) {
        spec.qos[1].limits.group_jobs = static_cast<std::uint32_t>(rng.between(1, 4));
    }
}

// Makes every GPU shareable, by shards.
void add_shards(ClusterSpec& spec) {
    const DimensionId shard = *spec.dimensions.intern("shard", "");
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        NodeSpec& node = spec.nodes.edit(i);
        for (Device& device : node.devices) device.shares.push_back({shard, kShards});
        const auto all = static_cast<std::int64_t>(node.devices.size()) * kShards;
        node.capacity[shard] = all;
        node.gres_text += ",shard:" + std::to_string(all);
    }
}

bool has_shards(const ClusterSpec& cluster) { return cluster.dimensions.knows_name("shard"); }

void ask_for_part(Rng& rng, JobRequest& request) {
    request.gpus_per_node.clear();
    request.gres_per_node = {{"shard", "", rng.between(1, kShards)}};
}

void ask_for_seats(const ClusterSpec& cluster, Rng& rng, JobRequest& request) {
    LicenseRequest asked;
    for (const LicenseSpec& one : cluster.licenses) {
        if (asked.counts.empty() || rng.chance(40)) {
            asked.counts.push_back({one.name, rng.between(1, kSeatsMost)});
        }
    }
    asked.any = asked.counts.size() > 1 && rng.chance(50);
    request.licenses = std::move(asked);
}

void ask(PlannedJob& job, const ClusterSpec& cluster, Rng& rng) {
    JobRequest request = *job.spec.request;
    if (request.exclusive) request.nodes_min = std::min(request.nodes_min, 4U);
    if (request.nodes_max) request.nodes_max = request.nodes_min;
    if (cluster.find_qos("high") && rng.chance(15)) job.spec.qos = "high";
    const bool has_gpus = !request.gpus_per_node->empty();
    if (has_shards(cluster) && has_gpus && request.nodes_min == 1 && rng.chance(35)) {
        ask_for_part(rng, request);
    }
    if (!cluster.licenses.empty() && rng.chance(25)) ask_for_seats(cluster, rng, request);
    for (StepPlan& step : job.script.steps) step.nodes = std::min(step.nodes, request.nodes_min);
    job.spec.request = request;
}

PlannedJob job_in(const SimReservation& reservation, std::size_t number, Rng& rng) {
    PlannedJob job;
    job.user = "eve";
    job.spec.name = reservation.name + "-" + std::to_string(number);
    JobRequest request;
    request.reservation = reservation.name;
    request.gpus_per_node = {{"gpu", "", rng.between(1, 4)}};
    request.time_limit = reservation.length / rng.between(1, 4);
    job.spec.request = request;
    job.spec.command.edit().script_name = "train.sh";
    job.spec.command.edit().work_dir = "/home/eve";
    job.script.runs_for = reservation.length / rng.between(2, 10);
    return job;
}

}  // namespace

ClusterSpec with_site(ClusterSpec spec, Rng rng) {
    const bool has_accounts = rng.chance(70), has_seats = rng.chance(60), shards = rng.chance(60);
    if (has_accounts) {
        add_accounts(spec, rng);
        add_qos(spec, rng);
        spec.scheduling.enforce_limits = true;
    }
    if (has_seats) {
        spec.licenses = {{"ansys", rng.between(kSeatsMost, 4)},
                         {"matlab", rng.between(kSeatsMost, 6)}};
    }
    if (shards) add_shards(spec);
    return spec;
}

void ask_of_site(std::vector<PlannedJob>& jobs, const ClusterSpec& cluster, Rng rng) {
    for (PlannedJob& job : jobs) {
        job.user = kUsers[static_cast<std::size_t>(rng.between(0, kUsers.size() - 1))];
        ask(job, cluster, rng);
    }
}

std::vector<SimReservation> random_reservations(const ClusterSpec& cluster, Rng rng,
                                                Duration within) {
    std::vector<SimReservation> all;
    const std::int64_t count = rng.chance(60) ? rng.between(1, 3) : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        SimReservation one;
        one.name = "window" + std::to_string(i);
        one.make_after = Duration(rng.between(0, within.count()));
        one.starts_in = rng.chance(30) ? Duration{} : Duration(minutes(rng.between(1, 60)));
        one.length = minutes(rng.between(20, 120));
        std::vector<std::string> names;
        for (const NodeSpec& node : cluster.nodes) {
            if (rng.chance(20)) names.push_back(node.name);
        }
        if (names.empty()) names.push_back(cluster.nodes.front().name);
        one.change.nodes = compress_hostlist(std::move(names));
        one.change.users = {{"eve"}};
        if (rng.chance(60)) one.change.flags_added.push_back("IGNORE_JOBS");
        const std::int64_t jobs = rng.between(1, 5);
        for (std::int64_t job = 0; job < jobs; ++job) {
            one.jobs.push_back(job_in(one, static_cast<std::size_t>(job), rng));
        }
        if (rng.chance(30)) one.delete_in = Duration(minutes(rng.between(1, 90)));
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace berth::sim
