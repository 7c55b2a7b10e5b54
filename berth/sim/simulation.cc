#include "berth/sim/simulation.h"

#include <algorithm>
#include <utility>

#include "berth/control/loop.h"
#include "berth/sim/light_nodes.h"
#include "berth/sim/recorder.h"

namespace berth::sim {
namespace {

// A controller that turns so often without time passing will never rest.
constexpr int kTurnsAtOnce = 1'000'000;
// How long to wait for jobs when nothing is left that could help them.
constexpr Duration kPatience = std::chrono::hours(24 * 32);
constexpr std::uint64_t kProgressEvery = 4096;

// Nobody is silent here, and no trace is cut short by a limit on how many jobs there may be.
ClusterSpec for_simulation(ClusterSpec cluster, std::size_t jobs) {
    cluster.scheduling.agent_timeout = std::chrono::hours(24 * 365 * 1000);
    cluster.scheduling.max_job_count =
        std::max(cluster.scheduling.max_job_count, static_cast<std::uint32_t>(jobs + 1));
    return cluster;
}

// The loop's six ports. Its disk is always quick, and its clock is that of the simulation.
class Ports : public Inbox, public WallClock, public Journal, public Agents, public berth::Clients {
public:
    Ports(LightNodes& nodes, Recorder& recorder, SimulationResult& result)
        : nodes_(nodes), recorder_(recorder), result_(result) {}

    std::vector<Input> inbox;
    Time at = kSimulationBegin;

    std::vector<Input> wait_until(std::optional<Time>) override { return std::exchange(inbox, {}); }
    Time now() override { return at; }
    Status append(const Record& record, const ClusterState&) override {
        result_.facts += record.facts.size();
        return Done{};
    }
    Status rest(const ClusterState&) override { return Done{}; }
    bool has_room() override { return true; }
    void send(OutgoingOrder order) override { nodes_.take(at, order); }
    void close(Link) override { BERTH_ASSERT(false); }  // Each node has one agent, a right one.
    void answer(OutgoingAnswer answer) override {
        const std::size_t number = answer.reply_to.ticket;
        const auto* const no = std::get_if<Refused>(&answer.answer);
        if (no != nullptr) recorder_.refused(number, at, no->message);
    }

private:
    LightNodes& nodes_;
    Recorder& recorder_;
    SimulationResult& result_;
};

class Simulation {
public:
    Simulation(const workload::Workload& workload, const SimulationOptions& options)
        : workload_(workload),
          options_(options),
          cluster_(for_simulation(options.cluster, workload.jobs.size())),
          submission_(cluster_, options.submission),
          result_(kSimulationBegin),
          recorder_(workload, result_),
          nodes_(cluster_, options.agent_latency,
                 [this](const LaunchAttempt& launch) { return script_of(launch); }),
          ports_(nodes_, recorder_, result_),
          loop_(Controller(Engine{}, cluster_, Epoch(1), 1),
                World{ports_, ports_, ports_, ports_, ports_, recorder_}) {}

    SimulationResult run();

private:
    LightNodes::Script script_of(const LaunchAttempt& launch) const;
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
    LightNodes nodes_;
    Ports ports_;
    Loop loop_;
    std::map<std::string, std::uint32_t, std::less<>> uids_;
    std::size_t arrived_ = 0;
};

LightNodes::Script Simulation::script_of(const LaunchAttempt& launch) const {
    const std::size_t number = recorder_.number_of(launch.job);
    const workload::TraceJob& job = workload_.jobs[number];
    return {job.run_time, job.outcome == workload::Outcome::failed ? 1 : 0};
}

std::optional<Time> Simulation::next_arrival() const {
    if (arrived_ == workload_.jobs.size()) return std::nullopt;
    return kSimulationBegin + workload_.jobs[arrived_].submit;
}

std::optional<Time> Simulation::next() const {
    std::optional<Time> next = loop_.wake_at();
    for (const std::optional<Time> one : {next_arrival(), nodes_.next()}) {
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
    SubmitJob command{submission_.spec_of(job), {}};
    command.spec.command.submit_line = Recorder::submit_line(number);
    return ClientInput{{number}, std::move(principal), std::move(command)};
}

// All that happens now.
void Simulation::gather() {
    while (next_arrival() && *next_arrival() <= ports_.at) {
        ports_.inbox.push_back(submit(arrived_++));
        ++result_.events;
    }
    const std::size_t before = ports_.inbox.size();
    nodes_.collect(ports_.at, ports_.inbox);
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
    ports_.inbox = nodes_.registrations(ports_.at);
    turn();
    int turns_now = 0;
    Time last_help = ports_.at;
    while (recorder_.ended() < workload_.jobs.size()) {
        const std::optional<Time> when = next();
        if (!when) break;
        turns_now = *when > ports_.at ? 0 : turns_now + 1;
        BERTH_ASSERT(turns_now < kTurnsAtOnce);
        ports_.at = std::max(ports_.at, *when);
        gather();
        if (!ports_.inbox.empty() || recorder_.running() > 0) last_help = ports_.at;
        if (ports_.at - last_help > kPatience) break;
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
