#include "berth/engine/state/lender_sets.h"

#include <algorithm>
#include <set>

#include "berth/base/assert.h"
#include "berth/model/queue_check.h"
#include "berth/model/unions.h"

namespace berth {

LenderSets::LenderSets(const std::map<Account, std::vector<Account>>& lenders) {
    std::map<Account, std::vector<Account>> lists = lenders;
    std::set<std::vector<Account>> different;
    for (auto& [borrower, list] : lists) {
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
        different.insert(list);
    }
    const auto unions = unions_of(different, kLenderUnionsMost);
    BERTH_ASSERT(unions.has_value());
    for (const std::vector<Account>& members : *unions) {
        const auto set = static_cast<Set>(members_.size());
        members_.push_back(members);
        for (const Account lender : members) of_lender_[lender].push_back(set);
        for (const auto& [borrower, list] : lists) {
            if (std::ranges::includes(members, list)) of_borrower_[borrower].push_back(set);
            if (members == list) own_.emplace(borrower, set);
        }
    }
}

}  // namespace berth
