#include "berth/server/submit/job_rec.h"

#include <array>

#include "berth/base/hostlist.h"
#include "berth/server/submit/desc_fields.h"

namespace berth {
namespace {

using RecordOf = JobRec::Of;

// Slurm's job states as numbers.
std::int64_t state_number(const Job& job) {
    switch (job.state) {
        case JobState::pending: return 0;
        case JobState::running: return job.is_suspended() ? 2 : 1;
        case JobState::completing: return 1;
        case JobState::completed: return 3;
        case JobState::cancelled: return 4;
        case JobState::failed: return 5;
        case JobState::timeout: return 6;
        case JobState::node_fail: return 7;
        case JobState::preempted: return 8;
        case JobState::boot_fail: return 9;
        case JobState::deadline: return 10;
        case JobState::out_of_memory: return 11;
    }
    return 0;
}

ScriptValue time_or_zero(std::optional<Time> at) { return at ? seconds(*at) : std::int64_t{0}; }
// As wait() has it.
std::int64_t wait_status(const ExitStatus& exit) { return exit.code * 256 + exit.signal; }

ScriptValue recorded_partition(const RecordOf& of) {
    if (!of.job.spec.partition.empty()) return of.job.spec.partition.plain();
    return of.cluster.partition(of.job.partition).name;
}
ScriptValue recorded_nodes(const RecordOf& of) {
    std::vector<std::string> names;
    for (const NodeId node : of.job.nodes) names.push_back(of.cluster.node(node).name);
    return text_or_nil(compress_hostlist(std::move(names)));
}
ScriptValue recorded_priority(const RecordOf& of) {
    if (of.job.hold != Hold::none) return std::int64_t{0};
    return read_spec(of.job.spec, "priority");
}

constexpr auto kRecordFields = std::to_array<ScriptField<RecordOf>>({
    {"array_job_id",
     [](const RecordOf& of) -> ScriptValue {
         return std::int64_t{of.job.array_job ? of.job.array_job->value() : 0};
     },
     nullptr},
    {"array_task_id",
     [](const RecordOf& of) -> ScriptValue {
         return number_or(of.job.array_task.plain(), kSlurmNoValue);
     },
     nullptr},
    {"deadline", [](const RecordOf& of) { return time_or_zero(of.job.spec.deadline); }, nullptr},
    {"derived_ec",
     [](const RecordOf& of) -> ScriptValue { return wait_status(of.job.derived_exit); }, nullptr},
    {"end_time", [](const RecordOf& of) { return time_or_zero(of.job.ended_at); }, nullptr},
    {"exit_code", [](const RecordOf& of) -> ScriptValue { return wait_status(of.job.exit); },
     nullptr},
    {"group_id", [](const RecordOf& of) -> ScriptValue { return std::int64_t{of.job.owner->gid}; },
     nullptr},
    {"job_id", [](const RecordOf& of) -> ScriptValue { return std::int64_t{of.job.id.value()}; },
     nullptr},
    {"job_state", [](const RecordOf& of) -> ScriptValue { return state_number(of.job); }, nullptr},
    {"nodes", recorded_nodes, nullptr},
    {"partition", recorded_partition, nullptr},
    {"priority", recorded_priority, nullptr},
    {"qos",
     [](const RecordOf& of) -> ScriptValue { return of.cluster.qos[of.job.qos.value()].name; },
     nullptr},
    {"restart_cnt", [](const RecordOf& of) -> ScriptValue { return std::int64_t{of.job.restarts}; },
     nullptr},
    {"resv_name", [](const RecordOf& of) { return read_spec(of.job.spec, "reservation"); },
     nullptr},
    {"start_time", [](const RecordOf& of) { return time_or_zero(of.job.started_at); }, nullptr},
    {"submit_time", [](const RecordOf& of) -> ScriptValue { return seconds(of.job.submitted_at); },
     nullptr},
    {"time_limit", [](const RecordOf& of) { return minutes_or(of.job.time_limit, kSlurmNoValue); },
     nullptr},
    {"total_cpus", [](const RecordOf& of) -> ScriptValue { return std::int64_t{of.job.cpus}; },
     nullptr},
    {"total_nodes",
     [](const RecordOf& of) -> ScriptValue {
         return static_cast<std::int64_t>(of.job.nodes.size());
     },
     nullptr},
    {"user_id", [](const RecordOf& of) -> ScriptValue { return std::int64_t{of.job.owner->uid}; },
     nullptr},
    {"user_name", [](const RecordOf& of) { return text_or_nil(of.job.owner->user); }, nullptr},
});

}  // namespace

ScriptValue JobRec::read(std::string_view field) {
    const auto* const found =
        find_field(std::span<const ScriptField<RecordOf>>(kRecordFields), field);
    return found != nullptr ? found->read(of_) : read_spec(of_.job.spec, field);
}

Status JobRec::write(std::string_view field, const ScriptValue&) {
    return invalid_argument("job_rec." + std::string(field.substr(0, 100)) +
                            " cannot be set: it is the job as it is; set job_desc's");
}

std::vector<std::string_view> JobRec::readable() {
    return field_names(std::span<const ScriptField<RecordOf>>(kRecordFields));
}

}  // namespace berth
