// StoreReader: read access to the store for everything but the controller. It has its own
// connection and sees committed data. It blocks no writer and waits for none.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/store/accounting.h"
#include "berth/store/spans.h"

namespace berth {

struct AccountingAnswer {
    std::vector<AccountingRecord> records;  // By job id, then attempt; with their steps.
    bool more = false;                      // The filter's limit cut off further records.
};

// Thread-safe. Calls are serialised, but for each_run(), spans() and node_events(), which may take
// long: they wait for each other alone, and have a connection of their own.
class StoreReader {
public:
    // REQUIRES: the store has been opened once, so that the file exists.
    static Result<StoreReader> open(const std::string& directory);
    StoreReader(StoreReader&&) noexcept;
    StoreReader& operator=(StoreReader&&) noexcept;
    ~StoreReader();

    Result<AccountingAnswer> accounting(const AccountingFilter& filter);

    // Every attempt, without its steps, one after the other: years of them take no memory.
    Status each_run(const RunFilter& filter,
                    const std::function<void(const AccountingRecord&)>& take);

    // Spans that overlap this interval; of a reservation's occurrence, all that it has.
    Result<Spans> spans(Time from, Time until);

    // Nodes that took no work at some time of this interval; by node, then by time.
    Result<std::vector<NodeEventSpan>> node_events(Time from, Time until);

    // The script and environment of a job that the controller still knows. `array_job`: for a task
    // of an array.
    Result<JobPayload> payload(JobId job, std::optional<JobId> array_job);

private:
    struct Parts;
    explicit StoreReader(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
