// Clients: users and an operator, over a way that loses requests and answers. Whoever hears nothing
// asks again, a submission with the same request id.
#pragma once

#include "berth/sim/controller_process.h"
#include "berth/sim/site.h"

namespace berth::sim {

class Clients {
public:
    Clients(Stage& stage, ControllerProcess& controller, Oracle& oracle, const FaultMix& mix,
            Rng rng);

    void use(std::vector<PlannedJob> jobs);
    // By an operator; the users of the reservation submit to it then.
    void reserve(std::vector<PlannedReservation> reservations);
    // What a batch script does besides running: its srun.
    void script_started(const LaunchAttempt& launch, const ScriptPlan& plan);
    void gpu_trouble(NodeId node, std::uint32_t gpu);  // It is given back after a while.
    void node_trouble(std::size_t nodes);              // An operator drains a node for a while.
    // After the faults: whatever waits for a person is seen to.
    void clear_up();
    void calm() { mix_ = FaultMix{}; }
    void answer(const OutgoingAnswer& answer);
    bool is_idle() const { return asked_.empty(); }
    std::uint64_t accepted() const { return ids_.size(); }
    std::uint64_t refused() const { return refused_; }
    std::uint64_t steps() const { return steps_; }

private:
    using OnAnswer = std::function<void(const Answer&)>;
    struct Asked {
        Principal principal;
        Command command;
        OnAnswer then;
        std::uint64_t tries = 0;
    };

    void ask(Principal principal, Command command, OnAnswer then);
    void send(std::uint64_t number);
    void submit(std::size_t number);
    void submitted(std::size_t number, JobId id);
    void make(const PlannedReservation& reservation);
    void create_step(JobId job, const std::string& user, StepPlan plan, int tries);
    void in(std::optional<Duration> wait, std::function<void()> what);

    Stage& stage_;
    ControllerProcess& controller_;
    Oracle& oracle_;
    FaultMix mix_;
    Rng rng_;
    std::vector<PlannedJob> jobs_;
    std::map<std::size_t, JobId> ids_;  // Of the submissions that were acknowledged.
    std::map<std::uint64_t, Asked> asked_;
    std::map<std::uint64_t, std::uint64_t> tickets_;  // Which question each is for.
    std::uint64_t next_question_ = 1, next_ticket_ = 1;
    std::uint64_t refused_ = 0, steps_ = 0;
};

}  // namespace berth::sim
