#include "berth/report/muri_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

namespace berth::report {
namespace {

using workload::MuriJob;

constexpr double kNoTime = std::numeric_limits<double>::infinity();
constexpr std::size_t kNodes = 8;
constexpr std::int64_t kGpusPerNode = 8;
constexpr double kSlowdown = 1.015;  // Of an iteration, by their profiling.

// Equal, as their loop has it.
bool is_close(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

struct Run {
    const MuriJob* job = nullptr;
    double submit = 0, iteration = 0, cost = 0;
    double left = 0;      // Iterations.
    double executed = 0;  // Seconds, since it came into its queue's reckoning.
    double last = 0;      // When it was last looked at.
    bool running = false;
    std::size_t queue = 0;

    double time_left() const { return left * iteration; }
    // Up to `now`.
    void advance(double now) {
        if (running) {
            left -= std::max(now - last - cost, 0.0) / iteration;
            executed = executed + now - last;
        }
        last = now;
    }
};

// Those that come at one moment.
struct Arrival {
    double at = 0;
    std::vector<Run*> runs;
};
// Those that end at one moment.
struct End {
    double at = kNoTime;
    std::vector<Run*> runs;
};

class Cluster {
public:
    Cluster() { free_.fill(kGpusPerNode); }
    // On the first node with room; more than a node's worth on whole ones.
    bool place(std::int64_t gpus) {
        if (gpus <= kGpusPerNode) {
            const auto node = std::ranges::find_if(free_, [&](auto free) { return free >= gpus; });
            if (node == free_.end()) return false;
            *node -= gpus;
            return true;
        }
        const std::int64_t wanted = (gpus + kGpusPerNode - 1) / kGpusPerNode;
        if (std::ranges::count(free_, kGpusPerNode) < wanted) return false;
        std::int64_t rest = gpus;
        for (std::int64_t& free : free_) {
            if (free != kGpusPerNode || rest == 0) continue;
            const std::int64_t here = std::min(rest, kGpusPerNode);
            free -= here;
            rest -= here;
        }
        return true;
    }

private:
    std::array<std::int64_t, kNodes> free_{};
};

class MuriLoop {
public:
    MuriLoop(const std::vector<MuriJob>& jobs, MuriPolicy policy);
    MuriFigures run();

private:
    bool is_tiresias() const { return policy_ == MuriPolicy::tiresias; }
    void add_arrivals();
    void take_ends(const End& end, double now);
    void take_arrivals(double now);
    void demote(Run& run);
    void choose_by_remaining();
    void choose_by_service();
    void set_running(Run& run, bool running);
    End next_end(double now) const;
    double next_jump(double now) const;
    MuriFigures figures() const;

    MuriPolicy policy_;
    std::vector<Run> runs_;
    std::deque<Arrival> arrivals_;
    std::vector<Run*> known_;  // In the system, in the order in which they are looked at.
    static constexpr std::size_t kQueues = 3;
    static constexpr std::array<double, kQueues - 1> kLimits = {3250, 7200};  // GPU seconds.
    std::array<std::vector<Run*>, kQueues> queues_;
    std::vector<double> completions_;
    double last_end_ = 0;
    std::size_t preemptions_ = 0;
};

MuriLoop::MuriLoop(const std::vector<MuriJob>& jobs, MuriPolicy policy) : policy_(policy) {
    for (const MuriJob& job : jobs) {
        Run run{.job = &job};
        run.submit = static_cast<double>(job.submit_ms) / 1000;
        run.iteration = static_cast<double>(job.iteration_ms) * kSlowdown / 1000;
        run.cost = muri_start_cost(job.model, job.gpus);
        run.left = static_cast<double>(job.iterations);
        run.last = run.submit;
        runs_.push_back(run);
    }
    std::ranges::stable_sort(runs_, {}, &Run::submit);
    add_arrivals();
}

void MuriLoop::add_arrivals() {
    for (Run& run : runs_) {
        const auto known = std::ranges::find_if(
            arrivals_, [&](const Arrival& one) { return is_close(one.at, run.submit); });
        if (known != arrivals_.end()) {
            known->runs.push_back(&run);
        } else {
            arrivals_.push_back({run.submit, {&run}});
        }
    }
}

void MuriLoop::set_running(Run& run, bool running) {
    if (run.running && !running) ++preemptions_;
    run.running = running;
}

void MuriLoop::take_ends(const End& end, double now) {
    for (Run* run : end.runs) {
        completions_.push_back(now - run->submit);
        last_end_ = std::max(last_end_, now);
        std::erase(known_, run);
        std::erase(queues_[run->queue], run);
    }
}

void MuriLoop::take_arrivals(double now) {
    if (arrivals_.empty() || arrivals_.front().at != now) return;
    for (Run* run : arrivals_.front().runs) {
        known_.push_back(run);
        queues_[0].push_back(run);
    }
    arrivals_.pop_front();
}

void MuriLoop::demote(Run& run) {
    if (!run.running || run.queue + 1 == kQueues) return;
    if (run.executed * static_cast<double>(run.job->gpus) < kLimits[run.queue]) return;
    std::erase(queues_[run.queue], &run);
    queues_[++run.queue].push_back(&run);
}

// The shortest first, all placed anew; who does not fit is passed over.
void MuriLoop::choose_by_remaining() {
    const auto key = [&](const Run* run) {
        const double time = run->time_left();
        return policy_ == MuriPolicy::srsf ? time * static_cast<double>(run->job->gpus) : time;
    };
    std::ranges::stable_sort(known_, {}, key);
    Cluster cluster;
    for (Run* run : known_) set_running(*run, cluster.place(run->job->gpus));
}

// Queue by queue, counting GPUs alone; then whoever waits goes behind whoever runs.
void MuriLoop::choose_by_service() {
    std::int64_t free = static_cast<std::int64_t>(kNodes) * kGpusPerNode;
    for (std::vector<Run*>& queue : queues_) {
        for (Run* run : queue) {
            const bool fits = free >= run->job->gpus;
            if (fits) free -= run->job->gpus;
            set_running(*run, fits);
        }
        std::ranges::stable_partition(queue, [](const Run* run) { return run->running; });
    }
}

// The first of them; SRTF and SRSF take ends that are close together for one.
End MuriLoop::next_end(double now) const {
    std::vector<End> ends;
    for (Run* run : known_) {
        if (!run->running) continue;
        const double at = now + run->time_left();
        const auto same = std::ranges::find_if(ends, [&](const End& end) {
            return is_tiresias() ? end.at == at : is_close(end.at, at);
        });
        if (same != ends.end()) {
            same->runs.push_back(run);
        } else {
            ends.push_back({at, {run}});
        }
    }
    return ends.empty() ? End{} : *std::ranges::min_element(ends, {}, &End::at);
}

// When the next of those that run comes to the end of its queue.
double MuriLoop::next_jump(double now) const {
    double next = kNoTime;
    if (!is_tiresias()) return next;
    for (const Run* run : known_) {
        if (!run->running || run->queue + 1 == kQueues) continue;
        const double seconds = std::ceil(kLimits[run->queue] / static_cast<double>(run->job->gpus));
        next = std::min(next, seconds - run->executed + now);
    }
    return next;
}

MuriFigures MuriLoop::run() {
    End end;
    double jump = kNoTime;
    while (!arrivals_.empty() || !known_.empty()) {
        const double start = arrivals_.empty() ? kNoTime : arrivals_.front().at;
        double now = std::min(start, end.at);
        if (now == kNoTime) break;  // Too large for this cluster.
        if (now > jump) {
            now = jump;
        } else {
            if (end.at == now) take_ends(end, now);
            take_arrivals(now);
        }
        for (Run* run : std::vector<Run*>(known_)) {
            run->advance(now);
            if (is_tiresias()) demote(*run);
        }
        if (is_tiresias()) {
            choose_by_service();
        } else {
            choose_by_remaining();
        }
        end = next_end(now);
        jump = next_jump(now);
    }
    return figures();
}

MuriFigures MuriLoop::figures() const {
    MuriFigures figures{.makespan = last_end_, .jobs = completions_.size()};
    figures.preemptions = preemptions_;
    if (completions_.empty()) return figures;
    std::vector<double> sorted = completions_;
    std::ranges::sort(sorted);
    double sum = 0;
    for (const double one : completions_) sum += one;
    const auto n = static_cast<double>(sorted.size());
    figures.average_jct = sum / n;
    figures.p99_jct = sorted[static_cast<std::size_t>(0.99 * n)];
    return figures;
}

}  // namespace

// As they profiled it: from 1, 2, 4, 8, 16, 32 GPUs on.
int muri_start_cost(const std::string& model, std::int64_t gpus) {
    struct Cost {
        const char* model;
        std::array<int, 6> seconds;
    };
    constexpr auto kCosts = std::to_array<Cost>({{"vgg16", {7, 7, 8, 9, 9, 10}},
                                                 {"vgg19", {7, 7, 8, 9, 10, 10}},
                                                 {"resnet18", {4, 5, 5, 7, 7, 7}},
                                                 {"shufflenet_v2_x1_0", {4, 4, 5, 5, 7, 8}},
                                                 {"bert", {10, 10, 10, 10, 10, 10}},
                                                 {"gpt2", {10, 10, 10, 10, 10, 10}},
                                                 {"a2c", {38, 39, 39, 46, 46, 46}},
                                                 {"dqn", {5, 5, 6, 6, 8, 8}}});
    constexpr int kOtherwise = 10;
    std::size_t size = 0;
    while (size < 5 && (std::int64_t{2} << size) <= gpus) ++size;
    const auto known =
        std::ranges::find_if(kCosts, [&](const Cost& cost) { return model == cost.model; });
    return known == kCosts.end() ? kOtherwise : known->seconds[size];
}

MuriFigures run_muri(const std::vector<workload::MuriJob>& jobs, MuriPolicy policy) {
    return MuriLoop(jobs, policy).run();
}

}  // namespace berth::report
