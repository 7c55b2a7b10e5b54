#include "berth/sim/sim_machine.h"

#include "berth/base/text.h"
#include "berth/model/exit_status.h"

namespace berth::sim {
namespace {

constexpr std::int16_t kKillSignal = 9;
constexpr std::int32_t kTermSignal = 15;
constexpr Duration kAtOnce = std::chrono::milliseconds(50);

AttemptKey attempt_of(const RunKey& run) { return {run.job, run.attempt}; }
bool is_deadly(std::int32_t signal) { return signal == kKillSignal || signal == kTermSignal; }

}  // namespace

std::string to_text(AttemptKey key) { return to_string(key.job) + "." + to_string(key.attempt); }
std::string to_text(const RunKey& run) {
    std::string step = to_string(run.step);
    if (run.step == kBatchStep) step = "batch";
    if (run.step == kExternStep) step = "extern";
    if (run.step == kPrologStep) step = "prolog";
    if (run.step == kEpilogStep) step = "epilog";
    return to_text(attempt_of(run)) + "." + step;
}

SimMachine::SimMachine(Stage& stage, Witness& witness, NodeId id, NodeSpec spec, Rng rng)
    : stage_(stage),
      witness_(witness),
      id_(id),
      spec_(std::move(spec)),
      rng_(rng),
      booted_at_(stage.now()) {}

std::string SimMachine::boot_id() const { return spec_.name + "-boot-" + std::to_string(boots_); }

Processes* SimMachine::find(const RunKey& run) {
    const auto cgroup = cgroups_.find(attempt_of(run));
    if (cgroup == cgroups_.end()) return nullptr;
    const auto found = cgroup->second.runs.find(run.step);
    return found == cgroup->second.runs.end() ? nullptr : &found->second;
}

void SimMachine::later(Duration wait, std::function<void()> what) {
    stage_.time.in(wait, [this, boot = boots_, what = std::move(what)] {
        if (on_ && boots_ == boot && stage_.violation().empty()) what();
    });
}

void SimMachine::tell(const AgentEvent& event) {
    // Delayed at times, but in order.
    last_told_ = std::max(last_told_, stage_.now() + some(0, 20));
    later(last_told_ - stage_.now(), [this, event] { listener_(event); });
}

void SimMachine::act(const HostAction& action) {
    if (const auto* start = std::get_if<StartAttempt>(&action)) {
        start_attempt(*start);
    } else if (const auto* step = std::get_if<StartStep>(&action)) {
        start_step(*step);
    } else if (const auto* sent = std::get_if<SignalRun>(&action)) {
        signal(*sent);
    } else if (const auto* removed = std::get_if<RemoveAttempt>(&action)) {
        remove({removed->job, removed->attempt});
    } else if (const auto* hook = std::get_if<StartHook>(&action)) {
        start_hook(*hook);
    } else if (const auto* program = std::get_if<StartNodeProgram>(&action)) {
        later(some(5, 2000),
              [this, kind = program->program.program] { tell(NodeProgramExited{kind, {}}); });
    } else if (const auto* freeze_it = std::get_if<FreezeRun>(&action)) {
        freeze(*freeze_it);
    } else if (const auto* watch = std::get_if<WatchCheckpoint>(&action)) {
        watch_checkpoint(*watch);
    }
}

// ---- Start.

void SimMachine::start_attempt(const StartAttempt& action) {
    const AttemptKey key{action.launch.job, action.launch.attempt};
    const RunKey run{key.job, key.attempt, action.launch.batch_host ? kBatchStep : kExternStep};
    stage_.trace([&] { return spec_.name + " starts " + to_text(key); });
    if (const auto found = cgroups_.find(key); found != cgroups_.end() && !found->second.removed) {
        if (!found->second.starting) tell(RunStarted{run});
        return;
    }
    if (half_begun_.contains(key)) {
        return tell(RunFailedToStart{run, "its script may have begun before"});
    }
    SimCgroup& cgroup = cgroups_[key];
    cgroup = SimCgroup{};
    cgroup.launch = action.launch;
    cgroup.starting = true;
    const Duration prolog = rng_.chance(3) ? some(5000, 60'000) : some(5, 800);
    later(prolog, [this, key] { stand(key); });
}

void SimMachine::stand(AttemptKey key) {
    const auto found = cgroups_.find(key);
    if (found == cgroups_.end() || !found->second.starting) return;
    SimCgroup& cgroup = found->second;
    cgroup.starting = false;
    const bool batch = cgroup.launch.batch_host;
    const RunKey run{key.job, key.attempt, batch ? kBatchStep : kExternStep};
    const ScriptPlan plan = decode<ScriptPlan>(cgroup.launch.payload.script).value_or(ScriptPlan{});
    if (batch && plan.fails_first_launch && key.attempt == Attempt{1}) {
        stage_.count(Fault::launch_failed);
        cgroups_.erase(found);
        return tell(RunFailedToStart{run, "no such working directory"});
    }
    witness_.attempt_started(id_, cgroup.launch);
    tell(RunStarted{run});
    if (!batch) return;
    begin(run, plan);
    witness_.script_started(cgroup.launch, plan);
}

void SimMachine::start_step(const StartStep& action) {
    const RunKey run{action.launch.job, action.launch.attempt, action.launch.step};
    const auto cgroup = cgroups_.find(attempt_of(run));
    if (cgroup == cgroups_.end() || cgroup->second.removed) {
        return tell(RunFailedToStart{run, "its job's cgroup is gone"});
    }
    if (find(run) != nullptr) return tell(RunStarted{run});
    cgroup->second.runs[run.step].starting = true;
    const std::vector<std::string>& words = action.launch.arguments;  // See Clients::create_step().
    ScriptPlan plan;
    if (words.size() == 2) {
        plan.runs_for = Duration(parse_int64(words[0]).value_or(0));
        plan.exit_code = static_cast<std::int16_t>(parse_int64(words[1]).value_or(0));
    }
    later(some(5, 400), [this, run, plan = std::move(plan)] {
        Processes* const processes = find(run);
        if (processes == nullptr || !processes->starting) return;
        tell(RunStarted{run});
        begin(run, plan);
    });
}

// An agent that has not learned of the hook's end may start it again.
void SimMachine::start_hook(const StartHook& action) {
    const RunKey& run = action.run;
    stage_.trace([&] { return spec_.name + " starts " + to_text(run); });
    exits_.erase(run);
    const std::uint64_t serial = hooks_[run] = next_serial_++;
    const Duration takes = rng_.chance(10) ? some(5000, 60'000) : some(5, 800);
    later(takes, [this, run, serial] { end_hook(run, serial, {}); });
}

void SimMachine::end_hook(const RunKey& run, std::uint64_t serial, ExitStatus exit) {
    const auto found = hooks_.find(run);
    if (found == hooks_.end() || found->second != serial) return;
    hooks_.erase(found);
    exits_[run] = RunExited{run, exit, false};
    tell(exits_[run]);
}

void SimMachine::begin(const RunKey& run, const ScriptPlan& plan) {
    Processes& processes = cgroups_.at(attempt_of(run)).runs[run.step];
    processes = Processes{.plan = plan, .main = true, .serial = next_serial_++};
    // A run that starts in a frozen attempt begins when the attempt is thawed.
    if (!cgroups_.at(attempt_of(run)).frozen) run_until_end(run, processes, plan.runs_for);
}

void SimMachine::run_until_end(const RunKey& run, Processes& processes, Duration length) {
    processes.ends_at = stage_.now() + length;
    const auto end = [this, run, serial = processes.serial, clock = ++processes.clock] {
        Processes* const now = find(run);
        if (now == nullptr || now->serial != serial || !now->main || now->clock != clock) return;
        const ScriptPlan plan = now->plan;
        if (plan.out_of_memory) stage_.count(Fault::out_of_memory);
        if (plan.runs_for < kAtOnce) stage_.count(Fault::early_exit);
        const ExitStatus exit =
            plan.out_of_memory ? ExitStatus{0, kKillSignal} : ExitStatus{plan.exit_code, 0};
        end_main(run, serial, exit, plan.out_of_memory);
    };
    later(length, end);
}

void SimMachine::freeze(const FreezeRun& action) {
    const AttemptKey key = attempt_of(action.run);
    const auto found = cgroups_.find(key);
    if (found == cgroups_.end()) return;
    const RunFrozen answer{action.run, action.frozen, action.change};
    if (!freezes_slowly_) {
        set_frozen(action);
        answers_.emplace_back(answer);
        return;
    }
    const std::uint64_t order = ++found->second.freezer_orders;
    const auto carry_out = [this, key, action, answer, order] {
        const auto now = cgroups_.find(key);
        if (now == cgroups_.end() || now->second.freezer_orders != order) return;
        set_frozen(action);
        tell(answer);
    };
    if (!action.frozen) return carry_out();
    later(some(1, 3000), carry_out);
}

// Stopped processes continue later for their remaining time. REQUIRES: its cgroup exists.
void SimMachine::set_frozen(const FreezeRun& action) {
    const auto found = cgroups_.find(attempt_of(action.run));
    if (found->second.frozen == action.frozen) return;
    stage_.trace([&] {
        return spec_.name + (action.frozen ? " freezes " : " thaws ") + to_text(action.run);
    });
    found->second.frozen = action.frozen;
    if (!action.frozen && !found->second.killed) witness_.attempt_thawed(id_, found->second.launch);
    for (auto& [id, processes] : found->second.runs) {
        if (!processes.main) continue;
        const RunKey run{action.run.job, action.run.attempt, id};
        if (action.frozen) {
            ++processes.clock;
            processes.plan.runs_for = std::max(Duration{}, processes.ends_at - stage_.now());
        } else {
            run_until_end(run, processes, processes.plan.runs_for);
        }
    }
    if (action.frozen) return;
    for (auto& [id, processes] : found->second.runs) {
        const RunKey run{action.run.job, action.run.attempt, id};
        if (std::exchange(processes.has_term, false)) signal_one(run, {run, kTermSignal, true});
    }
}

// What saves begins when it is warned, which follows at once.
void SimMachine::watch_checkpoint(const WatchCheckpoint& action) {
    const Processes* const script = find(action.run);
    if (script == nullptr || !script->main || !script->plan.saves_for) return;
    if (std::exchange(cgroups_.at(attempt_of(action.run)).watched, true)) return;
    const auto found = [this, run = action.run, serial = script->serial] {
        const Processes* const now = find(run);
        if (now == nullptr || now->serial != serial || !now->main) return;
        stage_.trace([&] { return spec_.name + ": " + to_text(run) + " has saved"; });
        cgroups_.at(attempt_of(run)).checkpointed = true;
        tell(CheckpointFound{run});
    };
    later(*script->plan.saves_for + std::chrono::seconds(1), found);
}

bool SimMachine::has_checkpoint(AttemptKey key) const {
    const auto found = cgroups_.find(key);
    return found != cgroups_.end() && found->second.checkpointed;
}

// ---- End.

void SimMachine::end_main(const RunKey& run, std::uint64_t serial, ExitStatus exit,
                          bool out_of_memory) {
    Processes* const processes = find(run);
    if (processes == nullptr || processes->serial != serial || !processes->main) return;
    processes->main = false;
    stage_.trace([&] { return spec_.name + ": main process of " + to_text(run) + " is gone"; });
    const RunExited exited{run, exit, out_of_memory};
    exits_[run] = exited;
    tell(exited);
    if (run.step == kBatchStep) witness_.script_ended(id_);
    processes->tell_empty = true;
    if (processes->plan.leftovers > 0 && !out_of_memory) {
        stage_.count(Fault::leftovers);
        processes->others = true;
        later(processes->plan.leftovers_for, [this, run, serial] { end_others(run, serial); });
    }
    tell_if_empty(attempt_of(run));
}

void SimMachine::end_others(const RunKey& run, std::uint64_t serial) {
    Processes* const processes = find(run);
    if (processes == nullptr || processes->serial != serial) return;
    processes->others = false;
    tell_if_empty(attempt_of(run));
}

void SimMachine::signal(const SignalRun& action) {
    if (const auto hook = hooks_.find(action.run); hook != hooks_.end()) {
        return end_hook(action.run, hook->second, ExitStatus{0, kKillSignal});
    }
    const auto cgroup = cgroups_.find(attempt_of(action.run));
    if (cgroup == cgroups_.end()) {
        if (action.whole) tell(RunEmpty{action.run});
        return;
    }
    const bool is_extern = action.run.step == kExternStep;
    for (auto& [id, processes] : cgroup->second.runs) {
        if (!is_extern && id != action.run.step) continue;
        if (action.whole) processes.tell_empty |= !is_extern;
        signal_one({action.run.job, action.run.attempt, id}, action);
    }
    if (!action.whole) return;
    if (is_extern) cgroup->second.tell_empty = true;
    if (is_extern && action.signal == kKillSignal) cgroup->second.killed = true;
    if (!is_extern && find(action.run) == nullptr) return tell(RunEmpty{action.run});
    tell_if_empty(attempt_of(action.run));
}

bool SimMachine::hears_nothing(const RunKey& run) const {
    return freezes_slowly_ && cgroups_.at(attempt_of(run)).frozen;
}

bool SimMachine::is_warning(const RunKey& run, const SignalRun& action) const {
    const SimCgroup& cgroup = cgroups_.at(attempt_of(run));
    const auto script = cgroup.runs.find(kBatchStep);
    return action.signal == kTermSignal && action.run.step != kExternStep && cgroup.watched &&
           script != cgroup.runs.end() && script->second.plan.saves_for.has_value();
}

void SimMachine::signal_one(const RunKey& run, const SignalRun& action) {
    Processes& processes = *find(run);
    if (!is_deadly(action.signal) || !processes.any()) return;
    const bool kills = action.signal == kKillSignal;
    if (is_warning(run, action)) return;
    if (!kills && hears_nothing(run)) {
        processes.has_term = true;
        return;
    }
    if (!kills && processes.plan.ignores_term) {
        if (processes.main) stage_.count(Fault::term_ignored);
        return;
    }
    Duration wait = kills ? some(1, 100) : some(1, 2000);
    if (kills && processes.plan.survives_kill > Duration{}) {
        stage_.count(Fault::unkillable);
        wait += std::exchange(processes.plan.survives_kill, Duration{});
        unkillable_until_ = std::max(unkillable_until_, stage_.now() + wait);
    }
    const ExitStatus exit = exit_by_signal(action.signal);
    const bool others = action.whole;
    later(wait, [this, run, serial = processes.serial, exit, others, kills] {
        Processes* const now = find(run);
        if (now == nullptr || now->serial != serial) return;
        if (!kills && hears_nothing(run)) {
            now->has_term = true;
            return;
        }
        if (others) now->plan.leftovers = 0;
        end_main(run, serial, exit, false);
        if (others) end_others(run, serial);
    });
}

void SimMachine::tell_if_empty(AttemptKey key) {
    const auto found = cgroups_.find(key);
    if (found == cgroups_.end()) return;
    SimCgroup& cgroup = found->second;
    for (auto& [id, processes] : cgroup.runs) {
        if (processes.any() || !std::exchange(processes.tell_empty, false)) continue;
        tell(RunEmpty{{key.job, key.attempt, id}});
    }
    if (cgroup.any()) return;
    if (std::exchange(cgroup.tell_empty, false)) {
        tell(RunEmpty{{key.job, key.attempt, kExternStep}});
    }
    if (cgroup.removed) cgroups_.erase(found);
}

void SimMachine::remove(AttemptKey key) {
    stage_.trace([&] { return spec_.name + " removes " + to_text(key); });
    const auto of_attempt = [&](const auto& entry) { return attempt_of(entry.first) == key; };
    std::erase_if(exits_, of_attempt);
    std::erase_if(hooks_, of_attempt);
    const auto found = cgroups_.find(key);
    if (found == cgroups_.end()) return;
    found->second.removed = true;
    found->second.starting = false;
    if (!found->second.any()) cgroups_.erase(found);
}

// ---- What a new agent finds, and what a reboot leaves.

std::vector<RunKey> SimMachine::alive() const {
    std::vector<RunKey> runs;
    runs.reserve(hooks_.size());
    for (const auto& [run, serial] : hooks_) runs.push_back(run);
    for (const auto& [key, cgroup] : cgroups_) {
        if (cgroup.starting) {
            runs.push_back(
                {key.job, key.attempt, cgroup.launch.batch_host ? kBatchStep : kExternStep});
        }
        for (const auto& [id, processes] : cgroup.runs) {
            if (processes.starting || processes.any()) {
                runs.push_back({key.job, key.attempt, id});
            }
        }
    }
    return runs;
}

std::vector<AgentEvent> SimMachine::exit_records() const {
    std::vector<AgentEvent> records;
    records.reserve(exits_.size() + cgroups_.size());
    for (const auto& [run, exited] : exits_) records.emplace_back(exited);
    for (const auto& [key, cgroup] : cgroups_) {
        if (cgroup.checkpointed && !cgroup.removed)
            records.emplace_back(CheckpointFound{{key.job, key.attempt, kBatchStep}});
    }
    return records;
}

void SimMachine::lose_launcher() {
    stage_.trace([&] { return spec_.name + ": launcher dies"; });
    for (auto& [key, cgroup] : cgroups_) {
        std::erase_if(cgroup.runs, [](const auto& run) { return run.second.starting; });
        if (cgroup.starting && rng_.chance(50)) half_begun_.insert(key);
    }
    std::erase_if(cgroups_, [](const auto& entry) { return entry.second.starting; });
}

bool SimMachine::lose_shepherd() {
    std::vector<RunKey> running;
    for (const auto& [key, cgroup] : cgroups_) {
        for (const auto& [id, run] : cgroup.runs) {
            if (run.main) running.push_back({key.job, key.attempt, id});
        }
    }
    if (running.empty()) return false;
    const RunKey run = rng_.pick(running);
    stage_.trace([&] { return spec_.name + ": the shepherd of " + to_text(run) + " dies"; });
    without_shepherd_.insert(attempt_of(run));
    Processes& processes = *find(run);
    processes.main = processes.others = false;
    processes.tell_empty = true;
    later(some(1, 100), [this, key = attempt_of(run)] { tell_if_empty(key); });
    return true;
}

void SimMachine::power_off() {
    stage_.trace([&] { return spec_.name + " goes down"; });
    on_ = false;
    cgroups_.clear();
    hooks_.clear();
    half_begun_.clear();
}

void SimMachine::boot(bool wiped) {
    on_ = true;
    ++boots_;
    booted_at_ = stage_.now();
    if (wiped) {
        disk.clear();
        exits_.clear();
    }
    stage_.trace([&] { return spec_.name + " is up as " + boot_id(); });
}

}  // namespace berth::sim
