// weighted_fair: the account with the best score comes next.
//
// The score of the chapter "Training Job Scheduling" (its queue manager's fair scheduling): the
// account's shares divided by the GPUs that it has plus one, plus the job's priority in millionths,
// plus one for each hour that the job has waited. The account's job with the best score comes next;
// then the account has its GPUs, too. Ties go to the earlier submission. (The chapter's code
// removes the job from the root queue, so it picks a child's job twice.)
#include <algorithm>
#include <map>
#include <set>

#include "berth/policy/rule.h"

namespace berth {
namespace {

using Score = std::int64_t;  // In millionths.
constexpr Score kOne = 1'000'000;

struct Queue {
    std::int64_t weight = 1, gpus = 0;
    std::vector<std::pair<Score, std::size_t>> jobs;  // Bonus and place, the best one first.
    std::size_t next = 0;

    std::size_t head() const { return jobs[next].second; }
    Score score() const { return weight * kOne / (gpus + 1) + jobs[next].first; }
};

class WeightedFair : public OrderRule {
public:
    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::map<std::string, Queue> queues;
        for (const Job* job : view.running())
            queue_of(queues, *job, view).gpus += gpus_in(job->allocated, view);
        for (std::size_t i = 0; i < jobs.size(); ++i)
            queue_of(queues, *jobs[i], view).jobs.emplace_back(bonus(*jobs[i], view), i);
        std::set<std::pair<Score, std::size_t>> waiting;  // Score, negated, and head of each queue.
        for (auto& [name, queue] : queues) {
            std::ranges::stable_sort(queue.jobs, std::ranges::greater{},
                                     &std::pair<Score, std::size_t>::first);
            if (!queue.jobs.empty()) waiting.emplace(-queue.score(), queue.head());
        }
        std::vector<std::int64_t> all(jobs.size());
        for (std::int64_t rank = 0; !waiting.empty(); ++rank) {
            const std::size_t job = waiting.begin()->second;
            waiting.erase(waiting.begin());
            all[job] = rank;
            Queue& queue = queue_of(queues, *jobs[job], view);
            queue.gpus += gpus_in(view.tres(*jobs[job]).amount, view);
            if (++queue.next < queue.jobs.size()) waiting.emplace(-queue.score(), queue.head());
        }
        return all;
    }

private:
    static Queue& queue_of(std::map<std::string, Queue>& queues, const Job& job, const View& view) {
        const auto [at, is_new] = queues.try_emplace(job.spec.account);
        if (is_new) {
            for (const AccountSpec& account : view.spec().accounts) {
                if (account.name == at->first)
                    at->second.weight = std::max<std::int64_t>(1, account.shares);
            }
        }
        return at->second;
    }

    static std::int64_t gpus_in(const Resources& amounts, const View& view) {
        std::int64_t gpus = 0;
        for (const DimensionId d : view.spec().dimensions.of_name("gpu")) gpus += amounts[d];
        return gpus;
    }

    // A priority is 32 bits wide, and a wait some years at most.
    static Score bonus(const Job& job, const View& view) {
        constexpr Duration kHour = std::chrono::hours(1);
        constexpr Duration kMost = std::chrono::hours(24 * 365 * 100);
        const Duration waited =
            std::clamp<Duration>(view.now() - job.submitted_at, Duration{}, kMost);
        const Score hours = waited / kHour * kOne + waited % kHour * kOne / kHour;
        return static_cast<Score>(job.spec.priority.value_or(0)) + hours;
    }
};

}  // namespace

RuleDef<OrderRule> order_weighted_fair() {
    return {
        .name = "weighted_fair",
        .summary = "Shares per GPU in use, and points for priority and for waiting.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<OrderRule> {
            return std::make_unique<WeightedFair>();
        },
    };
}

}  // namespace berth
