// TurnBuilder: the turn being built. Every fact enters here: it is applied and recorded in one
// step, so answers and orders can never be ahead of the record.
#pragma once

#include <string>
#include <utility>

#include "berth/control/turn/turn.h"
#include "berth/engine/cycle/engine.h"

namespace berth {

class TurnBuilder {
public:
    TurnBuilder(Engine& engine, Time now, Epoch epoch)
        : engine_(engine), now_(now), epoch_(epoch) {}

    Time now() const { return now_; }
    Epoch epoch() const { return epoch_; }
    const Engine& engine() const { return engine_; }
    // For trials and explanations, which leave no trace.
    Engine& trial_engine() { return engine_; }
    const ClusterState& state() const { return engine_.state(); }
    const SchedulingSpec& scheduling() const { return state().spec().scheduling; }

    void record(Fact fact) {
        engine_.apply(now_, fact);
        turn_.record.facts.push_back(std::move(fact));
        end_components(turn_.record.facts.back());
    }
    // For trial changes between checkpoint() and rollback().
    ClusterState& scratch() { return engine_.mutable_state(); }
    // For decisions of a cycle, which the engine has already applied.
    void record_applied(std::vector<Fact> decisions) {
        for (Fact& fact : decisions) turn_.record.facts.push_back(std::move(fact));
    }
    void keep(JobId job, JobPayload payload) {
        turn_.record.payloads.emplace_back(job, std::move(payload));
    }
    void note_readings(NodeId node, NodeReadings readings) {
        engine_.note_readings(node, std::move(readings));
    }
    void note_usage(NodeId node, std::vector<StepUsage> runs) {
        turn_.changes.samples.emplace_back(node, std::move(runs));
    }
    void answer(ReplyTo to, Answer answer) { turn_.answers.push_back({to, std::move(answer)}); }
    void order(Link link, NodeId node, Order order) {
        turn_.orders.push_back({link, node, std::move(order)});
    }
    void fence(FenceCall call) { turn_.fences.push_back(std::move(call)); }
    void hook(HookCall call) { turn_.hooks.push_back(std::move(call)); }
    void notify(Notice notice) { turn_.notices.push_back(std::move(notice)); }
    void close(Link link) { turn_.closed.push_back(link); }
    void log(LogLevel level, std::string text) { turn_.log.push_back({level, std::move(text)}); }

    Turn& turn() { return turn_; }
    const Turn& turn() const { return turn_; }
    bool is_empty() const { return turn_.record.facts.empty(); }

private:
    // If the fact ends one component of a heterogeneous job, ends the others.
    void end_components(const Fact& fact);

    Engine& engine_;
    Time now_;
    Epoch epoch_;
    Turn turn_;
};

}  // namespace berth
