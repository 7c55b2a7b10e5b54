#include "berth/server/metrics/diagnostics.h"

#include <algorithm>
#include <ctime>
#include <set>

#include "berth/trust/wall_time.h"

namespace berth {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

std::int64_t micros(Diagnostics::Clock::duration length) {
    return std::chrono::duration_cast<std::chrono::microseconds>(length).count();
}

std::int64_t tasks_of(const Job& job) {
    return job.spec.array ? static_cast<std::int64_t>(job.spec.array->tasks.size()) : 1;
}

// CPU time of the calling thread. A length by the clock has in it what other threads took of the
// processor.
std::chrono::nanoseconds cpu_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Microseconds by the clock, and of CPU time.
struct Took {
    std::int64_t length = 0, cpu = 0;
};

void add(api::CycleFigures& figures, const CycleWork& work, Took took, Time at) {
    ++figures.cycles;
    figures.last = took.length;
    figures.most = std::max(figures.most, took.length);
    figures.total += took.length;
    figures.total_cpu += took.cpu;
    figures.total_depth += figures.last_depth = work.depth;
    figures.total_tries += figures.last_tries = work.tries;
    figures.total_queue += figures.last_queue = work.queue;
    figures.total_planned += figures.last_planned = work.planned;
    figures.last_at = at;
}

std::int64_t clock_latency() {
    constexpr int kLooks = 1000;
    const auto begin = Diagnostics::Clock::now();
    std::chrono::system_clock::time_point last;
    for (int i = 0; i < kLooks; ++i) last = std::max(last, std::chrono::system_clock::now());
    return micros(Diagnostics::Clock::now() - begin);
}

constexpr std::array<const char*, 7> kPartNames{"waiting",   "deciding", "recording", "publishing",
                                                "answering", "resting",  "turn"};

void add(api::TurnFigures& figures, std::int64_t took) {
    ++figures.count;
    figures.total += took;
    figures.most = std::max(figures.most, took);
}

}  // namespace

void Diagnostics::part_begins(TurnPart part) {
    const auto now = Clock::now();
    turn_[static_cast<std::size_t>(part_)] = now - part_began_at_;
    if (part == TurnPart::waiting) end_turn();
    part_ = part;
    part_began_at_ = now;
}

void Diagnostics::end_turn() {
    const TurnTimes parts = std::exchange(turn_, {});
    Clock::duration all{};
    for (std::size_t i = 1; i < kTurnParts; ++i) all += parts[i].value_or(Clock::duration{});
    const std::lock_guard lock(mutex_);
    api::TurnFigures& whole = turns_[kTurnParts];
    const bool longest = micros(all) > whole.most;
    add(whole, micros(all));
    if (longest) whole.in_longest_turn = micros(all);
    for (std::size_t i = 0; i < kTurnParts; ++i) {
        if (parts[i]) add(turns_[i], micros(*parts[i]));
        if (longest) turns_[i].in_longest_turn = parts[i] ? micros(*parts[i]) : 0;
    }
}

void Diagnostics::cycle_begins() {
    const std::lock_guard lock(mutex_);
    began_ = {Clock::now(), cpu_time()};
}

void Diagnostics::cycle_ended(const CycleWork& work) {
    const auto cpu = cpu_time();
    const auto now = Clock::now();
    const Time wall = wall_time();
    const std::lock_guard lock(mutex_);
    if (!work.ran || !began_) return;
    start_day(wall);
    const Took took{micros(now - began_->at), micros(cpu - began_->cpu)};
    add(counts_.cycles, work, took, wall);
    if (work.end == CycleWork::End::of_queue) add(counts_.rounds, work, took, wall);
    counts_.ended_with_queue += work.end == CycleWork::End::of_queue ? 1 : 0;
    counts_.ended_with_most_starts += work.end == CycleWork::End::most_starts ? 1 : 0;
    counts_.ended_out_of_budget += work.end == CycleWork::End::out_of_budget ? 1 : 0;
    counts_.backfilled += work.passed;
    counts_.backfilled_since_start += work.passed;
}

// As Slurm: a job completes whatever its exit code, and fails where the cluster failed it.
void Diagnostics::count_end(const Job& job) {
    switch (job.state) {
        case JobState::completed:
        case JobState::failed:
        case JobState::timeout:
        case JobState::out_of_memory: ++counts_.jobs_completed; break;
        case JobState::cancelled: counts_.jobs_canceled += tasks_of(job); break;
        default: ++counts_.jobs_failed; break;
    }
}

