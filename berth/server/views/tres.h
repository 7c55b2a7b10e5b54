// TRES and GRES as Slurm's commands print them: "cpu=8,mem=16000M,node=1,billing=8,gres/gpu=2",
// "gpu:a100:2(IDX:0-1)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

// Amounts to print. What is zero is left out.
struct Tres {
    std::int64_t cpus = 0;
    Bytes memory;
    std::int64_t nodes = 0;
    bool billing = true;
    std::optional<std::int64_t> billed;  // By the partition's weights; nullopt: one for each CPU.
    Resources gres;                      // Its CPUs and memory play no part.
};

// What these amounts bill in a partition with TRESBillingWeights, in whole points; nullopt without.
std::optional<std::int64_t> billed_in(const ClusterSpec& spec, PartitionId partition,
                                      std::int64_t nodes, const Resources& amount);

// As scontrol orders them, or by name, as sacct does.
enum class TresOrder : std::uint8_t { slurm, by_name };

// Of each GRES its sum, and, where devices have types, each type: "gres/gpu=2,gres/gpu:a100=2". If
// the configuration has AccountingStorageTRES, only those that it names.
std::string tres_text(const ClusterSpec& spec, const Tres& tres, TresOrder order);

// What of a node's GRES is in these devices and this amount: "gpu:a100:2(IDX:0-1),fpga:1(CNT:1)".
// `with_none`: those of which nothing is, too: "gpu:a100:0(IDX:N/A)".
std::string gres_text(const ClusterSpec& spec, const NodeSpec& node, DeviceMask devices,
                      const Resources& amount, bool with_none);

// "gres/gpu:a100:2,gres/fpga:1"
std::string tres_per_text(const std::vector<GresRequest>& requests);

}  // namespace berth
