// Policies: what `--policy NAME` means: an order, and with NAME:none, NAME:easy or
// NAME:conservative how far ahead is planned.
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

// Changes the cluster's own policy into the one named.
Status choose_policy(SchedulingSpec& scheduling, std::string_view name);

// "NAME" and "easy" of "NAME:easy"; the second is empty where it is none of those words.
std::pair<std::string_view, std::string_view> split_policy(std::string_view name);
// How far ahead is planned: none, easy or conservative.
Status choose_backfill(SchedulingSpec& scheduling, std::string_view how);

}  // namespace berth::sim
