#include "berth/engine/derived/unwritten_reasons.h"

#include <algorithm>

#include "berth/engine/state/job_ids.h"

namespace berth {
namespace {

// Of those that can wait, as many as one cycle writes: each is published, too.
constexpr std::size_t kWrittenAtOnce = 4096;

}  // namespace

void UnwrittenReasons::add_later(const std::vector<JobId>& jobs) {
    later_.insert(later_.end(), jobs.begin(), jobs.end());
}

void UnwrittenReasons::reset() {
    jobs_.clear();
    later_.clear();
    all_ = true;
    firsts_.clear();
}

std::optional<std::vector<JobId>> UnwrittenReasons::take(
    const std::vector<std::optional<JobId>>& firsts, bool all_may_change) {
    std::vector<JobId> concerned = std::exchange(jobs_, {});
    const auto some = static_cast<std::ptrdiff_t>(std::min(later_.size(), kWrittenAtOnce));
    concerned.insert(concerned.end(), later_.end() - some, later_.end());
    later_.erase(later_.end() - some, later_.end());
    const std::vector<std::optional<JobId>> before = std::exchange(firsts_, firsts);
    if (std::exchange(all_, false) || all_may_change) return std::nullopt;
    for (std::size_t p = 0; p < firsts.size(); ++p) {
        if (p < before.size() && before[p] == firsts[p]) continue;
        if (p < before.size() && before[p]) concerned.push_back(*before[p]);
        if (firsts[p]) concerned.push_back(*firsts[p]);
    }
    put_in_order(concerned);
    return concerned;
}

}  // namespace berth
