#include "berth/model/job_change.h"

namespace berth {

bool JobChange::changes_request() const {
    return licenses || constraint || reservation || exclude || nodes_min || nodes_max || tasks ||
           cpus_per_task || memory_per_node || memory_per_cpu || switches || switches_wait ||
           contiguous;
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
    if (!switches && !switches_wait && !contiguous) return;
    TopologyConstraint& near = request.nearness.edit();
    if (switches) near.switches = *switches == 0 ? std::nullopt : switches;
    if (switches_wait) near.switches_wait = switches_wait;
    if (contiguous) near.contiguous = *contiguous;
}

}  // namespace berth
