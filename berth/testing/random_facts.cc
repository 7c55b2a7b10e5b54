#include "berth/testing/random_facts.h"

#include <algorithm>
#include <optional>
#include <span>

#include "berth/engine/state/keep_ids.h"
#include "berth/engine/steps/step_layout.h"
#include "berth/model/new_node.h"
#include "berth/testing/builders.h"
#include "berth/testing/random_declared.h"
#include "berth/testing/random_loans.h"

namespace berth::testing {
namespace {

using Maybe = std::optional<Fact>;

NodeOptions random_node(Rng& rng) {
    static const std::vector<std::string> types = {"a100", "h100"};
    return {.sockets = static_cast<std::uint32_t>(rng.between(1, 2)),
            .cores_per_socket = static_cast<std::uint32_t>(rng.between(1, 40)),
            .threads_per_core = static_cast<std::uint32_t>(rng.between(1, 2)),
            .memory = gib(rng.between(8, 512)),
            .gpu_type = rng.pick(types),
            .gpus = static_cast<std::uint32_t>(rng.between(0, 8)),
            .features = {},
            .counted = {}};
}

NodeId random_node_id(Rng& rng, const ClusterState& state) {
    return NodeId(static_cast<std::uint32_t>(
        rng.between(0, static_cast<std::int64_t>(state.spec().nodes.size()) - 1)));
}

// Any job that passes; nullptr where none does.
template <class Passes>
const Job* random_job(Rng& rng, const ClusterState& state, Passes passes) {
    std::vector<const Job*> fitting;
    for (const auto& [id, job] : state.jobs()) {
        if (passes(job)) fitting.push_back(&job);
    }
    return fitting.empty() ? nullptr : rng.pick(fitting);
}

bool is_pending(const Job& job) { return job.state == JobState::pending; }
bool can_start(const Job& job) { return is_pending(job) && job.hold == Hold::none; }
bool holds_nodes(const Job& job) { return job.allocation.has_value(); }

Maybe submission(Rng& rng, Time now, const ClusterState& state) {
    if (state.jobs().size() > 60) return std::nullopt;  // Ids are few, so that they come round.
    Job job;
    job.id = state.next_job_id();
    job.owner = Owner{.uid = static_cast<std::uint32_t>(rng.between(1000, 1003)), .user = "ann"};
    if (rng.chance(50)) job.owner.edit().user = "ben";
    if (rng.chance(50)) job.spec.account = "physics";
    job.spec.expedite = rng.chance(20);
    job.spec.name = "job" + std::to_string(rng.between(1, 5));
    job.spec.request_id = "request " + to_string(job.id);
    job.submitted_at = now;
    job.time_limit = std::chrono::minutes(rng.between(1, 1000));
    if (rng.chance(30)) job.spec.requeue = rng.chance(50);
    if (rng.chance(20)) job.hold = Hold::user;
    if (rng.chance(25)) {
        job.spec.array.emplace();
        const std::int64_t tasks = rng.between(1, 6);
        for (std::int64_t i = 0; i < tasks; ++i) {
            job.spec.array->tasks.push_back(static_cast<std::uint32_t>(i * 2));
        }
    }
    if (const Job* other = random_job(rng, state, is_pending); other != nullptr && rng.chance(20)) {
        job.spec.dependencies.edit().push_back({.kind = DependencyKind::afterok, .job = other->id});
    }
    add_random_terms(rng, now, state, job);
    return JobSubmitted{std::move(job)};
}

Maybe start(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, can_start);
    if (job == nullptr) return std::nullopt;
    StartJob fact{.job = job->id, .attempt = Attempt(job->attempt.value() + 1)};
    for (std::size_t n = 0; n < state.spec().nodes.size(); ++n) {
        const auto free_cores =
            static_cast<std::int64_t>(state.nodes().free(NodeId::from_index(n)).cores.count());
        if (free_cores == 0 || (rng.chance(60) && !fact.allocation.shares.empty())) continue;
        fact.allocation.shares.push_back(free_share(
            state, NodeId::from_index(n), static_cast<std::uint32_t>(rng.between(1, free_cores)),
            static_cast<std::uint32_t>(rng.between(0, 4))));
    }
    if (fact.allocation.shares.empty()) return std::nullopt;
    fact.allocation.licenses = job->spec.request->licenses->counts;
    if (job->spec.time_min && rng.chance(50)) fact.time_limit = *job->spec.time_min;
    if (job->spec.array) {
        fact.array_task = rng.pick(job->spec.array->tasks);
        fact.task_job = job->spec.array->tasks.size() == 1 ? job->id : state.next_job_id();
    }
    return fact;
}

Maybe attempt_end(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, holds_nodes);
    if (job == nullptr) return std::nullopt;
    AttemptEnded fact{.job = job->id, .attempt = job->attempt, .node = rng.pick(*job->nodes)};
    if (rng.chance(10)) fact.attempt = Attempt(job->attempt.value() - 1);  // Stale.
    if (rng.chance(60) && fact.node == job->nodes.front()) {
        fact.batch_exit = ExitStatus{.code = static_cast<std::int16_t>(rng.between(0, 2))};
        fact.out_of_memory = rng.chance(10);
    } else if (rng.chance(50)) {
        fact.lost = true;
        if (rng.chance(30)) fact.reason = "could not create its cgroup";
    }
    return fact;
}

