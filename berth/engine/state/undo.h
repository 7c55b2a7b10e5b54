// UndoLog: the old values of everything changed since a checkpoint. It stays empty, at no cost,
// while no checkpoint is open.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/shared_text.h"
#include "berth/engine/state/node_free.h"
#include "berth/engine/state/past_requests.h"
#include "berth/engine/state/run_history.h"
#include "berth/model/job.h"
#include "berth/model/reason.h"
#include "berth/model/reservation.h"
#include "berth/model/usage.h"

namespace berth {

class Configuration;

// What the last cycle found about a job. Not durable: the next one sets it again.
struct Standing {
    PendingReason reason = PendingReason::none;
    SharedText detail;
    std::int64_t priority = 0;
    friend bool operator==(const Standing&, const Standing&) = default;
};

struct JobBefore {
    JobId id;
    std::shared_ptr<const Job> job;  // Null: there was none.
};
struct PlanBefore {
    JobId id;
    std::shared_ptr<const PlannedStart> planned;
};
struct StandingBefore {
    JobId id;
    std::shared_ptr<const Standing> standing;
};
struct ConditionBefore {
    NodeId id;
    std::shared_ptr<const NodeCondition> condition;
};
struct FreeBefore {
    NodeId id;
    std::shared_ptr<const NodeFree> free;
};
struct CountersBefore {
    Epoch epoch;
    JobId next_job_id;
};
struct RequestsBefore {
    std::shared_ptr<const PastRequests> requests;
};
struct UsageBefore {
    std::size_t index;
    std::shared_ptr<const UsageRecord> record;  // Null: there was none.
};
struct RunsBefore {
    std::size_t slot;
    std::shared_ptr<const RunSamples> samples;
};
struct UsagesBefore {
    std::shared_ptr<const std::vector<UsageRecord>> records;
};
struct ConfigurationBefore {
    std::shared_ptr<const Configuration> configuration;
};
struct ReservationBefore {
    std::string name;
    std::shared_ptr<const Reservation> reservation;  // Null: there was none.
};
struct HoldBefore {
    JobId id;
    std::optional<Time> until;
};
struct RestBefore {
    JobId id;
    std::optional<PreemptorRest> rest;
};
struct NodesBefore {  // All nodes, for facts that change them all.
    std::shared_ptr<const std::vector<NodeCondition>> conditions;
    std::shared_ptr<const std::vector<NodeFree>> free;
};
struct JobTouched {  // The job had not been touched before.
    JobId id;
};
struct NodeTouched {
    NodeId id;
};
struct UsageTouched {
    std::size_t index;
};
struct WholesTouched {
    bool spec = false, all = false, reservations = false;  // Which had been touched before.
};
using Before = std::variant<JobBefore, PlanBefore, StandingBefore, ConditionBefore, FreeBefore,
                            CountersBefore, RequestsBefore, RunsBefore, UsageBefore, UsagesBefore,
                            ConfigurationBefore, ReservationBefore, HoldBefore, RestBefore,
                            NodesBefore, JobTouched, NodeTouched, UsageTouched, WholesTouched>;

class UndoLog {
public:
    bool recording() const { return open_ > 0; }
    void record(Before before) { entries_.push_back(std::move(before)); }

    std::size_t open();  // Opens a checkpoint and returns the position of the log.
    bool has_after(std::size_t at) const { return entries_.size() > at; }
    Before take_last();
    // Closes it. Later entries are kept only for checkpoints that are still open.
    void close(std::size_t at);

private:
    std::vector<Before> entries_;
    std::size_t open_ = 0;
};

}  // namespace berth
