// drf: the user with the lowest dominant share comes next (dominant resource fairness).
//
// Progressive filling after Ghodsi et al. (NSDI '11): the user, or with `by_account` the account,
// with the lowest dominant share takes its next job, and so on down the queue. An account's
// dominant share is divided by its shares. Ties go to the earlier submission.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "berth/policy/rule.h"

namespace berth {
namespace {

// A user or an account, and what it has been given so far.
struct Party {
    Resources used;
    std::int64_t weight = 1;
    std::vector<std::size_t> jobs;  // Its pending jobs, in order.
    std::size_t next = 0;
};

class Drf : public OrderRule {
public:
    explicit Drf(bool by_account) : by_account_(by_account) {}

    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::map<std::string, Party> parties;
        for (const Job* job : view.running()) party_of(parties, *job, view).used += job->allocated;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            party_of(parties, *jobs[i], view).jobs.push_back(i);
        }
        using Place = std::tuple<Wide, std::size_t, Party*>;
        const auto later = [](const Place& a, const Place& b) {
            return std::pair(std::get<0>(a), std::get<1>(a)) <
                   std::pair(std::get<0>(b), std::get<1>(b));
        };
        std::set<Place, decltype(later)> queue(later);
        for (auto& [name, party] : parties) enter(queue, party, view);
        std::vector<std::int64_t> all(jobs.size());
        std::int64_t rank = 0;
        while (!queue.empty()) {
            Party& party = *std::get<2>(*queue.begin());
            queue.erase(queue.begin());
            const std::size_t job = party.jobs[party.next++];
            all[job] = rank++;
            party.used += view.tres(*jobs[job]).amount;
            enter(queue, party, view);
        }
        return all;
    }

private:
    Party& party_of(std::map<std::string, Party>& parties, const Job& job, const View& view) const {
        const std::string& name = by_account_ ? job.spec.account : job.owner->user;
        const auto [at, is_new] = parties.try_emplace(name);
        if (is_new && by_account_) {
            for (const AccountSpec& account : view.spec().accounts) {
                if (account.name == name)
                    at->second.weight = std::max<std::int64_t>(1, account.shares);
            }
        }
        return at->second;
    }

    template <class Queue>
    static void enter(Queue& queue, Party& party, const View& view) {
        if (party.next == party.jobs.size()) return;
        const Resources& all = view.totals().capacity;
        Wide share = 0;  // In units of 2^-62.
        for (std::size_t i = 0; i < kDimensionsMax; ++i) {
            const DimensionId d = DimensionId::from_index(i);
            if (all[d] > 0) share = std::max(share, ratio62(party.used[d], all[d]));
        }
        queue.emplace(share / party.weight, party.jobs[party.next], &party);
    }

    bool by_account_;
};

}  // namespace

RuleDef<OrderRule> order_drf() {
    return {
        .name = "drf",
        .summary = "Whoever has least of what they have most of comes next.",
        .settings = {{.name = "by_account",
                      .summary = "1: accounts by their shares, not users",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<OrderRule> {
            return std::make_unique<Drf>(params.flag("by_account"));
        },
    };
}

}  // namespace berth
