// Planned starts that a change of the plan on some nodes may put off.
#pragma once

#include <span>
#include <vector>

#include "berth/engine/plan/plan_book.h"

namespace berth {

// The jobs with planned starts on these nodes, and all that limits or licenses may keep waiting; in
// id order.
std::vector<JobId> planned_on(const PlanBook& book, std::span<const NodeId> nodes);

}  // namespace berth
