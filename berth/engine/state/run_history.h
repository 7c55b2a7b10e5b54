// RunHistory: how long a user's jobs of one name ran, to predict the next one.
//
// A hash table of fixed size: a newer user and name replaces an older one in its slot. So memory is
// bounded, each operation takes constant time, and a replay gives the same table.
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

    // The slot for this user and name, whether in use or not.
    static std::size_t slot_of(std::string_view user, std::string_view name);

    void add(std::string_view user, std::string_view name, RunSample run);

    // The weighted median of the known runs: a run's weight halves every fortnight. nullopt: no run
    // is known.
    std::optional<Duration> predict(std::string_view user, std::string_view name, Time now) const;

    // The slots, for snapshots and undo; an unused one is empty.
    const std::vector<RunSamples>& slots() const { return slots_; }
    // Puts the samples into their slot. False: they belong in none, or there are too many.
    bool put(RunSamples samples);
    void restore(std::size_t slot, RunSamples samples) { slots_[slot] = std::move(samples); }

private:
    std::vector<RunSamples> slots_ = std::vector<RunSamples>(kSlots);
};

}  // namespace berth
