// ControllerProcess: the real Loop behind its ports. Its disk may be slow. It crashes at any time,
// most of all between append and commit, and restarts from what is durable.
#pragma once

#include <functional>
#include <memory>

#include "berth/control/core/cycle_pace.h"
#include "berth/control/core/loop.h"
#include "berth/sim/network.h"
#include "berth/sim/oracle.h"
#include "berth/sim/sim_journal.h"
#include "berth/sim/unprotected.h"

namespace berth::sim {

// What a world takes away or injects, to prove that the oracle notices it.
struct ControllerFlaws {
    ControlProtections protections;
    ControllerBugs bugs;
};

class ControllerProcess : private Inbox,
                          private WallClock,
                          private Journal,
                          private Agents,
                          private Clients,
                          private Readers {
public:
    ControllerProcess(Stage& stage, Network& network, Oracle& oracle, ClusterSpec spec,
                      const FaultMix& mix, const ControllerFlaws& flaws, Rng rng);

    void start();
    void crash(Duration until_restart);
    void jump_clock(Duration by);
    void calm() { mix_ = FaultMix{}; }
    bool is_up() const { return loop_ != nullptr; }
    Time disturbed_at() const { return disturbed_at_; }

    void input(Input input);
    void on_answer(std::function<void(const OutgoingAnswer&)> to_clients) {
        to_clients_ = std::move(to_clients);
    }

    void use(Fence& fence, ControllerHookRunner& hooks) { fence_ = &fence, hooks_ = &hooks; }
    // Placement attempts in one cycle, for controllers that start from now on.
    void limit_cycles(std::uint32_t attempts) { cycle_budget_ = attempts; }
    // Keeps all records that become durable from now on, also those that a snapshot cuts off the
    // journal.
    void keep_records() { keeps_records_ = true; }
    const std::vector<Record>& records() const { return records_; }
    std::uint64_t life() const { return life_; }  // Changes with each crash.

    // REQUIRES: is_up().
    const ClusterState& state() const { return loop_->controller().state(); }
    const SimJournal& journal() const { return journal_; }

private:
    std::vector<Input> wait_until(std::optional<Time> deadline) override;
    Time now() override { return stage_.now() + clock_ahead_; }
    Status append(const Record& record, const ClusterState& after) override;
    Status rest(const ClusterState& state) override;
    bool has_room() override { return true; }
    void send(OutgoingOrder order) override;
    void close(Link link) override;
    void answer(OutgoingAnswer answer) override;
    void publish(const ClusterState& state, const Changes& changes) override;

    void run();
    void run_at(Time when);
    void tail_is_durable();
    void release(std::function<void()> what);
    Duration commit_time();

    Stage& stage_;
    Network& network_;
    Oracle& oracle_;
    ClusterSpec spec_;
    FaultMix mix_;
    Unprotected unprotected_;
    ControllerBugs bugs_;
    Rng rng_;
    SimJournal journal_;
    std::unique_ptr<Loop> loop_;
    std::vector<Input> inbox_;
    std::function<void(const OutgoingAnswer&)> to_clients_;
    Fence* fence_ = nullptr;
    ControllerHookRunner* hooks_ = nullptr;
    std::uint64_t life_ = 0, wake_ = 0;
    Epoch epoch_{0};
    std::uint32_t cycle_budget_ = kCycleBudget;
    Duration clock_ahead_{};
    Time busy_until_{};  // Until the last append is durable.
    bool run_due_ = false;
    std::optional<Time> deadline_;
    Time disturbed_at_{};
    std::vector<Recorded> tail_;  // What the oracle learns once it is durable.
    std::vector<Record> records_, tail_records_;
    bool keeps_records_ = false;
};

}  // namespace berth::sim
