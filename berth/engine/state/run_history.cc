#include "berth/engine/state/run_history.h"

#include <algorithm>

#include "berth/base/fixed_point.h"
#include "berth/base/hash.h"

namespace berth {
namespace {

constexpr Duration kHalfLife = std::chrono::hours(14 * 24);

}  // namespace

std::size_t RunHistory::slot_of(std::string_view user, std::string_view name) {
    StateHash hash;
    hash.add(user);
    hash.add(name);
    return hash.value() % kSlots;
}

void RunHistory::add(std::string_view user, std::string_view name, RunSample run) {
    RunSamples& slot = slots_[slot_of(user, name)];
    if (slot.user != user || slot.name != name) {
        slot = {.user = std::string(user), .name = std::string(name), .runs = {}};
    }
    if (slot.runs.size() == RunSamples::kMost) slot.runs.erase(slot.runs.begin());
    slot.runs.push_back(run);
}

std::optional<Duration> RunHistory::predict(std::string_view user, std::string_view name,
                                            Time now) const {
    const RunSamples& slot = slots_[slot_of(user, name)];
    if (slot.runs.empty() || slot.user != user || slot.name != name) return std::nullopt;
    std::vector<std::pair<Duration, std::int64_t>> weighted;
    Wide all = 0;
    for (const RunSample& run : slot.runs) {
        const Duration age = std::max(now - run.ended_at, Duration{});
        weighted.emplace_back(run.length, std::max<std::int64_t>(1, left_after(age, kHalfLife)));
        all += weighted.back().second;
    }
    std::ranges::sort(weighted);
    Wide below = 0;
    for (const auto& [length, weight] : weighted) {
        below += weight;
        if (2 * below >= all) return length;
    }
    return weighted.back().first;
}

bool RunHistory::put(RunSamples samples) {
    if (samples.runs.empty() || samples.runs.size() > RunSamples::kMost) return false;
    RunSamples& slot = slots_[slot_of(samples.user, samples.name)];
    if (!slot.runs.empty()) return false;
    slot = std::move(samples);
    return true;
}

}  // namespace berth
