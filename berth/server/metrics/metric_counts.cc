#include "berth/server/metrics/metric_counts.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>
#include <unordered_map>

#include "berth/base/assert.h"
#include "berth/base/text.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/model/preempted_by.h"
#include "berth/server/views/names.h"

namespace berth {
namespace {

using prometheus::Counter;
using prometheus::Histogram;
using Clock = std::chrono::steady_clock;

std::vector<double> doubling(double first, int buckets) {
    std::vector<double> bounds;
    bounds.reserve(static_cast<std::size_t>(buckets));
    for (int i = 0; i < buckets; ++i) bounds.push_back(first * std::ldexp(1.0, i));
    return bounds;
}

double in_seconds(Duration length) {
    return static_cast<double>(std::max(length, Duration{}).count()) / 1e3;
}

// One family, its metrics found by the values of their labels: the library's own way of finding
// them makes a map each time.
template <class Metric>
class Labelled {
public:
    using Values = std::vector<std::string_view>;

    Labelled(prometheus::detail::Builder<Metric> builder, prometheus::Registry& registry,
             const std::string& name, const std::string& help, std::vector<std::string> labels,
             std::vector<double> bounds = {})
        : name_(name),
          help_(help),
          family_(builder.Name(name).Help(help).Register(registry)),
          labels_(std::move(labels)),
          bounds_(std::move(bounds)) {}

    Metric& of(const Values& values) {
        key_.clear();
        for (const std::string_view value : values) key_.append(value).push_back('\0');
        Metric*& known = known_[key_];
        if (known == nullptr) known = &add(values);
        return *known;
    }
    // The library leaves out what has no metric yet.
    void declare_if_empty(MetricPage& page) const {
        if (known_.empty()) page.declare(name_, help_, Metric::metric_type);
    }

private:
    Metric& add(const Values& values) {
        BERTH_ASSERT(values.size() == labels_.size());
        prometheus::Labels labels;
        for (std::size_t i = 0; i < values.size(); ++i) labels[labels_[i]] = values[i];
        if constexpr (std::is_same_v<Metric, Histogram>) {
            return family_.Add(labels, bounds_);
        } else {
            return family_.Add(labels);
        }
    }

    std::string name_, help_;
    prometheus::Family<Metric>& family_;
    std::vector<std::string> labels_;
    std::vector<double> bounds_;
    std::unordered_map<std::string, Metric*> known_;
    std::string key_;
};

}  // namespace

const std::string& queue_of(const ClusterSpec& spec, const Job& job) {
    if (!job.spec.account.empty()) return *job.spec.account;
    return spec.partition(job.partition).name;
}

const char* job_type_of(const Job& job) {
    if (job.spec.request->nodes_min > 1) return "gang";
    if (job.spec.command->interactive) return "interactive";
    return job.spec.array || job.array_task ? "array" : "batch";
}

struct MetricCounts::Counts {
    template <class Metric>
    using Of = Labelled<Metric>;
    using Names = std::vector<std::string>;

    Of<Histogram> histogram(const std::string& name, const std::string& help, Names labels,
                            std::vector<double> bounds) {
        return {prometheus::BuildHistogram(),
                registry,
                name,
                help,
                std::move(labels),
                std::move(bounds)};
    }
    Of<Counter> counter(const std::string& name, const std::string& help, Names labels) {
        return {prometheus::BuildCounter(), registry, name, help, std::move(labels)};
    }

    void submitted(const ClusterSpec& spec, const Job& job);
    void started(const ClusterSpec& spec, const Job& job, Attempt attempt, Time now);
    void ended(const ClusterSpec& spec, const Job& job, bool missed_deadline);
    void put_back(const ClusterSpec& spec, const Job& job, std::string_view reason);
    void preempted(const ClusterState& after, const JobsPreempted& fact, Time now);
    void saved(const Record& record, const ClusterState& after, const CheckpointSeen& fact);

    std::mutex mutex;  // Of all of it.
    prometheus::Registry registry;

