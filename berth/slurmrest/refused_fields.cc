// Fields of slurmrestd's job descriptions that Berth refuses, and what to use instead.
#include <array>

#include "berth/slurmrest/field_reading.h"

namespace berth::slurmrest {
namespace {

constexpr auto kRefusedFields = std::to_array<RefusedField>({
    {"account_gather_frequency", "CPU time and peak memory come from the job's cgroup"},
    {"admin_comment", "use comment"},
    {"allocation_node_list", "no client waits for a job that is submitted here"},
    {"allocation_node_port", "no client waits for a job that is submitted here"},
    {"batch_features", "ask for what all nodes need with constraints"},
    {"burst_buffer", "there are no burst buffers; copy in the script"},
    {"clusters", "there is one cluster"},
    {"cluster_constraint", "there is one cluster"},
    {"container", "start the container in the script"},
    {"container_id", "start the container in the script"},
    {"core_specification", "keep cores for the system with fewer CPUs= of the node"},
    {"cpu_binding", "tasks share the cores of their step"},
    {"cpu_binding_flags", "tasks share the cores of their step"},
    {"cpu_frequency", "the node's governor decides; set it in a prolog"},
    {"cpus_per_tres", "use cpus_per_task"},
    {"crontab", "there is no scrontab; cron itself can call this route"},
    {"delay_boot", "Berth boots no nodes"},
    {"distribution", "use srun --distribution in the script"},
    {"distribution_plane_size", "use srun --distribution=plane=SIZE in the script"},
    {"end_time", "use deadline or time_limit"},
    {"extra", "use comment"},
    {"group_id", "the user of the token submits, with that user's own group"},
    {"hetjob_group", "the place in \"jobs\" is the component's number"},
    {"immediate", "cancel the job where it has not started in time"},
    {"job_id", "the controller gives out ids, and the path names the job to change"},
    {"maximum_cpus", "use tasks and cpus_per_task"},
    {"mcs_label", "there is no MCS plugin; hide jobs from others with PrivateData"},
    {"memory_binding", "memory is not bound"},
    {"memory_binding_type", "memory is not bound"},
    {"memory_per_tres", "use memory_per_node or memory_per_cpu"},
    {"minimum_boards_per_node", "use sockets_per_node"},
    {"minimum_cpus", "use tasks and cpus_per_task"},
    {"minimum_cpus_per_node", "use tasks_per_node and cpus_per_task"},
    {"minimum_sockets_per_board", "use sockets_per_node"},
    {"network", "there are no switch plugins"},
    {"ntasks_per_tres", "use tasks"},
    {"oom_kill_step", "a step whose memory runs out is ended"},
    {"power_flags", "there is no power management plugin"},
    {"profile", "nothing is profiled"},
    {"reboot", "ask the operators to drain and reboot the node"},
    {"reserve_ports", "PMI2 and PMIx need no reserved ports"},
    {"rlimits", "use ulimit in the script"},
    {"selinux_context", "start the program with runcon in the script"},
    {"spank_environment", "there are no SPANK plugins; use environment"},
    {"step_id", "a submission has no step"},
    {"tasks_per_board", "use tasks_per_node"},
    {"thread_specification", "keep cores for the system with fewer CPUs= of the node"},
    {"tres_bind", "use srun --gpu-bind in the script"},
    {"tres_freq", "set clocks in a prolog"},
    {"tres_per_socket", "use tres_per_node"},
    {"user_id", "the user of the token submits"},
    {"x11", "use ssh -X to a node of the job"},
    {"x11_magic_cookie", "use ssh -X to a node of the job"},
    {"x11_target_host", "use ssh -X to a node of the job"},
    {"x11_target_port", "use ssh -X to a node of the job"},
});

}  // namespace

std::span<const RefusedField> refused_fields() { return kRefusedFields; }

Error refuse_field(std::string_view name) {
    const auto row = std::ranges::find(kRefusedFields, name, &RefusedField::name);
    const std::string field(name.substr(0, 100));
    const auto is_among = [&](const std::vector<std::string_view>& names) {
        return std::ranges::find(names, name) != names.end();
    };
    if (row == kRefusedFields.end()) {
        // Each is asked for where it is not taken.
        if (is_among(submission_fields()))
            return invalid_argument(field + " cannot be changed after the submission");
        if (is_among(update_fields()))
            return invalid_argument(field + " is given after the submission, by POST job/ID");
        return invalid_argument(field + " is not a field of a job");
    }
    return invalid_argument(field + " is not supported here: " + std::string(row->instead));
}

}  // namespace berth::slurmrest
