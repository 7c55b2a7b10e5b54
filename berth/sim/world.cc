#include "berth/sim/world.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "berth/sim/injector.h"
#include "berth/sim/lending_site.h"
#include "berth/sim/node_agent.h"
#include "berth/sim/preempting_site.h"
#include "berth/sim/sharing_site.h"
#include "berth/sim/sim_clients.h"
#include "berth/sim/sim_fence.h"
#include "berth/sim/sim_hooks.h"
#include "berth/sim/site.h"

namespace berth::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// How long after the last fault everything must have settled.
constexpr Duration kSettling = hours(24 * 4);
constexpr Duration kLook = seconds(60);
constexpr std::uint64_t kSiteSeed = 0x517e, kAsksSeed = 0xa5c5, kReservationsSeed = 0x2e5e,
                        kTiersSeed = 0x71e5, kQuotasSeed = 0x900a, kSuspendSeed = 0x5a5b,
                        kTurnsSeed = 0x7025, kSavesSeed = 0xc4e7;

// Passes what really runs on to the oracle, the users and the injector.
class Everyone : public Witness {
public:
    Everyone(Oracle& oracle, std::unique_ptr<SimClients>& clients,
             std::unique_ptr<Injector>& injector, SimHooks& hooks, bool has_prolog)
        : oracle_(oracle),
          clients_(clients),
          injector_(injector),
          hooks_(hooks),
          has_prolog_(has_prolog) {}
    void attempt_started(NodeId node, const LaunchAttempt& launch) override {
        hooks_.started(launch, has_prolog_);
        oracle_.attempt_started(node, launch);
    }
    void script_started(const LaunchAttempt& launch, const ScriptPlan& plan) override {
        oracle_.script_started(launch, plan);
        clients_->script_started(launch, plan);
    }
    void script_ended(NodeId node) override { injector_->script_ended(node); }
    void attempt_thawed(NodeId node, const LaunchAttempt& launch) override {
        oracle_.attempt_thawed(node, launch);
    }

private:
    Oracle& oracle_;
    std::unique_ptr<SimClients>& clients_;
    std::unique_ptr<Injector>& injector_;
    SimHooks& hooks_;
    bool has_prolog_;
};

bool shares(const WorldOptions& options, WorldOptions::Sharing what) {
    return options.sharing == what;
}

// Whether runs are frozen there as a matter of course.
bool freezes(const WorldOptions& options) {
    return options.preempt_mode == PreemptMode::suspend ||
           shares(options, WorldOptions::Sharing::of_cores);
}

ClusterSpec with_hooks(ClusterSpec spec, std::uint64_t seed) {
    if (seed % 5 == 1) spec.hooks.controller_prolog = {"/etc/prolog"};
    if (seed % 5 <= 1) spec.hooks.controller_epilog = {"/etc/epilog"};
    return spec;
}

ClusterSpec with_fence(ClusterSpec spec, bool has_one) {
    if (has_one) spec.fence.program = "/usr/sbin/fence";
    return spec;
}

class SimWorld {
public:
    SimWorld(std::uint64_t seed, const WorldOptions& options, bool watched);
    WorldReport run();

private:
    void build_nodes();
    void connect();
    void look_around();
    void end_faults();
    bool settled() const;
    std::vector<Time> calm_since() const;
    WorldReport report() const;

    std::uint64_t seed_;
    const WorldOptions& options_;
    Rng rng_;
    Stage stage_;
    FaultMix mix_;
    ClusterSpec cluster_;
    Oracle oracle_;
    Network network_;
    ControllerProcess controller_;
    std::unique_ptr<SimClients> clients_;
    std::unique_ptr<Injector> injector_;
    SimHooks hooks_;
    Everyone witness_;
    std::vector<std::unique_ptr<SimMachine>> machines_;
    std::vector<std::unique_ptr<NodeAgent>> agents_;
    SimFence fence_;
};

namespace {

ClusterSpec cluster_of(std::uint64_t seed, const WorldOptions& options, Rng& rng) {
    ClusterSpec site = with_site(random_cluster(rng), Rng(seed ^ kSiteSeed));
    if (options.preempts) site = with_preemption(std::move(site), Rng(seed ^ kTiersSeed));
    if (options.preempt_mode == PreemptMode::suspend)
        site = with_suspension(std::move(site), Rng(seed ^ kSuspendSeed));
    if (options.preempt_mode == PreemptMode::checkpoint)
        site = with_checkpoints(std::move(site), Rng(seed ^ kSavesSeed));
    if (shares(options, WorldOptions::Sharing::of_cores))
        site = with_turns(std::move(site), Rng(seed ^ kTurnsSeed));
    if (shares(options, WorldOptions::Sharing::of_quotas))
        site = with_lending(std::move(site), Rng(seed ^ kQuotasSeed));
    return with_hooks(with_fence(std::move(site), options.fence.value_or(seed % 3 == 0)), seed);
}

}  // namespace

