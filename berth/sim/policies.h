// Policies: the meaning of `--policy NAME`: an order, optionally with a planning horizon:
// NAME:none, NAME:easy or NAME:conservative.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth::sim {

struct NamedPolicy {
    std::string_view name, summary;
    void (*apply)(SchedulingSpec& scheduling);
};
std::span<const NamedPolicy> named_policies();

// Replaces the cluster's policy by the named one.
Status choose_policy(SchedulingSpec& scheduling, std::string_view name);

// "NAME" and "easy" for "NAME:easy". The second is empty if it is none of the three words.
std::pair<std::string_view, std::string_view> split_policy(std::string_view name);
// How far ahead to plan: none, easy or conservative.
Status choose_backfill(SchedulingSpec& scheduling, std::string_view how);

}  // namespace berth::sim
