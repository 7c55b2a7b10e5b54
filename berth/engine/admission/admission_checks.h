// The checks of which admission consists. Each resolves its part of the job or objects to it. For
// the source files of admission only.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "berth/engine/admission/objection.h"
#include "berth/engine/admission/priority_by.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/model/principal.h"

namespace berth {

inline constexpr std::int64_t kNiceMax = 2'147'483'645;  // Slurm's.

// admission_names.cc: resolve the names in a submission. They set job.partition, job.qos and the
// names in job.spec that were omitted.
Objection resolve_partition(const ClusterSpec& spec, const Principal& owner, Job& job);
Objection resolve_account(const ClusterSpec& spec, Job& job);
Objection resolve_qos(const ClusterSpec& spec, Job& job);
// admission_priority.cc. resolve_priority_class() gives the job the priority of its class.
Objection check_priority(const Principal& owner, const JobSpec& spec, PriorityBy set_by);
Objection resolve_priority_class(const ClusterSpec& spec, Job& job);
Objection check_partition_access(const ClusterSpec& spec, const Principal& owner, const Job& job);

// admission_gpus.cc: CPUs and memory by the job's GPUs, where it says nothing of them.
void add_gpu_defaults(const ClusterSpec& spec, Job& job);

// admission_partitions.cc: the job in those of the listed partitions that take it, in the first of
// the highest tier. As EnforcePartLimits says, one that does not is left out, or refuses the job
// (ALL). `admit_in`: the job as it would be admitted with this partition alone.
std::variant<Job, Refusing> admit_in_several(
    const ClusterSpec& spec, const std::string& list,
    const std::function<std::variant<Job, Refusing>(const std::string& partition)>& admit_in);

// admission_request.cc: normalise the request, check its amounts and the partition's limits.
std::string known_gres(const ClusterSpec& spec);  // "gpu:a100, fpga", for messages.
Objection normalise_request(const ClusterSpec& spec, JobRequest& request);
Objection resolve_time_limit(const ClusterSpec& spec, Job& job);
Objection check_partition_limits(const ClusterSpec& spec, const Job& job);

// admission_share.cc: shared GPUs.
Objection check_share(const ClusterSpec& spec, const Job& job);

// admission_near.cc: topology constraints of nodes and GPUs.
Objection check_nearness(const ClusterSpec& spec, const JobRequest& request);

// admission_fit.cc: whether the empty partition could serve the job.
Objection check_fits(const ClusterState& state, const Job& job);

// admission_terms.cc: licenses, deadline, least time, reservation.
inline constexpr std::size_t kLicensesMax = 64;
inline constexpr Duration kTimeMinMax = std::chrono::hours(24 * 365);
Objection check_licenses(const ClusterSpec& spec, const Job& job);
Objection check_time_terms(Time now, Job& job);
// `moved`: see limit_on_submission().
Objection check_limits(const ClusterState& state, const Job& job, const Job* moved = nullptr);
// `groups`: all groups of the job's owner. nullptr: an operator changes the job of somebody whose
// groups are not known; the groups of the reservation are not asked.
Objection check_reservation(const ClusterState& state, Time now, const Job& job,
                            const std::vector<std::string>* groups);

// admission_queue.cc: how many jobs, how many GPUs and which priorities the job's queues admit.
// `moved`: the job of another account that this one replaces. It is not counted twice.
Objection check_queues(const ClusterState& state, const Job& job, const Job* moved = nullptr);
Objection check_queues_of_update(const ClusterState& state, const Job& changed);

// admission_mail.cc: check the mail options and fill in the address.
Objection check_mail(const ClusterSpec& cluster, Job& job);
Objection check_mail(const ClusterSpec& cluster, const Job& job, JobUpdated& update);

// admission_checkpoint.cc: its checkpoint, and what a restart costs.
Objection check_restart(const JobCommand& command);

// admission.cc
Objection check_texts(std::string_view name, std::string_view comment);
Objection check_begin(Time now, std::optional<Time> begin);
Objection check_dependencies(const ClusterState& state, JobId id, JobSpec& spec);

}  // namespace berth
