// What PATCH /v1/jobs/REF takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"

namespace berth::api {

// Whatever is present is changed.
struct JobPatch {
    std::optional<std::string> time_limit;  // Slurm's text: "2:00:00", "UNLIMITED".
    std::optional<std::string> partition, qos, name, comment, dependency;
    std::optional<std::vector<std::string>> nodelist;
    std::optional<std::uint32_t> priority;
    std::optional<std::int64_t> nice;
    std::optional<Time> begin;
    std::optional<std::uint32_t> array_max_running;
    std::optional<std::int64_t> site_factor;
    // Of what it asks for.
    std::optional<std::string> licenses, features, reservation, time_min;  // As sbatch takes them.
    std::optional<Time> deadline;
    std::optional<std::vector<std::string>> exclude;
    std::optional<std::uint32_t> nodes_min, nodes_max, tasks, cpus_per_task;
    std::optional<std::int64_t> memory_per_node, memory_per_cpu;  // Bytes.
    std::optional<std::uint32_t> switches;                        // 0: any number.
    std::optional<Duration> switches_wait;
    std::optional<bool> contiguous;
    std::optional<std::string> mail_type, mail_user;      // "BEGIN,END"; empty: the job's own user.
    std::optional<bool> requeue;                          // Whether it may be requeued.
    std::optional<std::string> std_out;                   // As -o has it; while it waits.
    std::optional<std::string> work_dir, wckey, account;  // Likewise.
    std::optional<std::uint32_t> tasks_per_node;
    std::optional<std::string> gres;       // Of each node, as --gres has it; empty: none.
    std::optional<std::int64_t> tmp_disk;  // Bytes, at least, of each node; 0: any.
    // Of the hardware of each node, at least; 0: any.
    std::optional<std::uint32_t> sockets, cores_per_socket, threads_per_core;
    std::optional<bool> oversubscribe;               // As -s has it; false: not.
    std::optional<std::vector<std::string>> prefer;  // Features, as --prefer has them.
    std::optional<std::string> admin_comment;        // For operators alone.
    std::optional<std::string> std_err, std_in;      // As -e and -i have them; while it waits.
    std::optional<std::string> extra;                // Any words, as --extra has them.
    BERTH_FIELDS(JobPatch, time_limit, partition, qos, name, comment, dependency, nodelist,
                 priority, nice, begin, array_max_running, site_factor, licenses, features,
                 reservation, time_min, deadline, exclude, nodes_min, nodes_max, tasks,
                 cpus_per_task, memory_per_node, memory_per_cpu, switches, switches_wait,
                 contiguous, mail_type, mail_user, requeue, std_out, work_dir, wckey, account,
                 tasks_per_node, gres, tmp_disk, sockets, cores_per_socket, threads_per_core,
                 oversubscribe, prefer, admin_comment, std_err, std_in, extra)
};

}  // namespace berth::api