    // Seed 002, by its names, labels and buckets.
    Of<Histogram> scheduling =
        histogram("training_job_scheduling_duration_seconds",
                  "From submission to the first start, or to the end of a job that never started.",
                  {"queue", "job_type", "result"}, doubling(0.1, 15));
    Of<Histogram> completion = histogram("training_job_completion_seconds",
                                         "From submission to the end of a job that has run.",
                                         {"queue", "job_type", "status"}, doubling(60, 15));
    Of<Counter> preemptions =
        counter("training_job_preemptions_total", "Runs ended in favour of another job.",
                {"preemptor_queue", "victim_queue", "reason"});
    Of<Counter> gangs = counter("training_gang_scheduling_total",
                                "Jobs of several nodes that were started as a whole, or ended "
                                "unstarted; timeout: their deadline had passed.",
                                {"result", "timeout"});
    Of<Counter> checkpoints = counter("training_checkpoint_saves_total",
                                      "Checkpoints that jobs saved when they were preempted, or "
                                      "told of; timeout: none in time. job is empty: a counter "
                                      "for each job would never go away.",
                                      {"job", "reason", "status"});

    Of<Counter> notifications =
        counter("berth_notifications_total",
                "Mails (MailProg) and posts to the webhook: sent, failed, or dropped because too "
                "many waited.",
                {"channel", "result"});

    // Seed 001 §6.1: the parts of the way from submission to a running process.
    Of<Histogram> cycles = histogram("berth_scheduling_cycle_seconds",
                                     "One cycle of the scheduler.", {}, doubling(0.001, 15));
    Of<Histogram> allocation =
        histogram("berth_allocation_seconds",
                  "From the moment a job could have started, were there room, to its start.",
                  {"queue"}, doubling(0.1, 20));
    Of<Histogram> bind = histogram("berth_bind_seconds",
                                   "From a start decided to the word of each node that it runs.",
                                   {}, doubling(0.005, 15));
    Of<Histogram> total =
        histogram("berth_total_scheduling_seconds",
                  "From submission to the word of each node that it runs; first runs alone.", {},
                  doubling(0.1, 20));
    Of<Counter> submissions = counter("berth_jobs_submitted_total", "Jobs accepted.", {"queue"});
    Of<Counter> starts = counter("berth_job_starts_total", "Runs started.", {"queue"});
    Of<Counter> ends = counter("berth_jobs_ended_total", "Jobs that came to their end, by state.",
                               {"queue", "state"});
    Of<Counter> retries = counter("berth_job_retries_total",
                                  "Runs that were put back to the queue.", {"queue", "reason"});
    Of<Counter> turns =
        counter("berth_job_turns_total",
                "Turns that runs have had on cores which they share with others.", {"queue"});
    Of<Counter> failures =
        counter("berth_attempt_failures_total",
                "Runs that a node lost, could not launch, or ended for memory.", {"reason"});

