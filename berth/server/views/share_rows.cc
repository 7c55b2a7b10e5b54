#include "berth/server/views/share_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "berth/engine/derived/fair_shares.h"
#include "berth/policy/policy.h"
#include "berth/policy/tres.h"

namespace berth {
namespace {

using NamedAmounts = std::vector<std::pair<std::string, std::int64_t>>;

std::int64_t billionths(std::int64_t of_one62) {
    return static_cast<std::int64_t>((Wide{of_one62} * 1'000'000'000) >> 62);
}

// In Slurm's order, with the TRES that it always names.
NamedAmounts named(const Dimensions& dimensions, const UsageVector& amounts, std::int64_t divisor) {
    const auto minutes = [&](std::size_t kind) { return amounts[kind].whole / divisor; };
    NamedAmounts all = {{"cpu", minutes(usage_kind_of(kCpuDimension))},
                        {"mem", minutes(usage_kind_of(kMemoryDimension))},
                        {"energy", 0},
                        {"node", minutes(kNodeUsage)},
                        {"billing", minutes(kBillingUsage)},
                        {"fs/disk", 0},
                        {"vmem", 0},
                        {"pages", 0}};
    std::map<std::string, std::int64_t> sums;
    for (const DimensionId d : dimensions.gres()) {
        const std::string name = "gres/" + dimensions.at(d).name;
        sums[name] += minutes(usage_kind_of(d));
        if (!dimensions.at(d).type.empty()) {
            sums[name + ":" + dimensions.at(d).type] = minutes(usage_kind_of(d));
        }
    }
    all.insert(all.end(), sums.begin(), sums.end());
    return all;
}

// What each node of the tree has used of every TRES, and will at most use in the runs under way.
class Sums {
public:
    explicit Sums(const ShareTree& tree) : tree_(tree), all_(tree.nodes().size()) {}

    void add(const std::string& account, const std::string& user, const UsageVector& amounts) {
        const std::size_t* node = tree_.find(account, user);
        std::size_t at = node == nullptr ? tree_.account_or_root(account) : *node;
        while (true) {
            for (std::size_t kind = 0; kind < kUsageKinds; ++kind) {
                all_[at][kind] = all_[at][kind] + amounts[kind];
            }
            if (at == 0) return;
            at = tree_.nodes()[at].parent;
        }
    }
    const UsageVector& of(std::size_t node) const { return all_[node]; }

private:
    const ShareTree& tree_;
    std::vector<UsageVector> all_;
};

UsageVector used_by(const UsageRecord& record, Time now, const UsageDecay& decay) {
    UsageVector used;
    for (std::size_t kind = 0; kind < kUsageKinds; ++kind) {
        used[kind] = record.used_by(now, kind, decay);
    }
    return used;
}

void add_running(Sums& sums, const Snapshot& snapshot, Time now) {
    snapshot.jobs.for_each([&](std::uint32_t, const SnapshotJob& read_model) {
        const Job& job = *read_model.job;
        if (job.state != JobState::running || job.time_limit == Duration::max()) return;
        const Duration left = job.time_limit - ran_for(job, now);
        if (left <= Duration{}) return;
        UsageVector amounts = usage_rate_of(*snapshot.spec, job);
        for (std::size_t kind = 0; kind < kUsageKinds; ++kind)
            amounts[kind] = amounts[kind].over((Wide{left.count()} << 40) / 1000);
        sums.add(job.spec.account, job.owner->user, amounts);
    });
}

struct Shown {
    const ShareTree& tree;
    const std::vector<ShareStanding>& standings;
    const Sums &used, &to_come;
    const FairnessRule& fairness;
};

api::ShareRow row_of(const Shown& shown, const ClusterSpec& spec, std::size_t index) {
    const ShareNode& node = shown.tree.nodes()[index];
    const ShareStanding& standing = shown.standings[index];
    api::ShareRow row{.cluster = spec.name, .account = node.account, .user = node.user};
    if (index != 0) {
        row.parent = shown.tree.nodes()[node.parent].account;
        if (!node.of_parent) row.raw_shares = node.shares;
    }
    for (std::size_t at = index; at != 0; at = shown.tree.nodes()[at].parent) ++row.depth;
    row.norm_shares = billionths(standing.norm_shares);
    row.raw_usage = node.used.whole;
    row.norm_usage = billionths(standing.norm_usage);
    row.effective_usage = billionths(standing.effective_usage);
    const Factor& factor = standing.factor;
    if (node.is_user() || !shown.fairness.has_levels()) {
        row.fair_share =
            static_cast<std::int64_t>(Wide{factor.part} * 1'000'000'000 / factor.whole);
    }
    if (!shown.fairness.has_levels()) {
        row.level_fs = 0;  // As Slurm shows what it does not work out.
    } else if (index != 0) {
        row.level_fs_infinite = standing.level.infinite;
        if (!row.level_fs_infinite) row.level_fs = standing.level.billionths;
    }
    row.tres_minutes = named(spec.dimensions, shown.used.of(index), 60);
    row.tres_run_minutes = named(spec.dimensions, shown.to_come.of(index), 60);
    row.wall_seconds = shown.used.of(index)[kWallUsage].whole;
    return row;
}

// Users before accounts, by name, and then what is beneath.
void put_in_order(const ShareTree& tree, std::size_t account,
                  const std::vector<std::vector<std::size_t>>& children,
                  std::vector<std::size_t>& order) {
    order.push_back(account);
    std::vector<std::size_t> sorted = children[account];
    std::ranges::sort(sorted, {}, [&](std::size_t i) {
        const ShareNode& node = tree.nodes()[i];
        return std::tuple(!node.is_user(), node.is_user() ? node.user : node.account);
    });
    for (const std::size_t i : sorted) {
        if (tree.nodes()[i].is_user()) {
            order.push_back(i);
        } else {
            put_in_order(tree, i, children, order);
        }
    }
}

// GrpTRESMins by account and user; accounts have no user.
std::map<std::pair<std::string, std::string>, TresLimits> group_minutes_of(
    const ClusterSpec& spec) {
    std::map<std::pair<std::string, std::string>, TresLimits> all;
    for (const AccountSpec& one : spec.accounts) {
        if (!one.limits.group_tres_minutes.empty())
            all[{one.name, ""}] = one.limits.group_tres_minutes;
    }
    for (const AssociationSpec& one : spec.associations) {
        if (!one.limits.group_tres_minutes.empty())
            all[{one.account, one.user}] = one.limits.group_tres_minutes;
    }
    return all;
}

}  // namespace

std::vector<UsageRecord> usage_of(const Snapshot& snapshot) {
    std::vector<UsageRecord> records;
    snapshot.usage.for_each(
        [&](std::uint32_t, const UsageRecord& record) { records.push_back(record); });
    return records;
}

std::vector<api::ShareRow> share_rows(const Snapshot& snapshot, Time now) {
    const ClusterSpec& spec = *snapshot.spec;
    const Result<Policy> policy = build_policy(spec);
    if (!policy.ok()) return {};  // Not while a configuration is in force: it was checked.
    const std::vector<UsageRecord> records = usage_of(snapshot);
    const ShareTree tree = share_tree_of(spec, records, now);
    Sums used(tree), to_come(tree);
    for (const UsageRecord& record : records) {
        used.add(record.account, record.user, used_by(record, now, spec.scheduling.usage_decay));
    }
    add_running(to_come, snapshot, now);
    const std::vector<ShareStanding> standings = policy->fairness().standings(tree);

    std::vector<std::vector<std::size_t>> children(tree.nodes().size());
    for (std::size_t i = 1; i < tree.nodes().size(); ++i) {
        children[tree.nodes()[i].parent].push_back(i);
    }
    std::vector<std::size_t> order;
    put_in_order(tree, 0, children, order);
    std::vector<api::ShareRow> rows;
    rows.reserve(order.size());
    const Shown shown{tree, standings, used, to_come, policy->fairness()};
    const auto group_minutes = group_minutes_of(spec);
    for (const std::size_t i : order) {
        rows.push_back(row_of(shown, spec, i));
        const auto limit = group_minutes.find({rows.back().account, rows.back().user});
        if (limit != group_minutes.end()) rows.back().group_minutes = limit->second;
    }
    return rows;
}

}  // namespace berth
