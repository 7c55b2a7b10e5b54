// The preemption settings of a QOS by value, as sacctmgr and berth.yaml spell them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// "REQUEUE", "WITHIN,CANCEL", "OFF" (its jobs are never preempted), "cluster" (as PreemptMode
// says).
Status set_preempt_mode(QosSpec& qos, std::string_view text);
std::string qos_preempt_mode_text(const QosSpec& qos);  // In capitals; empty: the cluster's.

// Whole seconds; -1 for none.
Status set_grace_time(QosSpec& qos, std::string_view text);

// "10:00"; -1 for the cluster's.
Status set_preempt_exempt(QosSpec& qos, std::string_view text);

// A QOS that would preempt itself, directly or through those that it preempts.
std::optional<std::string> find_preemption_loop(const std::vector<QosSpec>& all);

}  // namespace berth
