// The fields of job_desc that say how much a job needs, and where.
#include <array>
#include <limits>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/model/gres_lists.h"
#include "berth/model/request_values.h"
#include "berth/server/submit/desc_fields.h"

namespace berth {
namespace {

constexpr std::int64_t kAmountMost = 0xffff'fff0, kAmountMost16 = 65'533;

JobRequest& request_of(JobSpec& spec) { return spec.request.edit(); }
TopologyConstraint& nearness_of(JobSpec& spec) { return request_of(spec).nearness.edit(); }

template <std::optional<std::uint32_t> JobRequest::* Member, std::int64_t unset>
ScriptValue amount(const JobSpec& spec) {
    return number_or((*spec.request).*Member, unset);
}
template <std::optional<std::uint32_t> JobRequest::* Member, std::int64_t unset>
Status set_amount(JobSpec& spec, const ScriptValue& value) {
    constexpr std::int64_t kMost = unset == kSlurmNoValue16 ? kAmountMost16 : kAmountMost;
    BERTH_TRY(const auto count, given_count(value, 1, kMost));
    auto& target = request_of(spec).*Member;
    target.reset();
    if (count) target = static_cast<std::uint32_t>(*count);
    return Done{};
}

// 0 stands for "any" in the request.
template <class Part>
ScriptValue least_of(std::uint32_t count) {
    return count == 0 ? kSlurmNoValue16 : std::int64_t{count};
}
template <std::uint32_t NodeShape::* Member>
ScriptValue shape(const JobSpec& spec) {
    return least_of<NodeShape>(spec.request->nearness->node.*Member);
}
template <std::uint32_t NodeShape::* Member>
Status set_shape(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto count, given_count(value, 0, kAmountMost16));
    nearness_of(spec).node.*Member = static_cast<std::uint32_t>(count.value_or(0));
    return Done{};
}
template <std::uint32_t TaskLayout::* Member>
ScriptValue most_tasks(const JobSpec& spec) {
    return least_of<TaskLayout>(spec.request->nearness->layout.*Member);
}
template <std::uint32_t TaskLayout::* Member>
Status set_most_tasks(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto count, given_count(value, 0, kAmountMost16));
    nearness_of(spec).layout.*Member = static_cast<std::uint32_t>(count.value_or(0));
    return Done{};
}

template <Shared<std::vector<std::string>> JobRequest::* Member>
ScriptValue hosts(const JobSpec& spec) {
    return text_or_nil(compress_hostlist(((*spec.request).*Member).plain()));
}
template <Shared<std::vector<std::string>> JobRequest::* Member>
Status set_hosts(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    BERTH_TRY(std::vector<std::string> names, expand_hostlist(text));
    request_of(spec).*Member = std::move(names);
    return Done{};
}

template <SharedText JobRequest::* Member>
ScriptValue request_text(const JobSpec& spec) {
    return text_or_nil(((*spec.request).*Member).plain());
}
template <SharedText JobRequest::* Member>
Status set_request_text(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    request_of(spec).*Member = text;
    return Done{};
}

ScriptValue contiguous_flag(const JobSpec& spec) {
    return std::int64_t{spec.request->nearness->contiguous};
}
Status set_contiguous_flag(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto flag, given_count(value, 0, 1));
    nearness_of(spec).contiguous = flag == 1;
    return Done{};
}

// ---- GRES.

ScriptValue gres_of_node(const JobSpec& spec) {
    std::string text;
    add_gres(text, spec.request->gres_per_node);
    if (gpus_of_socket(spec.request).empty()) add_gres(text, spec.request->gpus_per_node);
    return text_or_nil(text);
}
// --gres and --gpus-per-node are the same there, as with Slurm.
Status set_gres_of_node(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(std::vector<GresRequest> gres, given_gres(value, false));
    request_of(spec).gres_per_node = std::move(gres);
    request_of(spec).gpus_per_node.clear();
    nearness_of(spec).layout.gpus_per_socket = 0;
    return Done{};
}
ScriptValue gres_of_socket(const JobSpec& spec) {
    std::string text;
    add_gres(text, gpus_of_socket(spec.request));
    return text_or_nil(text);
}
template <Shared<std::vector<GresRequest>> JobRequest::* Member>
ScriptValue gpu_list(const JobSpec& spec) {
    std::string text;
    add_gres(text, (*spec.request).*Member);
    return text_or_nil(text);
}
template <Shared<std::vector<GresRequest>> JobRequest::* Member>
Status set_gpu_list(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(std::vector<GresRequest> gres, given_gres(value, true));
    request_of(spec).*Member = std::move(gres);
    return Done{};
}

