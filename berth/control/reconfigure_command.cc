// scontrol reconfigure.
#include "berth/control/commands.h"

namespace berth {

ClusterSpec spec_for(const ClusterState& state, ClusterSpec read) {
    ClusterSpec kept = keep_ids(state.spec(), std::move(read));
    apply_edits(kept, state.accounting_edits());
    apply_edits(kept, state.cluster_edits());
    return kept;
}

Answer reconfigure(Ledger& ledger, Nodes& nodes, const Principal& principal,
                   const Reconfigure& command) {
    if (auto no = forbidden(principal, Verb::reconfigure)) return *no;
    const auto refuse = [&](const std::string& why) {
        ledger.log(LogLevel::warning, "the configuration stays as it was: " + why);
        return refused(Refusal::invalid_request, why);
    };
    if (!command.problem.empty()) return refuse(command.problem);
    BERTH_ASSERT(command.spec != nullptr);
    const ClusterSpec before = ledger.state().spec();
    if (const Status can = can_keep_ids(before, *command.spec); !can.ok()) {
        return refuse(can.error().message);
    }
    ClusterSpec kept = spec_for(ledger.state(), *command.spec);
    if (kept == before) return Done{};
    ledger.record(SpecInstalled{std::move(kept)});
    nodes.reinstall(ledger, before);
    ledger.log(LogLevel::info, "another configuration is in force");
    return Done{};
}

}  // namespace berth
