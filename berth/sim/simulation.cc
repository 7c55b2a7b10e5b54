#include "berth/sim/simulation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "berth/control/core/loop.h"
#include "berth/sim/light_nodes.h"
#include "berth/sim/recorder.h"
#include "berth/sim/slices.h"
#include "berth/sim/wear.h"

namespace berth::sim {
namespace {

// A controller that takes this many turns without time passing will never stop.
constexpr int kTurnsAtOnce = 1'000'000;
// How long to wait for pending jobs when nothing is left that could help them.
constexpr Duration kIdlePatience = std::chrono::hours(24 * 32);
constexpr std::uint64_t kProgressEvery = 4096;
// For the operator's commands; submissions use the jobs' numbers.
constexpr std::uint64_t kOperatorsTicket = UINT64_MAX;

// No node times out here, and MaxJobCount does not cut a trace short.
ClusterSpec for_simulation(ClusterSpec cluster, std::size_t jobs) {
    cluster.scheduling.agent_timeout = std::chrono::hours(24 * 365 * 1000);
    cluster.scheduling.max_job_count =
        std::max(cluster.scheduling.max_job_count, static_cast<std::uint32_t>(jobs + 1));
    return cluster;
}

// The loop's ports. The disk takes no time, and the clock is the simulation's.
class Ports : public Inbox, public WallClock, public Journal, public Agents, public Clients {
public:
    Ports(LightNodes& nodes, Recorder& recorder, SimulationResult& result,
          const SimulationOptions& options)
        : nodes_(nodes), recorder_(recorder), result_(result), options_(options) {}

    std::vector<Input> inbox;
    Time at = kSimulationBegin;

    std::vector<Input> wait_until(std::optional<Time>) override { return std::exchange(inbox, {}); }
    Time now() override { return at; }
    Status append(const Record& record, const ClusterState&) override {
        result_.facts += record.facts.size();
        if (options_.recorded) options_.recorded(record);
        return Done{};
    }
    Status rest(const ClusterState&) override { return Done{}; }
    bool has_room() override { return true; }
    void send(OutgoingOrder order) override { nodes_.take(at, order); }
    void close(Link) override { BERTH_ASSERT(false); }  // Each node has exactly one agent.
    void answer(OutgoingAnswer answer) override {
        const std::size_t number = answer.reply_to.ticket;
        if (number == kOperatorsTicket) {
            BERTH_ASSERT(!std::holds_alternative<Refused>(answer.answer));
            return;
        }
        const auto* const no = std::get_if<Refused>(&answer.answer);
        if (no != nullptr) recorder_.refused(number, at, no->message);
    }

private:
    LightNodes& nodes_;
    Recorder& recorder_;
    SimulationResult& result_;
    const SimulationOptions& options_;
};

// Lets virtual time pass while the controller decides, before anything of that leaves.
class DecidingTime : public Observer {
public:
    DecidingTime(CostMeter* cost, Time& at) : cost_(cost), at_(at) {}

    void begin() { counts_ = cost_ != nullptr; }

    void part_begins(TurnPart part) override {
        if (!counts_) return;
        if (part == TurnPart::deciding) cost_->begin();
        if (part != TurnPart::publishing) return;
        owed_ += cost_->end();
        const auto whole = std::chrono::duration_cast<Duration>(owed_);
        owed_ -= whole;  // Turns may take less than the unit of time.
        at_ += whole;
    }
    void cycle_begins() override {}
    void cycle_ended(const CycleWork&) override {}
    void recorded(const Record&, const ClusterState&) override {}

private:
    CostMeter* cost_;
    Time& at_;
    bool counts_ = false;
    std::chrono::nanoseconds owed_{};
};

Engine engine_for(const SimulationOptions& options) {
    Engine engine;
    engine.limit_moves(options.moves_max);
    return engine;
}

class Simulation {
public:
    Simulation(const workload::Workload& workload, const SimulationOptions& options)
        : workload_(workload),
          options_(options),
          cluster_(for_simulation(options.cluster, workload.jobs.size())),
          submission_(cluster_, options.submission),
          result_(kSimulationBegin),
          recorder_(workload, result_, Fragments(workload, submission_, cluster_),
                    options.keep_runs),
          work_(workload.jobs.size()),
          nodes_(
              cluster_, options.agent_latency,
              [this](const LaunchAttempt& launch) { return script_of(launch); },
              [this](JobId job, Attempt attempt, Time now) { cut_short(job, attempt, now); }),
          wear_(options.wear, cluster_, kSimulationBegin),
          ports_(nodes_, recorder_, result_, options),
          deciding_(options.cost, ports_.at),
          loop_(Controller(engine_for(options), cluster_, Epoch(1), 1),
                World{ports_, ports_, ports_, ports_, ports_, recorder_, nullptr, &deciding_}) {}

