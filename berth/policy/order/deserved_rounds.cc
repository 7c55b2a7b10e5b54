// deserved_rounds: each account what it deserves, then what is left in rounds.
//
// The fair shares of KAI's proportion plugin (resource_division.go) and its order of queues
// (queue_order.go). Of CPU, memory and GPUs each account has its nominal quota first, as far as it
// asks for it. What is left is divided in rounds: the accounts of the highest priority come first,
// those of one priority in proportion to
//
//   max(0, w + k (w - u))
//
// w being the account's part of their shares, u its part of all decayed usage, and k `history`
// percent. In a round an account gets whole units, no more than it asks for and its limit allows.
// What some leave goes into the next round; single units at the end go to the largest remainders.
// What an account has is divided among those beneath it in the same way.
//
// Then, at each level, that account comes next which is below its fair share; then one that stays
// within its nominal quota; then the one of the highest priority; then the one with the lowest part
// of what it may have. Ties go to the earlier submission.
//
// The jobs of an account that has accounts beneath it compete with those as one more child, with
// one share and no quota.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "berth/base/fixed_point.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

enum Kind : std::uint8_t { kCpu, kMemory, kGpu, kKinds };
using Amounts = std::array<std::int64_t, kKinds>;  // Thousandths of a CPU, bytes, GPUs.
constexpr std::int64_t kNoLimit = INT64_MAX;
constexpr Wide kBeyondAll = Wide{1} << 100;  // More than any part of anything.

void add_to(Amounts& sums, const Amounts& more) {
    for (std::size_t i = 0; i < kKinds; ++i) sums[i] += more[i];
}

std::optional<std::int64_t> count_of(const TresLimits& counts, std::string_view tres) {
    for (const auto& [name, count] : counts) {
        if (name == tres) return count;
    }
    return std::nullopt;
}

// In the units of Amounts. Where GPUs have quotas by type alone, their sum.
std::optional<std::int64_t> amount_in(const TresLimits& counts, Kind kind) {
    if (kind != kGpu) {
        const auto count = count_of(counts, kind == kCpu ? "cpu" : "mem");
        const std::int64_t unit = kind == kCpu ? cores(1).count() : mib(1).count();
        return count ? std::optional(*count * unit) : std::nullopt;
    }
    if (const auto count = count_of(counts, "gres/gpu")) return count;
    std::optional<std::int64_t> sum;
    for (const auto& [name, count] : counts) {
        if (name.starts_with("gres/gpu:")) sum = sum.value_or(0) + count;
    }
    return sum;
}

// An account, or the jobs of one that has accounts beneath it.
struct Claimant {
    std::size_t parent = 0;  // The root's is itself.
    std::vector<std::size_t> children;
    std::int64_t weight = 1;
    std::optional<std::int64_t> priority;  // None of its own: that of the account above it.
    Wide usage = 0;                        // Part of all usage, in units of 2^-30.
    std::array<std::optional<std::int64_t>, kKinds> nominal;
    Amounts limit = {kNoLimit, kNoLimit, kNoLimit};
    Amounts asked{};  // With what it has.
    Amounts held{};
    Amounts fair{};
    std::vector<std::size_t> jobs;  // Of a leaf: those that wait.
    std::size_t next = 0;           // Of `jobs`.

    using Place = std::tuple<bool, bool, std::int64_t, Wide, std::size_t, std::size_t>;
    std::optional<Place> place;  // Among its siblings, while it has a job.
    std::set<Place> waiting;     // The places of its children.

    std::int64_t deserved(std::size_t kind) const { return nominal[kind].value_or(0); }
    std::int64_t wanted(std::size_t kind) const { return std::min(limit[kind], asked[kind]); }
    std::int64_t may_have(std::size_t kind) const {
        return std::min(limit[kind], std::max(deserved(kind), fair[kind]));
    }
};

// ---- Fair shares.

// Among claimants of one priority; `left` is what they leave.
void divide_in_rounds(const std::vector<Claimant*>& those, std::size_t kind, std::int64_t history,
                      std::int64_t& left) {
    while (left > 0) {
        struct Part {
            Claimant* of;
            Wide weight;
        };
        std::vector<Part> parts;
        Wide shares = 0, weights = 0;
        for (Claimant* const one : those) {
            if (one->fair[kind] >= one->wanted(kind)) continue;
            parts.push_back({one, 0});
            shares += one->weight;
        }
        for (Part& part : parts) {
            const Wide own = (Wide{part.of->weight} << 30) / shares;
            part.weight = std::max<Wide>(0, own * (100 + history) - part.of->usage * history);
            weights += part.weight;
        }
        if (weights == 0) return;
        const Wide amount = left;
        bool any_is_full = false;
        for (const Part& part : parts) {
            const auto share = static_cast<std::int64_t>(amount * part.weight / weights);
            const std::int64_t want = part.of->wanted(kind) - part.of->fair[kind];
            any_is_full = any_is_full || want <= share;
            part.of->fair[kind] += std::min(want, share);
            left -= std::min(want, share);
        }
        if (any_is_full) continue;
        std::ranges::stable_sort(parts, std::ranges::greater{},
                                 [&](const Part& part) { return amount * part.weight % weights; });
        for (const Part& part : parts) {
            if (left == 0 || part.weight == 0) return;
            ++part.of->fair[kind];
            --left;
        }
        return;
    }
}

