// For tests: a controller that signs, a disk in memory, and a gate in front of a node that records
// what it is asked to do.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/credential/credential.h"
#include "berth/launcher/gate.h"

namespace berth {

inline bool says(const std::string& why, const std::string& text) {
    return why.find(text) != std::string::npos;
}

class MapDisk : public Disk {
public:
    Status write(std::span<const MemoryWrite> writes) override {
        if (full) return Error{ErrorCode::internal, "no space left on device"};
        for (const MemoryWrite& one : writes) {
            if (one.value) {
                kept[one.key] = *one.value;
            } else {
                kept.erase(one.key);
            }
        }
        return Done{};
    }
    std::vector<MemoryWrite> stored() const {
        std::vector<MemoryWrite> all;
        all.reserve(kept.size());
        for (const auto& [key, value] : kept) all.push_back({key, value});
        return all;
    }
    std::map<std::string, std::string> kept;
    bool full = false;
};

class GateRig {
public:
    GateRig() { reopen(); }

    // Another launcher process takes over.
    void reopen() {
        gate.emplace(
            GateSettings{
                .node = "gpu1",
                .boot_id = boot_id,
                .lowest_uid = 1000,
                .present = [this](JobId job,
                                  Attempt attempt) { return here.contains({job, attempt}); },
                .hook =
                    [this](const RunKey& run) {
                        const auto found = hooks.find(run);
                        return found == hooks.end() ? HookState::none : found->second;
                    }},
            *VerifyingKeys::of(controller.public_keys()), *LaunchLedger::open(disk, disk.stored()));
    }

    Order order(OrderBody body) const {
        Order made;
        made.epoch = epoch;
        made.boot_id = boot_id;
        made.body = std::move(body);
        return made;
    }
    template <class Body>
    Body sign(Body body, const std::string& node = "gpu1") const {
        return sign_with(controller, std::move(body), node);
    }
    template <class Body>
    Body sign_with(const SigningKeys& keys, Body body, const std::string& node = "gpu1") const {
        Order made = order(std::move(body));
        sign_order(made, node, keys, now);
        return std::get<Body>(std::move(made.body));
    }

    // The node's description, as a Welcome brings it.
    NodeSetup setup(const std::string& node = "gpu1") const {
        NodeSetup made;
        made.node.name = node;
        made.node.sockets = 2;
        return made;
    }
    void sign_setup(NodeSetup& setup, const SigningKeys& keys,
                    const std::vector<std::string>& known = {}) const {
        Order made = order(Welcome{.setup = setup});
        sign_order(made, "gpu1", keys, now, known);
        setup = *std::get<Welcome>(std::move(made.body)).setup;
    }
    void sign_setup(NodeSetup& setup) const { sign_setup(setup, controller); }

    LaunchAttempt attempt(std::uint32_t id = 7, std::uint32_t number = 1) const {
        LaunchAttempt launch;
        launch.job = JobId{id};
        launch.attempt = Attempt{number};
        launch.node = NodeId{0};
        launch.batch_host = true;
        launch.owner = {1001, 1001, std::string("ann"), std::string("staff")};
        launch.share.devices = 0b11;
        launch.share.memory = Bytes(1 << 30);
        launch.shares = {launch.share};
        launch.node_names = {"gpu1"};
        launch.spec.name = "train";
        launch.hooks.epilog = {"/etc/berth/epilog"};
        launch.payload.script = "#!/bin/sh\npython train.py\n";
        launch.payload.environment = {"HOME=/home/ann"};
        return launch;
    }
    LaunchAttempt attempt_with_prolog() const {
        LaunchAttempt launch = attempt();
        launch.hooks.prolog = {"/etc/berth/prolog"};
        return launch;
    }
    static LaunchStep step(const LaunchAttempt& of, std::uint32_t id = 0) {
        LaunchStep launch;
        launch.job = of.job;
        launch.attempt = of.attempt;
        launch.step = StepId{id};
        launch.tasks = 1;
        launch.arguments = {"hostname"};
        launch.work_dir = "/home/ann";
        return launch;
    }
    static LaunchAttempt bare(LaunchAttempt launch) {
        launch.payload = {};
        return launch;
    }
    static StartHook prolog(const LaunchAttempt& of) {
        return {{of.job, of.attempt, kPrologStep}, bare(of)};
    }
    static StartHook epilog(const LaunchAttempt& of) {
        return {{of.job, of.attempt, kEpilogStep}, bare(of)};
    }

    // "" if the action is admitted, otherwise the reason.
    std::string ask(HostAction action) {
        Result<HostAction> done = gate->admit(std::move(action), now);
        if (!done.ok()) return done.error().message;
        if (const auto* start = std::get_if<StartAttempt>(&*done))
            here.insert({start->launch.job, start->launch.attempt});
        if (const auto* hook = std::get_if<StartHook>(&*done)) {
            here.insert({hook->run.job, hook->run.attempt});
            hooks[hook->run] = hook_state;
        }
        const auto* const gone = std::get_if<RemoveAttempt>(&*done);
        if (gone != nullptr && !busy) lose(gone->job, gone->attempt);
        return "";
    }
    // Nothing of the attempt is left on the node.
    void lose(JobId job, Attempt attempt) {
        here.erase({job, attempt});
        hooks.erase({job, attempt, kPrologStep});
        hooks.erase({job, attempt, kEpilogStep});
    }

    const std::string controller_key = *make_signing_key();
    const SigningKeys controller = *SigningKeys::of(controller_key);
    MapDisk disk;
    std::set<std::pair<JobId, Attempt>> here;
    std::map<RunKey, HookState> hooks;
    HookState hook_state = HookState::passed;  // The state of hooks that start.
    bool busy = false;  // Processes stay alive although the agent removes the attempt.
    std::optional<LaunchGate> gate;
    std::string boot_id = "boot-a";
    Epoch epoch{3};
    Time now = from_seconds(1'700'000'000);
};

}  // namespace berth
