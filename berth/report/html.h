// HTML: one page with everything in it, for people who would rather look than read: figures by
// policy, GPUs in use, the queue, distributions of waiting, who waited, and what ran where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/report/simulation_json.h"

namespace berth::report {

std::string to_html(const RunSettings& settings, const workload::Workload& workload,
                    const std::vector<PolicyRun>& runs);

// The page around the results: everything before them, and after.
std::string_view page_head();
std::string_view page_script();

}  // namespace berth::report
