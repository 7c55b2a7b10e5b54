// Store: everything durable, in one SQLite file: the journal, snapshots, scripts and accounting. It
// is the controller's Journal; one append is one transaction.
//
// Failure: the first error of any write is final. The process must stop and start again from what
// is durable; a write or a sync is never tried again. The one exception is a full disk found before
// anything was written: the reserve is given up, and from then on has_room() is false.
#pragma once

#include <memory>
#include <string>

#include "berth/base/log.h"
#include "berth/control/core/ports.h"
#include "berth/store/store_settings.h"

namespace berth {

// What was found at the start.
struct Opened;

class Store final : public Journal {
public:
    // Makes the file in this directory if it is not there; recovers the state; takes the next
    // epoch, durably. Refuses a damaged or newer file, saying where; one that lacks records which
    // its tail tells of; and one that another program has open. What is refused stays as it was.
    static Result<Opened> open(const std::string& directory, StoreSettings settings, LogSink& log);
    Store(Store&&) noexcept;
    ~Store() override;

    Status append(const Record& record, const ClusterState& after) override;
    Status rest(const ClusterState& state) override;
    bool has_room() override;

    // What a launch needs. For the thread that appends: others use StoreReader.
    Result<JobPayload> payload(JobId job, std::optional<JobId> array_job);

private:
    struct Parts;
    explicit Store(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

struct Opened {
    Store store;
    ClusterState state;
    Epoch epoch{0};                   // Of the controller that may now start.
    std::uint32_t first_job = 1;      // No smaller id is free: see restore().
    std::uint64_t next_sequence = 1;  // Of its first record.
    std::uint64_t snapshot_sequence = 0, replayed_records = 0;
    Time last_at{};  // Of the last record: the controller's time goes on from there.
};

}  // namespace berth
