// The catalogue of all policy rules in this build. Generated from berth_policies() in
// CMakeLists.txt.
#pragma once

#include <span>

#include "berth/policy/rule.h"

namespace berth {

std::span<const RuleDef<PriorityTerm>> priority_terms();
std::span<const RuleDef<OrderRule>> order_rules();
std::span<const RuleDef<FairnessRule>> fairness_rules();
std::span<const RuleDef<PlacementScore>> placement_scores();

}  // namespace berth
