#include "berth/server/limits/memory_budget.h"

#include "berth/base/assert.h"

namespace berth {

bool RequestMemoryBudget::take(const std::string& who, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto has = taken_by_.find(who);
    const std::uint64_t before = has == taken_by_.end() ? 0 : has->second;
    if (bytes > total_ - taken_ || before + bytes > share_) return false;
    taken_ += bytes;
    taken_by_[who] = before + bytes;
    return true;
}

void RequestMemoryBudget::give(const std::string& who, std::uint64_t bytes) {
    if (bytes == 0) return;
    const std::lock_guard lock(mutex_);
    const auto has = taken_by_.find(who);
    BERTH_ASSERT(has != taken_by_.end() && has->second >= bytes);
    taken_ -= bytes;
    has->second -= bytes;
    if (has->second == 0) taken_by_.erase(has);
}

}  // namespace berth
