// AgentRig: an agent with a disk and a node that keep their content, so that a test reads as a
// sequence of events.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "berth/agent/agent.h"

namespace berth {

// For tests only.
class AgentRig {
public:
    explicit AgentRig(AgentProtections protections = {}, AgentLimits limits = {})
        : protections_(protections), limits_(limits) {
        start("boot-1");
    }

    // Starts a new agent process on the same disk.
    void start(const std::string& boot_id, std::vector<RunKey> alive = {},
               std::vector<AgentEvent> first = {}) {
        std::vector<MemoryWrite> stored;
        stored.reserve(disk.size());
        for (const auto& [key, value] : disk) stored.push_back({key, value});
        AgentIdentity identity;
        identity.node = "gpu1";
        identity.instance = "instance-" + std::to_string(++instances_);
        identity.boot_id = boot = boot_id;
        linked_ = false;
        agent_.emplace(identity, stored, alive, now, protections_, limits_);
        feed(std::move(first));
    }

    void feed(std::vector<AgentEvent> events) {
        AgentTurn turn = agent_->turn(now, std::move(events));
        for (const MemoryWrite& write : turn.writes) {
            if (write.value) {
                disk[write.key] = *write.value;
            } else {
                disk.erase(write.key);
            }
        }
        for (HostAction& action : turn.actions) actions.push_back(std::move(action));
        for (OutgoingReport& report : turn.reports) {
            if (const auto* all = std::get_if<Registration>(&report.report.body)) {
                registration = *all;
                session = all->session;
            }
            reports.push_back(std::move(report));
        }
        if (turn.close) closed.push_back(*turn.close);
        wake_at = turn.wake_at;
    }
    void wait(Duration time) {
        now += time;
        feed({});
    }

    void link_up() {
        feed({LinkUp{++link}});
        linked_ = true;
    }
    void welcome(JobId oldest = JobId{0}) {
        if (!linked_) link_up();
        Welcome body;
        body.heartbeat = std::chrono::seconds(30);
        body.oldest_live_job = oldest;
        order(body);
    }
    void order(OrderBody body) { send({epoch, boot, session, std::move(body)}); }
    void send(Order order) { feed({OrderCame{link, std::move(order)}}); }

    void launch(LaunchAttempt body) { order(std::move(body)); }
    // Launches it and reports that its script runs.
    void run(const LaunchAttempt& body) {
        launch(body);
        feed({RunStarted{{body.job, body.attempt, body.batch_host ? kBatchStep : kExternStep}}});
    }

    template <class Body>
    std::vector<Body> reported() const {
        std::vector<Body> found;
        for (const OutgoingReport& report : reports) {
            if (const auto* body = std::get_if<Body>(&report.report.body)) found.push_back(*body);
        }
        return found;
    }
    template <class Action>
    std::vector<Action> acted() const {
        std::vector<Action> found;
        for (const HostAction& action : actions) {
            if (const auto* one = std::get_if<Action>(&action)) found.push_back(*one);
        }
        return found;
    }
    // "15 whole extern": the signals that were sent, in order.
    std::vector<std::string> signals() const {
        std::vector<std::string> words;
        for (const SignalRun& one : acted<SignalRun>()) {
            std::string run = to_string(one.run.step);
            if (one.run.step == kBatchStep) run = "batch";
            if (one.run.step == kExternStep) run = "extern";
            words.push_back(std::to_string(one.signal) + (one.whole ? " all of " : " ") + run);
        }
        return words;
    }
    bool remembers(std::string_view prefix) const {
        return std::ranges::any_of(
            disk, [&](const auto& entry) { return entry.first.starts_with(prefix); });
    }
    void forget_past() {
        actions.clear();
        reports.clear();
        closed.clear();
    }

    Time now = from_seconds(1'000'000);
    std::string boot;
    Epoch epoch{1};
    std::uint64_t link = 0, session = 0;
    std::map<std::string, std::string> disk;
    std::vector<HostAction> actions;
    std::vector<OutgoingReport> reports;
    std::vector<std::uint64_t> closed;
    Registration registration;
    std::optional<Time> wake_at;

private:
    AgentProtections protections_;
    AgentLimits limits_;
    std::optional<Agent> agent_;
    int instances_ = 0;
    bool linked_ = false;
};

// A launch that uses GPU number `gpu` and core number `gpu`.
inline LaunchAttempt launch_of(std::uint32_t job, std::uint32_t attempt, int gpu = 0,
                               bool batch_host = true) {
    LaunchAttempt launch;
    launch.job = JobId{job};
    launch.attempt = Attempt{attempt};
    launch.batch_host = batch_host;
    launch.share.devices = bit(gpu);
    launch.share.cores = BitSet(8);
    launch.share.cores.set(static_cast<std::size_t>(gpu));
    launch.kill_wait = std::chrono::seconds(30);
    launch.payload.script = "#!/bin/sh\n";
    return launch;
}

inline RunKey batch_of(std::uint32_t job, std::uint32_t attempt = 1) {
    return {JobId{job}, Attempt{attempt}, kBatchStep};
}
inline RunKey all_of(std::uint32_t job, std::uint32_t attempt = 1) {
    return {JobId{job}, Attempt{attempt}, kExternStep};
}
inline RunKey step_of(std::uint32_t job, std::uint32_t step, std::uint32_t attempt = 1) {
    return {JobId{job}, Attempt{attempt}, StepId{step}};
}

}  // namespace berth
