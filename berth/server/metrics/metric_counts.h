// MetricCounts: Prometheus counters and histograms: how long jobs wait, take to be placed and bound
// to their nodes, and run, and how they end. Thread-safe. Counters restart with the daemon, which
// Prometheus handles.
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

    // An agent's report on its way to the controller; the snapshot has its jobs.
    void heard(const Input& input, const Snapshot& snapshot, Time now);

    // A mail or a post to the webhook: "sent", "failed" or "dropped".
    void notified(std::string_view channel, std::string_view result);

    // All families, under the training platforms' names (training_…) and Berth's own.
    void put_on(MetricPage& page) const;

private:
    struct Counts;
    std::unique_ptr<Counts> counts_;
};

// The queue that a job's resources count for: its account; without accounts, its partition.
const std::string& queue_of(const ClusterSpec& spec, const Job& job);
// "gang", "interactive", "array" or "batch".
const char* job_type_of(const Job& job);

}  // namespace berth
