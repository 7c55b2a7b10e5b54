// LaunchGate: which of an agent's requests a launcher carries out. Whatever starts a process must
// be signed by the controller, for this node and its current boot, and must not have started
// before. What stops or inspects processes needs no signature.
#pragma once

#include <functional>
#include <string>

#include "berth/agent/ports.h"
#include "berth/credential/credential.h"
#include "berth/launcher/ledger.h"

namespace berth {

// State of a prolog or epilog, read from its run folder, which no agent can write to.
enum class HookState { none, running, passed, failed };

struct GateSettings {
    std::string node;              // Name of this node.
    std::string boot_id;           // Of the current boot.
    std::uint32_t lowest_uid = 0;  // Jobs of users below it are refused.
    // Whether anything of this attempt is on the node, even after the agent has said that it ended.
    std::function<bool(JobId, Attempt)> present;
    std::function<HookState(const RunKey&)> hook = [](const RunKey&) { return HookState::none; };
};

class LaunchGate {
public:
    LaunchGate(GateSettings settings, VerifyingKeys keys, LaunchLedger ledger)
        : settings_(std::move(settings)), keys_(std::move(keys)), ledger_(std::move(ledger)) {}

    // Returns the action to carry out. For an action that starts something, this is the signed
    // copy, with which the request must agree. An error is a refusal with its reason; the code says
    // which kind:
    // - already_exists: this attempt or a later one has been here
    // - failed_precondition: jobs of this user do not run here
    // - permission_denied, not_found: all others
    Result<HostAction> admit(HostAction asked, Time now);

    // The trusted keys: those of the last accepted ConfigureNode.
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
