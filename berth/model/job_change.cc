#include "berth/model/job_change.h"

#include <utility>

namespace berth {
namespace {

// Features that are but preferred, instead of those that were.
void prefer_features(std::vector<Affinity>& affinities, const std::vector<std::string>& features) {
    std::erase_if(affinities, [](const Affinity& one) {
        return one.to == Affinity::To::feature && !one.apart && !one.required;
    });
    for (const std::string& name : features)
        affinities.push_back({.to = Affinity::To::feature, .name = name, .required = false});
}

}  // namespace

bool JobChange::changes_request() const {
    return licenses || constraint || reservation || exclude || nodes_min || nodes_max || tasks ||
           cpus_per_task || memory_per_node || memory_per_cpu || switches || switches_wait ||
           contiguous || tasks_per_node || gres_per_node || oversubscribe || changes_hardware();
}

bool JobChange::changes_hardware() const {
    return tmp_disk || sockets || cores_per_socket || threads_per_core || prefer;
}

void JobChange::apply_to(JobRequest& request) const {
    if (licenses) request.licenses = *licenses;
    if (constraint) request.constraint = *constraint;
    if (reservation) request.reservation = *reservation;
    if (exclude) request.exclude = *exclude;
    if (nodes_min) {
        request.nodes_min = *nodes_min;
        request.nodes_max = nodes_max.value_or(*nodes_min);
        request.nodes_given = true;
    }
    if (tasks) request.tasks = tasks;
    if (cpus_per_task) request.cpus_per_task = cpus_per_task;
    if (memory_per_node) {
        request.memory_per_node = memory_per_node;
        request.memory_per_cpu.reset();
    }
    if (memory_per_cpu) {
        request.memory_per_cpu = memory_per_cpu;
        request.memory_per_node.reset();
    }
    if (tasks_per_node) request.tasks_per_node = tasks_per_node;
    if (gres_per_node) request.gres_per_node = *gres_per_node;
    if (oversubscribe) {
        request.oversubscribe = *oversubscribe;
        request.exclusive = request.exclusive && !*oversubscribe;
    }
    if (!switches && !switches_wait && !contiguous && !changes_hardware()) return;
    TopologyConstraint& near = request.nearness.edit();
    if (switches) near.switches = *switches == 0 ? std::nullopt : switches;
    if (switches_wait) near.switches_wait = switches_wait;
    if (contiguous) near.contiguous = *contiguous;
    if (tmp_disk) near.node.tmp_disk = *tmp_disk;
    if (sockets) near.node.sockets = *sockets;
    if (cores_per_socket) near.node.cores_per_socket = *cores_per_socket;
    if (threads_per_core) near.node.threads_per_core = *threads_per_core;
    if (prefer) prefer_features(near.affinities, *prefer);
}

}  // namespace berth
