// Blockers: a blocking reason, or a shortage, in numbers and in a sentence.
#pragma once

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/model/explanation.h"

namespace berth {

Blocker blocker_of_reason(const ClusterState& state, const DerivedState& derived, const Job& job,
                          const Shape& shape, const BlockingReason& blocking);
// For a limit that the job would exceed.
Blocker blocker_of(const Excess& excess);

Blocker blocker_of(const ClusterState& state, const Job& job, const Shortage& shortage);
// Nodes held for this job, or held for others although it could use them (HeadHolds); nullopt:
// none.
std::optional<Blocker> blocker_of_holds(const ClusterState& state, const DerivedState& derived,
                                        const Job& job, const Demand& demand);

}  // namespace berth
