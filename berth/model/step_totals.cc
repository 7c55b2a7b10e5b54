#include "berth/model/step_totals.h"

#include <algorithm>

namespace berth {

void add(StepTotals& totals, const RunUsage& usage, const std::string& node) {
    const std::int64_t cpu = (usage.user + usage.system).count();
    totals.user_ms += usage.user.count();
    totals.system_ms += usage.system.count();
    totals.rss_sum += usage.rss_max.count();
    if (totals.nodes == 0 || usage.rss_max.count() > totals.rss_max) {
        totals.rss_max = usage.rss_max.count();
        totals.rss_max_node = node;
    }
    if (totals.nodes == 0 || cpu < totals.cpu_min_ms) {
        totals.cpu_min_ms = cpu;
        totals.cpu_min_node = node;
    }
    totals.tasks += std::max(usage.tasks, 1U);
    totals.nodes += 1;
}

}  // namespace berth