void Diagnostics::recorded(const Record& record, const ClusterState& after) {
    const std::lock_guard lock(mutex_);
    start_day(record.now);
    std::set<JobId> ended;  // Several nodes may report the end of one job at once.
    const auto look_at = [&](JobId id) {
        const Job* job = after.find_job(id);
        if (job == nullptr || !is_final(job->state)) return;
        if (ended.insert(id).second) count_end(*job);
    };
    for (const Fact& fact : record.facts) {
        if (const auto* submitted = std::get_if<JobSubmitted>(&fact)) {
            counts_.jobs_submitted += tasks_of(submitted->job);
        } else if (std::holds_alternative<StartJob>(fact)) {
            ++counts_.jobs_started;
        } else if (const auto* end = std::get_if<AttemptEnded>(&fact)) {
            look_at(end->job);
        } else if (const auto* missed = std::get_if<DeadlineMissed>(&fact)) {
            look_at(missed->job);
        } else if (const auto* cancelled = std::get_if<JobCancelled>(&fact)) {
            const Job* job = after.find_job(cancelled->job);
            const bool whole = job == nullptr || is_final(job->state);
            if (whole) {
                look_at(cancelled->job);
            } else {
                counts_.jobs_canceled += static_cast<std::int64_t>(cancelled->array_tasks.size());
            }
        }
    }
}

void Diagnostics::called(api::RouteId route, const Principal& who, Clock::duration took) {
    const std::lock_guard lock(mutex_);
    Figures& call = calls_[route];
    ++call.count;
    call.total += micros(took);
    const auto known = users_.find(who.uid);
    if (known == users_.end() && users_.size() >= kUsersMax) return;
    auto& [name, figures] = known == users_.end() ? users_[who.uid] : known->second;
    if (name.empty()) name = who.user;
    ++figures.count;
    figures.total += micros(took);
}

void Diagnostics::note_threads(std::int64_t threads) {
    const std::lock_guard lock(mutex_);
    counts_.server_threads = threads;
}

// At midnight UTC, as Slurm; calls are counted on.
void Diagnostics::start_day(Time now) {
    const std::int64_t day = now.time_since_epoch() / kDay;
    if (since_ == Time{}) {
        since_ = now;
        day_ = day;
    }
    if (day_ == 0) day_ = since_.time_since_epoch() / kDay;
    if (day <= day_) return;
    day_ = day;
    since_ = Time(day * kDay);
    counts_ = {.backfilled_since_start = counts_.backfilled_since_start,
               .server_threads = counts_.server_threads};
    turns_ = {};
}

void Diagnostics::reset(Time now) {
    const std::lock_guard lock(mutex_);
    since_ = now;
    day_ = now.time_since_epoch() / kDay;
    counts_ = {.backfilled_since_start = counts_.backfilled_since_start,
               .server_threads = counts_.server_threads};
    turns_ = {};
    calls_.clear();
    users_.clear();
}

api::DiagnosticsRow Diagnostics::row(const Snapshot& snapshot, Time now) {
    api::DiagnosticsRow row;
    {
        const std::lock_guard lock(mutex_);
        start_day(now);
        row = counts_;
        row.since = since_;
        for (std::size_t i = 0; i < turns_.size(); ++i) {
            row.turns.push_back(turns_[i]);
            row.turns.back().part = kPartNames[i];
        }
        for (const auto& [id, figures] : calls_) {
            const api::Route& route = api::route(id);
            row.calls.push_back(
                {.name = std::string(to_string(route.method)) + " " + std::string(route.path),
                 .count = figures.count,
                 .total = figures.total});
        }
        for (const auto& [uid, one] : users_) {
            row.users.push_back({one.first, uid, one.second.count, one.second.total});
        }
    }
    row.now = now;
    snapshot.jobs.for_each([&](std::size_t, const SnapshotJob& job) {
        if (job.job->state == JobState::pending) row.jobs_pending += tasks_of(*job.job);
        if (job.job->state == JobState::running) ++row.jobs_running;
    });
    row.clock_latency = clock_latency();
    return row;
}

}  // namespace berth
