// The end of an interactive job (salloc, or an srun with its own allocation), reported by its
// client.
#include "berth/control/commands/commands.h"

namespace berth {

Answer complete(TurnBuilder& builder, const Principal& principal, const CompleteJob& command) {
    auto found = find_single(builder.state(), command.job);
    if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
    const Job& job = *builder.state().find_job(std::get<JobTarget>(found).job);
    const ClusterSpec& spec = builder.state().spec();
    if (auto no = forbidden(spec, principal, Verb::complete_job, job)) return *no;
    if (!job.spec.command->interactive) {
        return refused(
            Refusal::invalid_request,
            "Job " + to_string(job.id) + " has a script, and ends with it: cancel it instead",
            job.id);
    }
    if (job.state == JobState::pending) {
        return refused(Refusal::job_not_running,
                       "Job " + to_string(job.id) + " has not started: cancel it instead", job.id);
    }
    // Reported twice, or too late: the recorded end stands.
    if (job.state != JobState::running) return Done{};
    EndJob fact{.job = job.id, .outcome = JobState::completed};
    if (command.exit != ExitStatus{}) {
        fact.outcome = JobState::failed;
        fact.reason = command.exit.signal != 0 ? "RaisedSignal" : "NonZeroExitCode";
    }
    fact.by_uid = principal.uid;
    fact.exit = command.exit;
    builder.record(fact);
    return Done{};
}

}  // namespace berth
