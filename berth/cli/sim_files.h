// What several `berth sim` commands read from disks: texts, clusters, workloads.
#pragma once

#include <cstdint>
#include <string>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/workload/workload.h"

namespace berth::cli {

Result<std::string> read_file(const std::string& path);
Status write_file(const std::string& path, const std::string& text);
// berth.yaml, slurm.conf, or a directory with them. Without errors, or not at all.
Result<ClusterSpec> read_cluster(const std::string& path);
// FORMAT:FILE, or generate:MIX:JOBS, whose jobs have no more GPUs than these.
Result<workload::Workload> read_trace(const std::string& trace, std::uint64_t seed,
                                      std::int64_t gpus);
std::int64_t gpus_of(const ClusterSpec& cluster);

}  // namespace berth::cli
