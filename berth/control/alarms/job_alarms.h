// JobAlarms: at most one alarm time for each job.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth {

class JobAlarms {
public:
    void set(JobId job, std::optional<Time> at);  // nullopt: no alarm.

    std::vector<JobId> due(Time now) const;  // Earliest first.
    std::optional<Time> next() const;

private:
    std::set<std::pair<Time, JobId>> order_;
    std::map<JobId, Time> at_;
};

}  // namespace berth