Maybe job_end(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, holds_nodes);
    if (job == nullptr) return std::nullopt;
    static const std::vector<JobState> outcomes = {JobState::cancelled, JobState::timeout,
                                                   JobState::pending, JobState::node_fail};
    EndJob fact{.job = job->id, .outcome = rng.pick(outcomes)};
    if (fact.outcome == JobState::pending && rng.chance(50)) fact.hold = Hold::user;
    return fact;
}

Maybe cancel(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, is_pending);
    if (job == nullptr) return std::nullopt;
    JobCancelled fact{.job = job->id};
    if (job->spec.array && rng.chance(70)) {
        for (const std::uint32_t task : job->spec.array->tasks) {
            if (rng.chance(40)) fact.array_tasks.push_back(task);
        }
    }
    return fact;
}

Maybe hold(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, is_pending);
    if (job == nullptr) return std::nullopt;
    return JobHeld{.job = job->id, .hold = rng.chance(60) ? Hold::none : Hold::user};
}

Maybe update(Rng& rng, Time now, const ClusterState& state) {
    const Job* job = random_job(rng, state, is_pending);
    if (job == nullptr) return std::nullopt;
    JobUpdated fact{.job = job->id};
    if (rng.chance(30)) fact.time_limit = std::chrono::minutes(rng.between(1, 100));
    if (rng.chance(30)) fact.priority = static_cast<std::uint32_t>(rng.between(0, 3));
    if (rng.chance(30)) fact.name = "renamed";
    if (rng.chance(20)) fact.begin = now + std::chrono::hours(1);
    if (rng.chance(10)) fact.account = rng.chance(50) ? "physics" : "";
    if (rng.chance(10)) fact.deadline = now + std::chrono::hours(rng.between(1, 9));
    if (rng.chance(10)) fact.time_min = std::chrono::minutes(rng.between(0, 1));
    if (rng.chance(20)) {
        fact.request = job->spec.request;
        fact.request->constraint = rng.chance(50) ? "f1" : "";
        fact.request->nearness.edit().contiguous = rng.chance(30);
    }
    return fact;
}

Maybe split_array(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, [](const Job& one) {
        return is_pending(one) && one.spec.array && one.spec.array->tasks.size() > 1;
    });
    if (job == nullptr) return std::nullopt;
    return TaskSplit{job->id, rng.pick(job->spec.array->tasks), state.next_job_id()};
}

Maybe promise(Rng& rng, Time now, const ClusterState& state) {
    const Job* job = random_job(rng, state, can_start);
    if (job == nullptr) return std::nullopt;
    PlanJob fact{.job = job->id};
    if (rng.chance(70)) {
        Resources amount;
        amount.set_cpu(cores(1));
        fact.planned = PlannedStart{.start = now + std::chrono::hours(1),
                                    .end = now + std::chrono::hours(2),
                                    .amounts = NodeAmounts{{random_node_id(rng, state), amount}}};
    }
    if (rng.chance(30)) return JobsPlanned{{{fact.job, fact.planned}}};
    return fact;
}

Maybe verdict(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, is_pending);
    if (job == nullptr) return std::nullopt;
    if (rng.chance(20)) return DependencyFailed{job->id};
    if (rng.chance(30)) return JobsEligible{{job->id}};
    return JobEligible{job->id};
}

