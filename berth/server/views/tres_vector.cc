#include "berth/server/views/tres_vector.h"

#include <algorithm>
#include <limits>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::int64_t kMostAmount = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMebi = 1 << 20;

// Of settings as they were read: empty, if all are told.
std::vector<std::string> told_tres(const ClusterSpec& spec) {
    std::vector<std::string> names;
    for (const auto& [key, value] : spec.settings) {
        if (!iequals(key, "AccountingStorageTRES") || value.empty() || value == "(null)") continue;
        for (const auto name : split(value, ',')) names.emplace_back(trim(name));
    }
    return names;
}

}  // namespace

TresVector& TresVector::operator+=(const TresVector& other) { return add_times(other, 1); }
TresVector& TresVector::operator-=(const TresVector& other) { return add_times(other, -1); }

TresVector& TresVector::add_times(const TresVector& rate, std::int64_t seconds) {
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        std::int64_t product = 0, sum = 0;
        const bool fits = !__builtin_mul_overflow(rate.amounts[i], seconds, &product) &&
                          !__builtin_add_overflow(amounts[i], product, &sum);
        const bool falls = (rate.amounts[i] < 0) != (seconds < 0);
        amounts[i] = fits ? sum : falls ? -kMostAmount : kMostAmount;
    }
    return *this;
}

TresVector TresVector::of(const ClusterSpec& spec, const Resources& amount) {
    TresVector vector;
    vector.amounts[kCpu] = amount.cpu().count() / 1000;
    vector.amounts[kMemory] = amount.memory().count() / kMebi;
    for (std::uint32_t i = kMemoryDimension.value() + 1; i < spec.dimensions.size(); ++i) {
        const DimensionId d(i);
        const bool is_bytes = spec.dimensions.at(d).name == "gpumem";
        vector.amounts[kDimensions + i] = is_bytes ? amount[d] / kMebi : amount[d];
    }
    return vector;
}

TresVector least(const TresVector& a, const TresVector& b) {
    TresVector both;
    for (std::size_t i = 0; i < both.amounts.size(); ++i)
        both.amounts[i] = std::min(a.amounts[i], b.amounts[i]);
    return both;
}

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? -kMostAmount : kMostAmount;
}

std::int64_t NamedTres::in(const TresVector& vector) const {
    std::int64_t sum = 0;
    for (const std::size_t part : parts) sum = sum_of(sum, vector.amounts[part]);
    return sum;
}

std::vector<NamedTres> named_tres(const ClusterSpec& spec) {
    std::vector<NamedTres> all = {{"cpu", {TresVector::kCpu}},
                                  {"mem", {TresVector::kMemory}},
                                  {"node", {TresVector::kNode}},
                                  {"billing", {TresVector::kBilling}}};
    const std::vector<std::string> told = told_tres(spec);
    const auto add = [&](std::string name, std::vector<std::size_t> parts) {
        if (!told.empty() && std::ranges::find(told, name) == told.end()) return;
        if (std::ranges::find(all, name, &NamedTres::name) != all.end()) return;
        all.push_back({std::move(name), std::move(parts)});
    };
    const Dimensions& dimensions = spec.dimensions;
    for (const DimensionId gres : dimensions.gres()) {
        const std::string& name = dimensions.at(gres).name;
        std::vector<std::size_t> parts;
        for (const DimensionId d : dimensions.of_name(name))
            parts.push_back(TresVector::kDimensions + d.value());
        add("gres/" + name, parts);
        for (const DimensionId d : dimensions.of_name(name)) {
            if (!dimensions.at(d).type.empty()) {
                add("gres/" + name + ":" + dimensions.at(d).type,
                    {TresVector::kDimensions + d.value()});
            }
        }
    }
    return all;
}

}  // namespace berth
