// JobFields: the job descriptions of slurmrestd's requests, as what /v1 takes. A field that is not
// supported is refused by name, and so is one that Slurm does not have; none is ignored.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurmrest {

// The body of POST job/submit: {"script": …, "job": {…}}, or "jobs" of a heterogeneous job.
Result<api::SubmitRequest> read_submission(std::string_view body);

// The body of POST job/{id}: the fields to change.
struct UpdateRequest {
    std::optional<bool> hold;  // Alone: it is another command.
    api::JobPatch patch;
};
Result<UpdateRequest> read_update(std::string_view body);

// What is refused by name, and what to use instead.
struct RefusedField {
    std::string_view name, instead;
};
std::span<const RefusedField> refused_fields();
// Of a submission and of a change.
std::vector<std::string_view> submission_fields();
std::vector<std::string_view> update_fields();

}  // namespace berth::slurmrest
