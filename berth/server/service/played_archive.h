// PlayedArchive: an archive for tests, which fill it and see what it was asked for.
#pragma once

#include <mutex>
#include <vector>

#include "berth/server/service/archive.h"

namespace berth {

class PlayedArchive : public Archive {
public:
    Result<AccountingAnswer> accounting(const AccountingFilter& filter) override {
        const std::lock_guard lock(mutex);
        filters.push_back(filter);
        return AccountingAnswer{records, false};
    }
    Status each_run(const RunFilter& filter,
                    const std::function<void(const AccountingRecord&)>& take) override {
        const std::lock_guard long_lock(runs_mutex);
        const std::lock_guard lock(mutex);
        run_filters.push_back(filter);
        for (const AccountingRecord& record : records) take(record);
        return Done{};
    }
    Result<Spans> spans(Time, Time) override {
        const std::lock_guard lock(mutex);
        return known_spans;
    }
    Result<std::vector<NodeEventSpan>> node_events(Time, Time) override {
        const std::lock_guard lock(mutex);
        return known_events;
    }
    Result<JobPayload> payload(JobId job, std::optional<JobId>) override {
        return JobPayload{"#!/bin/sh\necho " + to_string(job) + "\n", {"SECRET=1"}};
    }
    std::mutex mutex;
    std::mutex runs_mutex;  // Taken before the other: holds up long reads alone.
    std::vector<AccountingFilter> filters;
    std::vector<RunFilter> run_filters;
    std::vector<AccountingRecord> records;
    Spans known_spans;
    std::vector<NodeEventSpan> known_events;
};

}  // namespace berth
