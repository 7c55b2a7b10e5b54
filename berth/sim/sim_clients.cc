#include "berth/sim/sim_clients.h"

namespace berth::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Principal user(const std::string& name) {
    const std::uint32_t uid = name == "ada" ? 1000 : name == "bob" ? 1001 : 1002;
    return {uid, uid, name, name, Role::user};
}
Principal admin() { return {0, 0, "root", "root", Role::admin}; }

JobRef ref(JobId id) { return {id, {}}; }

}  // namespace

SimClients::SimClients(Stage& stage, ControllerProcess& controller, Oracle& oracle,
                       const FaultMix& mix, Rng rng)
    : stage_(stage), controller_(controller), oracle_(oracle), mix_(mix), rng_(rng) {}

void SimClients::in(std::optional<Duration> wait, std::function<void()> what) {
    if (wait) stage_.time.in(*wait, std::move(what));
}

// ---- Requests and their repetition.

void SimClients::ask(Principal principal, Command command, OnAnswer then) {
    const std::uint64_t number = next_question_++;
    asked_[number] = {std::move(principal), std::move(command), std::move(then)};
    send(number);
}

void SimClients::send(std::uint64_t number) {
    const auto asked = asked_.find(number);
    if (asked == asked_.end()) return;
    if (asked->second.tries++ > 0) stage_.count(Fault::request_repeated);
    const std::uint64_t ticket = next_ticket_++;
    tickets_[ticket] = number;
    stage_.time.in(Duration(rng_.between(1, 30)), [this, number, ticket] {
        const auto found = asked_.find(number);
        if (found == asked_.end()) return;
        controller_.input(ClientInput{{ticket}, found->second.principal, found->second.command});
    });
    stage_.time.in(Duration(rng_.between(3000, 60'000)), [this, number] { send(number); });
}

void SimClients::answer(const OutgoingAnswer& answer) {
    if (rng_.between(1, 10'000) <= mix_.answer_lost) {
        stage_.count(Fault::answer_lost);
        return;
    }
    const auto ticket = tickets_.find(answer.reply_to.ticket);
    if (ticket == tickets_.end()) return;
    stage_.time.in(Duration(rng_.between(1, 30)),
                   [this, number = ticket->second, said = answer.answer] {
                       const auto asked = asked_.find(number);
                       if (asked == asked_.end()) return;
                       const OnAnswer then = std::move(asked->second.then);
                       asked_.erase(asked);
                       if (then) then(said);
                   });
}

// ---- Users.

void SimClients::use(std::vector<PlannedJob> jobs) {
    jobs_ = std::move(jobs);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        in(jobs_[i].submit_after, [this, i] { submit(i); });
    }
}

void SimClients::submit(std::size_t number) {
    PlannedJob& job = jobs_[number];
    SubmitJob command{job.spec, {encode(job.script), {}}};
    command.spec.request_id = "request-" + std::to_string(number);
    if (job.begin_in) command.spec.begin = stage_.now() + *job.begin_in;
    if (job.dependency) {
        const auto on = ids_.find(job.after_number);
        if (on != ids_.end()) {
            command.spec.dependencies.edit().push_back(
                {.kind = *job.dependency, .job = on->second});
        }
    }
    ask(user(job.user), std::move(command), [this, number](const Answer& answer) {
        if (const auto* accepted = std::get_if<Submitted>(&answer)) {
            submitted(number, accepted->job);
        } else if (const auto* refused = std::get_if<Refused>(&answer)) {
            stage_.trace([&] { return "refused: " + refused->message; });
            ++refused_;
        }
    });
}

void SimClients::submitted(std::size_t number, JobId id) {
    ids_[number] = id;
    const PlannedJob& job = jobs_[number];
    const Principal owner = user(job.user);
    oracle_.told_submitted(id, "request-" + std::to_string(number));
    in(job.cancel_in, [this, id, owner] {
        CancelJob cancel;
        cancel.job = ref(id);
        ask(owner, cancel, [this, id](const Answer& answer) {
            if (std::holds_alternative<Done>(answer)) oracle_.told_cancelled(id);
        });
    });
    in(job.hold_in, [this, id, owner] { ask(owner, HoldJob{ref(id), Hold::user}, {}); });
    in(job.release_in, [this, id, owner] { ask(owner, HoldJob{ref(id), Hold::none}, {}); });
    in(job.requeue_in, [this, id, owner] { ask(owner, RequeueJob{ref(id), false}, {}); });
    in(job.suspend_in, [this, id] { ask(admin(), SuspendJob{ref(id)}, {}); });
    in(job.resume_in, [this, id] { ask(admin(), SuspendJob{ref(id), true}, {}); });
}

void SimClients::script_started(const LaunchAttempt& launch, const ScriptPlan& plan) {
    for (const StepPlan& step : plan.steps) {
        in(step.after, [this, job = launch.job, owner = *launch.owner.user, step] {
            create_step(job, owner, step, 0);
        });
    }
}

void SimClients::create_step(JobId job, const std::string& owner, StepPlan plan, int tries) {
    CreateStep command;
    command.job = ref(job);
    command.request.name = "step";
    command.request.nodes = plan.nodes;
    command.request.tasks = plan.nodes;
    command.launch.arguments = {std::to_string(plan.runs_for.count()),
                                std::to_string(plan.exit_code)};
    ask(user(owner), std::move(command), [this, job, owner, plan, tries](const Answer& answer) {
        const auto* refused = std::get_if<Refused>(&answer);
        if (refused == nullptr) {
            ++steps_;
        } else if (refused->why == Refusal::step_resources_busy && tries < 5) {
            in(seconds(5),
               [this, job, owner, plan, tries] { create_step(job, owner, plan, tries + 1); });
        }
    });
}

// ---- The operator.

void SimClients::reserve(std::vector<SimReservation> reservations) {
    for (SimReservation& one : reservations) {
        const Duration after = one.make_after;
        in(after, [this, one = std::move(one)] { make(one); });
    }
}

void SimClients::change_quotas(std::vector<QuotaChange> changes) {
    for (QuotaChange& one : changes) {
        const Duration after = one.after;
        in(after, [this, one = std::move(one)] { ask(admin(), EditAccounting{one.edits}, {}); });
    }
}

void SimClients::make(const SimReservation& reservation) {
    EditReservation command{reservation.name, true, reservation.change};
    command.change.start = stage_.now() + reservation.starts_in;
    command.change.duration = reservation.length;
    ask(admin(), std::move(command), [this, reservation](const Answer& answer) {
        const auto* refused = std::get_if<Refused>(&answer);
        if (refused != nullptr) {  // The first answer may have been lost.
            stage_.trace([&] { return "refused: " + refused->message; });
            const bool is_there = controller_.is_up() && controller_.state().reservations().find(
                                                             reservation.name) != nullptr;
            if (!is_there) return;
        }
        for (const PlannedJob& job : reservation.jobs) {
            jobs_.push_back(job);
            submit(jobs_.size() - 1);
        }
        in(reservation.delete_in,
           [this, name = reservation.name] { ask(admin(), DeleteReservation{name}, {}); });
    });
}

void SimClients::node_trouble(std::size_t nodes) {
    const auto number = rng_.between(1, static_cast<std::int64_t>(nodes));
    const std::string node = "gpu" + std::to_string(number);
    ask(admin(), UpdateNode{node, NodeAction::drain, "fan"}, {});
    in(Duration(rng_.between(60'000, 1'800'000)),
       [this, node] { ask(admin(), UpdateNode{node, NodeAction::resume, ""}, {}); });
}

void SimClients::gpu_trouble(NodeId node, std::uint32_t gpu) {
    const std::string name = "gpu" + std::to_string(node.value() + 1);
    in(Duration(rng_.between(60'000, 1'800'000)),
       [this, name, gpu] { ask(admin(), UpdateNode{name, NodeAction::resume, "", {gpu}}, {}); });
}

void SimClients::clear_up() {
    if (!controller_.is_up() || !is_idle()) return;
    const ClusterState& state = controller_.state();
    for (const auto& [id, job] : state.jobs()) {
        if (job.is_suspended()) ask(admin(), SuspendJob{ref(id), true}, {});
        if (job.state != JobState::pending) continue;
        if (job.dependency_failed) {
            CancelJob cancel;
            cancel.job = ref(id);
            ask(admin(), cancel, {});
        } else if (job.hold != Hold::none) {
            ask(admin(), HoldJob{ref(id), Hold::none}, {});
        }
    }
    for (const NodeSpec& node : state.spec().nodes) {
        const NodeCondition& condition =
            state.nodes().condition(*state.spec().find_node(node.name));
        std::vector<std::uint32_t> gpus;
        gpus.reserve(condition.drained_devices.size());
        for (const DrainedDevice& one : condition.drained_devices) {
            gpus.push_back(node.devices[one.device].index);
        }
        if (!gpus.empty()) {
            ask(admin(), UpdateNode{node.name, NodeAction::resume, "", std::move(gpus)}, {});
        }
        if (!condition.drained) continue;
        ask(admin(), UpdateNode{node.name, NodeAction::resume, ""}, {});
    }
}

}  // namespace berth::sim
