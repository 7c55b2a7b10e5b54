#include "bench/engine_load.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "bench/users_load.h"
#include "berth/engine/plan/plan_book.h"
#include "berth/testing/builders.h"

namespace berth::bench {
namespace {

constexpr std::uint32_t kPartitions = 20;
constexpr std::uint32_t kWholeCluster = 4;  // So many of them have all nodes.
constexpr std::int64_t kCpusPerGpu = 7;
constexpr std::int64_t kGpus = 8;

struct Kind {
    std::int64_t weight;
    std::uint32_t nodes;
    std::int64_t gpus;
};
constexpr Kind kHeavy[] = {{40, 1, 1}, {18, 1, 2}, {15, 1, 4}, {15, 1, 8},
                           {5, 2, 8},  {4, 4, 8},  {2, 8, 8},  {1, 16, 8}};
constexpr Kind kPhilly[] = {{9318, 1, 1}, {221, 1, 2}, {227, 1, 4}, {200, 1, 8},
                            {24, 2, 8},   {8, 4, 8},   {2, 8, 8}};
constexpr std::int64_t kHeavyMinutes[] = {10, 30, 60, 120, 240, 480, 720, 1440};
constexpr std::int64_t kPhillyMinutes[] = {30, 30, 30, 60, 60, 120, 240, 480, 1440, 2880};

Kind pick_kind(std::span<const Kind> kinds, Rng& rng) {
    std::int64_t sum = 0;
    for (const Kind& kind : kinds) sum += kind.weight;
    std::int64_t at = rng.between(1, sum);
    for (const Kind& kind : kinds) {
        if (at <= kind.weight) return kind;
        at -= kind.weight;
    }
    return kinds.back();
}

// Half of all users give a round limit, the rest one of their own.
Duration pick_limit(Mix mix, Rng& rng) {
    const std::span<const std::int64_t> limits =
        mix == Mix::heavy ? std::span<const std::int64_t>(kHeavyMinutes) : kPhillyMinutes;
    std::int64_t minutes = rng.pick(limits);
    if (rng.chance(50)) minutes += rng.between(0, minutes * 2 / 5);
    return std::chrono::minutes(minutes);
}

// Four partitions have all nodes, eight have half of them, eight an eighth.
ClusterSpec with_partitions(ClusterSpec spec, std::uint32_t partitions) {
    const auto nodes = static_cast<std::uint32_t>(spec.nodes.size());
    const PartitionSpec whole = spec.partitions.front();
    for (std::uint32_t p = 1; p < partitions; ++p) {
        PartitionSpec partition = whole;
        partition.name = "p" + std::to_string(p);
        partition.is_default = false;
        if (p >= kWholeCluster) {
            const std::uint32_t first = (p - kWholeCluster) % 8, eighths = p < 12 ? 4 : 1;
            std::erase_if(partition.nodes.edit(), [&](NodeId node) {
                const std::uint32_t eighth = node.value() * 8 / nodes;
                return (eighth + 8 - first) % 8 >= eighths;
            });
        }
        spec.partitions.push_back(std::move(partition));
    }
    spec.scheduling.plan_depth = 1'000'000;
    spec.scheduling.plan_window = std::chrono::hours(24 * 365 * 10);
    spec.scheduling.max_job_count = 1'000'000;
    return spec;
}

ClusterSpec make_spec(std::uint32_t nodes, std::uint32_t partitions) {
    return with_partitions(testing::make_cluster(nodes, {.memory = gib(1000)}), partitions);
}

NodeShare share_of(const NodeSpec& spec, NodeId node, std::uint32_t first, std::uint32_t gpus) {
    const auto cpus = static_cast<std::uint32_t>(gpus * kCpusPerGpu);
    NodeShare share{.node = node, .cores = BitSet(spec.cores()), .cpus = cpus};
    for (std::uint32_t core = 0; core < cpus; ++core) {
        share.cores.set(first * static_cast<std::uint32_t>(kCpusPerGpu) + core);
    }
    share.devices = low_bits(static_cast<int>(gpus)) << first;
    share.amount.set_cpu(cores(cpus));
    share.amount[spec.devices.front().dimension] = gpus;
    return share;
}

void start(Engine& engine, const Job& job, std::vector<NodeShare> shares) {
    engine.apply(Time{}, JobSubmitted{job});
    StartJob fact{.job = job.id, .attempt = Attempt(1)};
    fact.allocation.shares = std::move(shares);
    engine.apply(Time{}, fact);
}

}  // namespace

Job job_of(const ClusterState& state, Time now, std::uint32_t partition, std::uint32_t nodes,
           std::int64_t gpus, Duration limit) {
    Job job{.id = state.next_job_id(), .owner = Owner{1000, 1000, "ann", "users"}};
    job.spec = testing::make_job({.name = "train",
                                  .nodes = nodes,
                                  .gpus = gpus,
                                  .cpus = static_cast<std::uint32_t>(gpus * kCpusPerGpu),
                                  .limit = limit});
    job.spec.partition = state.spec().partitions[partition].name;
    job.partition = PartitionId(partition);
    job.time_limit = limit;
    job.submitted_at = now;
    return job;
}

Engine empty_engine(std::uint32_t nodes, std::uint32_t partitions) {
    return testing::make_engine(make_spec(nodes, partitions));
}

void run_on_whole(Engine& engine, std::uint32_t first, std::uint32_t nodes, Duration limit) {
    const Job job = job_of(engine.state(), Time{}, 0, nodes, kGpus, limit);
    std::vector<NodeShare> shares;
    for (std::uint32_t n = first; n < first + nodes; ++n) {
        shares.push_back(share_of(engine.state().spec().node(NodeId(n)), NodeId(n), 0, kGpus));
    }
    start(engine, job, std::move(shares));
}

namespace {

void give_to_some_user(const Load& load, Job& job, Rng& rng);

void run_on(const Load& load, Engine& engine, NodeId node, std::uint32_t first, std::uint32_t gpus,
            Rng& rng) {
    const Duration limit = std::chrono::seconds(rng.between(4200, 96'000));
    Job job = job_of(engine.state(), Time{}, 0, 1, gpus, limit);
    give_to_some_user(load, job, rng);
    start(engine, job, {share_of(engine.state().spec().node(node), node, first, gpus)});
}

constexpr std::int64_t kAccounts = 20, kUsersEach = 10;

void add_limits(ClusterSpec& spec, std::uint32_t nodes) {
    spec.accounts.push_back({.name = "all", .parent = "root"});
    for (std::int64_t a = 0; a < kAccounts; ++a) {
        AccountSpec account{.name = "a" + std::to_string(a), .parent = "all"};
        account.limits.group_tres = {{"gres/gpu", nodes * kGpus / (a % 5 == 0 ? 40 : 2)}};
        spec.accounts.push_back(std::move(account));
        for (std::int64_t u = 0; u < kUsersEach; ++u) {
            AssociationSpec user{.account = "a" + std::to_string(a),
                                 .user = "u" + std::to_string(a * kUsersEach + u)};
            user.limits.max_jobs = 1000;
            spec.associations.push_back(std::move(user));
        }
    }
    spec.scheduling.enforce_limits = true;
}

std::string queue_name(std::int64_t queue) { return "q" + std::to_string(queue); }

// Together they may use twice what the cluster has, so most of what waits is within its right.
void add_queues(ClusterSpec& spec, const Load& load) {
    for (std::uint32_t q = 0; q < load.queues; ++q) {
        spec.accounts.push_back({.name = queue_name(q), .parent = "root"});
        spec.queues.push_back({.name = queue_name(q),
                               .nominal = {{"gres/gpu", 2 * load.nodes * kGpus / load.queues}}});
    }
    spec.scheduling.enforce_limits = true;
}

void give_to_some_user(const Load& load, Job& job, Rng& rng) {
    if (load.owners == Owners::queues) {
        job.spec.account = queue_name(rng.between(0, load.queues - 1));
        return;
    }
    if (load.owners == Owners::users) return give_to_user(job, load.nodes, rng);
    if (load.owners == Owners::one) return;
    const std::int64_t user = rng.between(0, kAccounts * kUsersEach - 1);
    job.owner.edit().uid = static_cast<std::uint32_t>(1000 + user);
    job.owner.edit().user = "u" + std::to_string(user);
    job.spec.account = "a" + std::to_string(user / kUsersEach);
}

}  // namespace

Engine busy_engine(const Load& load, Rng& rng) {
    const bool of_users = load.owners == Owners::users;
    ClusterSpec spec = of_users ? with_partitions(users_spec(load.nodes), kPartitions)
                                : make_spec(load.nodes, kPartitions);
    if (!load.enforces_limits) spec.scheduling.enforce_limits = false;
    if (load.owners == Owners::accounts) add_limits(spec, load.nodes);
    if (load.owners == Owners::queues) add_queues(spec, load);
    Engine engine = testing::make_engine(std::move(spec));
    if (of_users) set_past_usage(engine, rng);
    for (std::uint32_t n = 0; n < load.nodes; ++n) {
        for (std::uint32_t gpu = 0; gpu < kGpus;) {
            const std::int64_t size = rng.chance(88) ? 1 : rng.chance(50) ? 2 : 8;
            const auto gpus = static_cast<std::uint32_t>(std::min(size, kGpus - gpu));
            run_on(load, engine, NodeId(n), gpu, gpus, rng);
            gpu += gpus;
        }
    }
    return engine;
}

Job random_job(const Load& load, const ClusterState& state, Time now, Rng& rng) {
    const Kind kind = load.mix == Mix::heavy ? pick_kind(kHeavy, rng) : pick_kind(kPhilly, rng);
    auto partition = static_cast<std::uint32_t>(rng.between(0, kPartitions - 1));
    if (state.spec().partitions[partition].nodes.size() < kind.nodes) partition %= kWholeCluster;
    Job job = job_of(state, now, partition, kind.nodes, kind.gpus, pick_limit(load.mix, rng));
    give_to_some_user(load, job, rng);
    if (load.owners == Owners::users) ask_for_class(job, rng);
    return job;
}

void end_runs(Engine& engine, Time now, Duration late) {
    run_cycles(engine, now, [](const Cycle&) {});
    const JobSet holding = engine.state().index().holding();
    for (const JobId id : holding) {
        const Job& job = *engine.state().find_job(id);
        const Time due = limit_end(engine.state().spec(), job);
        if (job.state == JobState::completing && now - due >= late)
            testing::finish(engine, now, id);
    }
    run_cycles(engine, now, [](const Cycle&) {});
}

JobId pick_run(const Engine& engine, Rng& rng) {
    std::vector<JobId> running;
    for (const JobId id : engine.state().index().holding()) {
        if (engine.state().find_job(id)->state == JobState::running) running.push_back(id);
    }
    return rng.pick(std::span<const JobId>(running));
}

void fill_queue(Engine& engine, const Load& load, Time now, Rng& rng) {
    while (engine.state().index().pending().size() < load.pending) {
        engine.apply(now, JobSubmitted{random_job(load, engine.state(), now, rng)});
    }
}

}  // namespace berth::bench
