// Kueue's ResourceFlavor and resourceGroups: a quota there is of a resource on the nodes of a
// flavor. With nodeLabels it is one of berth.yaml's flavors; GPUs have quotas by type.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/config/kube_description.h"
#include "berth/config/kube_fields.h"
#include "berth/model/flavor.h"

namespace berth::config {

struct FlavorQuota {
    KubePlace place;
    std::string flavor, resource;
    std::string nominal, borrow, lend;  // Quantities; the last two may be empty: no limit.
};

struct ResourceFlavor {
    std::string gpu_type;               // Empty: none.
    std::vector<std::string> features;  // Of its nodes, if no type of GPU says which they are.

    bool has_labels() const { return !gpu_type.empty() || !features.empty(); }
};
using ResourceFlavors = std::map<std::string, ResourceFlavor>;

void read_resource_flavor(KubeFindings& findings, const KubeObject& object, ResourceFlavors& into);

// `may_lend`: within a cohort, where limits of borrowing and lending have a meaning.
std::vector<FlavorQuota> read_resource_groups(KubeFindings& findings, KubeFields& spec,
                                              bool may_lend);

// Gives the queue nominal, borrow_max and lend_max, by flavor. Of flavors without nodeLabels the
// sum.
void take_flavor_quotas(KubeFindings& findings, const ResourceFlavors& flavors,
                        const std::vector<FlavorQuota>& quotas, KubeQueue& queue);

// Those that some quota names, as berth.yaml has them.
std::vector<FlavorSpec> named_flavors(const ResourceFlavors& flavors,
                                      const std::vector<const QueueSpec*>& queues);

}  // namespace berth::config
