// What /v1/qos says of each QOS.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/limits.h"

namespace berth::api {

// GET /v1/qos
struct QosRow {
    std::string name, description;
    std::int64_t priority = 0;
    std::optional<Duration> max_wall;
    bool deny_on_limit = false;
    std::int64_t usage_factor_ppm = 1'000'000;
    Limits limits;
    std::vector<std::string> preempt;  // QOS whose jobs its own jobs preempt.
    std::string preempt_mode;          // "CANCEL", "WITHIN,REQUEUE"; empty: the cluster's.
    Duration grace_time{};
    std::optional<Duration> preempt_exempt;  // nullopt: the cluster's.
    bool over_partition_qos = false;
    BERTH_FIELDS(QosRow, name, description, priority, max_wall, deny_on_limit, usage_factor_ppm,
                 limits, preempt, preempt_mode, grace_time, preempt_exempt, over_partition_qos)
};

}  // namespace berth::api
