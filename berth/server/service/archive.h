// Archive: what the server reads from the store: accounting and the scripts of jobs.
#pragma once

#include <functional>
#include <optional>

#include "berth/store/reader.h"

namespace berth {

// Calls may block on the disk, and come from several threads.
class Archive {
public:
    virtual ~Archive() = default;
    virtual Result<AccountingAnswer> accounting(const AccountingFilter& filter) = 0;
    // As StoreReader's.
    virtual Status each_run(const RunFilter& filter,
                            const std::function<void(const AccountingRecord&)>& take) = 0;
    virtual Result<Spans> spans(Time from, Time until) = 0;
    virtual Result<std::vector<NodeEventSpan>> node_events(Time from, Time until) = 0;
    virtual Result<JobPayload> payload(JobId job, std::optional<JobId> array_job) = 0;
};

class StoreArchive final : public Archive {
public:
    explicit StoreArchive(StoreReader reader) : reader_(std::move(reader)) {}
    Result<AccountingAnswer> accounting(const AccountingFilter& filter) override {
        return reader_.accounting(filter);
    }
    Status each_run(const RunFilter& filter,
                    const std::function<void(const AccountingRecord&)>& take) override {
        return reader_.each_run(filter, take);
    }
    Result<Spans> spans(Time from, Time until) override { return reader_.spans(from, until); }
    Result<std::vector<NodeEventSpan>> node_events(Time from, Time until) override {
        return reader_.node_events(from, until);
    }
    Result<JobPayload> payload(JobId job, std::optional<JobId> array_job) override {
        return reader_.payload(job, array_job);
    }

private:
    StoreReader reader_;
};

}  // namespace berth
