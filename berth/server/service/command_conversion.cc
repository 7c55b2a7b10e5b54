#include "berth/server/service/command_conversion.h"

#include <algorithm>
#include <cstdio>

#include "berth/api/job_name.h"
#include "berth/api/json.h"
#include "berth/api/problem.h"
#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/control/requests/size_limits.h"
#include "berth/model/dependency_text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/mail.h"
#include "berth/model/request_values.h"
#include "berth/server/views/job_rows.h"

namespace berth {
namespace {

using api::Problem;
using api::RouteId;
using CommandOutcome = std::variant<Command, Problem>;

Problem bad(std::string message) {
    return api::problem_of(Refusal::invalid_request, std::move(message));
}

Result<JobRef> ref_of(const CommandRequest& request) {
    BERTH_TRY(api::JobName name, api::parse_job_name(request.capture));
    return JobRef{name.job, std::move(name.array_tasks), name.het_offset};
}

// An empty body is the message with its defaults.
template <class Message>
Result<Message> body_of(const CommandRequest& request) {
    if (request.body.empty()) return Message{};
    return api::from_json<Message>(request.body);
}

// Makes the command out of the reference and the body; both may be wrong.
template <class Message, class Make>
CommandOutcome of_job(const CommandRequest& request, Make make) {
    Result<JobRef> ref = ref_of(request);
    if (!ref.ok()) {
        Problem problem = bad(ref.error().message);
        problem.slurm = slurm_text(Refusal::unknown_job);
        return problem;
    }
    Result<Message> body = body_of<Message>(request);
    if (!body.ok()) return bad(body.error().message);
    return make(*std::move(ref), *std::move(body));
}

template <class Make>
CommandOutcome of_submission(const CommandRequest& request, Make make) {
    Result<api::SubmitRequest> body = api::from_json<api::SubmitRequest>(request.body);
    if (!body.ok()) return bad(body.error().message);
    // Before the site's plugins, which see one after the other while everybody waits.
    if (auto no = too_many_components(1 + body->components.size())) return bad(*std::move(no));
    return make(
        SubmitJob{std::move(body->spec), std::move(body->payload), std::move(body->components)});
}

CommandOutcome submit(const CommandRequest& request) {
    return of_submission(request, [](SubmitJob job) { return job; });
}

CommandOutcome test(const CommandRequest& request) {
    return of_submission(request, [](SubmitJob job) { return TestJob{std::move(job)}; });
}

CommandOutcome cancel(JobRef ref, const api::CancelRequest& body) {
    CancelJob command{.job = std::move(ref),
                      .step = body.step,
                      .signal = body.signal,
                      .batch_only = body.batch_only,
                      .whole_job = body.whole_job};
    command.only_pending = iequals(body.state, "PENDING");
    command.only_running = iequals(body.state, "RUNNING");
    if (!body.state.empty() && !command.only_pending && !command.only_running)
        return bad("state must be PENDING or RUNNING, not " + body.state);
    return command;
}

// An operator's hold on another's job is one that its owner cannot take away; on his own it is a
// user's, as with Slurm.
CommandOutcome hold(const Snapshot& snapshot, const Principal& principal, JobRef ref,
                    const api::HoldRequest& body) {
    const Job* const job = snapshot.find_job(ref.job);
    const bool own = job != nullptr && job->owner->uid == principal.uid;
    const bool as_admin = !body.user && !own && principal.role >= Role::op;
    return HoldJob{std::move(ref), as_admin ? Hold::admin : Hold::user};
}

Status convert_amounts(const api::JobPatch& body, JobChange& change) {
    for (const auto& amount : {body.memory_per_node, body.memory_per_cpu, body.tmp_disk}) {
        if (amount.value_or(0) < 0)
            return invalid_argument("memory and tmp_disk should be 0 or more");
    }
    if (body.memory_per_node) change.memory_per_node = Bytes(*body.memory_per_node);
    if (body.memory_per_cpu) change.memory_per_cpu = Bytes(*body.memory_per_cpu);
    if (body.tmp_disk) change.tmp_disk = Bytes(*body.tmp_disk);
    return Done{};
}

// What clients write as text, or by another name.
Status convert(const api::JobPatch& body, JobChange& change) {
    change.constraint = body.features;
    if (body.time_limit) {
        const auto limit = parse_time_limit(*body.time_limit);
        if (!limit.ok()) return invalid_argument("time_limit: " + limit.error().message);
        change.time_limit = limit->value_or(Duration::max());
    }
    if (body.dependency) {
        auto dependencies = parse_dependencies(*body.dependency);
        if (!dependencies.ok())
            return invalid_argument("dependency: " + dependencies.error().message);
        change.dependencies = std::move(dependencies->all);
        change.any_dependency = dependencies->any;
    }
    if (body.licenses) {
        change.licenses =
            body.licenses->empty() ? LicenseRequest() : parse_licenses(*body.licenses);
        if (!change.licenses) return invalid_argument("licenses: write NAME:COUNT, …");
    }
    if (body.time_min) {
        const auto least = parse_time_limit(*body.time_min);
        if (!least.ok() || !*least)
            return invalid_argument("time_min: should be a time, like 30:00");
        change.time_min = **least;
    }
    if (body.mail_type) {
        const auto types = parse_mail_types(*body.mail_type);
        if (!types) return invalid_argument("mail_type: there is no " + *body.mail_type);
        change.mail_types = types->bits;
    }
    if (body.gres) {
        change.gres_per_node =
            body.gres->empty() ? std::vector<GresRequest>() : parse_gres_list(*body.gres);
        if (!change.gres_per_node) return invalid_argument("gres: write NAME[:TYPE]:COUNT, …");
    }
    return convert_amounts(body, change);
}

CommandOutcome update(JobRef ref, const api::JobPatch& body) {
    UpdateJob command{.job = std::move(ref)};
    copy_same_fields(body, command.change);
    if (const Status done = convert(body, command.change); !done.ok())
        return bad(done.error().message);
    return command;
}

CommandOutcome create_step(JobRef ref, api::StepCall&& body) {
    CreateStep command{.job = std::move(ref), .request = std::move(body.request)};
    command.launch.arguments = std::move(body.arguments);
    command.launch.environment = std::move(body.environment);
    command.launch.work_dir = std::move(body.work_dir);
    command.launch.std_out = std::move(body.std_out);
    command.launch.std_err = std::move(body.std_err);
    command.launch.std_in = std::move(body.std_in);
    command.launch.append_output = body.append_output;
    command.launch.label = body.label;
    command.launch.io_address = std::move(body.io_address);
    command.launch.io_token = std::move(body.io_token);
    command.launch.terminal = body.terminal;
    command.launch.mpi = std::move(body.mpi);
    command.launch.errors_with_output = body.errors_with_output;
    command.launch.inherited = std::move(body.inherited);
    command.launch.preserve_env = body.preserve_env;
    command.launch.task_prolog = std::move(body.task_prolog);
    command.launch.task_epilog = std::move(body.task_epilog);
    command.launch.cpu_bind_verbose = body.cpu_bind_verbose;
    command.launch.cpu_frequency = std::move(body.cpu_frequency);
    command.launch.gpu_frequency = std::move(body.gpu_frequency);
    command.launch.mem_bind = std::move(body.mem_bind);
    command.truncate_output = body.truncate_output;
    return command;
}

CommandOutcome checkpoint(JobRef ref, const api::Accepted&) {
    return CheckpointJob{std::move(ref)};
}

CommandOutcome keep_alive(JobRef ref, const api::Accepted&) { return KeepAlive{std::move(ref)}; }

CommandOutcome explain(JobRef ref, const api::Accepted&) { return ExplainJob{std::move(ref)}; }

CommandOutcome update_step(JobRef ref, const api::StepPatch& body) {
    if (!body.time_limit) return bad("time_limit: should be given, like 30:00");
    const auto limit = parse_time_limit(*body.time_limit);
    if (!limit.ok()) return bad("time_limit: " + limit.error().message);
    return UpdateStep{std::move(ref), body.step, *limit};
}

CommandOutcome attach_step(JobRef ref, const api::AttachCall& body) {
    return AttachStep{std::move(ref), body.step};
}

CommandOutcome update_node(const CommandRequest& request) {
    Result<api::NodePatch> body = body_of<api::NodePatch>(request);
    if (!body.ok()) return bad(body.error().message);
    UpdateNode command{.node = std::string(request.capture),
                       .reason = std::move(body->reason),
                       .gpus = std::move(body->gpus)};
    command.change = std::move(body->change);
    if (!body->state) return command;
    const std::string& state = *body->state;
    if (iequals(state, "DRAIN")) {
        command.action = NodeAction::drain;
    } else if (iequals(state, "RESUME")) {
        command.action = NodeAction::resume;
    } else if (iequals(state, "DOWN")) {
        command.action = NodeAction::down;
    } else if (iequals(state, "IDLE")) {
        command.action = NodeAction::idle;
    } else if (iequals(state, "REBOOT")) {
        command.action = NodeAction::reboot;
    } else if (iequals(state, "CANCEL_REBOOT")) {
        command.action = NodeAction::cancel_reboot;
    } else {
        return bad("state must be DRAIN, RESUME, DOWN, IDLE, REBOOT or CANCEL_REBOOT, not " +
                   state);
    }
    command.asap = body->asap;
    command.next_down = iequals(body->next_state, "DOWN");
    if (!command.next_down && !body->next_state.empty() && !iequals(body->next_state, "RESUME")) {
        return bad("next_state must be RESUME or DOWN, not " + body->next_state);
    }
    return command;
}

CommandOutcome top_jobs(const CommandRequest& request) {
    Result<api::TopRequest> body = body_of<api::TopRequest>(request);
    if (!body.ok()) return bad(body.error().message);
    TopJobs command;
    for (const std::string& text : body->jobs) {
        Result<api::JobName> name = api::parse_job_name(text);
        if (!name.ok()) return bad(name.error().message);
        command.jobs.push_back({name->job, std::move(name->array_tasks)});
    }
    return command;
}

CommandOutcome create_partition(const CommandRequest& request) {
    Result<api::PartitionCall> body = body_of<api::PartitionCall>(request);
    if (!body.ok()) return bad(body.error().message);
    return EditPartition{std::move(body->name), true, std::move(body->change)};
}

CommandOutcome update_partition(const CommandRequest& request) {
    Result<PartitionChange> body = body_of<PartitionChange>(request);
    if (!body.ok()) return bad(body.error().message);
    return EditPartition{std::string(request.capture), false, *std::move(body)};
}

CommandOutcome complete(JobRef ref, const api::CompleteRequest& body) {
    return CompleteJob{std::move(ref), body.exit};
}

CommandOutcome create_nodes(const CommandRequest& request) {
    Result<api::NodeCall> body = body_of<api::NodeCall>(request);
    if (!body.ok()) return bad(body.error().message);
    return CreateNodes{std::move(body->names), std::move(body->node)};
}

CommandOutcome set_usage(const CommandRequest& request) {
    Result<api::UsagePatch> body = body_of<api::UsagePatch>(request);
    if (!body.ok()) return bad(body.error().message);
    return SetUsage{std::move(body->entries)};
}

CommandOutcome create_reservation(const CommandRequest& request) {
    Result<api::ReservationCall> body = body_of<api::ReservationCall>(request);
    if (!body.ok()) return bad(body.error().message);
    return EditReservation{std::move(body->name), true, std::move(body->change)};
}

CommandOutcome update_reservation(const CommandRequest& request) {
    Result<ReservationChange> body = body_of<ReservationChange>(request);
    if (!body.ok()) return bad(body.error().message);
    return EditReservation{std::string(request.capture), false, *std::move(body)};
}

CommandOutcome edit_accounting(const CommandRequest& request) {
    Result<AccountingEdits> body = body_of<AccountingEdits>(request);
    if (!body.ok()) return bad(body.error().message);
    return EditAccounting{*std::move(body)};
}

// Of each node its tasks, and of each task its node.
api::StepReply step_reply(const ClusterSpec& spec, const StepPlaced& placed) {
    api::StepReply reply{.step = step_row(spec, placed.job, placed.step)};
    reply.step.nodes = placed.node_names;
    reply.append_output = placed.append_output;
    reply.kill_wait = spec.scheduling.kill_wait;
    reply.kill_on_bad_exit = spec.launch.kill_on_bad_exit;
    reply.wait_for_tasks = spec.launch.wait_for_tasks;
    std::uint32_t tasks = 0;
    for (const StepShare& share : placed.step.shares) {
        reply.tasks_per_node.push_back(static_cast<std::uint32_t>(share.tasks.size()));
        for (const TaskPlace& task : share.tasks) tasks = std::max(tasks, task.rank + 1);
    }
    reply.task_nodes.resize(tasks);
    for (const StepShare& share : placed.step.shares) {
        for (const TaskPlace& task : share.tasks)
            reply.task_nodes[task.rank] = spec.node(share.node).name;
    }
    return reply;
}

api::TestReply test_reply(const ClusterSpec& spec, const StartEstimate& estimate) {
    api::TestReply reply{.start = *estimate.start, .planned = estimate.planned};
    for (const StartEstimate::Component& one : estimate.components) {
        api::TestedComponent& row = reply.components.emplace_back();
        row.job = one.job;
        row.partition = spec.partition(one.partition).name;
        for (const NodeId node : one.nodes) row.nodes.push_back(spec.node(node).name);
        row.cpus = one.cpus;
    }
    for (const PendingReason reason : estimate.waits_for) {
        reply.waits_for.emplace_back(slurm_name(reason));
    }
    return reply;
}

}  // namespace

bool is_command(RouteId route) {
    switch (route) {
        case RouteId::state_hash:
        case RouteId::submit_job:
        case RouteId::test_job:
        case RouteId::update_job:
        case RouteId::cancel_job:
        case RouteId::hold_job:
        case RouteId::release_job:
        case RouteId::requeue_job:
        case RouteId::create_step:
        case RouteId::update_step:
        case RouteId::attach_step:
        case RouteId::complete_job:
        case RouteId::explain_job:
        case RouteId::set_usage:
        case RouteId::reconfigure:
        case RouteId::edit_accounting:
        case RouteId::create_reservation:
        case RouteId::update_reservation:
        case RouteId::delete_reservation:
        case RouteId::suspend_job:
        case RouteId::resume_job:
        case RouteId::notify_job:
        case RouteId::checkpoint_job:
        case RouteId::keep_alive:
        case RouteId::top_jobs:
        case RouteId::create_partition:
        case RouteId::update_partition:
        case RouteId::delete_partition:
        case RouteId::create_nodes:
        case RouteId::delete_node:
        case RouteId::update_node: return true;
        default: return false;
    }
}

CommandOutcome command_of(const Snapshot& snapshot, const CommandRequest& request) {
    switch (request.route.id) {
        case RouteId::state_hash: return HashState{};
        case RouteId::submit_job: return submit(request);
        case RouteId::test_job: return test(request);
        case RouteId::update_node: return update_node(request);
        case RouteId::set_usage: return set_usage(request);
        case RouteId::reconfigure: return Reconfigure{};
        case RouteId::edit_accounting: return edit_accounting(request);
        case RouteId::create_reservation: return create_reservation(request);
        case RouteId::update_reservation: return update_reservation(request);
        case RouteId::delete_reservation: return DeleteReservation{std::string(request.capture)};
        case RouteId::top_jobs: return top_jobs(request);
        case RouteId::create_partition: return create_partition(request);
        case RouteId::update_partition: return update_partition(request);
        case RouteId::delete_partition: return DeletePartition{std::string(request.capture)};
        case RouteId::create_nodes: return create_nodes(request);
        case RouteId::delete_node: return DeleteNode{std::string(request.capture)};
        case RouteId::cancel_job: return of_job<api::CancelRequest>(request, cancel);
        case RouteId::update_job: return of_job<api::JobPatch>(request, update);
        case RouteId::create_step: return of_job<api::StepCall>(request, create_step);
        case RouteId::update_step: return of_job<api::StepPatch>(request, update_step);
        case RouteId::attach_step: return of_job<api::AttachCall>(request, attach_step);
        case RouteId::complete_job: return of_job<api::CompleteRequest>(request, complete);
        case RouteId::hold_job:
            return of_job<api::HoldRequest>(
                request, [&](JobRef ref, const api::HoldRequest& body) -> CommandOutcome {
                    return hold(snapshot, request.principal, std::move(ref), body);
                });
        case RouteId::release_job:
            return of_job<api::Accepted>(request,
                                         [](JobRef ref, const api::Accepted&) -> CommandOutcome {
                                             return HoldJob{std::move(ref), Hold::none};
                                         });
        case RouteId::requeue_job:
            return of_job<api::RequeueRequest>(
                request, [](JobRef ref, const api::RequeueRequest& body) -> CommandOutcome {
                    return RequeueJob{std::move(ref), body.hold, body.special_exit,
                                      body.incomplete};
                });
        case RouteId::suspend_job:
        case RouteId::resume_job:
            return of_job<api::Accepted>(
                request, [&](JobRef ref, const api::Accepted&) -> CommandOutcome {
                    return SuspendJob{std::move(ref), request.route.id == RouteId::resume_job};
                });
        case RouteId::notify_job:
            return of_job<api::NotifyRequest>(
                request, [](JobRef ref, api::NotifyRequest&& body) -> CommandOutcome {
                    return NotifyJob{std::move(ref), std::move(body.message)};
                });
        case RouteId::checkpoint_job: return of_job<api::Accepted>(request, checkpoint);
        case RouteId::keep_alive: return of_job<api::Accepted>(request, keep_alive);
        case RouteId::explain_job: return of_job<api::Accepted>(request, explain);
        default: break;
    }
    BERTH_ASSERT(is_command(request.route.id));
    return bad("not a command");
}

std::variant<std::string, Problem> reply_of(const ClusterSpec& spec, RouteId route,
                                            const Answer& answer,
                                            const std::vector<std::string>& messages) {
    struct Reply {
        const ClusterSpec& spec;
        const bool is_change;
        const std::vector<std::string>& messages;
        using Made = std::variant<std::string, Problem>;
        Made operator()(const Done&) const {
            return is_change ? api::to_json(api::ChangeReply{messages})
                             : api::to_json(api::Accepted{});
        }
        Made operator()(const Submitted& submitted) const {
            return api::to_json(api::SubmitReply{submitted.job, submitted.warnings, messages});
        }
        Made operator()(const StepPlaced& placed) const {
            return api::to_json(step_reply(spec, placed));
        }
        Made operator()(const StepAttached& attached) const {
            return api::to_json(api::AttachReply{.step = step_reply(spec, attached.placed),
                                                 .io_address = attached.io_address,
                                                 .io_token = attached.io_token});
        }
        Made operator()(const Explanation& explanation) const { return api::to_json(explanation); }
        Made operator()(const StateHashed& hashed) const {
            char hex[17] = {};
            std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hashed.hash));
            return api::to_json(api::StateHashReply{hex, hashed.sequence});
        }
        Made operator()(const ReservationMade& made) const {
            return api::to_json(api::ReservationReply{made.name});
        }
        Made operator()(const KeptAlive& kept) const {
            return api::to_json(api::AliveReply{kept.again_in});
        }
        Made operator()(const StartEstimate& estimate) const {
            api::TestReply reply = test_reply(spec, estimate);
            reply.messages = messages;
            return api::to_json(reply);
        }
        Made operator()(const Refused& refused) const {
            std::vector<std::string> lines = messages;
            lines.insert(lines.end(), refused.details.begin(), refused.details.end());
            return api::problem_of(refused.why, refused.message, std::move(lines));
        }
    };
    const bool is_change = api::route(route).reply == "ChangeReply";
    return std::visit(Reply{spec, is_change, messages}, answer);
}

}  // namespace berth