Maybe step(Rng& rng, Time now, const ClusterState& state) {
    const Job* job = random_job(rng, state, holds_nodes);
    if (job == nullptr) return std::nullopt;
    const auto running = std::ranges::find(job->steps, StepState::running, &Step::state);
    if (running != job->steps.end() && rng.chance(20)) {
        if (rng.chance(50)) return StepTimedOut{job->id, job->attempt, running->id};
        return StepUpdated{job->id, job->attempt, running->id,
                           std::chrono::minutes(rng.between(1, 90))};
    }
    if (running != job->steps.end() && rng.chance(60)) {
        return StepEnded{.job = job->id,
                         .attempt = job->attempt,
                         .step = running->id,
                         .node = rng.pick(running->nodes),
                         .exit = {.code = static_cast<std::int16_t>(rng.between(0, 1))},
                         .out_of_memory = rng.chance(10)};
    }
    StepRequest request{.name = "step",
                        .tasks = static_cast<std::uint32_t>(rng.between(1, 4)),
                        .exact = rng.chance(70),
                        .overlap = rng.chance(30)};
    if (rng.chance(40)) request.gres = {{"gpu", "", rng.between(1, 3)}};
    request.gres_none = request.gres.empty() && rng.chance(50);
    auto laid_out = lay_out_step(state, now, *job, request);
    if (!std::holds_alternative<Step>(laid_out)) return std::nullopt;
    Step made = std::get<Step>(std::move(laid_out));
    return StepCreated{.job = job->id, .attempt = job->attempt, .step = std::move(made)};
}

Maybe usage(Rng& rng, Time, const ClusterState&) {
    UsageSet fact;
    fact.entries.push_back({.account = rng.chance(50) ? "physics" : "",
                            .user = rng.chance(50) ? "ann" : "cleo",
                            .billing = rng.between(0, 1'000'000)});
    return fact;
}

Maybe forget(Rng& rng, Time, const ClusterState& state) {
    const Job* job = random_job(rng, state, [](const Job& one) { return is_final(one.state); });
    if (job == nullptr) return std::nullopt;
    return JobForgotten{job->id};
}

Maybe node(Rng& rng, Time now, const ClusterState& state) {
    const NodeId id = random_node_id(rng, state);
    switch (rng.between(0, 5)) {
        case 0: return NodeNotResponding{id};
        case 2: {
            const auto devices = static_cast<int>(state.spec().node(id).devices.size());
            const auto some = static_cast<DeviceMask>(rng.between(0, 255)) & low_bits(devices);
            return DevicesDrained{
                .node = id, .devices = some, .drained = rng.chance(60), .reason = "XID 79"};
        }
        case 3:
            return NodeFenced{.node = id,
                              .boot_id = "boot " + std::to_string(rng.between(1, 3)),
                              .failure = rng.chance(50) ? "no answer" : ""};
        case 1:
            return NodeUpdated{.node = id,
                               .drained = rng.chance(50),
                               .down = rng.chance(20),
                               .reason = "fan",
                               .by = "root"};
        default:
            return NodeRegistered{.node = id,
                                  .boot_id = "boot " + std::to_string(rng.between(1, 3)),
                                  .agent_started_at = now};
    }
}

Maybe rare(Rng& rng, Time, const ClusterState& state) {
    if (rng.chance(50)) return ControllerStarted{Epoch(state.epoch().value() + 1)};
    // Jobs that run keep their cores: here only the idle cluster changes its hardware.
    const bool is_idle = state.index().holding().empty();
    ClusterSpec changed = is_idle ? changed_cluster(rng, state.spec()) : state.spec();
    if (rng.chance(50)) {
        changed.licenses = random_licenses(rng);
        if (rng.chance(50)) std::ranges::reverse(changed.licenses);
    }
    if (!can_keep_ids(state.spec(), changed).ok()) return std::nullopt;
    return SpecInstalled{std::move(changed)};
}

// Of the current attempt or the one before; often what is so already.
Maybe suspension(Rng& rng, Time, const ClusterState& state) {
    const Job* const job =
        random_job(rng, state, [](const Job& one) { return one.attempt.value() > 0; });
    if (job == nullptr) return std::nullopt;
    JobSuspended fact{.job = job->id, .attempt = job->attempt, .in_force = rng.chance(60)};
    if (rng.chance(10)) fact.attempt = Attempt(job->attempt.value() - 1);
    return fact;
}

// Of the last suspension or the one before.
Maybe frozen(Rng& rng, Time, const ClusterState& state) {
    const Job* const job =
        random_job(rng, state, [](const Job& one) { return one.suspension.has_value(); });
    if (job == nullptr) return std::nullopt;
    const std::uint32_t change = job->suspension->changes;
    return JobFrozen{job->id, job->attempt, rng.chance(20) ? change - 1 : change};
}

