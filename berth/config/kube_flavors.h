// Kueue's ResourceFlavor and resourceGroups: a quota there is of a resource on the nodes of a
// flavor. Berth has quotas of GPUs by type, and of all else one for all nodes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/config/kube_description.h"
#include "berth/config/kube_fields.h"

namespace berth::config {

struct FlavorQuota {
    KubePlace place;
    std::string flavor, resource;
    std::string nominal, borrow, lend;  // Quantities; the last two may be empty: no limit.
};

struct ResourceFlavor {
    std::string gpu_type;  // Empty: none.
    bool has_labels = false;
};
using ResourceFlavors = std::map<std::string, ResourceFlavor>;

void read_resource_flavor(KubeFindings& findings, const KubeObject& object, ResourceFlavors& into);

// `may_lend`: within a cohort, where limits of borrowing and lending have a meaning.
std::vector<FlavorQuota> read_resource_groups(KubeFindings& findings, KubeFields& spec,
                                              bool may_lend);

// Gives the queue nominal, borrow_max and lend_max: of a TRES of several flavors the sum.
void sum_flavor_quotas(KubeFindings& findings, const ResourceFlavors& flavors,
                       const std::vector<FlavorQuota>& quotas, KubeQueue& queue);

}  // namespace berth::config
