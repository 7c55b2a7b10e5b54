// The limits that bound what the jobs of one holder use at the same time, seen from one job: which
// sums it is counted in, and how much of each it takes. Queues' quotas are not among them: see
// QueueQuotas.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "berth/engine/limits/limit_request.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// One sum that a limit bounds: running jobs or a TRES of one holder.
struct LimitCounter {
    // Of the first two, `of` is a leaf of the quota tree; of the others an account or a QOS, with
    // the number of a user or an account in `within`.
    enum class Holder : std::uint8_t { association, user, account, qos, qos_user, qos_account };
    enum class What : std::uint8_t { jobs, tres };

    Holder holder = Holder::association;
    What what = What::jobs;
    std::uint32_t of = 0, within = 0;
    // Of a TRES: see is_same_tres().
    TresKind kind = TresKind::cpu;
    DimensionSet dimensions = 0;
    bool of_type = false;
    std::uint32_t license = LicenseNumbers::kNone;

    friend auto operator<=>(const LimitCounter&, const LimitCounter&) = default;
};

struct LimitTerm {
    LimitCounter counter;
    std::int64_t most = 0;
    std::int64_t amount = 0;  // Not 0. Billing is what the job's own partition bills.
};

// Of a pending job: those that bind it. Where a QOS has a limit, that of an account does not; and
// of two QOS only one does: see QuotaTree::qos_limits().
std::vector<LimitTerm> limit_terms_of(const ClusterState& state, const Job& pending,
                                      const Demand& demand, const LimitRequest& asked);
// Of a run: all that count it.
std::vector<LimitTerm> limit_terms_of_run(const ClusterState& state, const Job& run);

// Where a job is counted. The job need not be in the state.
QuotaTree::Place place_in_quota(const ClusterState& state, const Job& job);
// Whether the account, or one beneath it, counts the job.
bool is_counted_in(const ClusterState& state, QuotaTree::Index account, const Job& job);

}  // namespace berth
