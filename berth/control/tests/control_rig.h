// ControlRig: a controller with scripted agents, so that a test reads as a sequence of events. The
// rig keeps the records as a journal would: restart() is a crash.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "berth/control/core/controller.h"
#include "berth/testing/builders.h"

namespace berth {

inline const Principal kAnn{.uid = 1000, .gid = 100, .user = "ann", .role = Role::user};
inline const Principal kBob{.uid = 1001, .gid = 100, .user = "bob", .role = Role::user};
inline const Principal kOperator{.uid = 50, .gid = 50, .user = "oscar", .role = Role::op};
inline const Principal kRoot{.uid = 0, .gid = 0, .user = "root", .role = Role::admin};
inline const Principal kNobody{.uid = 9, .gid = 9, .user = "eve", .role = Role::none};

// For tests only.
class ControlRig {
public:
    struct Agent {
        Link link;
        std::uint64_t session = 0;
        std::string instance = "first", boot = "boot-1";
        Time started_at = from_seconds(900);
        Epoch highest_epoch{0};
    };

    explicit ControlRig(std::uint32_t nodes = 2) : ControlRig(testing::make_cluster(nodes)) {}
    explicit ControlRig(ClusterSpec spec) : spec_(std::move(spec)) { restart(); }

    const ClusterState& state() const { return controller_->state(); }
    const Job& job(std::uint32_t id) const {
        const Job* const found = state().find_job(JobId(id));
        if (found == nullptr) throw std::runtime_error("no job " + std::to_string(id));
        return *found;
    }
    // The first node of the job.
    std::uint32_t node_of(std::uint32_t job_id) const { return job(job_id).nodes.at(0).value(); }
    bool knows(std::uint32_t id) const { return state().find_job(JobId(id)) != nullptr; }

    // ---- Turns.
    Turn& turn(std::vector<Input> inputs = {}) {
        last = controller_->turn(now, std::move(inputs), has_room);
        if (!last.record.facts.empty()) {
            EXPECT_EQ(last.record.sequence, records.size() + 1);
            records.push_back(last.record);
        }
        state().check_invariants();
        return last;
    }
    void took(Duration time) { controller_->turn_took(time); }
    Turn& wait(Duration time) {
        now += time;
        return turn();
    }
    Answer ask(const Principal& who, Command command) {
        turn({ClientInput{{++tickets_}, who, std::move(command)}});
        EXPECT_EQ(last.answers.size(), 1U);
        EXPECT_EQ(last.answers.at(0).reply_to.ticket, tickets_);
        return last.answers.at(0).answer;
    }
    // The controller dies, and another one starts from the records. All links are lost.
    void restart() {
        ClusterState replayed;
        for (const Record& record : records) {
            for (const Fact& fact : record.facts) replayed.apply(record.now, fact);
        }
        if (controller_) {
            EXPECT_EQ(replayed.hash(), state().hash()) << "a replay differs";
        }
        controller_.emplace(Engine(std::move(replayed)), spec_, Epoch(++epoch_), records.size() + 1,
                            records.empty() ? Time{} : records.back().now);
        turn();
    }