ScriptValue license_text(const JobSpec& spec) {
    return text_or_nil(to_text(spec.request->licenses.plain()));
}
Status set_license_text(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    const auto licenses = text.empty() ? LicenseRequest() : parse_licenses(text);
    if (!licenses) return invalid_argument("should read NAME:COUNT,…");
    request_of(spec).licenses = *licenses;
    return Done{};
}

// ---- Memory.

ScriptValue any_memory(const JobSpec& spec) {
    return memory_number(spec.request->memory_per_node, spec.request->memory_per_cpu);
}
Status set_any_memory(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const MemoryGiven memory, given_memory(value));
    request_of(spec).memory_per_node = memory.per_node;
    request_of(spec).memory_per_cpu = memory.per_cpu;
    return Done{};
}
template <std::optional<Bytes> JobRequest::* Member>
ScriptValue memory_of(const JobSpec& spec) {
    return mebibytes_or_nil((*spec.request).*Member);
}
template <std::optional<Bytes> JobRequest::* Member>
Status set_memory_of(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto memory, given_mebibytes(value));
    request_of(spec).memory_per_node.reset();
    request_of(spec).memory_per_cpu.reset();
    request_of(spec).*Member = memory;
    return Done{};
}

ScriptValue tmp_mebibytes(const JobSpec& spec) {
    const std::int64_t bytes = spec.request->nearness->node.tmp_disk.count();
    return bytes == 0 ? kSlurmNoValue : bytes / kMebibyte;
}
Status set_tmp_mebibytes(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto disk, given_mebibytes(value));
    nearness_of(spec).node.tmp_disk = disk.value_or(Bytes());
    return Done{};
}

// ---- Nodes and CPUs.

ScriptValue least_nodes(const JobSpec& spec) {
    return spec.request->nodes_given ? std::int64_t{spec.request->nodes_min} : kSlurmNoValue;
}
Status set_least_nodes(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto count, given_count(value, 0, kAmountMost));
    request_of(spec).nodes_given = count.value_or(0) > 0;
    request_of(spec).nodes_min =
        static_cast<std::uint32_t>(std::max<std::int64_t>(count.value_or(1), 1));
    return Done{};
}
Status set_most_nodes(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto count, given_count(value, 0, kAmountMost));
    request_of(spec).nodes_max.reset();
    if (count.value_or(0) > 0) request_of(spec).nodes_max = static_cast<std::uint32_t>(*count);
    return Done{};
}

// As far as it follows from what the user said.
ScriptValue least_cpus(const JobSpec& spec) {
    const JobRequest& request = *spec.request;
    if (!request.tasks && !request.cpus_per_task) return kSlurmNoValue;
    return std::int64_t{request.tasks.value_or(1)} * request.cpus_per_task.value_or(1);
}

ScriptValue shared_number(const JobSpec& spec) {
    if (spec.request->exclusive) return std::int64_t{0};
    return spec.request->oversubscribe ? std::int64_t{1} : kSlurmNoValue16;
}
Status set_shared_number(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto mode, given_count(value, 0, 3));
    if (mode.value_or(0) > 1)
        return invalid_argument("should be 0 (exclusive) or 1: nodes of one user are not offered");
    request_of(spec).exclusive = mode == 0;
    request_of(spec).oversubscribe = mode == 1;
    return Done{};
}

// ---- Time and topology.

ScriptValue limit_minutes(const JobSpec& spec) {
    return minutes_or(spec.request->time_limit.plain(), kSlurmNoValue);
}
Status set_limit_minutes(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto limit, given_minutes(value));
    request_of(spec).time_limit = limit;
    return Done{};
}

