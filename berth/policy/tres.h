// TRES: how much of each a job asks for or holds, and its weighted sums.
#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

struct TresCounts {
    std::int64_t nodes = 0;
    Resources amount;
};
TresCounts held_by(const Job& job);

// A weight with its name resolved: "gres/gpu" is the sum over all types.
class TresScale {
public:
    // nullopt: this cluster has no such TRES.
    static std::optional<TresScale> of(const Dimensions& dimensions, const TresWeight& weight);

    const std::string& name() const { return name_; }
    bool is_gres() const { return kind_ == Kind::gres; }
    std::int64_t micro() const { return micro_; }

    std::int64_t count(const TresCounts& counts) const;   // Memory in bytes; otherwise a count.
    UsageAmount weighed(const TresCounts& counts) const;  // Weight × count, exactly.

private:
    enum class Kind : std::uint8_t { cpu, memory, node, gres };
    std::string name_;
    Kind kind_ = Kind::cpu;
    std::vector<DimensionId> dimensions_;
    std::int64_t micro_ = 0, per_ = 1;
};
std::vector<TresScale> scales_of(const Dimensions& dimensions,
                                 const std::vector<TresWeight>& weights);

// The billing per second for these amounts in that partition. After Slurm's TRESBillingWeights;
// without weights, each CPU counts one.
UsageAmount billing_of(const ClusterSpec& spec, PartitionId partition, const TresCounts& counts);

// The job's usage per second of every counted resource, times its QOS's UsageFactor.
UsageVector usage_rate_of(const ClusterSpec& spec, const Job& job);

}  // namespace berth
