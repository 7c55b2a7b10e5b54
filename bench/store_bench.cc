// What durability costs: appends, a restart with a long history, and what a snapshot takes from the
// turns around it. In a directory under $TMPDIR; the disk beneath it is what is measured.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "berth/store/store.h"

namespace berth {
namespace {

using std::chrono::steady_clock;

double milliseconds_since(steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
}

class BenchFolder {
public:
    BenchFolder() {
        const char* const base = std::getenv("TMPDIR");
        path_ = std::string(base == nullptr ? "/tmp" : base) + "/berth-bench-XXXXXX";
        if (mkdtemp(path_.data()) == nullptr) std::abort();
    }
    ~BenchFolder() { std::filesystem::remove_all(path_); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

ClusterSpec some_nodes() {
    ClusterSpec spec;
    spec.partitions.push_back({.name = "main", .is_default = true});
    spec.qos.push_back({.name = "normal"});
    return spec;
}

Job pending_job(JobId id, Time now) {
    Job job;
    job.id = id;
    job.owner = Owner{.uid = 1000, .gid = 1000, .user = "ada", .group = "ada"};
    job.spec.name = "train-" + to_string(id);
    job.spec.account = "physics";
    job.spec.command.edit().work_dir = "/home/ada/experiments/2026";
    job.spec.command.edit().submit_line = "sbatch --gres=gpu:8 --time=12:00:00 train.sh";
    job.spec.request_id = "0123456789abcdef0123456789" + std::to_string(id.value());
    job.time_limit = std::chrono::hours(12);
    job.submitted_at = now;
    return job;
}

// A controller that takes whatever comes.
class Appender {
public:
    explicit Appender(const std::string& folder, StoreSettings settings = {})
        : opened_(std::move(Store::open(folder, std::move(settings), log_)).value()),
          sequence_(opened_.next_sequence) {
        std::vector<Fact> facts{ControllerStarted{opened_.epoch}};
        if (opened_.state.spec().partitions.empty()) facts.push_back(SpecInstalled{some_nodes()});
        append(std::move(facts), {});
    }

    void submit(int jobs) {
        std::vector<Fact> facts;
        std::vector<std::pair<JobId, JobPayload>> payloads;
        JobId id = opened_.state.next_job_id();
        for (int i = 0; i < jobs; ++i, id = JobId(id.value() + 1)) {
            facts.push_back(JobSubmitted{pending_job(id, now_)});
            payloads.push_back(
                {id, {.script = std::string(800, '#'), .environment = {std::string(1200, 'e')}}});
        }
        append(std::move(facts), std::move(payloads));
    }
    void submit_array(std::uint32_t tasks) {
        Job job = pending_job(opened_.state.next_job_id(), now_);
        job.spec.array.emplace();
        for (std::uint32_t i = 0; i < tasks; ++i) job.spec.array->tasks.push_back(i);
        append({JobSubmitted{std::move(job)}}, {});
    }
    void append(std::vector<Fact> facts, std::vector<std::pair<JobId, JobPayload>> payloads) {
        now_ += std::chrono::milliseconds(1);
        const Record record{sequence_++, opened_.epoch, now_, std::move(facts),
                            std::move(payloads)};
        for (const Fact& fact : record.facts) opened_.state.apply(record.now, fact);
        if (!opened_.store.append(record, opened_.state).ok()) std::abort();
    }
    void rest() {
        if (!opened_.store.rest(opened_.state).ok()) std::abort();
    }
    const Opened& opened() const { return opened_; }

private:
    SilentLog log_;
    Opened opened_;
    std::uint64_t sequence_;
    Time now_ = from_seconds(1'700'000'000);
};

// One record of so many submissions, as when so many clients wait for the same turn.
void submissions(benchmark::State& state) {
    const BenchFolder folder;
    Appender appender(folder.path());
    const int jobs = static_cast<int>(state.range(0));
    double worst = 0;
    for (auto unused : state) {
        const auto start = steady_clock::now();
        appender.submit(jobs);
        appender.rest();
        worst = std::max(worst, milliseconds_since(start));
    }
    state.SetItemsProcessed(state.iterations() * jobs);
    state.counters["worst_ms"] = worst;
}
BENCHMARK(submissions)->Arg(1)->Arg(16)->Arg(256)->UseRealTime()->Unit(benchmark::kMicrosecond);

void array_of_10000(benchmark::State& state) {
    const BenchFolder folder;
    Appender appender(folder.path());
    for (auto unused : state) appender.submit_array(10'000);
}
BENCHMARK(array_of_10000)->UseRealTime()->Unit(benchmark::kMillisecond);

StoreSettings without_snapshots() {
    StoreSettings settings;
    settings.snapshot_records = settings.snapshot_bytes = ~std::uint64_t{0};
    return settings;
}

// 100 000 jobs, each in a journal record of its own.
void restart_from_the_journal(benchmark::State& state) {
    const BenchFolder folder;
    {
        Appender appender(folder.path(), without_snapshots());
        for (int i = 0; i < 100'000; ++i) {
            appender.submit(1);
            appender.rest();
        }
    }
    for (auto unused : state) {
        SilentLog log;
        const auto opened = Store::open(folder.path(), without_snapshots(), log);
        if (!opened.ok() || opened->state.jobs().size() != 100'000) std::abort();
        state.counters["records"] = static_cast<double>(opened->replayed_records);
    }
}
BENCHMARK(restart_from_the_journal)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);

// What turns take while a snapshot of 100 000 jobs is made and the journal cut behind it.
void turns_beside_a_snapshot(benchmark::State& state) {
    const BenchFolder folder;
    StoreSettings settings = without_snapshots();
    {
        Appender appender(folder.path(), settings);
        for (int i = 0; i < 1000; ++i) appender.submit(100);
    }
    settings.snapshot_records = 1000;
    Appender appender(folder.path(), settings);
    double worst_append = 0, worst_rest = 0;
    for (auto unused : state) {
        auto start = steady_clock::now();
        appender.submit(1);
        worst_append = std::max(worst_append, milliseconds_since(start));
        start = steady_clock::now();
        appender.rest();
        worst_rest = std::max(worst_rest, milliseconds_since(start));
    }
    state.counters["worst_append_ms"] = worst_append;
    state.counters["worst_rest_ms"] = worst_rest;
}
BENCHMARK(turns_beside_a_snapshot)->Iterations(3000)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth

BENCHMARK_MAIN();
