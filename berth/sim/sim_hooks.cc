#include "berth/sim/sim_hooks.h"

namespace berth::sim {

void SimHooks::call(HookCall call) {
    if (std::exchange(life_, controller_.life()) != controller_.life()) running_.clear();
    if (!running_.insert(call.job).second) {
        stage_.violated("hooks", "two programs of job " + to_string(call.job) + " run at a time");
    }
    const Duration length = std::chrono::seconds(rng_.between(1, rng_.chance(80) ? 10 : 900));
    stage_.time.in(length, [this, call = std::move(call), life = life_] { finish(call, life); });
}

void SimHooks::finish(const HookCall& call, std::uint64_t life) {
    const bool of_prolog = call.hook == ControllerHook::prolog;
    const bool failed = rng_.chance(8);
    if (life != controller_.life()) return;
    running_.erase(call.job);
    if (failed) stage_.count(Fault::hook_failed);
    if (of_prolog && !failed) prepared_.emplace(call.job, call.attempt);
    stage_.trace([&] {
        return std::string(of_prolog ? "prolog" : "epilog") + " of job " + to_string(call.job) +
               (failed ? " fails" : " is over");
    });
    controller_.input(HookAnswered{call.job, call.attempt, call.hook, failed ? "failed" : ""});
}

void SimHooks::started(const LaunchAttempt& launch, bool has_prolog) {
    if (!has_prolog || prepared_.contains({launch.job, launch.attempt})) return;
    stage_.violated("hooks", "job " + to_string(launch.job) + " is launched before its prolog");
}

}  // namespace berth::sim