SimWorld::SimWorld(std::uint64_t seed, const WorldOptions& options, bool watched)
    : seed_(seed),
      options_(options),
      rng_(seed),
      stage_(seed, watched),
      mix_(random_mix(rng_)),
      cluster_(cluster_of(seed, options, rng_)),
      oracle_(stage_, cluster_),
      network_(stage_, cluster_.nodes.size(), options.mix.value_or(mix_), rng_.fork()),
      controller_(stage_, network_, oracle_, cluster_, options.mix.value_or(mix_),
                  {options.control, options.bugs}, rng_.fork()),
      hooks_(stage_, controller_, Rng(seed ^ 0x400c5)),
      witness_(oracle_, clients_, injector_, hooks_, !cluster_.hooks.controller_prolog.empty()),
      fence_(stage_, controller_, agents_, cluster_, options.fence_lies, Rng(seed ^ 0xfe9ce)) {
    if (options.mix) mix_ = *options.mix;
    stage_.look_past(options.look_past);
    clients_ = std::make_unique<SimClients>(stage_, controller_, oracle_, mix_, rng_.fork());
    build_nodes();
    connect();
    controller_.use(fence_, hooks_);
    controller_.limit_cycles(options_.cycle_budget);
    if (options_.keep_journal) controller_.keep_records();
    injector_ = std::make_unique<Injector>(stage_, network_, controller_, agents_, *clients_, mix_,
                                           rng_.fork());
}

void SimWorld::build_nodes() {
    std::vector<const SimMachine*> watched;
    for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
        machines_.push_back(std::make_unique<SimMachine>(stage_, witness_, NodeId::from_index(i),
                                                         cluster_.nodes[i], rng_.fork()));
        if (freezes(options_)) machines_.back()->freeze_slowly();
        agents_.push_back(std::make_unique<NodeAgent>(stage_, *machines_.back(), network_, mix_,
                                                      options_.agent, options_.limits,
                                                      rng_.fork()));
        watched.push_back(machines_.back().get());
    }
    oracle_.watch(std::move(watched));
}

void SimWorld::connect() {
    LinkEnds ends;
    ends.agent_link_down = [this](NodeId node, std::uint64_t link) {
        agents_[node.index()]->link_down(link);
    };
    ends.agent_order = [this](NodeId node, std::uint64_t link, const Order& order) {
        agents_[node.index()]->order(link, order);
    };
    ends.controller_report = [this](NodeId node, std::uint64_t link, const Report& report) {
        controller_.input(AgentInput{Link{link}, cluster_.node(node).name, report});
    };
    ends.controller_link_lost = [this](std::uint64_t link) {
        controller_.input(LinkLost{Link{link}});
    };
    network_.connect(std::move(ends));
    controller_.on_answer([this](const OutgoingAnswer& answer) { clients_->answer(answer); });
}

std::vector<Time> SimWorld::calm_since() const {
    std::vector<Time> since;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        Time last = std::max({network_.disturbed_at(node), agents_[i]->disturbed_at(),
                              machines_[i]->unkillable_until(), controller_.disturbed_at()});
        if (!agents_[i]->is_up() || !controller_.is_up()) last = stage_.now();
        since.push_back(last);
    }
    return since;
}

void SimWorld::look_around() {
    oracle_.look_around(calm_since(), cluster_.scheduling.kill_wait);
    stage_.time.in(kLook, [this] { look_around(); });
}

void SimWorld::end_faults() {
    stage_.trace([] { return std::string("the faults end"); });
    network_.calm();
    controller_.calm();
    clients_->calm();
    for (const auto& agent : agents_) agent->calm();
    injector_->stop();
}

bool SimWorld::settled() const {
    if (!controller_.is_up() || !oracle_.all_final() || !clients_->is_idle()) return false;
    return std::ranges::all_of(machines_, [](const auto& machine) {
        return machine->cgroups().empty() &&
               std::ranges::none_of(machine->disk, [](const auto& entry) {
                   return entry.first.starts_with("end.");
               });
    });
}