ScriptValue switch_count(const JobSpec& spec) {
    return number_or(spec.request->nearness->switches, kSlurmNoValue);
}
Status set_switch_count(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto count, given_count(value, 0, kAmountMost));
    nearness_of(spec).switches.reset();
    if (count.value_or(0) > 0) nearness_of(spec).switches = static_cast<std::uint32_t>(*count);
    return Done{};
}
ScriptValue switch_seconds(const JobSpec& spec) {
    const auto wait = spec.request->nearness->switches_wait;
    return wait ? seconds(*wait) : kSlurmNoValue;
}
Status set_switch_seconds(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto wait, given_count(value, 0, kAmountMost));
    nearness_of(spec).switches_wait.reset();
    if (wait) nearness_of(spec).switches_wait = std::chrono::seconds(*wait);
    return Done{};
}
ScriptValue segment_nodes(const JobSpec& spec) {
    return number_or(spec.request->nearness->segment, kSlurmNoValue16);
}
Status set_segment_nodes(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto count, given_count(value, 0, kAmountMost16));
    nearness_of(spec).segment.reset();
    if (count.value_or(0) > 0) nearness_of(spec).segment = static_cast<std::uint32_t>(*count);
    return Done{};
}

// clang-format off
constexpr auto kRequestFields = std::to_array<ScriptField<JobSpec>>({
    {"contiguous", contiguous_flag, set_contiguous_flag},
    {"cores_per_socket", shape<&NodeShape::cores_per_socket>, set_shape<&NodeShape::cores_per_socket>},
    {"cpus_per_task", amount<&JobRequest::cpus_per_task, kSlurmNoValue16>, set_amount<&JobRequest::cpus_per_task, kSlurmNoValue16>},
    {"exc_nodes", hosts<&JobRequest::exclude>, set_hosts<&JobRequest::exclude>},
    {"features", request_text<&JobRequest::constraint>, set_request_text<&JobRequest::constraint>},
    {"gres", gres_of_node, set_gres_of_node},
    {"licenses", license_text, set_license_text},
    {"max_nodes", amount<&JobRequest::nodes_max, kSlurmNoValue>, set_most_nodes},
    {"min_cpus", least_cpus, nullptr},
    {"min_mem_per_cpu", memory_of<&JobRequest::memory_per_cpu>, set_memory_of<&JobRequest::memory_per_cpu>},
    {"min_mem_per_node", memory_of<&JobRequest::memory_per_node>, set_memory_of<&JobRequest::memory_per_node>},
    {"min_nodes", least_nodes, set_least_nodes},
    {"ntasks_per_core", most_tasks<&TaskLayout::per_core>, set_most_tasks<&TaskLayout::per_core>},
    {"ntasks_per_node", amount<&JobRequest::tasks_per_node, kSlurmNoValue16>, set_amount<&JobRequest::tasks_per_node, kSlurmNoValue16>},
    {"ntasks_per_socket", most_tasks<&TaskLayout::per_socket>, set_most_tasks<&TaskLayout::per_socket>},
    {"num_tasks", amount<&JobRequest::tasks, kSlurmNoValue>, set_amount<&JobRequest::tasks, kSlurmNoValue>},
    {"oversubscribe", shared_number, set_shared_number},
    {"pn_min_memory", any_memory, set_any_memory},
    {"pn_min_tmp_disk", tmp_mebibytes, set_tmp_mebibytes},
    {"req_nodes", hosts<&JobRequest::nodelist>, set_hosts<&JobRequest::nodelist>},
    {"req_switch", switch_count, set_switch_count},
    {"reservation", request_text<&JobRequest::reservation>, set_request_text<&JobRequest::reservation>},
    {"segment_size", segment_nodes, set_segment_nodes},
    {"shared", shared_number, set_shared_number},
    {"sockets_per_node", shape<&NodeShape::sockets>, set_shape<&NodeShape::sockets>},
    {"threads_per_core", shape<&NodeShape::threads_per_core>, set_shape<&NodeShape::threads_per_core>},
    {"time_limit", limit_minutes, set_limit_minutes},
    {"tres_per_job", gpu_list<&JobRequest::gpus>, set_gpu_list<&JobRequest::gpus>},
    {"tres_per_node", gres_of_node, set_gres_of_node},
    {"tres_per_socket", gres_of_socket, nullptr},
    {"tres_per_task", gpu_list<&JobRequest::gpus_per_task>, set_gpu_list<&JobRequest::gpus_per_task>},
    {"wait4switch", switch_seconds, set_switch_seconds},
});
// clang-format on

}  // namespace

std::span<const ScriptField<JobSpec>> request_fields() { return kRequestFields; }

}  // namespace berth