    // ---- Agents, by node number.
    // Connects (again) and registers with this inventory.
    Turn& connect(std::uint32_t node, std::vector<AttemptReport> attempts = {},
                  std::vector<StepReport> ended_steps = {}) {
        Agent& agent = agents[node];
        agent.link = Link{++links_};
        ++agent.session;
        return turn({registration(node, std::move(attempts), std::move(ended_steps))});
    }
    AgentInput registration(std::uint32_t node, std::vector<AttemptReport> attempts = {},
                            std::vector<StepReport> ended_steps = {}) {
        const Agent& agent = agents[node];
        Registration all;
        all.node = name(node);
        all.boot_id = agent.boot;
        all.session = agent.session;
        all.instance = agent.instance;
        all.agent_started_at = agent.started_at;
        all.found = spec_.nodes[node];
        all.attempts = std::move(attempts);
        all.ended_steps = std::move(ended_steps);
        all.highest_epoch = agent.highest_epoch;
        return {agent.link, name(node), {agent.boot, agent.session, std::move(all)}};
    }
    void connect_all() {
        for (std::uint32_t node = 0; node < spec_.nodes.size(); ++node) connect(node);
    }
    AgentInput report_of(std::uint32_t node, ReportBody body) {
        const Agent& agent = agents[node];
        return {agent.link, name(node), {agent.boot, agent.session, std::move(body)}};
    }
    Turn& report(std::uint32_t node, ReportBody body) {
        return turn({report_of(node, std::move(body))});
    }
    Turn& started(std::uint32_t node, std::uint32_t id, std::uint32_t attempt = 1) {
        return report(node, AttemptStarted{JobId(id), Attempt(attempt)});
    }
    Turn& lose_link(std::uint32_t node) { return turn({LinkLost{agents[node].link}}); }
    // The node reboots and has another boot id.
    void reboot(std::uint32_t node) {
        lose_link(node);
        agents[node].boot = "boot-" + std::to_string(++boots_);
        agents[node].instance = "instance-" + std::to_string(boots_);
        agents[node].started_at = now;
    }
    std::string name(std::uint32_t node) const { return spec_.nodes[node].name; }

    // ---- What the last turn sent to the agents.
    template <class Body>
    std::vector<std::pair<std::uint32_t, Body>> orders() const {
        std::vector<std::pair<std::uint32_t, Body>> found;
        for (const OutgoingOrder& order : last.orders) {
            if (const auto* body = std::get_if<Body>(&order.order.body)) {
                found.emplace_back(order.node.value(), *body);
            }
        }
        return found;
    }
    template <class FactKind>
    std::vector<FactKind> facts() const {
        std::vector<FactKind> found;
        for (const Fact& fact : last.record.facts) {
            if (const auto* kind = std::get_if<FactKind>(&fact)) found.push_back(*kind);
        }
        return found;
    }

    // ---- Jobs.
    // Submits as ann; returns the job id.
    std::uint32_t submit(const testing::JobOptions& options = {}) {
        return submit(testing::make_job(options));
    }
    std::uint32_t submit(JobSpec spec, const Principal& who = kAnn) {
        const Answer answer = ask(who, SubmitJob{std::move(spec), {"#!/bin/sh\n", {"A=1"}}});
        const auto* const submitted = std::get_if<Submitted>(&answer);
        if (submitted == nullptr) throw std::runtime_error(std::get<Refused>(answer).message);
        return submitted->job.value();
    }
    // Submits a job that is launched and started on all its nodes.
    std::uint32_t run(const testing::JobOptions& options = {}) {
        const std::uint32_t id = submit(options);
        for (const NodeId node : job(id).nodes) {
            started(node.value(), id, job(id).attempt.value());
        }
        return id;
    }

    Time now = from_seconds(1000);
    bool has_room = true;
    Turn last;
    std::vector<Record> records;
    std::map<std::uint32_t, Agent> agents;

private:
    ClusterSpec spec_;
    std::optional<Controller> controller_;
    std::uint64_t epoch_ = 0, links_ = 0, tickets_ = 0;
    std::uint32_t boots_ = 1;
};

inline AttemptReport live_report(std::uint32_t job, std::uint32_t attempt = 1,
                                 std::vector<StepId> steps = {}) {
    AttemptReport report{.job = JobId(job), .attempt = Attempt(attempt)};
    report.live_steps = std::move(steps);
    return report;
}
inline AttemptReport end_report(std::uint32_t job, std::uint32_t attempt = 1,
                                std::optional<ExitStatus> exit = ExitStatus{}) {
    return {.job = JobId(job), .attempt = Attempt(attempt), .live = false, .batch_exit = exit};
}
// The answer of a tombstone.
inline AttemptReport never_ran(std::uint32_t job, std::uint32_t attempt = 1) {
    return {.job = JobId(job), .attempt = Attempt(attempt), .live = false, .never_ran = true};
}

inline Refusal why(const Answer& answer) {
    const auto* const refused = std::get_if<Refused>(&answer);
    if (refused == nullptr) throw std::runtime_error("it was not refused");
    return refused->why;
}
inline bool is_done(const Answer& answer) { return std::holds_alternative<Done>(answer); }

}  // namespace berth
