// What squeue's -j and -s name: jobs, tasks of arrays, components of heterogeneous jobs, steps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

class NamedJobs {
public:
    // "12", "12_3", "12+1" and lists of them by commas; a step, "12.0" or "12_3.batch", is for -s.
    Status add(const std::string& text);

    // What the controller is asked for. None: nothing was named, and everything is taken.
    const std::vector<JobId>& ids() const { return ids_; }
    // Of an array, the row of the tasks that wait is taken for each of them.
    bool takes(const api::JobRow& job) const;
    // Leaves in such a row the tasks that were named.
    void narrow(api::JobRow& job) const;
    // `step`: "0", "batch".
    bool takes(const api::JobRow& job, std::string_view step) const;

private:
    struct Named {
        JobId id;
        std::string part;  // "_3", "+1"; empty: all of the job.
        std::string step;  // "0", "batch"; empty: each.
    };
    static bool is_meant(const Named& named, const api::JobRow& job);

    std::vector<Named> named_;
    std::vector<JobId> ids_;
};

}  // namespace berth::slurm
