// LenderSets: the lenders of the queues that name theirs.
//
// Such a queue uses more than its nominal quota only of what its lenders leave. Several queues may
// name one lender, so what they borrow is compared with what whole sets of lenders leave: of every
// union of their lists, the queues whose lenders all belong to it borrow no more than its members
// leave. By Hall's theorem what is borrowed can then be divided so that each queue has it of its
// own lenders, and no list of who lent what to whom is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace berth {

class LenderSets {
public:
    using Account = std::uint32_t;
    using Set = std::uint32_t;  // Its place.

    LenderSets() = default;
    // By borrower its lenders, in any order. REQUIRES: the lists have no more than
    // kLenderUnionsMost unions.
    explicit LenderSets(const std::map<Account, std::vector<Account>>& lenders);

    std::size_t size() const { return members_.size(); }
    std::span<const Account> members(Set set) const { return members_[set]; }  // In order.
    bool is_member(Set set, Account account) const {
        return std::ranges::binary_search(members_[set], account);
    }
    std::span<const Set> of_lender(Account account) const { return find(of_lender_, account); }
    // None, unless it names its lenders.
    std::span<const Account> own(Account borrower) const {
        const std::span<const Set> sets = of_borrower(borrower);
        return sets.empty() ? std::span<const Account>() : members(own_.at(borrower));
    }
    // The sets that all of its lenders belong to. None: any queue lends to it.
    std::span<const Set> of_borrower(Account account) const { return find(of_borrower_, account); }

    friend bool operator==(const LenderSets&, const LenderSets&) = default;

private:
    using Sets = std::map<Account, std::vector<Set>>;

    static std::span<const Set> find(const Sets& sets, Account account) {
        const auto found = sets.find(account);
        return found == sets.end() ? std::span<const Set>() : found->second;
    }

    std::vector<std::vector<Account>> members_;  // By set.
    Sets of_lender_, of_borrower_;
    std::map<Account, Set> own_;  // By borrower the set of its lenders and no others.
};

}  // namespace berth
