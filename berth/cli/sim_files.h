// What several `berth sim` commands read from disks: texts, clusters, workloads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/workload/workload.h"

namespace berth::cli {

// What ends in .zst is unpacked, by the program zstd.
Result<std::string> read_file(const std::string& path);
Status write_file(const std::string& path, const std::string& text);
// berth.yaml, slurm.conf, or a directory with them. Without errors, or not at all.
Result<ClusterSpec> read_cluster(const std::string& path);
// The same under another policy: one of those that have a name, or, where there is a "/" or a "."
// in it, a file (config/load.h); with ":easy" and the like behind either. What a file has that is
// of no effect is added to `remarks`.
Result<ClusterSpec> read_cluster(const std::string& path, const std::string& policy,
                                 std::vector<std::string>& remarks);
// FORMAT:FILE; or generate:MIX:JOBS, whose jobs have no more GPUs than these; or philly alone: the
// sample that Berth ships.
Result<workload::Workload> read_trace(const std::string& trace, std::uint64_t seed,
                                      std::int64_t gpus);
std::int64_t gpus_of(const ClusterSpec& cluster);
std::string_view philly_sample();

}  // namespace berth::cli