WorldReport SimWorld::run() {
    controller_.start();
    for (const auto& agent : agents_) agent->start();
    const Duration submitting = options_.busy * 3 / 4;
    auto jobs = random_jobs(rng_, cluster_, options_.jobs, submitting, mix_.bad_jobs);
    ask_of_site(jobs, cluster_, Rng(seed_ ^ kAsksSeed));
    if (options_.preempts) spread_over_tiers(jobs, Rng(seed_ ^ kTiersSeed));
    if (freezes(options_)) ask_for_cores(jobs, cluster_, Rng(seed_ ^ kSuspendSeed));
    if (options_.preempt_mode == PreemptMode::checkpoint)
        let_jobs_save(jobs, Rng(seed_ ^ kSavesSeed));
    if (shares(options_, WorldOptions::Sharing::of_cores))
        ask_to_share(jobs, Rng(seed_ ^ kTurnsSeed));
    clients_->use(std::move(jobs));
    clients_->reserve(random_reservations(cluster_, Rng(seed_ ^ kReservationsSeed), submitting));
    if (shares(options_, WorldOptions::Sharing::of_quotas)) {
        clients_->change_quotas(
            random_quota_changes(cluster_, Rng(~seed_ ^ kQuotasSeed), submitting));
    }
    look_around();
    injector_->start();
    const Time quiet_at = stage_.now() + options_.busy;
    while (stage_.violation().empty() && stage_.time.step(quiet_at)) {
    }
    end_faults();
    const Time end = quiet_at + kSettling;
    for (Time next = quiet_at + minutes(10); next <= end; next += minutes(10)) {
        while (stage_.violation().empty() && stage_.time.step(next)) {
        }
        if (!stage_.violation().empty() || settled()) break;
        clients_->clear_up();
    }
    if (stage_.violation().empty()) {
        if (controller_.is_up()) {
            oracle_.finish(controller_.state());
            controller_.state().check_invariants();
        } else {
            stage_.violated("end", "the controller is down");
        }
    }
    return report();
}

WorldReport SimWorld::report() const {
    WorldReport report;
    report.seed = seed_;
    report.violation = stage_.violation();
    report.trace.assign(stage_.traced().begin(), stage_.traced().end());
    report.faults = stage_.tally;
    report.nodes = machines_.size();
    report.submissions = clients_->accepted();
    report.jobs = oracle_.jobs();
    report.runs = {
        .all = oracle_.runs(), .lost = oracle_.lost_runs(), .on_parts = oracle_.runs_on_parts()};
    report.scripts = oracle_.scripts();
    report.steps = clients_->steps();
    report.preemptions = {.ended = oracle_.preempted(),
                          .loans = oracle_.loans(),
                          .turns = oracle_.turns(),
                          .saved = oracle_.saved()};
    report.records = controller_.journal().records();
    report.snapshots = controller_.journal().snapshots();
    for (const auto& agent : agents_) {
        report.links += agent->links();
        report.registrations += agent->registrations();
        report.most_tombstones =
            std::max<std::uint64_t>(report.most_tombstones, agent->most_tombstones());
    }
    report.events = stage_.time.steps();
    report.length = stage_.now() - from_seconds(1'800'000'000);
    report.decision_hash = oracle_.decisions().value();
    report.decisions = oracle_.decisions().decisions();
    report.decision_trail = oracle_.decisions().trail();
    report.decision_lines = oracle_.decisions().lines();
    report.journal = controller_.records();
    return report;
}

}  // namespace

// Runs a seed that breaks an invariant once more with a trace.
WorldReport run_world(std::uint64_t seed, const WorldOptions& options) {
    WorldReport report = SimWorld(seed, options, false).run();
    if (report.violation.empty()) return report;
    return SimWorld(seed, options, true).run();
}

std::uint64_t WorldReport::fault_count() const {
    return std::accumulate(faults.begin(), faults.end(), std::uint64_t{0});
}
std::uint64_t WorldSums::fault_count() const {
    return std::accumulate(faults.begin(), faults.end(), std::uint64_t{0});
}

void WorldSums::add(const WorldReport& report) {
    ++worlds;
    submissions += report.submissions;
    jobs += report.jobs;
    runs += report.runs.all;
    scripts += report.scripts;
    steps += report.steps;
    lost_runs += report.runs.lost;
    runs_on_parts += report.runs.on_parts;
    records += report.records;
    snapshots += report.snapshots;
    events += report.events;
    length += report.length;
    for (std::size_t i = 0; i < kFaultKinds; ++i) faults[i] += report.faults[i];
    if (!report.violation.empty()) violated.push_back(report);
}

std::string WorldSums::to_text() const {
    std::string text;
    const auto line = [&](std::uint64_t count, std::string_view what) {
        std::string number = std::to_string(count);
        if (number.size() < 10) number.insert(0, 10 - number.size(), ' ');
        text += number + " " + std::string(what) + "\n";
    };
    line(worlds, "worlds");
    line(static_cast<std::uint64_t>(length / hours(1)), "hours of virtual time");
    line(events, "events");
    line(submissions, "submissions acknowledged");
    line(jobs, "jobs");
    line(runs, "runs, of which");
    line(lost_runs, "were lost on some node, and");
    line(runs_on_parts, "had a part of a GPU");
    line(steps, "steps");
    line(records, "records");
    line(snapshots, "snapshots");
    line(fault_count(), "faults:");
    for (std::size_t i = 0; i < kFaultKinds; ++i) {
        line(faults[i], name(static_cast<Fault>(i)));
    }
    line(violated.size(), "worlds with a violation");
    return text;
}

}  // namespace berth::sim