    SimulationResult run();

private:
    LightNodes::Script script_of(const LaunchAttempt& launch);
    void cut_short(JobId id, Attempt attempt, Time now);
    void wear_out();
    void take_turns();
    Input as_operator(Command command) const;
    Input ask(NodeId node, NodeAction action) const;
    std::optional<Time> next_arrival() const;
    std::optional<Time> next() const;
    void gather();
    Input submit(std::size_t number);
    void turn();
    void report_progress();

    const workload::Workload& workload_;
    const SimulationOptions& options_;
    ClusterSpec cluster_;
    Submission submission_;
    SimulationResult result_;
    Recorder recorder_;
    // A job's last run, and the progress kept from earlier ones.
    struct Work {
        Attempt attempt{0};
        Time begun{};  // After the restart cost.
        Duration kept{};
        std::uint32_t in_vain = 0;  // Consecutive runs without progress.
        bool is_cut = false;
    };
    std::vector<Work> work_;  // By the job's number.
    LightNodes nodes_;
    WearAndTear wear_;
    Ports ports_;
    DecidingTime deciding_;
    Loop loop_;
    std::map<std::string, std::uint32_t, std::less<>> uids_;
    std::size_t arrived_ = 0;
    bool losing_ = false;  // True while a node is being lost.
    std::optional<Time> slice_at_;
};

LightNodes::Script Simulation::script_of(const LaunchAttempt& launch) {
    const std::size_t number = recorder_.number_of(launch.job);
    const workload::TraceJob& job = workload_.jobs[number];
    const bool is_first = launch.attempt == Attempt(1);
    const Duration cost = is_first                   ? Duration(0)
                          : options_.restart_cost_of ? options_.restart_cost_of(job)
                                                     : options_.wear.restart_cost;
    result_.jobs[number].launched = ports_.at - kSimulationBegin;
    Work& work = work_[number];
    work = {launch.attempt, ports_.at + cost, work.kept, work.in_vain, false};
    const std::int16_t exit = job.outcome == workload::Outcome::failed ? 1 : 0;
    return {cost + job.run_time - work.kept, exit};
}

// The progress up to the last checkpoint is kept. Each node of the job may report the loss.
void Simulation::cut_short(JobId id, Attempt attempt, Time now) {
    const std::size_t number = recorder_.number_of(id);
    Work& work = work_[number];
    if (work.attempt != attempt || work.is_cut) return;
    work.is_cut = true;
    if (losing_) recorder_.lost_run(id);
    const Duration step = options_.wear.checkpoint;
    const bool counts = step > Duration(0) && now >= work.begun + step;
    if (counts) work.kept += (now - work.begun) / step * step;
    work.in_vain = counts ? 0 : work.in_vain + 1;
    if (work.in_vain >= kRunsInVain) result_.hopeless = number;
}

Input Simulation::as_operator(Command command) const {
    const Principal op{.uid = 0, .gid = 0, .user = "root", .group = "root", .role = Role::admin};
    return ClientInput{{kOperatorsTicket}, op, std::move(command)};
}

// Requeues jobs that have had their slice and much more GPU time than others. The operator acts
// after all other inputs of this moment, so a job that ends now is not requeued.
void Simulation::take_turns() {
    if (!slice_at_ || *slice_at_ > ports_.at || !ports_.inbox.empty()) return;
    slice_at_ = ports_.at + options_.time_slice;
    for (const JobId id : overstayed(loop_.controller().state(), ports_.at, options_.time_slice)) {
        ports_.inbox.push_back(as_operator(RequeueJob{JobRef{id, {}}, false}));
    }
}

Input Simulation::ask(NodeId node, NodeAction action) const {
    UpdateNode command{cluster_.node(node).name, action, {}};
    if (action == NodeAction::down) command.reason = "lost";
    return as_operator(std::move(command));
}

// Handles nodes that fail, are found to be down, and are repaired.
void Simulation::wear_out() {
    while (wear_.next() && *wear_.next() <= ports_.at) {
        const WearAndTear::Event event = wear_.take(ports_.at);
        switch (event.what) {
            case WearAndTear::What::lost:
                ++result_.nodes_lost;
                losing_ = true;
                ports_.inbox.push_back(nodes_.lose(event.node, ports_.at));
                losing_ = false;
                break;
            case WearAndTear::What::known_down:
                ports_.inbox.push_back(ask(event.node, NodeAction::down));
                break;
            case WearAndTear::What::back:
                ports_.inbox.push_back(nodes_.bring_back(event.node, ports_.at));
                ports_.inbox.push_back(ask(event.node, NodeAction::resume));
                break;
        }
    }
}

std::optional<Time> Simulation::next_arrival() const {
    if (arrived_ == workload_.jobs.size()) return std::nullopt;
    return kSimulationBegin + workload_.jobs[arrived_].submit;
}

std::optional<Time> Simulation::next() const {
    std::optional<Time> next = loop_.wake_at();
    for (const std::optional<Time> one : {next_arrival(), nodes_.next(), wear_.next(), slice_at_}) {
        if (one && (!next || *one < *next)) next = one;
    }
    return next;
}

Input Simulation::submit(std::size_t number) {
    const workload::TraceJob& job = workload_.jobs[number];
    const std::string& user = job.user.empty() ? job.account : job.user;
    constexpr std::uint32_t kFirstUid = 10'000;
    const auto next_uid = kFirstUid + static_cast<std::uint32_t>(uids_.size());
    const std::uint32_t uid = uids_.try_emplace(user, next_uid).first->second;
    Principal principal{
        .uid = uid, .gid = kFirstUid, .user = user, .group = "users", .role = Role::user};
    if (user.empty()) principal.user = "user";
    SubmitJob command{submission_.spec_of(job), {"#!/bin/sh\n", {}}};
    if (job.delay > Duration(0)) command.spec.begin = ports_.at + job.delay;
    command.spec.command.edit().submit_line = Recorder::submit_line(number);
    return ClientInput{{number}, std::move(principal), std::move(command)};
}

// Collects all inputs of this moment.
void Simulation::gather() {
    while (next_arrival() && *next_arrival() <= ports_.at) {
        ports_.inbox.push_back(submit(arrived_++));
        ++result_.events;
    }
    const std::size_t before = ports_.inbox.size();
    wear_out();
    nodes_.collect(ports_.at, ports_.inbox);
    take_turns();
    result_.events += ports_.inbox.size() - before;
}

void Simulation::turn() {
    BERTH_ASSERT(loop_.run_once().ok());
    ++result_.turns;
}

void Simulation::report_progress() {
    if (!options_.progress) return;
    options_.progress({workload_.jobs.size(), recorder_.ended(), result_.events, ports_.at});
}

SimulationResult Simulation::run() {
    for (const NodeSpec& node : cluster_.nodes) {
        result_.nodes += node.gone ? 0 : 1;
        for (const Device& device : node.devices) {
            if (cluster_.dimensions.at(device.dimension).name == "gpu") ++result_.gpus;
        }
    }
    if (options_.time_slice > Duration(0)) slice_at_ = ports_.at + options_.time_slice;
    ports_.inbox = nodes_.registrations(ports_.at);
    turn();
    deciding_.begin();
    int turns_now = 0;
    Time last_help = ports_.at;
    while (recorder_.ended() < workload_.jobs.size() && !result_.hopeless) {
        const std::optional<Time> when = next();
        if (!when) break;
        turns_now = *when > ports_.at ? 0 : turns_now + 1;
        BERTH_ASSERT(turns_now < kTurnsAtOnce);
        ports_.at = std::max(ports_.at, *when);
        gather();
        if (arrived_ < workload_.jobs.size() || recorder_.running() > 0) last_help = ports_.at;
        if (ports_.at - last_help > kIdlePatience) break;
        turn();
        if (result_.turns % kProgressEvery == 0) report_progress();
    }
    recorder_.finish(ports_.at);
    report_progress();
    loop_.controller().state().check_invariants();
    result_.state_hash = loop_.controller().state().hash();
    return std::move(result_);
}

}  // namespace

SimulationResult simulate(const workload::Workload& workload, const SimulationOptions& options) {
    return Simulation(workload, options).run();
}

}  // namespace berth::sim
