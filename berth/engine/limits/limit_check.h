// Limits of associations and QOS, held against a job that would be submitted or started, in Slurm's
// order: its QOS, its own association, then account by account to the top. What the QOS limits, the
// associations do not limit again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/engine/placement/demand.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// A limit that the job would break.
struct Excess {
    PendingReason reason = PendingReason::none;
    std::string holder;  // "qos gold", "user ada in account physics", "account physics"
    std::string what;    // "gres/gpu", "running jobs", "minutes"
    std::int64_t asked = 0, used = 0, most = 0;
    bool at_least = false;  // It asks for too little.
};

// "qos gold allows 2 gres/gpu at once; it asks for 3, and 1 are in use"
std::string in_words(const Excess& excess);

// Where an account, and the limits of a user in it, are found without a look at all of them. Made
// once for many checks; it holds for as long as the specification stays as it is.
class LimitHolders {
public:
    explicit LimitHolders(const ClusterSpec& spec);

    // nullptr: there is none, or it has no limits of its own.
    const AssociationSpec* association(const std::string& account, const std::string& user) const;
    const AccountSpec* account(const std::string& name) const;

private:
    std::vector<const AssociationSpec*> associations_;  // Those with limits, by account and user.
    std::vector<const AccountSpec*> accounts_;          // By name.
};

// Keeps it from starting now. nullopt: nothing does. `holders`: of the state's specification, if
// they are known.
std::optional<Excess> limit_on_start(const ClusterState& state, const Job& job,
                                     const Demand& demand, const LimitHolders* holders = nullptr);

// All that do.
std::vector<Excess> limits_on_start(const ClusterState& state, const Job& job,
                                    const Demand& demand);

// Lets it not even be submitted: too many are; or, where its QOS says DenyOnLimit, what would keep
// it from starting though nothing else ran.
std::optional<Excess> limit_on_submission(const ClusterState& state, const Job& job,
                                          const Demand& demand);

}  // namespace berth
