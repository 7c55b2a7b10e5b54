// SubmissionDraft: one job description on its way to a JobSpec, and the fields that it is read
// from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/model/job.h"
#include "berth/slurmrest/field_reading.h"

namespace berth::slurmrest {

struct SubmissionDraft {
    JobSpec spec;
    std::string script;
    std::vector<std::string> environment;
    std::optional<std::int32_t> signal;
    std::optional<std::int64_t> signal_delay;  // Seconds.
    bool signal_batch = false;

    JobRequest& request() { return spec.request.edit(); }
    JobCommand& command() { return spec.command.edit(); }
    TopologyConstraint& near() { return request().nearness.edit(); }
};

using SubmissionField = JobField<SubmissionDraft>;

std::span<const SubmissionField> command_fields();  // Whose job it is, what it runs, and when.
std::span<const SubmissionField> request_fields();  // How much it needs, and where.

}  // namespace berth::slurmrest
