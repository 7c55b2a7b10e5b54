#include "berth/launcher/gate.h"

#include <algorithm>

#include "berth/agent/signals.h"
#include "berth/launcher/agreement.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

Error refused(const std::string& why) { return {ErrorCode::permission_denied, why}; }
Error been_here(const std::string& why) { return {ErrorCode::already_exists, why}; }

std::string name_of(JobId job, Attempt attempt) {
    return "attempt " + to_string(attempt) + " of job " + to_string(job);
}

}  // namespace

Result<HostAction> LaunchGate::admit(HostAction asked, Time now) {
    if (auto* const start = std::get_if<StartAttempt>(&asked))
        return admit_attempt(std::move(*start), now);
    if (const auto* const hook = std::get_if<StartHook>(&asked)) return admit_hook(*hook, now);
    if (const auto* const step = std::get_if<StartStep>(&asked)) return admit_step(*step);
    if (const auto* const program = std::get_if<StartNodeProgram>(&asked))
        return admit_program(*program, now);
    if (const auto* const setup = std::get_if<ConfigureNode>(&asked))
        return admit_setup(*setup, now);
    if (const auto* const gone = std::get_if<RemoveAttempt>(&asked)) {
        BERTH_CHECK(remove(*gone, now));
    }
    if (const auto* const known = std::get_if<ListAttempts>(&asked)) {
        BERTH_CHECK(list(*known, now));
    }
    if (const auto* const signal = std::get_if<SignalRun>(&asked)) {
        if (signal->signal <= 0 || signal->signal > kSignalMax)
            return refused(std::to_string(signal->signal) + " is no signal");
    }
    return asked;
}

// The agent's own copy must match the signed one. A mismatch is a bug or an attack and is logged.
// The launcher carries out the signed copy.
Result<LaunchGate::SignedAttempt> LaunchGate::read(LaunchAttempt asked) const {
    const LetIn* const entry = ledger_.find(asked.job);
    const bool came_in_by_it = entry != nullptr && !entry->credential.empty() &&
                               entry->credential == sha256_hex(asked.credential);
    BERTH_TRY(SignedAttempt attempt, came_in_by_it
                                         ? read_admitted_attempt(asked.credential)
                                         : read_attempt_credential(asked.credential, keys_));
    asked.payload = {};
    asked.credential.clear();
    if (!agrees(asked, attempt.body)) {
        return refused("the order is not what the controller has signed for " +
                       name_of(attempt.body.job, attempt.body.attempt));
    }
    if (attempt.warrant.node != settings_.node) {
        return refused("the order is for node '" + attempt.warrant.node + "', and this is '" +
                       settings_.node + "'");
    }
    return attempt;
}

Status LaunchGate::is_for_here(const Warrant& warrant) const {
    if (warrant.node != settings_.node) {
        return refused("the order is for node '" + warrant.node + "', and this is '" +
                       settings_.node + "'");
    }
    if (warrant.boot_id != settings_.boot_id)
        return refused("the order is for another boot of this node");
    return Done{};
}

Status LaunchGate::is_fresh(const Warrant& warrant, Time now) const {
    BERTH_CHECK(is_for_here(warrant));
    if (warrant.epoch < ledger_.highest_epoch()) {
        return refused("the order is by a controller of epoch " + to_string(warrant.epoch) +
                       ", and epoch " + to_string(ledger_.highest_epoch()) +
                       " has been heard of here");
    }
    if (now < warrant.issued - kClockSkewMax || now > warrant.expires + kClockSkewMax) {
        return refused("the order was signed at " + std::to_string(seconds(warrant.issued)) +
                       " and is good for " + std::to_string(seconds(kCredentialLife)) +
                       " s, but here it is " + std::to_string(seconds(now)) +
                       ": it is old, or the clocks of controller and node differ");
    }
    return Done{};
}

Result<LetIn> LaunchGate::find_live(JobId job, Attempt attempt) const {
    const LetIn* const entry = ledger_.find(job);
    if (entry == nullptr || entry->attempt < attempt)
        return Error{ErrorCode::not_found, name_of(job, attempt) + " has not been started here"};
    if (entry->attempt != attempt) {
        return been_here(name_of(job, entry->attempt) + " has been here, which is later than " +
                         to_string(attempt));
    }
    if (entry->removed) return been_here(name_of(job, attempt) + " is over on this node");
    return *entry;
}

