#include "berth/sim/unprotected.h"

#include <algorithm>
#include <iterator>

namespace berth::sim {

std::vector<Input> Unprotected::take(const ClusterState& state, std::vector<Input> inputs) {
    std::vector<Input> taken;
    for (Input& input : inputs) {
        if (auto* report = std::get_if<AgentInput>(&input)) {
            take_report(state, std::move(*report), taken);
            continue;
        }
        auto* const client = std::get_if<ClientInput>(&input);
        auto* const submit = client == nullptr ? nullptr : std::get_if<SubmitJob>(&client->command);
        if (submit != nullptr && !protections_.request_ids) {
            const std::string id = submit->spec.request_id;
            const bool is_known = state.index().find_request(id) || state.past_requests().find(id);
            if (is_known) submit->spec.request_id = id + "-again";
        }
        taken.push_back(std::move(input));
    }
    return taken;
}

void Unprotected::take_report(const ClusterState& state, AgentInput input,
                              std::vector<Input>& taken) {
    if (!protections_.boot_ids) hide_boot(input);
    auto* const registration = std::get_if<Registration>(&input.report.body);
    if (!protections_.attempts) {
        if (auto* const report = std::get_if<AttemptReport>(&input.report.body)) {
            take_for_current(state, *report);
        }
        if (registration != nullptr) {
            for (AttemptReport& report : registration->attempts) take_for_current(state, report);
        }
    }
    // The ends of the spool follow, each by itself.
    std::vector<AttemptReport> late;
    if (registration != nullptr && !protections_.atomic_inventory) {
        auto& all = registration->attempts;
        std::ranges::copy_if(all, std::back_inserter(late),
                             [](const AttemptReport& report) { return !report.live; });
        std::erase_if(all, [](const AttemptReport& report) { return !report.live; });
    }
    AgentInput after{input.link, input.node, {}};
    if (registration != nullptr) {
        after.report.boot_id = registration->boot_id;
        after.report.session = registration->session;
    }
    taken.emplace_back(std::move(input));
    for (AttemptReport& report : late) {
        after.report.body = std::move(report);
        taken.emplace_back(after);
    }
}

// A rebooted node looks as if it had never been away.
void Unprotected::hide_boot(AgentInput& input) {
    std::string& boot = input.report.boot_id;
    auto* const registration = std::get_if<Registration>(&input.report.body);
    if (registration != nullptr) boots_[input.link] = registration->boot_id;
    const std::string& true_boot = registration == nullptr ? boot : registration->boot_id;
    boot = first_boots_.try_emplace(input.node, true_boot).first->second;
    if (registration != nullptr) registration->boot_id = boot;
}

// The end of an earlier attempt counts for the current one.
void Unprotected::take_for_current(const ClusterState& state, AttemptReport& report) {
    const Job* const job = state.find_job(report.job);
    if (report.live || job == nullptr || job->attempt == report.attempt) return;
    meant_[{job->id, job->attempt}] = std::exchange(report.attempt, job->attempt);
}

std::optional<OutgoingOrder> Unprotected::send(const ClusterState& state, OutgoingOrder order,
                                               std::vector<Input>& forged) {
    if (const auto boot = boots_.find(order.link); boot != boots_.end()) {
        order.order.boot_id = boot->second;
    }
    if (!protections_.gangs && is_left_behind(state, order)) return std::nullopt;
    if (!protections_.wait_for_clean) {
        if (is_forged(order)) return std::nullopt;
        forge_end(state, order, forged);
    }
    if (!protections_.wait_for_rest) forge_rest(state, order, forged);
    if (!protections_.checkpoints) forge_checkpoint(state, order, forged);
    auto* const over = std::get_if<AcknowledgeEnd>(&order.order.body);
    if (over != nullptr && !over->step) {
        const auto meant = meant_.find({over->job, over->attempt});
        if (meant != meant_.end()) over->attempt = meant_.extract(meant).mapped();
    }
    return order;
}

// A run counts as having saved as soon as it is warned.
void Unprotected::forge_checkpoint(const ClusterState& state, const OutgoingOrder& order,
                                   std::vector<Input>& forged) {
    const auto* const warning = std::get_if<SignalAttempt>(&order.order.body);
    if (warning == nullptr || !warning->checkpoint) return;
    forged.emplace_back(AgentInput{order.link, state.spec().node(order.node).name,
                                   Report{order.order.boot_id, order.order.session,
                                          AttemptCheckpointed{warning->job, warning->attempt}}});
}

// Only the batch host learns that a run is over.
bool Unprotected::is_left_behind(const ClusterState& state, const OutgoingOrder& order) const {
    const auto* const end = std::get_if<EndAttempt>(&order.order.body);
    const Job* const job = end == nullptr ? nullptr : state.find_job(end->job);
    return job != nullptr && job->allocation && job->attempt == end->attempt &&
           order.node != job->nodes.front();
}

// Whether the order acknowledges an end that was forged. The agent knows of none.
bool Unprotected::is_forged(const OutgoingOrder& order) {
    const auto* const over = std::get_if<AcknowledgeEnd>(&order.order.body);
    return over != nullptr && !over->step &&
           unacknowledged_.erase({order.node, over->job, over->attempt}) > 0;
}

// An attempt counts as ended as soon as it is ordered to end.
void Unprotected::forge_end(const ClusterState& state, const OutgoingOrder& order,
                            std::vector<Input>& forged) {
    const auto* const end = std::get_if<EndAttempt>(&order.order.body);
    const Job* const job = end == nullptr ? nullptr : state.find_job(end->job);
    if (job == nullptr || job->state != JobState::completing || job->attempt != end->attempt)
        return;
    const AttemptOnNode key{order.node, end->job, end->attempt};
    if (!forged_.insert(key).second) return;
    unacknowledged_.insert(key);
    forged.emplace_back(
        AgentInput{order.link, state.spec().node(order.node).name,
                   Report{order.order.boot_id, order.order.session,
                          AttemptReport{.job = end->job, .attempt = end->attempt, .live = false}}});
}

// A run counts as frozen as soon as it is ordered to be.
void Unprotected::forge_rest(const ClusterState& state, const OutgoingOrder& order,
                             std::vector<Input>& forged) {
    const auto* const freeze = std::get_if<FreezeAttempt>(&order.order.body);
    if (freeze == nullptr || !freeze->frozen) return;
    forged.emplace_back(
        AgentInput{order.link, state.spec().node(order.node).name,
                   Report{order.order.boot_id, order.order.session,
                          AttemptFrozen{freeze->job, freeze->attempt, freeze->change, true}}});
}

}  // namespace berth::sim
