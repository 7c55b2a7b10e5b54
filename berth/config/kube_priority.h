// Kubernetes' PriorityClass.
#pragma once

#include "berth/config/kube_description.h"

namespace berth::config {

inline constexpr const char* kPriorityClassApi = "scheduling.k8s.io/v1";

void read_kube_priority_class(KubeFindings& findings, const KubeObject& object,
                              KubeDescription& into);

}  // namespace berth::config