void divide(std::int64_t amount, std::vector<Claimant*> those, std::size_t kind,
            std::int64_t history) {
    for (Claimant* const one : those) {
        one->fair[kind] = std::min(one->deserved(kind), one->wanted(kind));
        amount -= one->fair[kind];
    }
    std::ranges::stable_sort(those, std::ranges::greater{}, &Claimant::priority);
    for (auto first = those.begin(); first != those.end() && amount > 0;) {
        const auto last = std::find_if(first, those.end(), [&](const Claimant* one) {
            return one->priority != (*first)->priority;
        });
        divide_in_rounds({first, last}, kind, history, amount);
        first = last;
    }
}

// ---- The order.

class Claims {
public:
    Claims(std::span<const Job* const> jobs, const View& view, std::int64_t history)
        : jobs_(jobs), view_(view), history_(history) {
        claimants_.resize(1);
        by_name_.emplace("root", 0);
        for (const AccountSpec& account : view.spec().accounts) describe(account);
        for (std::size_t i = 1; i < claimants_.size(); ++i)
            claimants_[claimants_[i].parent].children.push_back(i);
        for (const QueueSpec& queue : view.spec().queues) set_quota(queue);
        for (const Job* const job : view.running()) {
            const Amounts has = amounts_of(job->allocated);
            const std::size_t leaf = leaf_of(*job);
            each_up(leaf, [&](Claimant& one) { add_to(one.held, has); });
            each_up(leaf, [&](Claimant& one) { add_to(one.asked, has); });
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const std::size_t leaf = leaf_of(*jobs[i]);
            claimants_[leaf].jobs.push_back(i);
            each_up(leaf, [&](Claimant& one) { add_to(one.asked, asks(i)); });
        }
        settle(0, 0);
        claimants_[0].fair = amounts_of(view.totals().capacity);
        divide_below(0);
        enter_below(0);
    }

    // The job that comes next; it then has what it asks for.
    std::optional<std::size_t> take() {
        if (claimants_[0].waiting.empty()) return std::nullopt;
        const std::size_t job = head_of(*claimants_[0].waiting.begin());
        const std::size_t leaf = leaf_of(*jobs_[job]);
        ++claimants_[leaf].next;
        each_up(leaf, [&](Claimant& one) { add_to(one.held, asks(job)); });
        for (std::size_t at = leaf; at != 0; at = claimants_[at].parent) enter(at);
        return job;
    }

private:
    static std::size_t head_of(const Claimant::Place& place) { return std::get<4>(place); }