// Of the current attempt or the one before.
Maybe limit_notice(Rng& rng, Time, const ClusterState& state) {
    const Job* const job =
        random_job(rng, state, [](const Job& one) { return one.state == JobState::running; });
    if (job == nullptr) return std::nullopt;
    return JobNoticed{job->id, job->attempt, static_cast<std::uint8_t>(1U << rng.between(0, 3))};
}

Maybe hook_end(Rng& rng, Time, const ClusterState& state) {
    const Job* const job =
        random_job(rng, state, [](const Job& one) { return one.hook != ControllerHook::none; });
    if (job == nullptr) return std::nullopt;
    ControllerHookEnded fact{job->id, job->attempt, job->hook, rng.chance(20) ? "failed" : ""};
    if (rng.chance(10)) fact.attempt = Attempt(job->attempt.value() + 1);
    return fact;
}

Maybe cluster_edit(Rng& rng, Time, const ClusterState& state) {
    ClusterEdited fact;
    if (rng.chance(40)) {
        NodeEdit edit{.name = state.spec().node(random_node_id(rng, state)).name, .change = {}};
        edit.change.weight = static_cast<std::uint32_t>(rng.between(0, 9));
        if (rng.chance(50)) edit.change.features.emplace({"f" + std::to_string(rng.between(1, 3))});
        fact.edits.nodes.push_back(std::move(edit));
        return fact;
    }
    PartitionEdit edit{.name = "made" + std::to_string(rng.between(1, 2)), .change = {}};
    edit.is_new = rng.chance(50);
    edit.removed = !edit.is_new && rng.chance(30);
    if (edit.removed) {  // Not under its jobs.
        const auto id = state.spec().find_partition(edit.name);
        const auto in_it = [&](const Job& job) { return id && job.partition == *id; };
        if (random_job(rng, state, in_it) != nullptr) return std::nullopt;
    } else {
        edit.change.state = rng.chance(50) ? "UP" : "DOWN";
        edit.change.nodes.emplace({state.spec().node(random_node_id(rng, state)).name});
    }
    fact.edits.partitions.push_back(std::move(edit));
    return fact;
}

// One that no file names: made, described anew, or deleted. Never under its jobs.
Maybe dynamic_node(Rng& rng, Time, const ClusterState& state) {
    const std::string name = "dynamic" + std::to_string(rng.between(1, 3));
    const auto known = state.spec().find_node(name);
    if (known && !state.index().on_node(*known).empty()) return std::nullopt;
    NodeDescribed fact{.node = {}, .dimensions = state.spec().dimensions};
    if (known && !state.spec().node(*known).gone && rng.chance(40)) {
        fact.node = state.spec().node(*known);
        fact.node.gone = true;
        return fact;
    }
    JoiningNode joining;
    joining.node.cores_per_socket = static_cast<std::uint32_t>(rng.between(1, 8));
    joining.node.memory = mib(rng.between(1'000, 9'000)).count();
    if (rng.chance(50)) joining.node.features = {"f1"};
    if (rng.chance(50)) joining.node.gres = {{"gpu", "a100", rng.between(0, 4)}};
    auto node = make_node(name, joining, fact.dimensions);
    if (!node.ok()) return std::nullopt;
    fact.node = *std::move(node);
    return fact;
}

// A run for a waiting job; of an array with several tasks, perhaps for one of them.
Maybe preemption(Rng& rng, Time now, const ClusterState& state) {
    const Job* const preemptor = random_job(rng, state, is_pending);
    const Job* const run =
        random_job(rng, state, [](const Job& one) { return one.state == JobState::running; });
    if (preemptor == nullptr || run == nullptr) return std::nullopt;
    JobsPreempted fact{.preemptor = preemptor->id};
    const PreemptMode mode = rng.chance(50)   ? PreemptMode::requeue
                             : rng.chance(50) ? PreemptMode::cancel
                                              : PreemptMode::suspend;
    const auto grace = std::chrono::seconds(rng.between(0, 60));
    fact.victims.push_back({run->id, run->attempt, mode, now + grace});
    if (preemptor->spec.array && preemptor->spec.array->tasks.size() > 1) {
        fact.array = preemptor->id;
        fact.array_task = rng.pick(preemptor->spec.array->tasks);
        fact.preemptor = state.next_job_id();
    }
    return fact;
}

