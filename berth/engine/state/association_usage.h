// AssociationUsage: how much each account and user held, and for how long: one record for each that
// ever had a job, under a number that never changes.
//
// A record's rate is what its running jobs hold now. It is never saved and follows from the jobs;
// ClusterState::check_invariants() compares them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/job.h"
#include "berth/model/usage.h"

namespace berth {

class AssociationUsage {
public:
    const std::vector<UsageRecord>& records() const { return records_; }
    std::optional<std::size_t> find(const std::string& account, const std::string& user) const;
    // The record of the job's account and owner.
    std::optional<std::size_t> of(const Job& job) const {
        return find(job.spec.account, job.owner->user);
    }

    // Adds a record. False: there is one of this account and user.
    bool add(UsageRecord record);
    void drop_last();  // Undoes add().

    // From now on more or less is held.
    void raise_rate(std::size_t number, Time now, const UsageVector& by, const UsageDecay& decay);
    void lower_rate(std::size_t number, Time now, const UsageVector& by, const UsageDecay& decay);
    void set_billing(std::size_t number, Time now, std::int64_t billing, const UsageDecay& decay);
    // Counts what was used until now, before weights or the half-life change.
    void settle(Time now, const UsageDecay& decay);

    // The rates anew, by number. REQUIRES: one for each record.
    void set_rates(const std::vector<UsageVector>& rates);

    void restore(std::size_t number, const UsageRecord& record) { records_[number] = record; }
    void restore(const std::vector<UsageRecord>& records) { records_ = records; }

    // Aborts unless each record is found by its name and has this rate.
    void check(const std::vector<UsageVector>& rates) const;

private:
    std::vector<UsageRecord> records_;
    std::map<std::pair<std::string, std::string>, std::size_t> numbers_;  // By account and user.
};

// The sum of both.
void add_to(UsageVector& sum, const UsageVector& more);

}  // namespace berth
