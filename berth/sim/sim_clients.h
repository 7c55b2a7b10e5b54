// SimClients: users and an operator, whose connection loses requests and answers. A client without
// an answer asks again; a submission keeps its request id.
#pragma once

#include "berth/sim/controller_process.h"
#include "berth/sim/lending_site.h"
#include "berth/sim/site.h"

namespace berth::sim {

class SimClients {
public:
    SimClients(Stage& stage, ControllerProcess& controller, Oracle& oracle, const FaultMix& mix,
               Rng rng);

    void use(std::vector<PlannedJob> jobs);
    // Reservations that the operator makes; their users then submit jobs to them.
    void reserve(std::vector<SimReservation> reservations);
    void change_quotas(std::vector<QuotaChange> changes);  // As the operator.
    // Acts on behalf of the script: runs its sruns.
    void script_started(const LaunchAttempt& launch, const ScriptPlan& plan);
    // The operator drains the GPU and resumes it after a while.
    void gpu_trouble(NodeId node, std::uint32_t gpu);
    void node_trouble(std::size_t nodes);  // The operator drains a node for a while.
    // After the faults: the operator handles everything that needs a person.
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
    void make(const SimReservation& reservation);
    void create_step(JobId job, const std::string& user, StepPlan plan, int tries);
    void in(std::optional<Duration> wait, std::function<void()> what);

    Stage& stage_;
    ControllerProcess& controller_;
    Oracle& oracle_;
    FaultMix mix_;
    Rng rng_;
    std::vector<PlannedJob> jobs_;
    std::map<std::size_t, JobId> ids_;  // Of the acknowledged submissions.
    std::map<std::uint64_t, Asked> asked_;
    std::map<std::uint64_t, std::uint64_t> tickets_;  // The question that each ticket belongs to.
    std::uint64_t next_question_ = 1, next_ticket_ = 1;
    std::uint64_t refused_ = 0, steps_ = 0;
};

}  // namespace berth::sim
