// MetricCounts: what is counted as it happens, for Prometheus: how long jobs wait, are placed, are
// bound to their nodes and run, and how that ends. From any thread. A restart counts anew, which
// Prometheus knows how to take.
#pragma once

#include <memory>
#include <string_view>

#include "berth/control/core/ports.h"
#include "berth/server/metrics/metric_page.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

class MetricCounts final : public Observer {
public:
    MetricCounts();
    ~MetricCounts() override;

    void part_begins(TurnPart) override {}
    void cycle_begins() override;
    void cycle_ended(const CycleWork& work) override;
    void recorded(const Record& record, const ClusterState& after) override;

    // What an agent reports, on its way to the controller; the edition knows its jobs.
    void heard(const Input& input, const Snapshot& snapshot, Time now);

    // A mail or a post to the webhook: "sent", "failed" or "dropped".
    void notified(std::string_view channel, std::string_view result);

    // All of it, by seed 002's names and by Berth's own.
    void put_on(MetricPage& page) const;

private:
    struct Counts;
    std::unique_ptr<Counts> counts_;
};

// Whom a job's resources count for: its account, a queue of the tree of quotas; without accounts,
// its partition.
const std::string& queue_of(const ClusterSpec& spec, const Job& job);
// "gang", "interactive", "array" or "batch".
const char* job_type_of(const Job& job);

}  // namespace berth
