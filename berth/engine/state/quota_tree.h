// QuotaTree: accounts and associations as one tree of dense ids, with the use and the limits of
// each. QOS lie across it: each has one use in all, and one for each user and each account that it
// limits. A job counts in its own QOS and in that of its partition.
//
// The tree follows from the configuration and the job records; it is never saved. A job changes the
// holders above it alone, and no name is compared: the state knows the leaf of each job. While the
// configuration enforces no limits, nothing is counted.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/base/shared.h"
#include "berth/engine/state/queue_quotas.h"
#include "berth/engine/state/quota_limits.h"
#include "berth/model/accounting_edits.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

// What the jobs of one holder use. Most holders have no run, so what runs hold takes a pointer.
struct QuotaUse {
    struct Held {
        std::int64_t nodes = 0;
        Resources amount;
        LicenseCounts licenses;

        friend bool operator==(const Held&, const Held&) = default;
    };
    std::int64_t submitted = 0;  // Jobs that are not final; each task of an array counts as one.
    std::int64_t running = 0;
    Shared<Held> held;  // By the running ones.

    friend bool operator==(const QuotaUse&, const QuotaUse&) = default;
};

// How many jobs limits count the record as: each waiting task of an array is one.
std::int64_t jobs_in(const Job& job);

// How much of the TRES is held. REQUIRES: it is not billing, which depends on the partition.
std::int64_t amount_of(const TresLimit& tres, const QuotaUse::Held& held);
// Of what the run holds, where the TRES is of a flavor, on the nodes of that one. REQUIRES: it
// holds something.
std::int64_t amount_of_run(const TresLimit& tres, const FlavorNodes& flavors, const Job& run,
                           const LicenseCounts& licenses);

class QuotaTree {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = ~Index{0};

    // Where an account and user stand. `leaf` may be kNone: they never had a job.
    struct Place {
        Index leaf = kNone,
              account = kNone;  // `account`: kNone if the configuration has none such.
        Index user = kNone, account_name = kNone;  // For the rows of a QOS.
        Index association = kNone;                 // The limits that the association itself sets.
    };

    // Anew, without leaves and jobs.
    void rebuild(const ClusterSpec& spec);
    bool enforced() const { return enforced_; }
    // Follows edits that the configuration already has, in O(what they concern). False: other
    // accounts, other quotas, or other uses are to be counted, so the tree must be made anew.
    bool take_edits(const ClusterSpec& spec, const AccountingEdits& edits);

    // Leaves have the numbers of ClusterState::usage(), which come and go in order.
    void add_leaf(const std::string& account, const std::string& user);
    void drop_last_leaf();

    void add(const Job& job, Index leaf);     // REQUIRES: the job is not final.
    void remove(const Job& job, Index leaf);  // As it was added. It may be added again, changed.
    void forget(JobId job);                   // It is final. REQUIRES: it was removed.
    // For trials: the job counts no more, and again. Neither is news.
    void set_aside(const Job& job, Index leaf);
    void put_back(const Job& job, Index leaf);

    // ---- Reading.
    Place place_of(Index leaf) const { return leaves_[leaf].place; }
    Place place_of(const std::string& account, const std::string& user) const;
    struct AccountRow {
        Index parent;               // kNone: there is none above it.
        const QuotaLimits* limits;  // The group limits that it sets itself; nullptr: none.
        const QuotaUse& use;
        Index queue;  // Into ClusterSpec::queues; kNone: the account is no queue.
    };
    AccountRow account(Index account) const {
        const Account& row = accounts_[account];
        return {row.parent, at(row.own), row.use, row.queue};
    }
    // The quotas of queues, with accounts numbered as here.
    const QueueQuotas& queues() const { return queues_; }
    // How much a run uses of QueueQuotas::tres()[tres].
    std::int64_t used_by(const Job& run, std::size_t tres) const;
    // How limits number licenses.
    const Shared<LicenseNumbers>& licenses() const { return licenses_; }
    // The limits of each user that apply to the place, each from the nearest holder that sets it.
    // Where the place has an association, they come with its group limits.
    const QuotaLimits* nearest_limits(const Place& place) const;
    const QuotaLimits* limits_of_qos(QosId qos) const;
    // QOS= of the partition. nullopt: it has none, or one that does not exist.
    std::optional<QosId> partition_qos(PartitionId partition) const;
    // What QOS limit a job: that of its partition, then its own, or the other way around with
    // OverPartQOS. Of what both set, only the limit of the first counts.
    struct QosLimits {
        struct One {
            QosId qos{0};
            const QuotaLimits* limits = nullptr;  // nullptr: none.
        };
        std::array<One, 2> each;
        const QuotaLimits* over = nullptr;  // Of both, which override those of associations.
    };
    QosLimits qos_limits(QosId own, PartitionId partition) const;

    const QuotaUse& use_of_leaf(Index leaf) const;  // kNone: nothing.
    struct QosUse {
        const QuotaUse &all, &of_user, &of_account;  // Of those of the place.
    };
    QosUse use_of_qos(QosId qos, const Place& place) const;

