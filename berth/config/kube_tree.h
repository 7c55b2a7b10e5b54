// The queues of a description as one tree.
#pragma once

#include <string>
#include <vector>

#include "berth/config/imported_queue.h"
#include "berth/config/kube_description.h"

namespace berth::config {

// Each queue after the one that it is beneath. Names that clash, parents that are not there,
// circles and quotas that contradict each other are findings.
std::vector<ImportedQueue> build_queue_tree(KubeFindings& findings, KubeDescription& description);

// `preemption` of berth.yaml, from what the schedulers and the queues say; empty: nobody says
// anything. Where nothing is taken back from queues that borrow, each queue keeps its runs to its
// own jobs.
std::string settle_preemption(KubeFindings& findings, KubeDescription& description);

}  // namespace berth::config
