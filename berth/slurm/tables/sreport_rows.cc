#include "berth/slurm/tables/sreport_rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "berth/base/text.h"
#include "berth/slurm/text/argument_text.h"

namespace berth::slurm {
namespace {

constexpr const char* kRootAccount = "root";

// What the controller says is at most the largest number there is.
std::int64_t no_more_than_fits(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

void add_used(std::vector<api::TresSeconds>& to, const std::vector<api::TresSeconds>& more) {
    for (const api::TresSeconds& one : more) {
        const auto found = std::ranges::find(to, one.name, &api::TresSeconds::name);
        if (found == to.end()) {
            to.push_back(one);
        } else {
            found->amount = no_more_than_fits(found->amount, one.amount);
        }
    }
}

bool is_among_names(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::any_of(names, [&](const std::string& one) { return iequals(one, name); });
}

// The accounts that there are, and those of runs whose account is gone: these hang on the root.
class AccountTree {
public:
    AccountTree(const api::UsageReport& report,
                const std::vector<api::AssociationRow>& associations) {
        for (const api::AssociationRow& row : associations) {
            if (row.user.empty() && row.account != kRootAccount)
                parents_[row.account] = row.parent.empty() ? kRootAccount : row.parent;
        }
        for (const api::UsageGroup& group : report.groups) {
            const std::string account = name_of(group);
            if (account != kRootAccount) parents_.try_emplace(account, kRootAccount);
        }
        for (const auto& [account, parent] : parents_) children_[parent].insert(account);
    }

    // A job without an account is the root's.
    static std::string name_of(const api::UsageGroup& group) {
        return group.account.empty() ? kRootAccount : group.account;
    }
    const std::set<std::string>& children_of(const std::string& account) const {
        static const std::set<std::string> none;
        const auto found = children_.find(account);
        return found == children_.end() ? none : found->second;
    }
    const std::string* parent_of(const std::string& account) const {
        const auto found = parents_.find(account);
        return found == parents_.end() ? nullptr : &found->second;
    }
    // The account itself, or the one above it that is nearest to the root, of these.
    const std::string* highest_of(const std::vector<std::string>& names,
                                  const std::string& account) const {
        const std::string* highest = nullptr;
        std::size_t steps = 0;
        const std::string* at = &account;
        while (at != nullptr && steps++ <= parents_.size()) {
            const auto found = std::ranges::find_if(
                names, [&](const std::string& one) { return iequals(one, *at); });
            if (found != names.end()) highest = at;
            if (*at == kRootAccount) break;
            at = parent_of(*at);
        }
        return highest;
    }

private:
    std::map<std::string, std::string> parents_;
    std::map<std::string, std::set<std::string>> children_;
};

// Collects the lines of the tree, from one account down.
class TreeLines {
public:
    TreeLines(const ReportAsked& asked, const api::UsageReport& report, const AccountTree& tree)
        : words_(asked.words), tree_(tree) {
        for (const api::UsageGroup& group : report.groups)
            add_used(users_[AccountTree::name_of(group)][group.user], group.used);
    }

    std::vector<UsedLine> take() {
        (void)visit(kRootAccount, 0, 0);
        if (has_users()) {
            std::ranges::stable_sort(
                lines_, {}, [](const UsedLine& line) { return std::tie(line.user, line.account); });
        }
        return std::move(lines_);
    }

private:
    // With users= an account's own line would tell of others, too, and only the accounts that are
    // named count.
    bool has_users() const { return !words_.chosen.users.empty(); }
    bool is_shown(const std::string& account) const {
        const auto& accounts = words_.chosen.accounts;
        if (accounts.empty()) return true;
        return has_users() ? is_among_names(accounts, account)
                           : tree_.highest_of(accounts, account) != nullptr;
    }

    // `depth`: below the highest account that is shown. `steps`: below the root.
    std::vector<api::TresSeconds> visit(const std::string& account, std::uint32_t depth,
                                        std::uint32_t steps) {
        const std::size_t at = lines_.size();
        const bool shown = is_shown(account), has_line = shown && !has_users();
        if (has_line) lines_.push_back({.account = account, .depth = depth});
        const std::uint32_t below = has_line ? depth + 1 : depth;
        std::vector<api::TresSeconds> sum;
        for (const auto& [user, used] : users_[account]) {
            add_used(sum, used);
            if (shown)
                lines_.push_back({.account = account, .user = user, .depth = below, .used = used});
        }
        for (const std::string& child : tree_.children_of(account)) {
            if (steps < kDeepest) add_used(sum, visit(child, below, steps + 1));
        }
        if (!has_line) return sum;
        if (sum.empty()) {
            lines_.resize(at);
        } else {
            lines_[at].used = sum;
        }
        return sum;
    }

    static constexpr std::uint32_t kDeepest = 64;
    const ReportWords& words_;
    const AccountTree& tree_;
    std::map<std::string, std::map<std::string, std::vector<api::TresSeconds>>> users_;
    std::vector<UsedLine> lines_;
};

std::vector<SizeRange> ranges_of(const ReportAsked& asked, const api::UsageReport& report) {
    const bool of_cpus = !asked.with_tres || (asked.tres.size() == 1 && asked.tres[0] == "cpu");
    const std::string unit = of_cpus ? " CPUs" : " TRES";
    std::vector<SizeRange> ranges;
    if (asked.words.individual) {
        std::set<std::int64_t> found;
        for (const api::UsageGroup& group : report.groups) found.insert(group.cpus);
        for (const std::int64_t size : found)
            ranges.push_back({size, size, std::to_string(size) + unit});
        return ranges;
    }
    std::int64_t least = 0;
    for (const std::int64_t next : asked.words.sizes) {
        ranges.push_back(
            {least, next - 1, std::to_string(least) + "-" + std::to_string(next - 1) + unit});
        least = next;
    }
    ranges.push_back(
        {least, std::numeric_limits<std::int64_t>::max(), ">= " + std::to_string(least) + unit});
    return ranges;
}

// The name of the line that these runs belong to; nullopt: of none. Those without a workload key
// have a line, too.
std::optional<std::string> size_name(const ReportWords& words, const AccountTree& tree,
                                     const api::UsageGroup& group) {
    if (words.kind == ReportKind::sizes_by_wckey) return group.wckey;
    const bool with_key = words.kind == ReportKind::sizes_by_account_and_wckey;
    std::string account = AccountTree::name_of(group);
    if (!words.flags.flat) {
        std::vector<std::string> heads = words.chosen.accounts.empty()
                                             ? std::vector<std::string>{kRootAccount}
                                             : words.chosen.accounts;
        if (words.flags.as_parent) {
            std::vector<std::string> below;
            for (const std::string& parent : heads) {
                const auto& children = tree.children_of(parent);
                below.insert(below.end(), children.begin(), children.end());
            }
            heads = std::move(below);
        }
        const std::string* const head = tree.highest_of(heads, account);
        if (head == nullptr) return std::nullopt;
        account = *head;
    } else if (!words.chosen.accounts.empty() && !is_among_names(words.chosen.accounts, account)) {
        return std::nullopt;
    }
    return with_key ? account + ":" + group.wckey : account;
}

// Nodes are shared, so time of theirs is counted many times.
Error no_nodes_reported(ReportKind kind) {
    const std::string what = kind == ReportKind::utilization ? "in the Cluster Utilization report"
                                                             : "in percent format reports";
    return {ErrorCode::invalid_argument, "sreport: fatal: TRES node usage is no longer reported " +
                                             what + ".  Please use TRES CPU instead.\n"};
}

}  // namespace

Result<std::vector<std::string>> tres_asked(const std::string& names, const ReportAsked& asked,
                                            const std::vector<std::string>& known) {
    const ReportKind kind = asked.words.kind;
    if (names.empty() && kind != ReportKind::reservations) return std::vector<std::string>{"cpu"};
    std::vector<std::string> words, found;
    add_names(names, words);
    const bool all = names.empty() || (words.size() == 1 && iequals(words.front(), "ALL"));
    const bool no_nodes = kind == ReportKind::utilization || asked.notation.has_percent();
    if (all) words = known;
    for (const std::string& word : words) {
        const auto one = std::ranges::find_if(
            known, [&](const std::string& name) { return iequals(name, word); });
        if (one == known.end() || std::ranges::find(found, *one) != found.end()) continue;
        if (*one == "node" && no_nodes) {
            if (!all) return no_nodes_reported(kind);
        } else {
            found.push_back(*one);
        }
    }
    if (found.empty())
        return Error{ErrorCode::invalid_argument, "sreport: fatal: No valid TRES given\n"};
    if (is_of_sizes(kind) && found.size() > 1) {
        return Error{ErrorCode::invalid_argument,
                     " Job report only supports a single --tres type.\n Generate a separate report "
                     "for each TRES type.\n"};
    }
    return found;
}

std::int64_t amount_of(const std::vector<api::TresSeconds>& used, const std::string& tres) {
    const auto found = std::ranges::find(used, tres, &api::TresSeconds::name);
    return found == used.end() ? 0 : found->amount;
}

std::vector<UsedLine> lines_by_account(const ReportAsked& asked, const api::UsageReport& report,
                                       const std::vector<api::AssociationRow>& associations) {
    const AccountTree tree(report, associations);
    return TreeLines(asked, report, tree).take();
}

std::vector<UsedLine> lines_by_user(const ReportAsked& asked, const api::UsageReport& report) {
    const bool by_key = asked.words.kind == ReportKind::user_by_wckey;
    std::map<std::pair<std::string, std::string>, UsedLine> lines;
    for (const api::UsageGroup& group : report.groups) {
        if (by_key && group.wckey.empty()) continue;
        const std::string account = AccountTree::name_of(group);
        const std::string second = asked.words.flags.group_accounts ? ""
                                   : by_key                         ? group.wckey
                                                                    : account;
        UsedLine& line = lines[{group.user, second}];
        line.user = group.user;
        if (by_key) line.wckey = group.wckey;
        // Those of one user come in the order of their accounts, each perhaps with several keys.
        if (line.account.empty()) {
            line.account = account;
        } else if (line.account != account && !line.account.ends_with(", " + account)) {
            line.account += ", " + account;
        }
        add_used(line.used, group.used);
    }
    std::vector<UsedLine> sorted;
    sorted.reserve(lines.size());
    for (auto& [key, line] : lines) sorted.push_back(std::move(line));
    const std::string first = asked.tres.empty() ? "cpu" : asked.tres.front();
    std::ranges::stable_sort(sorted, std::ranges::greater(),
                             [&](const UsedLine& line) { return amount_of(line.used, first); });
    return sorted;
}

std::vector<UsedLine> lines_by_wckey(const api::UsageReport& report) {
    std::map<std::string, std::map<std::string, std::vector<api::TresSeconds>>> keys;
    for (const api::UsageGroup& group : report.groups) {
        if (!group.wckey.empty()) add_used(keys[group.wckey][group.user], group.used);
    }
    std::vector<UsedLine> lines;
    for (const auto& [key, users] : keys) {
        const std::size_t at = lines.size();
        lines.push_back({.wckey = key});
        for (const auto& [user, used] : users) {
            add_used(lines[at].used, used);
            lines.push_back({.user = user, .wckey = key, .used = used});
        }
    }
    return lines;
}

SizeReport size_report(const ReportAsked& asked, const api::UsageReport& report,
                       const std::vector<api::AssociationRow>& associations) {
    const AccountTree tree(report, associations);
    SizeReport sizes{.ranges = ranges_of(asked, report)};
    std::map<std::string, SizeLine> lines;
    const std::string tres = asked.tres.empty() ? "cpu" : asked.tres.front();
    for (const api::UsageGroup& group : report.groups) {
        const std::optional<std::string> name = size_name(asked.words, tree, group);
        if (!name) continue;
        const auto range = std::ranges::find_if(sizes.ranges, [&](const SizeRange& one) {
            return one.least <= group.cpus && group.cpus <= one.most;
        });
        if (range == sizes.ranges.end()) continue;
        SizeLine& line = lines[*name];
        line.name = *name;
        line.jobs_of.resize(sizes.ranges.size());
        line.seconds_of.resize(sizes.ranges.size());
        const auto at = static_cast<std::size_t>(range - sizes.ranges.begin());
        const std::int64_t seconds = amount_of(group.used, tres);
        for (std::int64_t* const jobs : {&line.jobs, &line.jobs_of[at], &sizes.jobs})
            *jobs = no_more_than_fits(*jobs, group.jobs);
        for (std::int64_t* const sum : {&line.seconds, &line.seconds_of[at], &sizes.seconds})
            *sum = no_more_than_fits(*sum, seconds);
    }
    for (auto& [name, line] : lines) sizes.lines.push_back(std::move(line));
    return sizes;
}

}  // namespace berth::slurm