Status LaunchGate::has_room(const LaunchAttempt& launch) const {
    for (const auto& [job, other] : ledger_.all()) {
        if (!settings_.present(job, other.attempt)) continue;
        if (job == launch.job)
            return refused(name_of(job, other.attempt) + " is still on this node");
        if (const DeviceMask both = in_conflict(other.share, launch.share)) {
            return refused(name_of(job, other.attempt) + " holds devices " + mask_to_list(both) +
                           " of this node");
        }
    }
    return Done{};
}

Status LaunchGate::let_in(const SignedAttempt& attempt, const std::string& credential, Time now) {
    const LaunchAttempt& launch = attempt.body;
    Result<LetIn> entry = find_live(launch.job, launch.attempt);
    // An admitted attempt that has nothing on the node holds no devices: another may have got them.
    // If its entry says "started", the launcher died before it created the attempt's folder, so
    // nothing has begun: a folder is removed only after its entry says so.
    if (entry.ok() && settings_.present(launch.job, launch.attempt))
        return is_for_here(attempt.warrant);
    if (!entry.ok() && entry.error().code != ErrorCode::not_found) return entry.error();
    BERTH_CHECK(is_fresh(attempt.warrant, now));
    if (launch.owner.uid < settings_.lowest_uid) {
        return Error{ErrorCode::failed_precondition,
                     "no job of uid " + std::to_string(launch.owner.uid) + " runs on this node: " +
                         std::to_string(settings_.lowest_uid) + " is the lowest"};
    }
    BERTH_CHECK(has_room(launch));
    BERTH_CHECK(ledger_.forget(now, settings_.present));
    BERTH_CHECK(ledger_.raise_epoch(attempt.warrant.epoch));
    return ledger_.put(launch.job, {.attempt = launch.attempt,
                                    .share = launch.share,
                                    .forget_after = attempt.warrant.expires + kClockSkewMax,
                                    .credential = sha256_hex(credential)});
}

Status LaunchGate::before_epilog(JobId job, Attempt attempt) const {
    if (settings_.hook({job, attempt, kEpilogStep}) == HookState::none) return Done{};
    return been_here("the epilog of " + name_of(job, attempt) + " has begun on this node");
}

Status LaunchGate::may_begin(const LaunchAttempt& launch) const {
    BERTH_CHECK(before_epilog(launch.job, launch.attempt));
    if (launch.hooks.prolog.empty() ||
        settings_.hook({launch.job, launch.attempt, kPrologStep}) == HookState::passed)
        return Done{};
    return refused("the prolog of " + name_of(launch.job, launch.attempt) +
                   " has not ended well on this node");
}

// Each hook runs once, and the prolog before everything else.
Status LaunchGate::may_run_hook(const RunKey& run) const {
    BERTH_CHECK(before_epilog(run.job, run.attempt));
    if (run.step == kEpilogStep) return Done{};
    if (settings_.hook(run) != HookState::none) {
        return been_here("the prolog of " + name_of(run.job, run.attempt) +
                         " has begun on this node before");
    }
    const Result<LetIn> entry = find_live(run.job, run.attempt);
    if (entry.ok() && entry->started)
        return been_here(name_of(run.job, run.attempt) + " was started on this node before");
    return Done{};
}

Result<HostAction> LaunchGate::admit_attempt(StartAttempt asked, Time now) {
    BERTH_TRY(SignedAttempt attempt, read(asked.launch));
    if (digest_of(asked.launch.payload) != attempt.warrant.payload) {
        return refused("the script or the environment is not what the controller has signed for " +
                       name_of(asked.launch.job, asked.launch.attempt));
    }
    BERTH_CHECK(may_begin(attempt.body));
    BERTH_CHECK(let_in(attempt, asked.launch.credential, now));
    LaunchAttempt& launch = attempt.body;
    BERTH_TRY(LetIn entry, find_live(launch.job, launch.attempt));
    entry.started = true;
    BERTH_CHECK(ledger_.put(launch.job, std::move(entry)));
    launch.payload = std::move(asked.launch.payload);
    return HostAction(StartAttempt{std::move(launch)});
}

// The epilog may follow its attempt into a later boot of the node.
Result<HostAction> LaunchGate::admit_hook(const StartHook& asked, Time now) {
    BERTH_TRY(SignedAttempt attempt, read(asked.launch));
    const LaunchAttempt& launch = attempt.body;
    if (asked.run.job != launch.job || asked.run.attempt != launch.attempt ||
        !is_hook(asked.run.step)) {
        return refused("a prolog or epilog is asked for that is not that of " +
                       name_of(launch.job, launch.attempt));
    }
    BERTH_CHECK(may_run_hook(asked.run));
    if (asked.run.step == kPrologStep || !find_live(launch.job, launch.attempt).ok()) {
        BERTH_CHECK(let_in(attempt, asked.launch.credential, now));
    }
    return HostAction(StartHook{asked.run, std::move(attempt.body)});
}

