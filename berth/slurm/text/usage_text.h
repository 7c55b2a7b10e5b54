// How sacct and sstat print what steps have used.
#pragma once

#include <optional>
#include <string>

#include "berth/model/step_totals.h"

namespace berth::slurm {

// "1084K", "2M": in the largest unit that it is a whole number of; bytes without one.
std::string exact_size(std::int64_t bytes);
// "00:01.250"; from an hour on without the thousandths, "01:00:01"; nothing used: "00:00:00".
std::string cpu_text(std::int64_t milliseconds);
// "cpu=00:00:01,mem=1084K"
std::string usage_tres(std::int64_t cpu_ms, std::int64_t memory);

using Used = std::optional<StepTotals>;
std::string max_rss(const Used& used);
std::string max_rss_node(const Used& used);
std::string ave_rss(const Used& used);  // Of a task.
std::string min_cpu(const Used& used);
std::string min_cpu_node(const Used& used);
std::string ave_cpu(const Used& used);  // Likewise.
std::string usage_max(const Used& used);
std::string usage_ave(const Used& used);
std::string usage_total(const Used& used);

}  // namespace berth::slurm
