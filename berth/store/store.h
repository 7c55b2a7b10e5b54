// Store: everything durable in one SQLite file: journal, snapshots, scripts and accounting. It is
// the controller's Journal; one append is one transaction.
//
// Failure: the first error of any write is final. The process must stop and restart from what is
// durable; no write or sync is retried. The one exception is a full disk that is detected before
// anything was written: the reserve is given up, and from then on has_room() is false.
#pragma once

#include <memory>
#include <string>

#include "berth/base/log.h"
#include "berth/control/core/ports.h"
#include "berth/store/store_settings.h"

namespace berth {

// The result of Store::open().
struct Opened;

class Store final : public Journal {
public:
    // Creates the file in this directory if it does not exist, recovers the state, and durably
    // takes the next epoch. Fails, and leaves the file as it was, if the file
    // - is damaged (the error says where) or of a newer version,
    // - lacks records that its tail tells of,
    // - is open in another program.
    static Result<Opened> open(const std::string& directory, StoreSettings settings, LogSink& log);
    Store(Store&&) noexcept;
    ~Store() override;

    Status append(const Record& record, const ClusterState& after) override;
    Status rest(const ClusterState& state) override;
    bool has_room() override;

    // The payload for a launch. For the thread that appends; others use StoreReader.
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
    std::uint32_t first_job = 1;      // No smaller job id is free: see restore().
    std::uint64_t next_sequence = 1;  // Of this controller's first record.
    std::uint64_t snapshot_sequence = 0, replayed_records = 0;
    Time last_at{};  // Of the last record. The controller's time continues from there.
};

}  // namespace berth