    // ---- For the scheduler: leaves whose jobs may find other results when their limits are
    // checked again, others of which only jobs may that need more than their queue has by right,
    // and QOS whose jobs all may, since runs began, changed or ended. In order.
    struct News {
        std::vector<Index> leaves, leaves_beyond_right;
        std::vector<QosId> qos;
        bool all = false;  // All jobs: other limits apply.
        bool none() const {
            return leaves.empty() && leaves_beyond_right.empty() && qos.empty() && !all;
        }
    };
    News take_news();
    enum class Concerned : std::uint8_t { nobody, some, all };
    Concerned concerned_by_news() const {
        if (all_) return Concerned::all;
        return changed_.empty() && relimited_.empty() ? Concerned::nobody : Concerned::some;
    }

    // For checks from scratch: whether both count the same, and limit it alike.
    bool same_as(const QuotaTree& other) const;

private:
    struct Account {
        Index parent = kNone;
        Index own = kNone;      // Into limits_: what it sets itself, with what it inherits.
        Index nearest = kNone;  // The same or, if it sets nothing, what it inherits.
        QuotaUse use;
        std::vector<Index> children;
        Index queue = kNone;
        bool has_top = false;  // Its ancestors end at an account without a parent.
    };
    struct Leaf {
        Place place;
        Index next_of_user = kNone, next_of_account = kNone;
        QuotaUse use;
    };
    struct Qos {
        Index limits = kNone;
        QuotaUse use;
        std::vector<Index> of_user, of_account;  // Into rows_.
    };
    // Of a partition's QOS and a job's own, which both have limits.
    struct TwoQos {
        bool own_first = false;
        QuotaLimits second, both;
    };

    static bool is_enforced_by(const ClusterSpec& spec);
    void set_limits(Index& slot, QuotaLimits limits);
    void drop_limits(Index& slot);
    void rebuild_accounts(const ClusterSpec& spec);
    // `above`: what the account inherits.
    void limit_account(const ClusterSpec& spec, Index account, Index above);
    void limit_association(const ClusterSpec& spec, const AssociationSpec& one);
    void limit_qos(const ClusterSpec& spec);
    bool keeps_accounts(const ClusterSpec& spec, const AccountingEdits& edits) const;
    bool keeps_rows(const ClusterSpec& spec) const;
    void mark_all_below(Index account, BitSet& marked) const;
    bool inherits_from(const std::string& account, const BitSet& accounts) const;
    bool counts_as(const QuotaTree& other) const;
    bool limits_as(const QuotaTree& other) const;
    Index number_of_user(const std::string& user);
    Index number_of_account(const std::string& account);
    std::vector<std::optional<QosId>> qos_of_partitions(const ClusterSpec& spec) const;
    void limit_two_qos(const ClusterSpec& spec);
    // Visits every holder that counts the job: leaf, accounts up to the root, and of its QOS.
    template <class Visit>
    void each_use(const Place& place, const Job& job, Visit visit);
    template <class Visit>
    void each_use_of_qos(const Place& place, QosId qos, Visit visit);
    void count(const Job& job, Index leaf, std::int64_t times);
    std::vector<QueueQuotas::Reach> count_in_queues(const Job& run, Index leaf, std::int64_t times);
    void note_quotas(const std::vector<QueueQuotas::Reach>& changes);
    const LicenseCounts& licenses_of(const Job& run) const;
    void note_run(const Job& job, Index leaf);
    QuotaUse& row(std::vector<Index>& rows, Index of);
    const QuotaUse& row_if_any(const std::vector<Index>& rows, Index of) const;
    void want_all_below(Index account, BitSet& wanted) const;
    void want_all_below(const BitSet& accounts, BitSet& wanted) const;
    const QuotaLimits* at(Index limits) const {
        return limits == kNone ? nullptr : &limits_[limits];
    }

    bool enforced_ = false;
    std::vector<QuotaLimits> limits_;
    std::vector<Index> unused_limits_;  // Of limits_.
    std::vector<Account> accounts_;     // As in ClusterSpec::accounts.
    QueueQuotas queues_;
    std::vector<Leaf> leaves_;
    std::vector<Qos> qos_;
    std::vector<std::optional<QosId>> partition_qos_;    // By PartitionId.
    std::map<std::pair<QosId, QosId>, TwoQos> two_qos_;  // Of a partition, of a job.
    std::vector<QuotaUse> rows_;                         // Of QOS: of one user or one account each.
    Shared<LicenseNumbers> licenses_;
    std::map<JobId, LicenseCounts> held_licenses_;  // Of runs that hold some.

    // For names, at admission: what is new gets the next number.
    // Names, for new leaves. Configured accounts come first, with their own numbers.
    std::map<std::string, Index, std::less<>> users_, account_names_;
    std::vector<Index> last_of_user_, last_of_account_;  // Leaves, each of which names the next.
    std::map<std::pair<std::string, std::string>, Index>
        associations_;  // With limits: into limits_.

    std::map<Index, std::vector<QosId>> changed_;  // By leaf: runs that began, changed or ended.
    std::vector<Index> relimited_;                 // Accounts below which other limits apply.
    // Accounts below which quotas allow all jobs another amount than before, and those below which
    // they do for jobs beyond their right. The place behind the last account is the root's.
    BitSet requoted_, repooled_;
    bool all_ = true;  // See News::all.
};

}  // namespace berth