// A step number is used once in an attempt, and the step's run folder stays as long as the attempt:
// this keeps a step from starting twice.
Result<HostAction> LaunchGate::admit_step(const StartStep& asked) {
    BERTH_TRY(SignedAttempt attempt, read(asked.attempt));
    BERTH_TRY(Signed<LaunchStep> step, read_step_credential(asked.launch.credential, keys_));
    LaunchStep bare = asked.launch;
    bare.credential.clear();
    if (!agrees(bare, step.body)) {
        return refused("the step is not what the controller has signed for step " +
                       to_string(step.body.step) + " of job " + to_string(step.body.job));
    }
    if (step.body.job != attempt.body.job || step.body.attempt != attempt.body.attempt) {
        return refused("the step is one of " + name_of(step.body.job, step.body.attempt) +
                       ", and not of " + name_of(attempt.body.job, attempt.body.attempt));
    }
    BERTH_CHECK(is_for_here(attempt.warrant));
    BERTH_CHECK(is_for_here(step.warrant));
    BERTH_TRY(const LetIn entry, find_live(step.body.job, step.body.attempt));
    if (!entry.started)
        return refused(name_of(step.body.job, step.body.attempt) + " has not been started here");
    BERTH_CHECK(before_epilog(step.body.job, step.body.attempt));
    return HostAction(StartStep{std::move(step.body), std::move(attempt.body)});
}

Result<HostAction> LaunchGate::admit_program(const StartNodeProgram& asked, Time now) {
    BERTH_TRY(Signed<RunNodeProgram> program,
              read_program_credential(asked.program.credential, keys_));
    RunNodeProgram bare = asked.program;
    bare.credential.clear();
    if (!agrees(bare, program.body))
        return refused("the program is not the one that the controller has signed");
    BERTH_CHECK(is_fresh(program.warrant, now));
    if (program.warrant.issued <= ledger_.last_run(program.body.program))
        return refused("this order to run " + program.body.path + " was obeyed before");
    BERTH_CHECK(ledger_.raise_epoch(program.warrant.epoch));
    BERTH_CHECK(ledger_.ran(program.body.program, program.warrant.issued));
    return HostAction(StartNodeProgram{std::move(program.body)});
}

// An order older than the one in force could restore a revoked key.
Result<HostAction> LaunchGate::admit_setup(const ConfigureNode& asked, Time now) {
    BERTH_TRY(Signed<NodeSetup> setup, read_setup_credential(asked.setup.credential, keys_));
    BERTH_CHECK(is_fresh(setup.warrant, now));
    if (setup.warrant.issued <= ledger_.last_setup())
        return refused("this description of the node was obeyed before, or a later one was");
    if (setup.body.node.name != settings_.node) {
        return refused("it describes node '" + setup.body.node.name + "', and this is '" +
                       settings_.node + "'");
    }
    BERTH_TRY(VerifyingKeys keys, VerifyingKeys::of(setup.body.launch_keys));
    BERTH_CHECK(ledger_.raise_epoch(setup.warrant.epoch));
    BERTH_CHECK(ledger_.set_up(setup.warrant.issued));
    keys_ = std::move(keys);
    return HostAction(ConfigureNode{std::move(setup.body)});
}

Status LaunchGate::remove(const RemoveAttempt& asked, Time now) {
    const LetIn* const entry = ledger_.find(asked.job);
    if (entry != nullptr && entry->attempt == asked.attempt && !entry->removed) {
        LetIn over = *entry;
        over.removed = true;
        BERTH_CHECK(ledger_.put(asked.job, std::move(over)));
    }
    return ledger_.forget(now, settings_.present);
}

// Attempts that the agent does not know are over: nothing of them may start any more. The agent's
// word does not prove that their devices are free: has_room() asks the node.
Status LaunchGate::list(const ListAttempts& asked, Time now) {
    const std::map<JobId, LetIn> entries = ledger_.all();
    for (const auto& [job, entry] : entries) {
        const RunKey own{job, entry.attempt, kExternStep};
        const bool known = std::ranges::find(asked.known, own) != asked.known.end();
        if (!known) BERTH_CHECK(remove({job, entry.attempt}, now));
    }
    return ledger_.forget(now, settings_.present);
}

}  // namespace berth
