// The pages for Prometheus: Berth's own metrics with the training platforms' (training_…), and
// Slurm 25.11's under Slurm's names. The pages are separate, since some names differ in meaning.
#pragma once

#include <cstdint>
#include <string>

#include "berth/server/metrics/diagnostics.h"
#include "berth/server/metrics/metric_counts.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

// metrics_berth.cc
void put_berth_metrics(MetricPage& page, const Snapshot& snapshot, Time now);
// metrics_slurm.cc
void put_slurm_jobs(MetricPage& page, const Snapshot& snapshot);
void put_slurm_nodes(MetricPage& page, const Snapshot& snapshot);
void put_slurm_partitions(MetricPage& page, const Snapshot& snapshot);
void put_slurm_scheduler(MetricPage& page, const api::DiagnosticsRow& row);

// Number of GPUs of any type in this amount.
std::int64_t gpus_in(const ClusterSpec& spec, const Resources& amount);

}  // namespace berth
