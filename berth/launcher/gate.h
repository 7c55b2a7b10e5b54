// LaunchGate: what of an agent's wishes a launcher fulfils. Whatever begins a process must be what
// the controller has signed, for this node as it is booted now, and not have been begun before;
// what stops processes, or looks at them, needs no one's word.
#pragma once

#include <functional>
#include <string>

#include "berth/agent/ports.h"
#include "berth/credential/credential.h"
#include "berth/launcher/ledger.h"

namespace berth {

// Of a prolog or an epilog: what its folder says, which no agent can write to.
enum class HookState { none, running, passed, failed };

struct GateSettings {
    std::string node;              // This one's name.
    std::string boot_id;           // As it is booted now.
    std::uint32_t lowest_uid = 0;  // No jobs of users below.
    // Whether anything of this attempt is on the node: also where the agent has said that it is
    // over.
    std::function<bool(JobId, Attempt)> present;
    std::function<HookState(const RunKey&)> hook = [](const RunKey&) { return HookState::none; };
};

class LaunchGate {
public:
    LaunchGate(GateSettings settings, VerifyingKeys keys, LaunchLedger ledger)
        : settings_(std::move(settings)), keys_(std::move(keys)), ledger_(std::move(ledger)) {}

    // What is to be done: where something begins, what was signed and not what is asked for, which
    // must be the same. An error is a refusal, and its message says why. Its code says of what kind
    // it is: already_exists: this, or a later attempt, has been here; failed_precondition: a job of
    // this user's is not run here; permission_denied and not_found: all else.
    Result<HostAction> admit(HostAction asked, Time now);

    // Those that it believes: as a ConfigureNode that it has let in said last.
    const VerifyingKeys& keys() const { return keys_; }

private:
    using SignedAttempt = Signed<LaunchAttempt>;
    Result<SignedAttempt> read(LaunchAttempt asked) const;
    Status is_for_here(const Warrant& warrant) const;
    Status is_fresh(const Warrant& warrant, Time now) const;
    Status let_in(const SignedAttempt& attempt, const std::string& credential, Time now);
    Status may_begin(const LaunchAttempt& launch) const;
    Status may_run_hook(const RunKey& run) const;
    Status before_epilog(JobId job, Attempt attempt) const;
    Status has_room(const LaunchAttempt& launch) const;
    Result<LetIn> find_live(JobId job, Attempt attempt) const;

    Result<HostAction> admit_attempt(StartAttempt asked, Time now);
    Result<HostAction> admit_hook(const StartHook& asked, Time now);
    Result<HostAction> admit_step(const StartStep& asked);
    Result<HostAction> admit_program(const StartNodeProgram& asked, Time now);
    Result<HostAction> admit_setup(const ConfigureNode& asked, Time now);
    Status remove(const RemoveAttempt& asked, Time now);
    Status list(const ListAttempts& asked, Time now);

    GateSettings settings_;
    VerifyingKeys keys_;
    LaunchLedger ledger_;
};

}  // namespace berth
