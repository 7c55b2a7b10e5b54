// Messages by which jobs are submitted, or tested without being submitted, and what a change of one
// answers. Part of messages.h.
#pragma once

#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/job.h"

namespace berth::api {

// POST /v1/jobs answers 201 with this.
struct SubmitReply {
    JobId job{0};
    std::vector<std::string> warnings;
    std::vector<std::string> messages;  // From the site's job_submit.lua.
    BERTH_FIELDS(SubmitReply, job, warnings, messages)
};
// POST /v1/jobs
struct SubmitRequest {
    JobSpec spec;
    JobPayload payload;
    std::vector<JobSpec> components;  // The others of a heterogeneous job; `spec` is the first.
    BERTH_FIELDS(SubmitRequest, spec, payload, components)
};
// What a change, a hold or a release of a job answers.
struct ChangeReply {
    std::vector<std::string> messages;  // From the site's job_submit.lua.
    BERTH_FIELDS(ChangeReply, messages)
};
// POST /v1/jobs/test
struct TestedComponent {
    JobId job{0};  // The id that it would get; no id is used.
    std::string partition;
    std::vector<std::string> nodes;
    std::int64_t cpus = 0;
    BERTH_FIELDS(TestedComponent, job, partition, nodes, cpus)
};
struct TestReply {
    Time start{};
    std::vector<TestedComponent> components;  // One, unless the job is heterogeneous.
    // Whether a submission would get this start as its planned start, which moves only earlier.
    bool planned = true;
    // Reasons that would keep the job waiting besides, which the start leaves out: "Dependency".
    std::vector<std::string> waits_for;
    std::vector<std::string> messages;  // From the site's job_submit.lua.
    BERTH_FIELDS(TestReply, start, components, planned, waits_for, messages)
};

}  // namespace berth::api
