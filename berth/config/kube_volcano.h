// Volcano's Queue, and the configuration of its scheduler.
#pragma once

#include "berth/config/kube_description.h"

namespace berth::config {

inline constexpr const char* kVolcanoQueueApi = "scheduling.volcano.sh/v1beta1";

void read_volcano_queue(KubeFindings& findings, const KubeObject& object, KubeDescription& into);

// A ConfigMap with volcano-scheduler.conf, which another ConfigMap does not have; or that
// configuration without its ConfigMap.
void read_volcano_config_map(KubeFindings& findings, const KubeObject& object,
                             KubeDescription& into);
void read_volcano_configuration(KubeFindings& findings, const KubeText& text,
                                const YAML::Node& node, KubeDescription& into);

}  // namespace berth::config
