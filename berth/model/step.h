// Step: one `srun` within a job (or its batch script), and where its tasks go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/allocation.h"
#include "berth/model/exit_status.h"
#include "berth/model/gres_request.h"

namespace berth {

// In which order tasks go to the nodes: -m.
enum class TaskOrder : std::uint8_t { as_fits, block, cyclic, plane };

// In which order they go to a node's sockets, or to a socket's cores: the second and the third part
// of -m. fcyclic also deals the CPUs of one task to the sockets in turn.
enum class CoreOrder : std::uint8_t { as_fits, block, cyclic, fcyclic };

// How tasks lie within a node.
struct TaskLayout {
    std::uint32_t per_socket = 0, per_core = 0;  // The most tasks on each; 0: any number.
    CoreOrder over_sockets = CoreOrder::as_fits, over_cores = CoreOrder::as_fits;
    bool pack = false;        // -m block,Pack: the nodes of a step are filled one after the other.
    bool overcommit = false;  // --overcommit: each node has the CPUs of one task, for all it runs.

    // --gpus-per-socket: of a node's GPUs so many are near each of the sockets that the job has.
    std::uint32_t gpus_per_socket = 0;

    BERTH_FIELDS(TaskLayout, per_socket, per_core, over_sockets, over_cores, pack, overcommit,
                 gpus_per_socket)
};

// What srun asks for. Absent values are inherited from the job.
struct StepRequest {
    std::string name;
    std::uint32_t tasks = 1;
    std::optional<std::uint32_t> nodes;
    std::optional<std::uint32_t> tasks_per_node;
    std::optional<std::uint32_t> cpus_per_task;
    std::optional<Bytes> memory_per_node;
    std::vector<GresRequest> gres;     // Per node. Empty, and gres_none unset: all of the job's.
    bool gres_none = false;            // --gres=none, or gpu:0: no devices.
    std::optional<std::int64_t> gpus;  // --gpus, for the whole step.
    std::optional<std::int64_t> gpus_per_task;
    bool exact = false;
    bool overlap = false;
    std::vector<std::string> nodelist;
    std::string gpu_bind;  // closest, single:N, per_task:N, map_gpu:…, mask_gpu:…, none.
    std::optional<Duration> time_limit;
    std::optional<TaskOrder> task_order;  // -m
    std::uint32_t plane = 0;              // Tasks at a time, with TaskOrder::plane.
    std::string cpu_bind;  // cores, sockets, none; empty: cores where each task has its own.
    std::optional<TaskLayout> layout;  // What -m says of sockets, cores and packing.
    bool overcommit = false;           // More tasks than CPUs; also if the job says so.

    BERTH_FIELDS(StepRequest, name, tasks, nodes, tasks_per_node, cpus_per_task, memory_per_node,
                 gres, gres_none, gpus, gpus_per_task, exact, overlap, nodelist, gpu_bind,
                 time_limit, task_order, plane, cpu_bind, layout, overcommit)
};

// One task: its rank and what it may see.
struct TaskPlace {
    std::uint32_t rank = 0;
    BitSet cores;
    DeviceMask devices = 0;  // After --gpu-bind; a subset of the step's on that node.

    BERTH_FIELDS(TaskPlace, rank, cores, devices)
};

struct StepShare {
    NodeId node{0};
    BitSet cores;
    Bytes memory;
    DeviceMask devices = 0;
    std::vector<TaskPlace> tasks;  // In rank order; which ranks a node has, -m says.

    BERTH_FIELDS(StepShare, node, cores, memory, devices, tasks)
};

enum class StepState : std::uint8_t {
    running,
    completed,
    failed,
    cancelled,
    timeout,
    out_of_memory,
    node_fail
};

struct Step {
    StepId id{0};
    std::string name;
    StepState state = StepState::running;
    std::uint32_t tasks = 1;
    std::uint32_t cpus = 0;
    bool overlap = false;           // Does not count against what other steps may have.
    std::vector<StepShare> shares;  // Of the nodes not yet done with it.
    std::vector<NodeId> nodes;      // All it was placed on.
    Resources allocated;
    Time started_at{};
    std::optional<Time> ended_at;
    ExitStatus exit;  // The highest of its tasks.
    // Its own, as job time: what the job is suspended does not count. nullopt: none but the job's.
    std::optional<Duration> time_limit;
    Duration began_after{};    // How long the job had run by then.
    bool out_of_time = false;  // It is being ended, or was, for its own time limit.

    BERTH_FIELDS(Step, id, name, state, tasks, cpus, overlap, shares, nodes, allocated, started_at,
                 ended_at, exit, time_limit, began_after, out_of_time)
};

}  // namespace berth
