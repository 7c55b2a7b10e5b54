// JobChangeDesc: what slurm_job_modify() gets as job_desc: what is to be changed of a job. A field
// that is not to be changed reads as not set.
#pragma once

#include <vector>

#include "berth/model/job_change.h"
#include "berth/server/submit/script_value.h"

namespace berth {

class JobChangeDesc final : public ScriptTable {
public:
    explicit JobChangeDesc(JobChange& change) : change_(change) {}

    ScriptValue read(std::string_view field) override;
    Status write(std::string_view field, const ScriptValue& value) override;

    static std::vector<std::string_view> writable();

private:
    JobChange& change_;
};

}  // namespace berth
