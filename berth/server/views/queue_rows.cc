#include "berth/server/views/queue_rows.h"

#include <algorithm>
#include <map>

#include "berth/engine/state/queue_lending.h"
#include "berth/engine/state/quota_tree.h"
#include "berth/model/queue_check.h"
#include "berth/model/queue_options.h"

namespace berth {
namespace {

using Index = QueueQuotas::Index;
constexpr Index kNone = QueueQuotas::kNone;

class QueueBook {
public:
    explicit QueueBook(const Snapshot& snapshot) : spec_(*snapshot.spec) {
        const LicenseNumbers licenses(spec_);
        for (Index a = 0; a < spec_.accounts.size(); ++a)
            numbers_.try_emplace(spec_.accounts[a].name, a);
        for (Index a = 0; a < spec_.accounts.size(); ++a) {
            const auto above = numbers_.find(spec_.accounts[a].parent);
            const bool is_top = above == numbers_.end() || above->second == a;
            parents_.push_back(is_top ? kNone : above->second);
        }
        rows_.resize(parents_.size());
        quotas_.rebuild(spec_, licenses, parents_);
        snapshot.jobs.for_each([&](std::uint32_t, const SnapshotJob& one) {
            if (!is_final(one.job->state)) count(*one.job, licenses);
        });
        for (std::size_t t = 0; t < quotas_.tres().size(); ++t) add_tres(t);
    }

    std::vector<api::QueueRow> take_in_order() {
        std::vector<Index> tops;
        std::vector<std::vector<Index>> beneath(parents_.size());
        for (Index a = 0; a < parents_.size(); ++a)
            (parents_[a] == kNone ? tops : beneath[parents_[a]]).push_back(a);
        std::vector<api::QueueRow> rows;
        put(tops, beneath, 0, rows);
        return rows;
    }

private:
    void count(const Job& job, const LicenseNumbers& licenses) {
        const auto account = numbers_.find(*job.spec.account);
        if (account == numbers_.end()) return;
        const bool pending = job.state == JobState::pending;
        for (Index a = account->second; a != kNone; a = parents_[a]) {
            (pending ? rows_[a].pending_jobs : rows_[a].running_jobs) += pending ? jobs_in(job) : 1;
        }
        if (!job.allocation) return;
        const LicenseCounts held = licenses.counts_of(job.allocation->licenses);
        for (std::size_t t = 0; t < quotas_.tres().size(); ++t)
            quotas_.use(account->second, t,
                        amount_of_run(quotas_.tres()[t], quotas_.flavors(), job, held));
    }

    void add_tres(std::size_t t) {
        const std::string& tres = quotas_.tres()[t].tres;
        const std::int64_t capacity = cluster_capacity(spec_, tres).value_or(0);
        const std::int64_t owned = quotas_.of(kNone, t).nominal.value_or(0);
        const auto lent = lent_by_queues(quotas_, t, std::max<std::int64_t>(0, capacity - owned));
        for (Index a = 0; a < parents_.size(); ++a) {
            const QueueQuotas::Quota& quota = quotas_.of(a, t);
            api::QueueTresRow row{.tres = tres,
                                  .nominal = quota.nominal,
                                  .guarantee = quota.guarantee,
                                  .used = quota.used,
                                  .borrowed = quota.borrowed(),
                                  .lent = lent[a]};
            if (quota.limit != QueueQuotas::kUnlimited) row.limit = quota.limit;
            rows_[a].tres.push_back(std::move(row));
        }
    }

    void put(std::vector<Index> those, const std::vector<std::vector<Index>>& beneath,
             std::uint32_t depth, std::vector<api::QueueRow>& rows) {
        std::ranges::sort(those, {},
                          [&](Index a) { return std::string_view(spec_.accounts[a].name); });
        for (const Index a : those) {
            api::QueueRow& row = rows_[a];
            row.cluster = spec_.name;
            row.name = spec_.accounts[a].name;
            row.parent = parents_[a] == kNone ? "root" : spec_.accounts[parents_[a]].name;
            row.depth = depth;
            const auto queue = std::ranges::find(spec_.queues, row.name, &QueueSpec::name);
            if (queue != spec_.queues.end()) {
                for (QueueOption& option : options_of(*queue))
                    row.options.emplace_back(std::move(option.name), std::move(option.value));
            }
            rows.push_back(std::move(row));
            put(beneath[a], beneath, depth + 1, rows);
        }
    }

    const ClusterSpec& spec_;
    std::map<std::string_view, Index> numbers_;  // Accounts by name.
    std::vector<Index> parents_;                 // By account.
    QueueQuotas quotas_;
    std::vector<api::QueueRow> rows_;  // By account.
};

}  // namespace

std::vector<api::QueueRow> queue_rows(const Snapshot& snapshot) {
    return QueueBook(snapshot).take_in_order();
}

}  // namespace berth
