// TRES and GRES as Slurm's commands print them: "cpu=8,mem=16000M,node=1,billing=8,gres/gpu=2",
// "gpu:a100:2(IDX:0-1)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

// Amounts to print. Zero amounts are omitted.
struct Tres {
    std::int64_t cpus = 0;
    Bytes memory;
    std::int64_t nodes = 0;
    bool billing = true;
    std::optional<std::int64_t> billed;  // By the partition's weights; nullopt: one for each CPU.
    Resources gres;                      // Its CPUs and memory are ignored.
};

// The billing of these amounts by the partition's TRESBillingWeights, in whole points; nullopt
// without weights.
std::optional<std::int64_t> billed_in(const ClusterSpec& spec, PartitionId partition,
                                      std::int64_t nodes, const Resources& amount);

// The order of scontrol, or by name, as sacct prints them.
enum class TresOrder : std::uint8_t { slurm, by_name };

// The sum of each GRES and, if devices have types, each type: "gres/gpu=2,gres/gpu:a100=2". With
// AccountingStorageTRES, only those that it names.
std::string tres_text(const ClusterSpec& spec, const Tres& tres, TresOrder order);

// The part of a node's GRES in these devices and this amount: "gpu:a100:2(IDX:0-1),fpga:1(CNT:1)".
// `with_none`: also GRES with a count of zero: "gpu:a100:0(IDX:N/A)".
std::string gres_text(const ClusterSpec& spec, const NodeSpec& node, DeviceMask devices,
                      const Resources& amount, bool with_none);

// "gres/gpu:a100:2,gres/fpga:1"
std::string tres_per_text(const std::vector<GresRequest>& requests);

}  // namespace berth
