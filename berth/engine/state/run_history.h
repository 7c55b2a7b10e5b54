// RunHistory: how long a user's jobs of a name took, so that the next one's length can be expected.
//
// A table of fixed size: a newer user and name takes the slot of an older one. So it is bounded,
// every step takes the same time, and it is the same after a replay.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"

namespace berth {

struct RunSample {
    Time ended_at{};
    Duration length{};
    BERTH_FIELDS(RunSample, ended_at, length)
};

// The runs of one user's jobs of one name, the oldest first.
struct RunSamples {
    static constexpr std::size_t kMost = 16;
    std::string user, name;
    std::vector<RunSample> runs;
    BERTH_FIELDS(RunSamples, user, name, runs)
};

class RunHistory {
public:
    static constexpr std::size_t kSlots = 4096;

    // The place of this user and name, now or once they are added.
    static std::size_t slot_of(std::string_view user, std::string_view name);

    void add(std::string_view user, std::string_view name, RunSample run);

    // The median of the runs known, the older the less: half as much for each fortnight. nullopt:
    // none are.
    std::optional<Duration> predict(std::string_view user, std::string_view name, Time now) const;

    // What a slot holds, for snapshots and undoing; empty: nothing.
    const std::vector<RunSamples>& slots() const { return slots_; }
    bool put(
        RunSamples samples);  // Into its slot. False: it does not belong into one, or too many.
    void restore(std::size_t slot, RunSamples samples) { slots_[slot] = std::move(samples); }

private:
    std::vector<RunSamples> slots_ = std::vector<RunSamples>(kSlots);
};

}  // namespace berth
