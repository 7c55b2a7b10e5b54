// How the files of a baseline are made: a random history with every kind of fact, and by hand what
// an agent and a launcher remember.
#include <filesystem>
#include <set>

#include "berth/agent/memory.h"
#include "berth/host/node/file_disk.h"
#include "berth/launcher/ledger.h"
#include "berth/store/small_cluster.h"
#include "berth/testing/builders.h"
#include "berth/testing/random_facts.h"
#include "tests/baseline/written_files.h"

namespace berth::baseline {
namespace {

namespace fs = std::filesystem;
using testing::at;
using testing::SmallCluster;

constexpr std::size_t kFacts = 450;       // And more, until there is one of every kind.
constexpr std::size_t kFactsMost = 1000;  // Some clusters never have one: the next seed then.
constexpr std::uint64_t kSeed = 2, kSeedMost = 20;  // What a seed gives depends on the compiler.

// No random fact: the run gets the signal that it asked for.
std::optional<Fact> warning(const ClusterState& state) {
    for (const auto& [id, job] : state.jobs()) {
        if (job.state == JobState::running && !job.warned) return JobWarned{id, job.attempt};
    }
    return std::nullopt;
}

// No random facts either, of kinds that are not there yet: a waiting job moves to where it stands
// already, and a run saves a checkpoint.
std::optional<Fact> missing(const std::set<std::size_t>& kinds, const ClusterState& state) {
    const auto lacks = [&](const Fact& kind) { return !kinds.contains(kind.index()); };
    for (const auto& [id, job] : state.jobs()) {
        if (job.state == JobState::pending && lacks(JobMoved{}))
            return JobMoved{id, job.partition, job.time_limit};
        if (job.state == JobState::running && lacks(CheckpointSeen{}))
            return CheckpointSeen{id, job.attempt};
    }
    return std::nullopt;
}

Fact next_fact(Rng& rng, Time now, const ClusterState& state) {
    if (rng.chance(2)) {
        if (auto fact = warning(state)) return *fact;
    }
    while (true) {
        Fact fact = testing::random_fact(rng, now, state);
        // The store gives each controller its epoch.
        if (!std::holds_alternative<ControllerStarted>(fact)) return fact;
    }
}

// False: not every kind occurred.
Result<bool> write_history(SmallCluster& cluster, Rng& rng) {
    std::int64_t second = 0;
    BERTH_CHECK(cluster.record(at(0), {ControllerStarted{cluster.opened().epoch},
                                       SpecInstalled{testing::random_cluster(rng)}}));
    std::set<std::size_t> kinds{0, 1};  // Those of the record above.
    for (std::size_t i = 0; i < kFactsMost; ++i) {
        if (i >= kFacts && kinds.size() == std::variant_size_v<Fact>) return true;
        second += rng.between(0, 900);
        const std::optional<Fact> rare =
            i >= kFacts ? missing(kinds, cluster.state()) : std::nullopt;
        const Fact fact = rare ? *rare : next_fact(rng, at(second), cluster.state());
        kinds.insert(fact.index());
        std::vector<std::pair<JobId, JobPayload>> payloads;
        if (const auto* const submitted = std::get_if<JobSubmitted>(&fact)) {
            const std::string id = to_string(submitted->job.id);
            payloads.push_back({submitted->job.id, {"#!/bin/sh\necho " + id + "\n", {"N=" + id}}});
        }
        BERTH_CHECK(cluster.record(at(second), {fact}, std::move(payloads)));
        BERTH_CHECK(cluster.store().rest(cluster.state()));
    }
    return false;
}

Status write_anew(const std::string& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    if (error) return Error{ErrorCode::unavailable, folder + ": " + error.message()};
    return Done{};
}

// Without the reserve, the lock and the like, which each program makes for itself.
Status keep_database_alone(const std::string& folder) {
    std::vector<fs::path> others;
    for (const auto& file : fs::directory_iterator(folder)) {
        const std::string name = file.path().filename();
        if (name != "berth.db" && name != "berth.db.tail") others.push_back(file.path());
    }
    for (const fs::path& file : others) fs::remove(file);
    return Done{};
}

LaunchAttempt a_launch(std::uint32_t job) {
    LaunchAttempt launch{.job = JobId(job), .attempt = Attempt(2), .node = NodeId(1)};
    launch.batch_host = true;
    launch.share = {.node = NodeId(1), .cores = BitSet(16), .memory = gib(4), .devices = 0b110};
    launch.share.cores.set(3);
    launch.share.cpus = 2;
    launch.owner = {.uid = 1000, .gid = 1001, .user = "ada", .group = "staff"};
    launch.spec = testing::make_job({.name = "train", .nodes = 2, .gpus = 2});
    launch.partition = "main";
    launch.qos = "normal";
    launch.shares = {launch.share};
    launch.node_names = {"node2"};
    launch.started_at = at(10);
    launch.ends_at = at(3610);
    launch.restarts = 1;
    launch.array_job = JobId(5);
    launch.array_task = 3;
    launch.array_bounds = {4, 0, 3, 1};
    launch.kill_wait = std::chrono::seconds(30);
    launch.cluster = "small";
    launch.credential = "its credential";
    launch.more_variables = {"SLURM_HET_SIZE=2"};
    return launch;
}

LaunchStep a_step(const LaunchAttempt& attempt) {
    LaunchStep step{.job = attempt.job, .attempt = attempt.attempt, .step = StepId(0)};
    step.tasks = 2;
    step.node_names = {"node2"};
    step.tasks_per_node = {2};
    step.arguments = {"hostname", "-f"};
    step.environment = {"A=1"};
    step.work_dir = "/home/ada";
    step.name = "hostname";
    step.cpus_per_task = 2;
    step.inherited.umask = 027;
    return step;
}

void remember_all(Memory& memory) {
    memory.set_boot_id("boot-1");
    memory.raise_epoch(Epoch(7));
    memory.next_session();
    RememberedAttempt started{.launch = a_launch(8), .started = true};
    started.hook = Hook::prolog;
    started.frozen = true;
    started.freeze_change = 4;
    memory.remember(started);
    RememberedAttempt ending{.launch = a_launch(9), .started = true, .ending = true};
    ending.batch_exit = ExitStatus{.code = 3, .signal = 0};
    ending.usage = RunUsage{.user = std::chrono::seconds(5), .rss = mib(9), .tasks = 1};
    ending.ending_since = at(99);
    ending.ended_at = at(98);
    memory.remember(ending);
    memory.remember(RunKey{JobId(8), Attempt(2), StepId(0)},
                    RememberedStep{.launch = a_step(started.launch)});
    memory.remember(RunKey{JobId(8), Attempt(2), StepId(1)},
                    RememberedStep{.ended = true, .exit = ExitStatus{.code = 1, .signal = 9}});
}

void spool_all(Memory& memory) {
    for (const std::uint32_t job : {3U, 4U, 6U}) {
        memory.leave_tombstone({JobId(job), Attempt(job)});
    }
    AttemptReport end{.job = JobId(6), .attempt = Attempt(6), .live = false};
    end.batch_exit = ExitStatus{.code = 0, .signal = 11};
    end.out_of_memory = true;
    end.failed_hook = Hook::epilog;
    end.hook_failure = "epilog: exit 1";
    end.usage = RunUsage{.system = std::chrono::seconds(2), .rss_max = mib(70), .tasks = 1};
    end.ended_at = at(90);
    memory.spool(end);
    StepReport step{.job = JobId(8), .attempt = Attempt(2), .step = StepId(1)};
    step.exit = ExitStatus{.code = 1, .signal = 9};
    step.failure = "no such program";
    memory.spool(step);
}

}  // namespace

Status write_store(const std::string& folder, bool cut) {
    StoreSettings settings = testing::small_settings();
    settings.keep_journal = !cut;
    settings.snapshot_records = cut ? 90 : 1'000'000;
    bool is_whole = false;
    for (std::uint64_t seed = kSeed; seed <= kSeedMost && !is_whole; ++seed) {
        BERTH_CHECK(write_anew(folder));
        SmallCluster cluster(folder, settings);
        if (!cluster.ok()) return Error{ErrorCode::internal, cluster.error};
        Rng rng(seed);
        BERTH_TRY(is_whole, write_history(cluster, rng));
    }
    if (!is_whole) return Error{ErrorCode::internal, "not every kind of fact occurs with any seed"};
    return keep_database_alone(folder);
}

Status write_journal(const std::string& folder, const std::vector<Record>& records) {
    BERTH_CHECK(write_anew(folder));
    StoreSettings settings = testing::small_settings();
    settings.keep_journal = true;
    {
        SilentLog log;
        BERTH_TRY(Opened opened, Store::open(folder, settings, log));
        for (const Record& record : records) {
            for (const Fact& fact : record.facts) opened.state.apply(record.now, fact);
            BERTH_CHECK(opened.store.append(record, opened.state));
        }
    }
    return keep_database_alone(folder);
}

Status write_memory(const std::string& folder) {
    BERTH_CHECK(write_anew(folder));
    BERTH_TRY(const auto disk, FileDisk::open(folder));
    Memory memory{std::span<const MemoryWrite>()};
    remember_all(memory);
    disk->set_log_limit(1);  // Into the snapshot …
    BERTH_CHECK(disk->write(memory.take_writes()));
    disk->set_log_limit(1 << 20);  // … and into the log.
    spool_all(memory);
    return disk->write(memory.take_writes());
}

Status write_ledger(const std::string& folder) {
    BERTH_CHECK(write_anew(folder));
    BERTH_TRY(const auto disk, FileDisk::open(folder));
    BERTH_TRY(LaunchLedger ledger, LaunchLedger::open(*disk, {}));
    const NodeShare share = a_launch(8).share;
    disk->set_log_limit(1);
    BERTH_CHECK(ledger.raise_epoch(Epoch(7)));
    BERTH_CHECK(ledger.put(JobId(8), {.attempt = Attempt(2),
                                      .share = share,
                                      .started = true,
                                      .forget_after = at(5000),
                                      .credential = std::string(32, 'c')}));
    disk->set_log_limit(1 << 20);
    BERTH_CHECK(ledger.put(JobId(6), {.attempt = Attempt(6),
                                      .share = share,
                                      .started = true,
                                      .removed = true,
                                      .forget_after = at(4000),
                                      .credential = std::string(32, 'd')}));
    BERTH_CHECK(ledger.ran(NodeProgram::health_check, at(77)));
    BERTH_CHECK(ledger.ran(NodeProgram::reboot, at(66)));
    return ledger.set_up(at(55));
}

}  // namespace berth::baseline
