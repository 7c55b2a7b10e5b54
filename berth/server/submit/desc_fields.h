// DescFields: the fields of job_desc that stand in the specification of a job. job_rec has them,
// too, to read.
#pragma once

#include <span>

#include "berth/server/submit/script_fields.h"

namespace berth {

std::span<const ScriptField<JobSpec>> spec_fields();     // What it is, and what it runs.
std::span<const ScriptField<JobSpec>> request_fields();  // How much, and where.

ScriptValue read_spec(const JobSpec& spec, std::string_view field);  // nil if there is none.
const ScriptField<JobSpec>* find_spec_field(std::string_view field);

}  // namespace berth
