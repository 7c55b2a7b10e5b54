#include "berth/engine/state/association_usage.h"

#include "berth/base/assert.h"

namespace berth {
namespace {

void subtract_from(UsageVector& sum, const UsageVector& less) {
    for (std::size_t i = 0; i < kUsageKinds; ++i) {
        if (!less[i].is_zero()) sum[i] = sum[i] - less[i];
    }
}

}  // namespace

void add_to(UsageVector& sum, const UsageVector& more) {
    for (std::size_t i = 0; i < kUsageKinds; ++i) {
        if (!more[i].is_zero()) sum[i] = sum[i] + more[i];
    }
}

std::optional<std::size_t> AssociationUsage::find(const std::string& account,
                                                  const std::string& user) const {
    const auto found = numbers_.find({account, user});
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

bool AssociationUsage::add(UsageRecord record) {
    if (!numbers_.try_emplace({record.account, record.user}, records_.size()).second) return false;
    records_.push_back(std::move(record));
    return true;
}

void AssociationUsage::drop_last() {
    numbers_.erase({records_.back().account, records_.back().user});
    records_.pop_back();
}

void AssociationUsage::raise_rate(std::size_t number, Time now, const UsageVector& by,
                                  const UsageDecay& decay) {
    records_[number].advance(now, decay);
    add_to(records_[number].rate, by);
}

void AssociationUsage::lower_rate(std::size_t number, Time now, const UsageVector& by,
                                  const UsageDecay& decay) {
    records_[number].advance(now, decay);
    subtract_from(records_[number].rate, by);
}

void AssociationUsage::set_billing(std::size_t number, Time now, std::int64_t billing,
                                   const UsageDecay& decay) {
    records_[number].advance(now, decay);
    records_[number].used[kBillingUsage] = {billing, 0};
}

void AssociationUsage::settle(Time now, const UsageDecay& decay) {
    for (UsageRecord& record : records_) record.advance(now, decay);
}

void AssociationUsage::set_rates(const std::vector<UsageVector>& rates) {
    BERTH_ASSERT(rates.size() == records_.size());
    for (std::size_t i = 0; i < rates.size(); ++i) records_[i].rate = rates[i];
}

void AssociationUsage::check(const std::vector<UsageVector>& rates) const {
    BERTH_ASSERT(numbers_.size() == records_.size() && rates.size() == records_.size());
    for (std::size_t i = 0; i < records_.size(); ++i) {
        BERTH_ASSERT(numbers_.at({records_[i].account, records_[i].user}) == i);
        BERTH_ASSERT(records_[i].rate == rates[i]);
        for (std::size_t kind = 0; kind < kUsageKinds; ++kind)
            BERTH_ASSERT(records_[i].used[kind].whole >= 0);
    }
}

}  // namespace berth
