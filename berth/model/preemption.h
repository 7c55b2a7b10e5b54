// Preemption: which runs may be stopped so that a job ahead of them starts, and how they stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth {

// PreemptType: what makes a job a preemptor of another.
enum class PreemptBy : std::uint8_t {
    none,
    partition,  // Its partition has the higher PriorityTier.
    qos,        // Its QOS names that of the other in Preempt=.
    priority,   // Its priority is higher, by min_difference at least. berth.yaml's own.
};

// Which runs are preempted first. By tier, QOS priority or priority, whichever decides what may be
// preempted, `first` stands for the lowest.
enum class VictimOrder : std::uint8_t {
    smallest,         // First, then the run on the fewest nodes: Slurm's order.
    cheapest,         // First, then the run that loses the least work.
    cheapest_of_all,  // The run that loses the least work, then first.
};

// PreemptMode: what becomes of a run that is preempted.
enum class PreemptMode : std::uint8_t {
    off,      // It is never preempted.
    cancel,   // It ends, for good.
    requeue,  // It ends and waits to run again; a job that cannot be requeued is cancelled.
    suspend,  // It stands still and lends its cores, and nothing else; then it goes on.
    // It is warned, and ends as with `requeue` once it has saved a checkpoint.
    checkpoint,
};

// How long a run may take to save its checkpoint where no grace time is set.
inline constexpr Duration kCheckpointGrace = std::chrono::seconds(30);

struct PreemptModes {
    PreemptMode mode = PreemptMode::off;
    bool within = false;  // Jobs of one QOS preempt each other, by priority.
};

// Of a partition or a QOS: "REQUEUE", "within,cancel", "suspend,gang". GANG goes with SUSPEND and
// says no more than that: turns are the cluster's setting. The error says what would be right.
Result<PreemptModes> parse_preempt_mode(std::string_view text);
// "WITHIN,REQUEUE", "GANG,SUSPEND"; with turns "GANG", "GANG,REQUEUE".
std::string preempt_mode_text(PreemptMode mode, bool within = false, bool gang = false);

struct PreemptionSpec {
    PreemptBy by = PreemptBy::none;
    PreemptMode mode = PreemptMode::off;  // Of partitions and QOS that set none.
    bool within = false;
    std::optional<Duration> exempt;  // A run is not preempted before it has run for so long.
    std::optional<std::int64_t> exempt_priority;  // Nor if it has started with more than this.
    bool youngest_first = false;                  // Of equals, the latest start first.
    bool user_signal = false;        // --signal is sent to what is preempted, instead of TERM.
    bool reclaims_licenses = false;  // A shortage of licenses is a reason, too.
    // A job whose victims have not ended by then may choose others.
    Duration hold_timeout = std::chrono::minutes(5);
    std::int64_t min_difference = 1;  // By priority: so much higher must the preemptor's be.
    VictimOrder victims = VictimOrder::smallest;
    std::uint32_t victims_max = 0;  // More jobs are not preempted for one; 0: no limit.
    Duration unless_within{};       // A job that will start within this time preempts nobody.
    // What becomes of runs that use what their queue has borrowed, once a queue needs what it has
    // by right. off: they go on.
    PreemptMode reclaim = PreemptMode::off;
    // PreemptAlways, by priority: a job also preempts runs of equal priority that were submitted
    // after it. Priority classes may say otherwise.
    bool preempts_newer = false;
    // GANG: jobs of a partition may share cores and take turns on them, for one time slice each.
    bool gang = false;

    bool reclaims() const { return reclaim != PreemptMode::off; }
    bool enabled() const { return by != PreemptBy::none || reclaims(); }

    BERTH_FIELDS(PreemptionSpec, by, mode, within, exempt, exempt_priority, youngest_first,
                 user_signal, reclaims_licenses, hold_timeout, min_difference, victims, victims_max,
                 unless_within, reclaim, preempts_newer, gang)
};

// Of a run that is preempted, until all its nodes are clean; of one that is suspended for another,
// until it goes on.
struct PreemptedRun {
    JobId by{0};  // The last job that it was preempted for.
    PreemptMode mode = PreemptMode::cancel;
    Time at{};
    Time ends_at{};  // When it must end, or stand still: its grace time is over.
    // It lends its cores by turns, to runs that began later: `by` is nobody. See turns.h.
    bool turns = false;
    bool saved = false;  // With mode `checkpoint`: it has saved one since, and may end.

    // Its grace time is over, or not needed any more.
    bool must_end(Time now) const { return saved || ends_at <= now; }
    BERTH_FIELDS(PreemptedRun, by, mode, at, ends_at, turns, saved)
};

// The last checkpoint of a run that is known of.
struct RunCheckpoint {
    Time at{};
    Duration ran{};  // How long it had run by then: its end loses what came after.

    BERTH_FIELDS(RunCheckpoint, at, ran)
};

// When a job, or an array, suspends no runs although it has no hold: those that stood still for it
// in vain go on for a while.
struct PreemptorRest {
    Time from{}, until{};

    BERTH_FIELDS(PreemptorRest, from, until)
};

}  // namespace berth
