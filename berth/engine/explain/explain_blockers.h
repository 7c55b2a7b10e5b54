// Blockers: what a shut gate, or too little of something, says in numbers and in a sentence.
#pragma once

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/model/explanation.h"

namespace berth {

Blocker blocker_of_reason(const ClusterState& state, const DerivedState& derived, const Job& job,
                          const Shape& shape, const BlockingReason& blocking);
// That a limit would be broken.
Blocker blocker_of(const Excess& excess);

Blocker blocker_of(const ClusterState& state, const Job& job, const Shortage& shortage);
// Nodes kept for this job, or those it could use for others, by HeadHolds; nullopt: none.
std::optional<Blocker> blocker_of_holds(const ClusterState& state, const DerivedState& derived,
                                        const Job& job, const Demand& demand);

}  // namespace berth
