#include "berth/policy/tres.h"

#include <algorithm>

#include "berth/model/micro.h"

namespace berth {
namespace {

UsageAmount scaled(UsageAmount amount, Ppm factor) {
    if (factor == kPpmOne) return amount;
    return UsageAmount::of(amount.units() * factor.count() / kPpmOne.count());
}

}  // namespace

TresCounts held_by(const Job& job) {
    return {.nodes = static_cast<std::int64_t>(job.nodes.size()), .amount = job.allocated};
}

std::optional<TresScale> TresScale::of(const Dimensions& dimensions, const TresWeight& weight) {
    TresScale scale;
    scale.name_ = weight.tres;
    scale.micro_ = weight.micro;
    scale.per_ = weight.per;
    if (weight.tres == "cpu") {
        scale.kind_ = Kind::cpu;
    } else if (weight.tres == "mem") {
        scale.kind_ = Kind::memory;
    } else if (weight.tres == "node") {
        scale.kind_ = Kind::node;
    } else if (weight.tres.starts_with("gres/")) {
        scale.kind_ = Kind::gres;
        const std::string gres = weight.tres.substr(5);
        const std::size_t colon = gres.find(':');
        if (colon == std::string::npos) {
            scale.dimensions_ = dimensions.of_name(gres);
        } else if (const auto one =
                       dimensions.find(gres.substr(0, colon), gres.substr(colon + 1))) {
            scale.dimensions_ = {*one};
        }
        if (scale.dimensions_.empty()) return std::nullopt;
    } else {
        return std::nullopt;
    }
    return scale;
}

std::int64_t TresScale::count(const TresCounts& counts) const {
    switch (kind_) {
        case Kind::cpu: return counts.amount.cpu().count() / 1000;
        case Kind::memory: return counts.amount.memory().count();
        case Kind::node: return counts.nodes;
        case Kind::gres: break;
    }
    std::int64_t sum = 0;
    for (const DimensionId d : dimensions_) sum += counts.amount[d];
    return sum;
}

UsageAmount TresScale::weighed(const TresCounts& counts) const {
    const Wide weight = Wide{micro_} * count(counts);
    return UsageAmount::of((weight << 32) / (Wide{per_} * kMicro));
}

std::vector<TresScale> scales_of(const Dimensions& dimensions,
                                 const std::vector<TresWeight>& weights) {
    std::vector<TresScale> scales;
    for (const TresWeight& weight : weights) {
        if (auto scale = TresScale::of(dimensions, weight)) scales.push_back(*std::move(scale));
    }
    return scales;
}

UsageAmount billing_of(const ClusterSpec& spec, PartitionId partition, const TresCounts& counts) {
    const std::vector<TresWeight>& weights = spec.partition(partition).billing_weights;
    if (weights.empty()) return {counts.amount.cpu().count() / 1000, 0};
    const BillingSum how = spec.scheduling.billing_sum;
    UsageAmount sum, largest;
    for (const TresScale& scale : scales_of(spec.dimensions, weights)) {
        const UsageAmount one = scale.weighed(counts);
        const bool added =
            how == BillingSum::all || (how == BillingSum::largest_and_gres && scale.is_gres());
        if (added) {
            sum = sum + one;
        } else if (one.units() > largest.units()) {
            largest = one;
        }
    }
    return sum + largest;
}

UsageVector usage_rate_of(const ClusterSpec& spec, const Job& job) {
    const TresCounts held = held_by(job);
    const Ppm factor =
        job.qos.index() < spec.qos.size() ? spec.qos[job.qos.index()].usage_factor : kPpmOne;
    UsageVector rate;
    rate[kBillingUsage] = scaled(billing_of(spec, job.partition, held), factor);
    rate[kNodeUsage] = scaled({held.nodes, 0}, factor);
    rate[kWallUsage] = scaled({1, 0}, factor);
    for (std::size_t i = 0; i < kDimensionsMax; ++i) {
        const DimensionId d = DimensionId::from_index(i);
        std::int64_t count = held.amount[d];
        if (d == kCpuDimension) count /= 1000;
        if (d == kMemoryDimension) count /= mib(1).count();
        rate[usage_kind_of(d)] = scaled({count, 0}, factor);
    }
    return rate;
}

}  // namespace berth
