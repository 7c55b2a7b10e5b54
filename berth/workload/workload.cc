#include "berth/workload/workload.h"

#include <algorithm>

#include "berth/base/assert.h"

namespace berth::workload {
namespace {

// GPU milliseconds. As a floating-point number: sums of long traces are beyond 64 bits.
double work_of(const Workload& workload) {
    double work = 0;
    for (const TraceJob& job : workload.jobs) {
        work += static_cast<double>(job.run_time.count()) * static_cast<double>(job.gpus) *
                static_cast<double>(job.gpu_milli) / 1000;
    }
    return work;
}

double span_of(const Workload& workload) {
    if (workload.jobs.empty()) return 0;
    return static_cast<double>(
        (workload.jobs.back().submit - workload.jobs.front().submit).count());
}

}  // namespace

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::completed: return "completed";
        case Outcome::failed: return "failed";
        case Outcome::cancelled: return "cancelled";
    }
    BERTH_ASSERT(false);
}

void Workload::reject(std::size_t line, std::string message) {
    ++bad;
    if (errors.size() < kErrorsKept) errors.push_back({line, std::move(message)});
}

void finish(Workload& workload) {
    std::ranges::stable_sort(workload.jobs, {}, &TraceJob::submit);
    if (workload.jobs.empty()) return;
    const Duration first = workload.jobs.front().submit;
    for (TraceJob& job : workload.jobs) job.submit -= first;
    if (workload.begin) *workload.begin += seconds(first);
}

double offered_load(const Workload& workload, std::int64_t gpus) {
    const double room = span_of(workload) * static_cast<double>(gpus);
    return room > 0 ? work_of(workload) / room : 0;
}

void scale_load(Workload& workload, std::int64_t gpus, double load) {
    const double now = offered_load(workload, gpus);
    if (now <= 0 || load <= 0) return;
    const double stretch = now / load;
    for (TraceJob& job : workload.jobs) {
        job.submit =
            Duration(static_cast<Duration::rep>(static_cast<double>(job.submit.count()) * stretch));
    }
}

}  // namespace berth::workload
