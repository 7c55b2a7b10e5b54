#include "berth/slurm/jobs/next_component.h"

namespace berth::slurm {

JobDraft next_component(const JobDraft& before) {
    JobDraft next = before;
    const JobRequest& was = before.spec.request;
    JobRequest request;
    request.memory_per_node = was.memory_per_node;
    request.memory_per_cpu = was.memory_per_cpu;
    request.exclude = was.exclude;
    request.time_limit = was.time_limit;
    request.reservation = was.reservation;
    request.priority_class = was.priority_class;
    request.max_wait = was.max_wait;
    next.spec.request = request;
    next.spec.partition = {};
    next.per_gpu = {};
    next.of_cpus = {};
    next.of_cpus.least_on_node = before.of_cpus.least_on_node;
    next.gres_given = next.cpus_per_task_given = false;
    JobCommand& command = next.spec.command.edit();
    command.gpu_bind.clear();
    command.mail_user.clear();  // The first component's mails tell of the job.
    command.mail_types = 0;
    return next;
}

}  // namespace berth::slurm
