// StoreReader: what others than the controller may ask of the store. It has a connection of its own
// and sees what is committed; it waits for nobody and keeps nobody waiting.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/store/accounting.h"

namespace berth {

struct AccountingAnswer {
    std::vector<AccountingRecord> records;  // By job id, then attempt; with their steps.
    bool more = false;                      // The filter's limit cut it off.
};

// Any thread may call it; calls take turns.
class StoreReader {
public:
    // The store must have been opened once, so that the file is there.
    static Result<StoreReader> open(const std::string& directory);
    StoreReader(StoreReader&&) noexcept;
    StoreReader& operator=(StoreReader&&) noexcept;
    ~StoreReader();

    Result<AccountingAnswer> accounting(const AccountingFilter& filter);

    // The script and environment of a job that the controller still knows; `array_job` for a task.
    Result<JobPayload> payload(JobId job, std::optional<JobId> array_job);

private:
    struct Parts;
    explicit StoreReader(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
