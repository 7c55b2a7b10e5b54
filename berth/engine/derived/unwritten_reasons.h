// UnwrittenReasons: the pending jobs whose reason or priority, as readers see it, is out of date.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "berth/model/ids.h"

namespace berth {

class UnwrittenReasons {
public:
    void add(JobId job) { jobs_.push_back(job); }
    void add_all() { all_ = true; }
    // Jobs whose priority alone has changed: there may be too many for one cycle.
    void add_later(const std::vector<JobId>& jobs);
    bool any_later() const { return !later_.empty(); }
    void reset();  // All are out of date, and none is known.

    // The jobs to write in this cycle, in id order, each once; nullopt: all. `firsts`: the first
    // job of each partition now; those that became or ceased to be first are to be written, too.
    // `all_may_change`: a reason may change though nothing happens to the job.
    std::optional<std::vector<JobId>> take(const std::vector<std::optional<JobId>>& firsts,
                                           bool all_may_change);

private:
    std::vector<JobId> jobs_, later_;
    bool all_ = true;
    std::vector<std::optional<JobId>> firsts_;  // As last written.
};

}  // namespace berth
