// Scripts and environments by job. The tasks of an array share those of the array.
#pragma once

#include "berth/engine/state/cluster_state.h"
#include "berth/store/sqlite.h"

namespace berth {

class PayloadTable {
public:
    static Result<PayloadTable> prepare(Database& database);

    // REQUIRES: the caller has an open transaction. Stores the payloads of the record's
    // submissions, and removes those that no job in `after` can need any more.
    Status write(const Record& record, const ClusterState& after);

    // `array_job`: for a task of an array.
    Result<JobPayload> load(JobId job, std::optional<JobId> array_job);

private:
    Status drop(JobId forgotten, const ClusterState& after);

    Statement insert_, select_, delete_, array_of_;
};

}  // namespace berth
