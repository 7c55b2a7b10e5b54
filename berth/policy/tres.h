// TRES: what a job asks for or holds of each, and what that weighs by a site's weights.
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

// A weight whose name was looked up once: "gres/gpu" is the sum over all types.
class TresScale {
public:
    // nullopt: this cluster has no such TRES.
    static std::optional<TresScale> of(const Dimensions& dimensions, const TresWeight& weight);

    const std::string& name() const { return name_; }
    bool is_gres() const { return kind_ == Kind::gres; }
    std::int64_t micro() const { return micro_; }

    std::int64_t count(const TresCounts& counts) const;   // Bytes of memory, else pieces.
    UsageAmount weighed(const TresCounts& counts) const;  // Weight times count, exactly.

private:
    enum class Kind : std::uint8_t { cpu, memory, node, gres };
    std::string name_;
    Kind kind_ = Kind::cpu;
    std::vector<DimensionId> dimensions_;
    std::int64_t micro_ = 0, per_ = 1;
};
std::vector<TresScale> scales_of(const Dimensions& dimensions,
                                 const std::vector<TresWeight>& weights);

// What so much bills each second in that partition. After Slurm's TRESBillingWeights: a CPU is one
// where there are no weights.
UsageAmount billing_of(const ClusterSpec& spec, PartitionId partition, const TresCounts& counts);

// What a job that holds so much uses each second, of everything that is counted, times its QOS's
// UsageFactor.
UsageVector usage_rate_of(const ClusterSpec& spec, const Job& job);

}  // namespace berth
