#include "berth/control/orders/reconcile.h"

#include <map>

namespace berth {

Reconciled reconcile(std::span<const Believed> believed, std::span<const AttemptReport> inventory,
                     bool same_boot) {
    // If an attempt is reported both live and ended, it has ended: the spool is written once its
    // cgroup is empty.
    std::map<AttemptId, const AttemptReport*> reported;
    for (const AttemptReport& report : inventory) {
        auto& entry = reported[{report.job, report.attempt}];
        if (entry == nullptr || !report.live) entry = &report;
    }
    Reconciled result;
    for (const Believed& one : believed) {
        const auto found = reported.find(one.key);
        if (found == reported.end()) {
            if (!same_boot) {
                result.lost.push_back(one.key);
            } else if (one.started) {
                result.gone.push_back(one.key);
            }
            continue;
        }
        if (found->second->live) {
            result.live.push_back(one.key);
        } else {
            result.ended.push_back(*found->second);
        }
        reported.erase(found);
    }
    for (const auto& [key, report] : reported) {
        if (report->live) result.orphans.push_back(key);
    }
    return result;
}

}  // namespace berth