    std::size_t add(const std::string& name) {
        const auto [at, is_new] =
            by_name_.try_emplace(name.empty() ? "root" : name, claimants_.size());
        if (is_new) claimants_.emplace_back();
        return at->second;
    }
    void describe(const AccountSpec& account) {
        const std::size_t at = add(account.name), parent = add(account.parent);
        if (at == 0) return;
        Claimant& one = claimants_[at];
        one.parent = parent;
        one.weight = std::max<std::int64_t>(1, account.shares);
        one.priority = account.priority;
        const Factor usage = view_.account_usage(account.name);
        one.usage = (Wide{usage.part} << 30) / usage.whole;
    }
    void set_quota(const QueueSpec& queue) {
        const auto at = by_name_.find(queue.name);
        if (at == by_name_.end()) return;
        Claimant& one = claimants_[at->second];
        for (const Kind kind : {kCpu, kMemory, kGpu}) {
            one.nominal[kind] = amount_in(queue.nominal, kind);
            one.limit[kind] = amount_in(queue.limit, kind).value_or(kNoLimit);
            const auto more = amount_in(queue.borrow_max, kind);
            if (more && one.nominal[kind])
                one.limit[kind] = std::min(one.limit[kind], *one.nominal[kind] + *more);
        }
    }
    // What accounts do not say follows from those above them, or beneath them.
    void settle(std::size_t at, std::int64_t priority_above) {
        const std::int64_t priority = claimants_[at].priority.value_or(priority_above);
        claimants_[at].priority = priority;
        for (const std::size_t child : claimants_[at].children) settle(child, priority);
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            if (claimants_[at].nominal[kind]) continue;
            std::optional<std::int64_t> sum;
            for (const std::size_t child : claimants_[at].children) {
                if (const auto& below = claimants_[child].nominal[kind])
                    sum = sum.value_or(0) + *below;
            }
            claimants_[at].nominal[kind] = sum;
        }
    }
    void divide_below(std::size_t at) {
        std::vector<Claimant*> children;
        for (const std::size_t child : claimants_[at].children)
            children.push_back(&claimants_[child]);
        for (std::size_t kind = 0; kind < kKinds; ++kind)
            divide(claimants_[at].fair[kind], children, kind, history_);
        for (const std::size_t child : claimants_[at].children) divide_below(child);
    }

    // Made as jobs come: accounts that are not described lie beneath the root.
    std::size_t leaf_of(const Job& job) {
        const auto [at, is_new] = leaves_.try_emplace(job.spec.account);
        if (!is_new) return at->second;
        const auto account = by_name_.find(job.spec.account);
        std::size_t leaf = account == by_name_.end() ? 0 : account->second;
        if (leaf == 0 || !claimants_[leaf].children.empty()) {
            claimants_[leaf].children.push_back(claimants_.size());
            claimants_.push_back({.parent = leaf});
            leaf = claimants_.size() - 1;
        }
        return at->second = leaf;
    }

    Amounts amounts_of(const Resources& amounts) const {
        Amounts result{amounts.cpu().count(), amounts.memory().count(), 0};
        for (const DimensionId gpu : view_.spec().dimensions.of_name("gpu"))
            result[kGpu] += amounts[gpu];
        return result;
    }
    Amounts asks(std::size_t job) const { return amounts_of(view_.tres(*jobs_[job]).amount); }

    template <class Visit>
    void each_up(std::size_t at, Visit visit) {
        for (; at != 0; at = claimants_[at].parent) visit(claimants_[at]);
    }

    void enter_below(std::size_t at) {
        for (const std::size_t child : claimants_[at].children) {
            enter_below(child);
            enter(child);
        }
    }
    // Gives it the place among its siblings that it has now.
    void enter(std::size_t at) {
        Claimant& one = claimants_[at];
        std::set<Claimant::Place>& waiting = claimants_[one.parent].waiting;
        if (one.place) waiting.erase(*one.place);
        one.place = place_of(at);
        if (one.place) waiting.insert(*one.place);
    }
    std::optional<Claimant::Place> place_of(std::size_t at) const {
        const Claimant& one = claimants_[at];
        const bool is_leaf = one.children.empty();
        if (is_leaf ? one.next == one.jobs.size() : one.waiting.empty()) return std::nullopt;
        const std::size_t job = is_leaf ? one.jobs[one.next] : head_of(*one.waiting.begin());
        const Amounts more = asks(job);
        bool has_its_share = false, exceeds_quota = false;
        Wide part = 0;
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            const std::int64_t with = one.held[kind] + more[kind], most = one.may_have(kind);
            if (more[kind] > 0) {
                has_its_share = has_its_share || one.held[kind] >= one.fair[kind];
                exceeds_quota = exceeds_quota || with > one.deserved(kind);
            }
            if (with > 0) part = std::max(part, most > 0 ? ratio62(with, most) : kBeyondAll);
        }
        return Claimant::Place{has_its_share, exceeds_quota, -*one.priority, part, job, at};
    }

    std::span<const Job* const> jobs_;
    const View& view_;
    std::int64_t history_;
    std::vector<Claimant> claimants_;  // The first is the root.
    std::map<std::string, std::size_t> by_name_, leaves_;
};

class DeservedRounds : public OrderRule {
public:
    explicit DeservedRounds(std::int64_t history) : history_(history) {}

    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::vector<std::int64_t> all(jobs.size());
        Claims claims(jobs, view, history_);
        std::int64_t rank = 0;
        while (const auto job = claims.take()) all[*job] = rank++;
        return all;
    }
    bool reads_usage() const override { return history_ > 0; }

private:
    std::int64_t history_;
};

}  // namespace

RuleDef<OrderRule> order_deserved_rounds() {
    return {
        .name = "deserved_rounds",
        .summary = "Accounts by their quotas, then what is left in rounds by priority and shares.",
        .settings = {{.name = "history",
                      .summary = "percent by which past usage changes an account's part of a round",
                      .otherwise = 100,
                      .low = 0,
                      .high = 1000}},
        .make = [](const Params& params) -> std::unique_ptr<OrderRule> {
            return std::make_unique<DeservedRounds>(params.number("history"));
        },
    };
}

}  // namespace berth
