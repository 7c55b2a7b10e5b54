// JobChange: what `scontrol update JobId=` changes of a job, from the API to the record. Whatever
// is present is changed.
//
// A field that can be updated stands here, in api::JobPatch as clients write it, and in JobUpdated
// as it is recorded; where all three call it the same and give it the same type, it needs no more
// than that to be carried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/model/job.h"

namespace berth {

struct JobChange {
    std::optional<Duration> time_limit;  // Duration::max(): no limit.
    std::optional<std::string> partition, qos, name, comment;
    std::optional<std::vector<std::string>> nodelist;  // Empty: any node again.
    std::optional<std::uint32_t> priority;             // 0 holds.
    std::optional<std::int64_t> nice;
    std::optional<Time> begin, deadline;
    std::optional<Duration> time_min;  // Zero: none.
    std::optional<std::vector<Dependency>> dependencies;
    std::optional<bool> any_dependency;
    std::optional<std::uint32_t> array_max_running;
    std::optional<std::int64_t> site_factor;
    std::optional<std::uint32_t> mail_types;
    std::optional<std::string> mail_user;
    std::optional<bool> requeue;
    std::optional<std::string> std_out, std_err, std_in, extra;  // As -o, -e and -i have them.
    std::optional<std::string> work_dir, wckey, account, admin_comment;

    // Of the job's request.
    std::optional<LicenseRequest> licenses;
    std::optional<std::string> constraint, reservation;
    std::optional<std::vector<std::string>> exclude;
    std::optional<std::uint32_t> nodes_min, nodes_max, tasks, cpus_per_task;
    std::optional<Bytes> memory_per_node, memory_per_cpu;
    std::optional<std::uint32_t> switches;  // 0: any number.
    std::optional<Duration> switches_wait;
    std::optional<bool> contiguous;
    std::optional<std::uint32_t> tasks_per_node;
    std::optional<std::vector<GresRequest>> gres_per_node;
    std::optional<Bytes> tmp_disk;                                             // 0: any.
    std::optional<std::uint32_t> sockets, cores_per_socket, threads_per_core;  // 0: any.
    std::optional<bool> oversubscribe;
    std::optional<std::vector<std::string>> prefer;  // Features.

    BERTH_FIELDS(JobChange, time_limit, partition, qos, name, comment, nodelist, priority, nice,
                 begin, deadline, time_min, dependencies, any_dependency, array_max_running,
                 site_factor, mail_types, mail_user, licenses, constraint, reservation, exclude,
                 nodes_min, nodes_max, tasks, cpus_per_task, memory_per_node, memory_per_cpu,
                 switches, switches_wait, contiguous, requeue, std_out, work_dir, wckey, account,
                 tasks_per_node, gres_per_node, tmp_disk, sockets, cores_per_socket,
                 threads_per_core, oversubscribe, prefer, admin_comment, std_err, std_in, extra)

    bool changes_request() const;
    void apply_to(JobRequest& request) const;

private:
    bool changes_hardware() const;
};

}  // namespace berth
