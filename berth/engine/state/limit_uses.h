// LimitUses: the current use of each account, user and QOS, against which limits are checked. It
// depends on the job records alone, through one add() and remove() for each.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/model/job.h"

namespace berth {

struct LimitUse {
    std::int64_t submitted = 0;  // Jobs that are not final; each task of an array counts as one.
    std::int64_t running = 0;
    std::int64_t nodes = 0;  // Of running jobs, like the amounts below.
    Resources amount;
    std::map<std::string, std::int64_t> licenses;

    LimitUse& operator+=(const LimitUse& other);
    bool none() const { return *this == LimitUse{}; }
    friend bool operator==(const LimitUse&, const LimitUse&) = default;
};

class LimitUses {
public:
    void add(const Job& job) { change(job, 1); }
    void remove(const Job& job) { change(job, -1); }

    LimitUse of_user(const std::string& account, const std::string& user) const;
    LimitUse of_accounts(const std::vector<std::string>& accounts) const;  // Of all their users.
    LimitUse of_qos(QosId qos) const;
    LimitUse of_qos_user(QosId qos, const std::string& user) const;
    LimitUse of_qos_account(QosId qos, const std::string& account) const;

    // Account, user and QOS of the runs that began, changed or ended since the last call.
    using Changed = std::set<std::tuple<std::string, std::string, QosId>>;
    Changed take_changed() { return std::exchange(changed_, {}); }

    friend bool operator==(const LimitUses& a, const LimitUses& b) {
        return a.by_account_ == b.by_account_ && a.by_qos_ == b.by_qos_;
    }

private:
    void change(const Job& job, std::int64_t times);

    std::map<std::tuple<std::string, std::string, QosId>, LimitUse> by_account_;  // Account, user.
    std::map<std::tuple<QosId, std::string, std::string>, LimitUse> by_qos_;      // User, account.
    Changed changed_;
};

}  // namespace berth
