// JobRec: what slurm_job_modify() gets as job_rec: the job as it is, to read.
#pragma once

#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"
#include "berth/server/submit/script_value.h"

namespace berth {

class JobRec final : public ScriptTable {
public:
    struct Of {
        const Job& job;
        const ClusterSpec& cluster;
    };
    explicit JobRec(Of of) : of_(of) {}

    ScriptValue read(std::string_view field) override;
    Status write(std::string_view field, const ScriptValue& value) override;

    static std::vector<std::string_view> readable();

private:
    Of of_;
};

}  // namespace berth
