// LicenseNumbers: each license that the cluster has, or that a limit names, has a number. Limits
// and uses are then compared by number, and no name is looked up when one is checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/license.h"

namespace berth {

// The license of a TRES: "matlab" of "license/matlab"; empty: it is another kind of TRES.
std::string_view license_in(std::string_view tres);

// By number. Trailing zeroes are left out, so equal counts are equal vectors.
using LicenseCounts = std::vector<std::int64_t>;

inline std::int64_t count_of(const LicenseCounts& counts, std::uint32_t license) {
    return license < counts.size() ? counts[license] : 0;
}
// Adds `times` so many.
void add_counts(LicenseCounts& sum, const LicenseCounts& more, std::int64_t times);

// The numbers follow from the configuration alone, so they are never saved: first the licenses of
// the cluster in its order, then those that only limits name. Jobs that were submitted while the
// cluster had one of these may still ask for it or hold it.
class LicenseNumbers {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    LicenseNumbers() = default;
    explicit LicenseNumbers(const ClusterSpec& spec);

    std::uint32_t of(std::string_view license) const;  // kNone: it has no number.
    // By number. Licenses without one are left out: no limit counts them.
    LicenseCounts counts_of(const std::vector<LicenseCount>& licenses) const;

    friend bool operator==(const LicenseNumbers&, const LicenseNumbers&) = default;

private:
    void add(std::string_view license);
    void add_limited(const Limits& limits);

    std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace berth
