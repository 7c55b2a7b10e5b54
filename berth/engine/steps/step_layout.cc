#include "berth/engine/steps/step_layout.h"

#include <algorithm>

#include "berth/engine/placement/demand.h"
#include "berth/engine/placement/gpu_bind.h"
#include "berth/engine/placement/placement_share.h"
#include "berth/engine/steps/step_spread.h"
#include "berth/engine/steps/task_cores.h"
#include "berth/model/cpu_bind.h"

namespace berth {
namespace {

constexpr std::uint32_t kTasksMax = 65'536;
constexpr std::size_t kRunningStepsMax = 4096;

DimensionSet gpu_dimensions(const Dimensions& dimensions) {
    DimensionSet set = 0;
    for (const DimensionId d : dimensions.of_name("gpu")) set |= dimension_bit(d);
    return set;
}

std::int64_t held_by(const Job& job, DimensionSet dimensions) {
    std::int64_t held = 0;
    for_each_bit(dimensions, [&](int d) {
        for (const NodeShare& share : job.allocation->shares) {
            held += share.amount[DimensionId(static_cast<std::uint32_t>(d))];
        }
    });
    return held;
}

std::optional<Refusing> check_step_numbers(const StepRequest& request) {
    if (request.tasks == 0 || request.tasks > kTasksMax) {
        return refuse(Refusal::invalid_request, "a step can have 1 to 65536 tasks");
    }
    if (request.nodes == 0U || request.cpus_per_task == 0U || request.tasks_per_node == 0U) {
        return refuse(Refusal::invalid_request,
                      "nodes, tasks per node and CPUs per task are at least 1");
    }
    for (const auto& count : {request.gpus, request.gpus_per_task}) {
        if (count && (*count < 0 || *count > kTasksMax)) {
            return refuse(Refusal::invalid_request, "a step can have 0 to 65536 GPUs");
        }
    }
    if (request.time_limit && *request.time_limit <= Duration{}) {
        return refuse(Refusal::invalid_request, "a step's time limit is more than 0");
    }
    return std::nullopt;
}

std::optional<Refusing> read_gres(const ClusterSpec& spec, const Job& job,
                                  const StepRequest& request, StepAsk& ask) {
    if (request.gres_none) return std::nullopt;
    const auto add = [&](std::vector<GresDemand>& list, DimensionSet dimensions,
                         std::int64_t count) -> std::optional<Refusing> {
        if (count < 0 || count > kTasksMax) {
            return refuse(Refusal::invalid_request, "a step can have 0 to 65536 of a GRES");
        }
        if (count > 0 && held_by(job, dimensions) == 0) {
            return refuse(Refusal::step_gres_not_in_job,
                          "the step asks for GRES of which its job has none");
        }
        if (count > 0) list.push_back({.dimensions = dimensions, .count = count});
        return std::nullopt;
    };
    const DimensionSet gpus = gpu_dimensions(spec.dimensions);
    for (const GresRequest& gres : request.gres) {
        if (auto no = add(ask.per_node, dimensions_of(spec.dimensions, gres), gres.count))
            return no;
    }
    std::optional<std::int64_t> per_task = request.gpus_per_task;
    const bool says_nothing = request.gres.empty() && !request.gpus && !per_task;
    if (says_nothing && !job.spec.request->gpus_per_task.empty()) {  // Inherited from the job.
        per_task = 0;
        for (const GresRequest& one : job.spec.request->gpus_per_task) *per_task += one.count;
    }
    ask.inherits = says_nothing && !per_task;
    if (auto no = add(ask.per_task, gpus, per_task.value_or(0))) return no;
    std::vector<GresDemand> in_all;
    if (auto no = add(in_all, gpus, request.gpus.value_or(0))) return no;
    if (!in_all.empty() && ask.per_task.empty()) ask.in_all = in_all.front();
    if (!in_all.empty() && !ask.per_task.empty() && in_all.front().count != *per_task * ask.tasks) {
        return refuse(Refusal::invalid_request, "--gpus and --gpus-per-task for " +
                                                    std::to_string(ask.tasks) +
                                                    " tasks do not come to the same number");
    }
    return std::nullopt;
}

std::optional<Refusing> read_nodes(const ClusterSpec& spec, const Job& job,
                                   const StepRequest& request, StepAsk& ask) {
    for (const std::string& name : request.nodelist) {
        const auto node = spec.find_node(name);
        if (!node || std::ranges::find(job.nodes, *node) == job.nodes.end()) {
            return refuse(Refusal::node_configuration_unavailable,
                          "node " + name + " is not one of the job's");
        }
        if (std::ranges::find(ask.named, *node) == ask.named.end()) ask.named.push_back(*node);
    }
    const std::size_t all = job.allocation->shares.size();
    const std::size_t named = ask.named.size();
    const std::size_t asked = request.nodes.value_or(
        static_cast<std::uint32_t>(named > 0 ? named : std::min<std::size_t>(all, ask.tasks)));
    if (asked > all || named > asked) {
        return refuse(Refusal::step_more_than_job, std::to_string(std::max(asked, named)) +
                                                       " nodes asked for; the job has " +
                                                       std::to_string(all));
    }
    ask.nodes = static_cast<std::uint32_t>(std::min<std::size_t>(asked, ask.tasks));
    if (named > ask.nodes) {
        return refuse(Refusal::step_more_than_job, "more nodes are named than there are tasks");
    }
    return std::nullopt;
}

// What each node of the job has for steps, less what running steps hold exclusively.
std::vector<StepRoom> rooms_of(const ClusterSpec& spec, const Job& job, bool whole) {
    std::vector<StepRoom> rooms;
    for (const NodeShare& share : job.allocation->shares) {
        StepRoom room{.node = share.node,
                      .spec = &spec.node(share.node),
                      .cores = share.cores,
                      .devices = share.devices,
                      .held = share.devices,
                      .amount = share.amount};
        for (const Step& step : job.steps) {
            if (whole || step.overlap || step.state != StepState::running ||
                step.id >= kBatchStep) {
                continue;
            }
            for (const StepShare& held : step.shares) {
                if (held.node != share.node) continue;
                room.cores -= held.cores;
                room.devices &= ~held.devices;
            }
        }
        rooms.push_back(std::move(room));
    }
    return rooms;
}

// The exact cores and devices of a part, chosen as for a job.
NodeShare settle_part(const Dimensions& dimensions, const StepAsk& ask, const StepRoom& room,
                      const StepPart& part) {
    ClusterSpec one;
    one.dimensions = dimensions;
    one.nodes = {*room.spec};
    Part take{.node = NodeId(0)};
    take.take.amount = part.gres;
    take.take.cores = part.cores;
    take.take.tasks = part.tasks;
    const CoreUse use = core_use(ask, *room.spec, room.cores.count(), part.tasks);
    const bool by_units = part.cores == use.cores_for(part.tasks);
    const bool has_room = tasks_on(use, *room.spec, room.cores) >= part.tasks;
    take.take.sockets =
        socket_rule(ask.layout.over_sockets, by_units && has_room ? use : CoreUse{});
    const NodeFree free{
        .amount = room.amount, .cores = room.cores, .devices = room.devices, .jobs = 0};
    return settle(*room.spec, free, take, Topologies(one));
}

DeviceMask devices_in(const NodeSpec& node, DeviceMask devices, DimensionSet dimensions) {
    DeviceMask found = 0;
    for_each_bit(devices, [&](int i) {
        const DimensionId dimension = node.devices[static_cast<std::size_t>(i)].dimension;
        if ((dimension_bit(dimension) & dimensions) != 0) found |= bit(i);
    });
    return found;
}

// The inputs common to all shares of one step.
struct StepPlan {
    const ClusterSpec& spec;
    const StepAsk& ask;
    const GpuBind& bind;
    std::optional<Bytes> memory;
};

Result<StepShare> make_share(const StepPlan& plan, const StepRoom& room, const StepPart& part,
                             std::span<const std::uint32_t> ranks) {
    const NodeShare settled = settle_part(plan.spec.dimensions, plan.ask, room, part);
    const BitSet& cores = plan.ask.exact ? settled.cores : room.cores;
    StepShare share{.node = room.node,
                    .cores = cores,
                    .memory = plan.memory.value_or(room.amount.memory()),
                    .devices = settled.devices,
                    .tasks = {}};
    const auto blocks = cores_of_tasks(plan.ask, *room.spec, cores, part.tasks);
    const DeviceMask gpus =
        devices_in(*room.spec, share.devices, gpu_dimensions(plan.spec.dimensions));
    BERTH_TRY(const std::vector<DeviceMask> seen,
              bind_gpus(plan.bind, *room.spec, gpus, blocks, plan.spec.confinement.devices));
    for (std::uint32_t i = 0; i < part.tasks; ++i) {
        share.tasks.push_back(
            {.rank = ranks[i], .cores = blocks[i], .devices = seen[i] | (share.devices & ~gpus)});
    }
    return share;
}

Resources step_amount(const StepShare& share, const StepPart& part, const NodeSpec& node) {
    Resources amount = part.gres;
    const auto cpus = static_cast<std::int64_t>(share.cores.count()) * node.threads_per_core;
    amount.set_cpu(Millicpu(cpus * 1000));
    amount.set_memory(share.memory);
    return amount;
}

std::variant<StepAsk, Refusing> read(const ClusterSpec& spec, const Job& job,
                                     const StepRequest& request) {
    if (auto no = check_step_numbers(request)) return *std::move(no);
    StepAsk ask;
    const auto cpus_per_task =
        request.cpus_per_task ? request.cpus_per_task : job.spec.request->cpus_per_task;
    ask.tasks = request.tasks;
    ask.tasks_per_node = request.tasks_per_node.value_or(0);
    ask.cpus_per_task = std::max(cpus_per_task.value_or(1), 1U);
    const TopologyConstraint& near = job.spec.request->nearness;
    ask.threads_per_core = near.node.threads_per_core;
    ask.order = request.task_order.value_or(near.task_order);
    ask.plane = request.task_order ? request.plane : near.plane;
    ask.layout = request.layout.value_or(near.layout);
    ask.layout.per_socket = near.layout.per_socket;
    ask.layout.per_core = near.layout.per_core;
    ask.layout.overcommit = request.overcommit || near.layout.overcommit;
    if (ask.order == TaskOrder::plane && ask.plane == 0) {
        return refuse(Refusal::invalid_request, "the plane distribution needs a size, 1 or more");
    }
    const Result<CpuBind> bind = CpuBind::parse(request.cpu_bind);
    if (!bind.ok()) return refuse(Refusal::invalid_request, bind.error().message);
    ask.bind = bind->is_by_number() ? CpuBind::Kind::none : bind->kind;
    // As in Slurm, --cpus-per-task implies --exact.
    ask.exact = request.exact || cpus_per_task.has_value();
    if (auto no = read_nodes(spec, job, request, ask)) return *std::move(no);
    if (auto no = read_gres(spec, job, request, ask)) return *std::move(no);
    return ask;
}

std::variant<GpuBind, Refusing> read_bind(const Job& job, const StepRequest& request,
                                          const StepAsk& ask) {
    const std::string& text =
        request.gpu_bind.empty() ? job.spec.command->gpu_bind : request.gpu_bind;
    const Result<GpuBind> bind = GpuBind::parse(text);
    if (!bind.ok()) {
        Refusing no = refuse(Refusal::invalid_request, bind.error().message);
        no.details = {bind.error().message};
        return no;
    }
    if (!text.empty() || ask.per_task.empty()) return *bind;
    const auto count = static_cast<std::uint32_t>(ask.per_task.front().count);
    return GpuBind{.kind = GpuBind::Kind::per_task, .count = count, .list = {}};
}

// A step's memory is a limit within its job's memory; it is not taken from other steps.
std::optional<Refusing> check_step_memory(const Job& job, const StepRequest& request) {
    if (!request.memory_per_node) return std::nullopt;
    for (const NodeShare& share : job.allocation->shares) {
        if (share.memory == Bytes(0) || *request.memory_per_node <= share.memory) continue;
        return refuse(Refusal::memory_unavailable,
                      "the step asks for more memory than its job has");
    }
    return std::nullopt;
}

std::variant<Step, Refusing> make_step(const StepPlan& plan, Time now, const Job& job,
                                       const StepRequest& request,
                                       const std::vector<StepRoom>& rooms,
                                       const std::vector<StepPart>& parts) {
    Step step;
    step.id = StepId(job.next_step);
    step.name = request.name;
    step.tasks = plan.ask.tasks;
    step.overlap = request.overlap;
    step.started_at = now;
    step.time_limit = request.time_limit;
    step.began_after = ran_for(job, now);
    const std::vector<std::vector<std::uint32_t>> ranks = ranks_of(plan.ask, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const StepPart& part = parts[i];
        const StepRoom& room = rooms[part.room];
        auto share = make_share(plan, room, part, ranks[i]);
        if (!share.ok()) return refuse(Refusal::invalid_request, share.error().message);
        step.cpus += static_cast<std::uint32_t>(share->cores.count()) * room.spec->threads_per_core;
        step.allocated += step_amount(*share, part, *room.spec);
        step.nodes.push_back(room.node);
        step.shares.push_back(*std::move(share));
    }
    return step;
}

}  // namespace

std::variant<Step, Refusing> lay_out_step(const ClusterState& state, Time now, const Job& job,
                                          const StepRequest& request) {
    const ClusterSpec& spec = state.spec();
    if (job.state != JobState::running) {
        return refuse(Refusal::job_not_running, "job " + to_string(job.id) + " is not running");
    }
    const auto running = std::ranges::count(job.steps, StepState::running, &Step::state);
    if (static_cast<std::size_t>(running) >= kRunningStepsMax) {
        return refuse(Refusal::step_resources_busy, "the job runs 4096 steps already");
    }
    auto ask = read(spec, job, request);
    if (auto* no = std::get_if<Refusing>(&ask)) return std::move(*no);
    const StepAsk& asked = std::get<StepAsk>(ask);
    auto bind = read_bind(job, request, asked);
    if (auto* no = std::get_if<Refusing>(&bind)) return std::move(*no);
    if (auto no = check_step_memory(job, request)) return *std::move(no);

    std::vector<StepRoom> rooms = rooms_of(spec, job, true);
    auto parts = spread_step(asked, rooms);
    if (!parts) {
        return refuse(Refusal::step_more_than_job, "the step asks for more than its job has");
    }
    if (!request.overlap) {
        rooms = rooms_of(spec, job, false);
        parts = spread_step(asked, rooms);
        if (!parts) {
            return refuse(Refusal::step_resources_busy,
                          "other steps of the job have what this one asks for");
        }
    }
    std::optional<Bytes> memory = request.memory_per_node;
    if (memory == Bytes(0)) memory.reset();
    return make_step({spec, asked, std::get<GpuBind>(bind), memory}, now, job, request, rooms,
                     *parts);
}

}  // namespace berth
