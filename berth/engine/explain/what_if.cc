#include "berth/engine/explain/what_if.h"

#include <algorithm>
#include <limits>
#include <map>

#include "berth/engine/cycle/engine.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/snapshot.h"

namespace berth {
namespace {

// As a controller that starts with this state.
Engine copy_of(const ClusterState& state) {
    constexpr std::size_t kSliceBytes = 1 << 20;
    return Engine(state_from(slices_of(state, kSliceBytes)).value());
}

class Decided {
public:
    Decided(Engine engine, Time now) : engine_(std::move(engine)), now_(now) {
        constexpr std::uint32_t kWithoutBound = std::numeric_limits<std::uint32_t>::max();
        for (bool complete = false; !complete;) {
            const Cycle cycle = engine_.cycle(now, kWithoutBound);
            for (const Fact& fact : cycle.decisions) note(fact);
            complete = cycle.complete;
        }
        std::ranges::sort(preemptions_);
    }

    WhatIf::Prospect prospect(JobId id) const {
        WhatIf::Prospect prospect;
        if (const auto starts = starts_.find(id); starts != starts_.end())
            prospect.starts_now = starts->second;
        const ClusterState& state = engine_.state();
        const Job* const job = state.find_job(id);
        if (job == nullptr || job->state != JobState::pending) return prospect;
        const Schedule& schedule = state.schedule();
        if (const PlannedStart* const planned = schedule.planned(id)) {
            prospect.planned = planned->start;
        } else {
            prospect.reason = schedule.reason(id);
        }
        return prospect;
    }
    const std::vector<WhatIf::Preemption>& preemptions() const { return preemptions_; }

private:
    void note(const Fact& fact) {
        if (const auto* const start = std::get_if<StartJob>(&fact)) {
            ++starts_[start->job];
        } else if (const auto* const preempted = std::get_if<JobsPreempted>(&fact)) {
            for (const JobsPreempted::Victim& victim : preempted->victims) {
                const Job* const run = engine_.state().find_job(victim.job);
                if (run != nullptr && lends_already(*run, now_)) continue;
                preemptions_.push_back(
                    {victim.job, preempted->array.value_or(preempted->preemptor)});
            }
        }
    }

    Engine engine_;
    Time now_;
    std::map<JobId, std::uint32_t> starts_;  // By job, or array.
    std::vector<WhatIf::Preemption> preemptions_;
};

}  // namespace

WhatIf what_if(const ClusterState& state, const AccountingEdits& edits, Time now) {
    const Decided before(copy_of(state), now);
    Engine changed = copy_of(state);
    changed.apply(now, AccountingEdited{edits});
    const Decided after(std::move(changed), now);

    WhatIf result;
    for (const JobId id : state.index().pending()) {
        ++result.waiting;
        const WhatIf::Change change{
            .job = id, .before = before.prospect(id), .after = after.prospect(id)};
        if (change.before != change.after) result.changes.push_back(change);
    }
    std::ranges::set_difference(after.preemptions(), before.preemptions(),
                                std::back_inserter(result.preemptions));
    return result;
}

}  // namespace berth
