// What the objects of Volcano, Kueue and Kubernetes say, in Berth's words; kube_queues.h makes a
// tree of it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/config/kube_documents.h"
#include "berth/config/kube_quantity.h"
#include "berth/model/flavor.h"
#include "berth/model/priority_class.h"
#include "berth/model/queue.h"

namespace berth::config {

struct KubeQueue {
    std::string kind;    // Of the object: "ClusterQueue".
    std::string parent;  // Empty: below the root.
    QueueSpec quota;     // Under the name of the account.
    KubePlace place, parent_place;
    std::optional<KubeQuantity> weight;
    KubePlace weight_place;
    bool is_protected = false;     // Volcano's reclaimable: false.
    bool preempts_within = false;  // Its runs make place for its own jobs alone.
    bool has_deserved = false;     // Of Volcano's: else its nominal is what it guarantees.
};

// Which jobs may take the place of others.
struct KubePreemption {
    KubePlace place;
    std::string queue;      // Of this one. Empty: of all, as a scheduler's configuration says.
    bool within = false;    // Of its own queue, by priority.
    bool reclaims = false;  // Of others that have borrowed, whatever the priority.
};

struct KubeDescription {
    std::vector<KubeQueue> queues;
    std::vector<FlavorSpec> flavors;
    std::vector<PriorityClassSpec> classes;
    std::vector<KubePreemption> preemption;
    std::string order, placement;  // Values of these keys of berth.yaml; empty: nothing is said.
};

}  // namespace berth::config