struct Source {
    int weight;
    Maybe (*make)(Rng&, Time, const ClusterState&);
};
constexpr Source kSources[] = {{20, submission},
                               {22, start},
                               {25, attempt_end},
                               {8, job_end},
                               {6, cancel},
                               {5, hold},
                               {4, update},
                               {8, promise},
                               {4, verdict},
                               {3, split_array},
                               {12, step},
                               {8, forget},
                               {6, node},
                               {2, rare},
                               {2, usage},
                               {3, random_reservation},
                               {2, random_reservation_end},
                               {3, random_accounting_edit},
                               {3, random_missed_deadline},
                               {5, suspension},
                               {2, frozen},
                               {2, limit_notice},
                               {8, hook_end},
                               {2, cluster_edit},
                               {2, dynamic_node},
                               {2, preemption}};

void take_some_cores(NodeShare& share, const NodeFree& free, std::uint32_t count) {
    share.cores = BitSet(free.cores.size());
    std::size_t core = free.cores.find_first();
    for (std::uint32_t i = 0; i < count; ++i) {
        BERTH_ASSERT(core != BitSet::kNone);
        share.cores.set(core);
        core = free.cores.find_next(core);
    }
}

}  // namespace

ClusterSpec random_cluster(Rng& rng) {
    ClusterSpec spec = make_cluster(0);
    spec.partitions.push_back({.name = "other"});
    const std::int64_t nodes = rng.between(1, 6);
    for (std::int64_t i = 1; i <= nodes; ++i) {
        add_node(spec, "node" + std::to_string(i), random_node(rng));
    }
    spec.partitions[0].all_nodes = true;
    spec.partitions[1].node_features = {"f1"};
    spec.scheduling.requeue_by_default = rng.chance(70);
    spec.scheduling.enforce_limits = rng.chance(50);
    spec.licenses = random_licenses(rng);
    if (rng.chance(30)) spec.hooks.controller_prolog = {"/prolog"};
    if (rng.chance(30)) spec.hooks.controller_epilog = {"/epilog"};
    spec.scheduling.usage_decay.half_life = std::chrono::hours(rng.between(0, 3));
    if (rng.chance(50)) spec.partitions[0].billing_weights = {{"cpu", 700'000}, {"gres/gpu", 2}};
    spec.scheduling.first_job_id = static_cast<std::uint32_t>(rng.between(1, 3));
    spec.scheduling.max_job_id =
        rng.chance(50) ? static_cast<std::uint32_t>(rng.between(90, 120)) : 0x03ff0000;
    return spec;
}

ClusterSpec changed_cluster(Rng& rng, ClusterSpec spec) {
    const std::string name = "new" + std::to_string(rng.between(1, 20));
    if (rng.chance(50)) {
        if (!spec.find_node(name)) add_node(spec, name, random_node(rng));
    }
    if (rng.chance(30))
        spec.nodes.edit(0).features.push_back("f" + std::to_string(rng.between(1, 9)));
    if (rng.chance(30) && spec.nodes.size() > 1) {
        spec.nodes.resize(spec.nodes.size() - 1);
        for (PartitionSpec& partition : spec.partitions) {
            std::erase_if(partition.nodes.edit(),
                          [&](NodeId one) { return one.index() >= spec.nodes.size(); });
        }
    }
    if (rng.chance(20)) spec.partitions[0].billing_weights = {{"node", 3'000'000}};
    if (rng.chance(20)) spec.qos.push_back({.name = "qos" + std::to_string(rng.between(1, 3))});
    return spec;
}

NodeShare free_share(const ClusterState& state, NodeId node, std::uint32_t cores,
                     std::uint32_t devices) {
    const NodeFree& free = state.nodes().free(node);
    const NodeSpec& spec = state.spec().node(node);
    NodeShare share{.node = node, .cpus = cores * spec.threads_per_core};
    take_some_cores(share, free, cores);
    share.amount.set_cpu(berth::cores(share.cpus));
    for_each_bit(free.devices, [&](int i) {
        if (static_cast<std::uint32_t>(popcount(share.devices)) == devices) return;
        share.devices |= bit(i);
        share.amount[spec.devices[static_cast<std::size_t>(i)].dimension] += 1;
    });
    return share;
}

Fact random_fact(Rng& rng, Time now, const ClusterState& state, Loans loans) {
    if (loans == Loans::some && rng.chance(25)) {
        if (Maybe fact = random_loan(rng, now, state)) return *std::move(fact);
    }
    int all = 0;
    for (const Source& source : kSources) all += source.weight;
    while (true) {  // A node can always do something, so this ends.
        std::int64_t at = rng.between(0, all - 1);
        for (const Source& source : kSources) {
            at -= source.weight;
            if (at >= 0) continue;
            if (Maybe fact = source.make(rng, now, state)) return *std::move(fact);
            break;
        }
    }
}

}  // namespace berth::testing