    std::optional<Clock::time_point> cycle_began_at;
    std::map<std::string, std::vector<GpuReading>> readings;  // The last ones, by node.
};

void MetricCounts::Counts::submitted(const ClusterSpec& spec, const Job& job) {
    submissions.of({queue_of(spec, job)}).Increment();
}

void MetricCounts::Counts::started(const ClusterSpec& spec, const Job& job, Attempt attempt,
                                   Time now) {
    const std::string& queue = queue_of(spec, job);
    starts.of({queue}).Increment();
    if (attempt > Attempt(1)) return;  // What came before it was no waiting.
    const char* const type = job_type_of(job);
    scheduling.of({queue, type, "success"}).Observe(in_seconds(now - job.submitted_at));
    if (job.eligible_at) allocation.of({queue}).Observe(in_seconds(now - *job.eligible_at));
    if (job.spec.request->nodes_min > 1) gangs.of({"success", "false"}).Increment();
}

void MetricCounts::Counts::ended(const ClusterSpec& spec, const Job& job, bool missed_deadline) {
    const std::string& queue = queue_of(spec, job);
    const std::string state = to_lower(slurm_name(job.state));
    ends.of({queue, state}).Increment();
    const double length = in_seconds(job.ended_at.value_or(job.submitted_at) - job.submitted_at);
    if (job.attempt > Attempt(0)) {
        completion.of({queue, job_type_of(job), state}).Observe(length);
        return;
    }
    scheduling.of({queue, job_type_of(job), missed_deadline ? "timeout" : state}).Observe(length);
    if (job.spec.request->nodes_min > 1)
        gangs.of({"failure", missed_deadline ? "true" : "false"}).Increment();
}

void MetricCounts::Counts::put_back(const ClusterSpec& spec, const Job& job,
                                    std::string_view reason) {
    const bool preempted = preemptor_of(job.state_reason).has_value();
    retries.of({queue_of(spec, job), preempted ? "preempted" : reason}).Increment();
}

// A reason is the rule that makes one job the preemptor of the other. What stands still already and
// lends more of its cores is not preempted once more.
void MetricCounts::Counts::preempted(const ClusterState& after, const JobsPreempted& fact,
                                     Time now) {
    const Job* const preemptor = after.find_job(fact.preemptor);
    if (preemptor == nullptr) return;
    const ClusterSpec& spec = after.spec();
    const char* const reason = spec.scheduling.preemption.by == PreemptBy::qos ? "qos"
                               : spec.scheduling.preemption.by == PreemptBy::priority
                                   ? "priority"
                                   : "partition_prio";
    for (const JobsPreempted::Victim& victim : fact.victims) {
        const Job* const job = after.find_job(victim.job);
        if (job == nullptr || lends_already(*job, now)) continue;
        preemptions.of({queue_of(spec, *preemptor), queue_of(spec, *job), reason}).Increment();
    }
}

// A run that is awaited may have ended in the same record; one that lends its cores is not awaited.
void MetricCounts::Counts::saved(const Record& record, const ClusterState& after,
                                 const CheckpointSeen& fact) {
    const Job* const job = after.find_job(fact.job);
    const bool is_over = std::ranges::any_of(record.facts, [&](const Fact& one) {
        const auto* const end = std::get_if<EndJob>(&one);
        return end != nullptr && end->job == fact.job && end->preempted_by;
    });
    const bool is_awaited =
        is_over || (job != nullptr && job->allocation && job->allocation->preempted &&
                    job->allocation->preempted->mode == PreemptMode::checkpoint);
    checkpoints.of({"", is_awaited ? "preemption" : "requested", "success"}).Increment();
}

MetricCounts::MetricCounts() : counts_(std::make_unique<Counts>()) {}
MetricCounts::~MetricCounts() = default;

void MetricCounts::cycle_begins() {
    const std::lock_guard lock(counts_->mutex);
    counts_->cycle_began_at = Clock::now();
}

void MetricCounts::cycle_ended(const CycleWork& work) {
    const auto now = Clock::now();
    const std::lock_guard lock(counts_->mutex);
    if (!work.ran || !counts_->cycle_began_at) return;
    const std::chrono::duration<double> took = now - *counts_->cycle_began_at;
    counts_->cycles.of({}).Observe(took.count());
}

namespace {

// The jobs that a record ended or put back, each once: several nodes may report at one time.
struct Looked {
    const ClusterState& after;
    Time now;
    std::set<JobId> ended, put_back;

