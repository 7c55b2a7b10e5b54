#include "berth/engine/state/license_numbers.h"

#include "berth/model/limits.h"

namespace berth {
namespace {

// Visits the lists of TRES, whatever limits they are, and skips the other fields.
template <class Visit>
struct EachTresList {
    Visit visit;
    void operator()(const char*, const TresLimits& list) const { visit(list); }
    void operator()(const char*, const auto&) const {}
};

}  // namespace

std::string_view license_in(std::string_view tres) {
    constexpr std::string_view kPrefix = "license/";
    return tres.starts_with(kPrefix) ? tres.substr(kPrefix.size()) : std::string_view();
}

void add_counts(LicenseCounts& sum, const LicenseCounts& more, std::int64_t times) {
    if (sum.size() < more.size()) sum.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) sum[i] += times * more[i];
    while (!sum.empty() && sum.back() == 0) sum.pop_back();
}

LicenseNumbers::LicenseNumbers(const ClusterSpec& spec) {
    for (const LicenseSpec& one : spec.licenses) add(one.name);
    for (const QosSpec& one : spec.qos) add_limited(one.limits);
    for (const AccountSpec& one : spec.accounts) add_limited(one.limits);
    for (const AssociationSpec& one : spec.associations) add_limited(one.limits);
}

void LicenseNumbers::add(std::string_view license) {
    numbers_.try_emplace(std::string(license), static_cast<std::uint32_t>(numbers_.size()));
}

void LicenseNumbers::add_limited(const Limits& limits) {
    Limits::fields(limits, EachTresList{[&](const TresLimits& list) {
                       for (const auto& [tres, count] : list) {
                           const std::string_view license = license_in(tres);
                           if (!license.empty()) add(license);
                       }
                   }});
}

std::uint32_t LicenseNumbers::of(std::string_view license) const {
    const auto known = numbers_.find(license);
    return known == numbers_.end() ? kNone : known->second;
}

LicenseCounts LicenseNumbers::counts_of(const std::vector<LicenseCount>& licenses) const {
    LicenseCounts counts;
    for (const LicenseCount& one : licenses) {
        const std::uint32_t license = of(one.name);
        if (license == kNone || one.count == 0) continue;
        if (counts.size() <= license) counts.resize(license + 1);
        counts[license] += one.count;
    }
    return counts;
}

}  // namespace berth
