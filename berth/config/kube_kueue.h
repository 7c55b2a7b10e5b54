// Kueue's ClusterQueue, LocalQueue and Cohort; kube_flavors.h has its ResourceFlavor.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/config/kube_description.h"
#include "berth/config/kube_fields.h"
#include "berth/config/kube_flavors.h"

namespace berth::config {

// v1beta1 and v1beta2; of cohorts v1alpha1, too.
bool is_kueue_api(const KubeObject& object);

// Takes objects in any order, and describes them together: what a quota means depends on the
// flavors and on the queues beside it.
class KueueReader {
public:
    explicit KueueReader(KubeFindings& findings) : findings_(findings) {}

    // REQUIRES: is_kueue_api(), and one of the four kinds.
    void read(const KubeObject& object);
    void finish(KubeDescription& into);

private:
    struct Holder {  // A ClusterQueue or a Cohort.
        KubeQueue queue;
        std::vector<FlavorQuota> quotas;
    };

    void read_cluster_queue(const KubeObject& object);
    void read_cohort(const KubeObject& object);
    void read_local_queue(const KubeObject& object);
    void read_weight(KubeFields& spec, KubeQueue& queue);
    void read_stop(KubeFields& spec, KubeQueue& queue);
    void read_admission(KubeFields& spec, const std::string& name);
    void read_preemption(KubeFields& spec, const KubeQueue& queue);

    // kube_cohorts.cc: what the queues of a cohort mean to each other.
    void add_cohorts_without_object();
    std::vector<Holder*> those_above(const KubeQueue& queue);
    void close_roots();
    void forbid_uncovered();
    void forbid_uncovered(KubeQueue& queue, const std::set<std::string>& named);
    void check_types();

    KubeFindings& findings_;
    std::vector<Holder> cohorts_, cluster_queues_;
    std::vector<KubeQueue> local_queues_;
    std::vector<KubePreemption> preemption_;
    ResourceFlavors flavors_;
    std::map<std::string, std::size_t> cohort_at_;  // By name, in cohorts_.
};

}  // namespace berth::config