    const Job* ended_now(JobId id) {
        const Job* const job = after.find_job(id);
        const bool is = job != nullptr && is_final(job->state) && job->ended_at == now;
        return is && ended.insert(id).second ? job : nullptr;
    }
    const Job* put_back_now(JobId id) {
        const Job* const job = after.find_job(id);
        const bool is =
            job != nullptr && job->state == JobState::pending && job->attempt > Attempt(0);
        return is && put_back.insert(id).second ? job : nullptr;
    }
};

const char* reason_of(const AttemptEnded& ended) {
    if (ended.out_of_memory) return "out_of_memory";
    if (ended.batch_exit) return nullptr;
    if (!ended.reason.empty()) return "launch_failed";
    return ended.lost ? "node_lost" : nullptr;
}

}  // namespace

void MetricCounts::recorded(const Record& record, const ClusterState& after) {
    const std::lock_guard lock(counts_->mutex);
    Counts& counts = *counts_;
    const ClusterSpec& spec = after.spec();
    Looked looked{after, record.now, {}, {}};
    const auto look = [&](JobId id, const char* why_back, bool missed_deadline = false) {
        if (const Job* job = looked.ended_now(id)) counts.ended(spec, *job, missed_deadline);
        if (const Job* job = looked.put_back_now(id)) counts.put_back(spec, *job, why_back);
    };
    for (const Fact& fact : record.facts) {
        if (const auto* submitted = std::get_if<JobSubmitted>(&fact)) {
            counts.submitted(spec, submitted->job);
        } else if (const auto* start = std::get_if<StartJob>(&fact)) {
            const Job* job = after.find_job(start->task_job.value_or(start->job));
            if (job != nullptr) counts.started(spec, *job, start->attempt, record.now);
        } else if (const auto* end = std::get_if<AttemptEnded>(&fact)) {
            const char* const reason = reason_of(*end);
            if (reason != nullptr) counts.failures.of({reason}).Increment();
            look(end->job, reason == nullptr ? "requested" : reason);
        } else if (const auto* over = std::get_if<EndJob>(&fact)) {
            look(over->job, "requested");
            if (is_checkpoint_timeout(over->reason))
                counts.checkpoints.of({"", "preemption", "timeout"}).Increment();
        } else if (const auto* saved = std::get_if<CheckpointSeen>(&fact)) {
            counts.saved(record, after, *saved);
        } else if (const auto* preempted = std::get_if<JobsPreempted>(&fact)) {
            counts.preempted(after, *preempted, record.now);
        } else if (const auto* suspended = std::get_if<JobSuspended>(&fact)) {
            const Job* const job = after.find_job(suspended->job);
            if (job != nullptr && suspended->turn && !suspended->in_force)
                counts.turns.of({queue_of(spec, *job)}).Increment();
        } else if (const auto* missed = std::get_if<DeadlineMissed>(&fact)) {
            look(missed->job, "", true);
        } else if (const auto* cancelled = std::get_if<JobCancelled>(&fact)) {
            look(cancelled->job, "");
        }
    }
}

void MetricCounts::heard(const Input& input, const Snapshot& snapshot, Time now) {
    const auto* const from_agent = std::get_if<AgentInput>(&input);
    if (from_agent == nullptr) return;
    if (const auto* beat = std::get_if<Heartbeat>(&from_agent->report.body)) {
        if (beat->gpus.empty()) return;
        const std::lock_guard lock(counts_->mutex);
        counts_->readings[from_agent->node] = beat->gpus;
    }
    const auto* const runs = std::get_if<AttemptStarted>(&from_agent->report.body);
    const Job* const job = runs == nullptr ? nullptr : snapshot.find_job(runs->job);
    const bool is_current = job != nullptr && job->state == JobState::running &&
                            job->attempt == runs->attempt && job->started_at;
    if (!is_current) return;
    const std::lock_guard lock(counts_->mutex);
    counts_->bind.of({}).Observe(in_seconds(now - *job->started_at));
    if (job->attempt == Attempt(1))
        counts_->total.of({}).Observe(in_seconds(now - job->submitted_at));
}

void MetricCounts::notified(std::string_view channel, std::string_view result) {
    const std::lock_guard lock(counts_->mutex);
    counts_->notifications.of({channel, result}).Increment();
}

void MetricCounts::put_on(MetricPage& page) const {
    const std::lock_guard lock(counts_->mutex);
    Counts& counts = *counts_;
    page.append(counts.registry.Collect());
    const auto declare = [&](const auto&... family) { (family.declare_if_empty(page), ...); };
    declare(counts.scheduling, counts.completion, counts.preemptions, counts.gangs,
            counts.checkpoints, counts.cycles, counts.allocation, counts.bind, counts.total,
            counts.submissions, counts.starts, counts.ends, counts.retries, counts.failures,
            counts.notifications);
    const auto of_gpus = [&](const char* name, const char* help, std::int32_t GpuReading::* value,
                             double unit) {
        page.gauge(name, help);
        for (const auto& [node, gpus] : counts.readings) {
            for (const GpuReading& gpu : gpus) {
                if (gpu.*value == kNotRead) continue;
                page.sample(gpu.*value * unit, {{"node", node}, {"gpu", std::to_string(gpu.gpu)}});
            }
        }
    };
    of_gpus("berth_gpu_utilization_ratio", "Of the last sample period, as its node read it.",
            &GpuReading::utilisation, 0.01);
    of_gpus("berth_gpu_memory_used_ratio", "Of the GPU's memory.", &GpuReading::memory, 0.01);
    of_gpus("berth_gpu_temperature_celsius", "As its node read it.", &GpuReading::temperature, 1);
    of_gpus("berth_gpu_power_ratio", "Of its power limit.", &GpuReading::power, 0.01);
}

}  // namespace berth
