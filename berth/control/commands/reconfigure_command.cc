// scontrol reconfigure.
#include "berth/control/commands/commands.h"
#include "berth/engine/state/keep_ids.h"
#include "berth/model/partition_cpus.h"

namespace berth {

ClusterSpec spec_for(const ClusterState& state, ClusterSpec read) {
    ClusterSpec kept = keep_ids(state.spec(), std::move(read));
    apply_edits(kept, state.configuration().accounting_edits());
    apply_edits(kept, state.configuration().cluster_edits());
    count_partition_cpus(kept);
    return kept;
}

Status check_ids(const SchedulingSpec& scheduling, std::size_t jobs) {
    const std::uint32_t first = scheduling.first_job_id, last = scheduling.max_job_id;
    if (last > first && last - first > jobs) return Done{};
    return Error{ErrorCode::invalid_argument,
                 "MaxJobId=" + std::to_string(last) + " leaves no job ids: they begin at " +
                     std::to_string(first) + ", and " + std::to_string(jobs) + " jobs are known"};
}

Answer reconfigure(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   const Reconfigure& command) {
    if (auto no = forbidden(principal, Verb::reconfigure)) return *no;
    const auto refuse = [&](const std::string& why) {
        builder.log(LogLevel::warning, "the configuration stays as it was: " + why);
        return refused(Refusal::invalid_request, why);
    };
    if (!command.problem.empty()) return refuse(command.problem);
    BERTH_ASSERT(command.spec != nullptr);
    const ClusterSpec before = builder.state().spec();
    if (const Status can = can_keep_ids(before, *command.spec); !can.ok()) {
        return refuse(can.error().message);
    }
    ClusterSpec kept = spec_for(builder.state(), *command.spec);
    if (kept == before) return Done{};
    if (const Status enough = check_ids(kept.scheduling, builder.state().jobs().size());
        !enough.ok()) {
        return refuse(enough.error().message);
    }
    builder.record(SpecInstalled{std::move(kept)});
    nodes.reinstall(builder, before);
    builder.log(LogLevel::info, "another configuration is in force");
    return Done{};
}

}  // namespace berth
