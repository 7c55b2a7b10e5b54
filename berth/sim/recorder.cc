#include "berth/sim/recorder.h"

#include <algorithm>

#include "berth/base/bitmask.h"
#include "berth/base/text.h"

namespace berth::sim {
namespace {

Duration since_begin(Time at) { return at - kSimulationBegin; }

std::int64_t gpus_in(const ClusterSpec& spec, const Resources& amount) {
    std::int64_t gpus = 0;
    for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
        const DimensionId dimension = DimensionId::from_index(i);
        if (spec.dimensions.at(dimension).name == "gpu") gpus += amount[dimension];
    }
    return gpus;
}

std::vector<RunPlace> places_of(const ClusterSpec& spec, const Allocation& allocation) {
    std::vector<RunPlace> places;
    for (const NodeShare& share : allocation.shares) {
        RunPlace place{share.node, {}};
        const auto& devices = spec.node(share.node).devices;
        for_each_bit(share.devices, [&](int device) {
            const DimensionId of = devices[static_cast<std::size_t>(device)].dimension;
            if (spec.dimensions.at(of).name == "gpu") place.devices.push_back(device);
        });
        places.push_back(std::move(place));
    }
    return places;
}

}  // namespace

Recorder::Recorder(const workload::Workload& workload, SimulationResult& result,
                   Fragments fragments, bool keep_runs)
    : workload_(workload),
      result_(result),
      keep_runs_(keep_runs),
      seen_(workload.jobs.size()),
      fragments_(std::move(fragments)),
      at_(kSimulationBegin) {
    result_.jobs.resize(workload.jobs.size());
}

std::size_t Recorder::number_of(const Job& job) {
    if (numbers_.size() <= job.id.index()) numbers_.resize(job.id.index() + 1);
    std::uint32_t& number = numbers_[job.id.index()];
    if (number == 0) {
        number = static_cast<std::uint32_t>(parse_int64(job.spec.command->submit_line).value()) + 1;
        result_.jobs[number - 1].submitted = since_begin(job.submitted_at);
        seen_[number - 1].company = company_;
    }
    return number - 1;
}

void Recorder::refused(std::size_t number, Time now, const std::string& why) {
    JobRecord& record = result_.jobs[number];
    record.submitted = record.ended = since_begin(now);
    record.refused = true;
    ++result_.refusals[why];
    ++ended_;
}

// Adds the time since the last change at the present values.
void Recorder::pass(Time now) {
    result_.gpus_allocated.add(at_, now, allocated_);
    result_.jobs_waiting.add(at_, now, waiting_);
    result_.gpus_waited_for.add(at_, now, waited_for_);
    result_.jobs_running.add(at_, now, running_);
    result_.gpus_fragmented.add(at_, now, fragments_.milli());
    if (now > at_) company_ += (waiting_ + running_) * (now - at_).count();
    at_ = std::max(at_, now);
}

void Recorder::publish(const ClusterState& state, const Changes& changes) {
    if (!looked_) fragments_.look_at_all(state);
    looked_ = true;
    if (changes.jobs.empty()) return;
    pass(changes.now);
    for (const NodeId node : changes.nodes) fragments_.look_at(state, node);
    for (const JobId id : changes.jobs) {
        if (const Job* const job = state.find_job(id)) look_at(state, *job);
    }
}

void Recorder::end_run(std::size_t number) {
    Seen& seen = seen_[number];
    allocated_ -= seen.gpus;
    --running_;
    result_.jobs[number].ran += at_ - seen.started_at;
    seen.holds = false;
    if (!keep_runs_) return;
    result_.runs.push_back({number, since_begin(seen.started_at), since_begin(at_), seen.gpus,
                            std::move(seen.places)});
}

void Recorder::look_at(const ClusterState& state, const Job& job) {
    const std::size_t number = number_of(job);
    Seen& seen = seen_[number];
    JobRecord& record = result_.jobs[number];
    if (is_final(record.state)) return;
    const std::int64_t asked = workload_.jobs[number].gpus;
    const bool waits = job.state == JobState::pending, holds = job.allocation.has_value();
    waiting_ += (waits ? 1 : 0) - (seen.waits ? 1 : 0);
    waited_for_ += (waits ? asked : 0) - (seen.waits ? asked : 0);
    seen.waits = waits;
    // One turn may end a run and start the job's next one.
    if (seen.holds && (!holds || job.attempt.value() != record.starts)) {
        end_run(number);
    }
    if (holds && !seen.holds) {
        seen = {true,         waits, gpus_in(state.spec(), job.allocated), *job.started_at,
                seen.company, {}};
        if (keep_runs_) seen.places = places_of(state.spec(), *job.allocation);
        allocated_ += seen.gpus;
        ++running_;
        record.gpus = seen.gpus;
        record.last_start = since_begin(*job.started_at);
        if (record.starts == 0) record.first_start = record.last_start;
        record.starts = job.attempt.value();
    }
    record.state = is_final(job.state) ? job.state : holds ? JobState::running : JobState::pending;
    if (!is_final(job.state)) return;
    record.ended = since_begin(job.ended_at.value_or(at_));
    record.company = company_ - seen.company;
    result_.length = std::max(result_.length, record.ended);
    ++ended_;
}

void Recorder::finish(Time now) {
    pass(now);
    for (const JobRecord& record : result_.jobs) {
        if (!record.refused && !is_final(record.state)) ++result_.stuck;
    }
}

}  // namespace berth::sim
