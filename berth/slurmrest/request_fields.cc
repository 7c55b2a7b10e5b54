// Fields of a submission that say how much a job needs, and where.
#include <array>
#include <limits>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/model/request_values.h"
#include "berth/slurmrest/submission_draft.h"

namespace berth::slurmrest {
namespace {

using api::JsonValue;

constexpr std::int64_t kUint32Max = std::numeric_limits<std::uint32_t>::max();

template <std::optional<std::uint32_t> JobRequest::* Member>
Status set_amount(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto count, given_count(v, 1, kUint32Max));
    if (count) d.request().*Member = static_cast<std::uint32_t>(*count);
    return Done{};
}

template <std::optional<Bytes> JobRequest::* Member>
Status set_mebibytes(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto amount, given_count(v, 0, kMemoryMax));
    if (amount) d.request().*Member = mib(*amount);
    return Done{};
}

template <bool TopologyConstraint::* Member>
Status set_near(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(d.near().*Member, given_truth(v));
    return Done{};
}

template <std::uint32_t NodeShape::* Member>
Status set_hardware(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto count, given_count(v, 0, kUint32Max));
    if (count) d.near().node.*Member = static_cast<std::uint32_t>(*count);
    return Done{};
}

template <std::uint32_t TaskLayout::* Member>
Status set_most_tasks(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto count, given_count(v, 0, kUint32Max));
    if (count) d.near().layout.*Member = static_cast<std::uint32_t>(*count);
    return Done{};
}

template <Shared<std::vector<std::string>> JobRequest::* Member>
Status set_hosts(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::vector<std::string> texts, given_texts(v));
    BERTH_TRY(const std::vector<std::string> names, expand_hostlist(join(texts, ",")));
    d.request().*Member = names;
    return Done{};
}

// "gres/gpu:a100=2" and "gres:gpu:2" are what sbatch has as gpu:a100:2.
std::optional<std::vector<GresRequest>> gres_in(std::string text) {
    std::ranges::replace(text, '=', ':');
    return parse_gres_list(text);
}

Status set_gres(Shared<std::vector<GresRequest>>& target, const JsonValue& v, bool only_gpus) {
    BERTH_TRY(const std::string text, given_text(v));
    if (text.empty()) return Done{};
    const auto gres = gres_in(text);
    if (!gres) return invalid_argument("must read gres/gpu:2, not " + text.substr(0, 100));
    for (const GresRequest& one : *gres) {
        if (one.name == "cpu" || one.name == "mem" || one.name == "node") {
            return invalid_argument(
                "must name GRES alone; use cpus_per_task, memory_per_node or minimum_nodes for " +
                one.name);
        }
        if (only_gpus && one.name != "gpu")
            return invalid_argument("must name GPUs alone; use tres_per_node for " + one.name);
    }
    target = *gres;
    return Done{};
}

Status set_licenses(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    if (text.empty()) return Done{};
    const auto licenses = parse_licenses(text);
    if (!licenses) return invalid_argument("must read NAME:COUNT,…");
    d.request().licenses = *licenses;
    return Done{};
}

Status set_nodes(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    if (text.empty()) return Done{};
    const auto count = parse_node_count(text);
    if (!count || count->least == 0 || count->most < count->least)
        return invalid_argument("must read 4 or 2-4");
    d.request().nodes_min = count->least;
    d.request().nodes_max = count->most;
    d.request().nodes_given = true;
    return Done{};
}

Status set_least_nodes(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto count, given_count(v, 1, kUint32Max));
    if (!count) return Done{};
    d.request().nodes_min = static_cast<std::uint32_t>(*count);
    d.request().nodes_given = true;
    return Done{};
}

Status set_most_nodes(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto count, given_count(v, 0, kUint32Max));
    if (count.value_or(0) > 0) d.request().nodes_max = static_cast<std::uint32_t>(*count);
    return Done{};
}

Status set_prefer(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(std::string text, given_text(v));
    if (text.empty()) return Done{};
    std::ranges::replace(text, '&', ',');
    if (text.find_first_of("|[]*()!") != std::string::npos)
        return invalid_argument("must be features with & between them");
    for (const std::string_view feature : split(text, ',')) {
        if (trim(feature).empty()) return invalid_argument("must name features");
        d.near().affinities.push_back(
            {.to = Affinity::To::feature, .name = std::string(trim(feature)), .required = false});
    }
    return Done{};
}

Status set_constraint(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    d.request().constraint = text;
    return Done{};
}

Status set_reservation(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    d.request().reservation = text;
    return Done{};
}

// The last of both counts.
Status set_shared(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::vector<std::string> words, given_texts(v));
    for (const std::string& word : words) {
        if (word == "none") {
            d.request().exclusive = true;
            d.request().oversubscribe = false;
        } else if (word == "oversubscribe") {
            d.request().oversubscribe = true;
            d.request().exclusive = false;
        } else {
            return invalid_argument(word.substr(0, 100) +
                                    " is not supported; none, for whole nodes, and oversubscribe "
                                    "are");
        }
    }
    return Done{};
}

Status set_time_limit(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto limit, given_number(v));
    if (!limit) return Done{};
    if (!limit->infinite && (limit->value < 0 || limit->value > kMinutesMax))
        return invalid_argument("must be a number of minutes");
    const bool none = limit->infinite || limit->value == 0;
    d.request().time_limit = none ? Duration::max() : std::chrono::minutes(limit->value);
    return Done{};
}

Status set_tmp_disk(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto amount, given_count(v, 0, kMemoryMax));
    if (amount) d.near().node.tmp_disk = mib(*amount);
    return Done{};
}

Status set_switches(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto count, given_count(v, 0, kUint32Max));
    if (count.value_or(0) > 0) d.near().switches = static_cast<std::uint32_t>(*count);
    return Done{};
}

Status set_switches_wait(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto wait, given_count(v, 0, kUint32Max));
    if (wait.value_or(0) > 0) d.near().switches_wait = std::chrono::seconds(*wait);
    return Done{};
}

Status set_segment(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto size, given_count(v, 0, 65'535));
    if (size.value_or(0) > 0) d.near().segment = static_cast<std::uint32_t>(*size);
    return Done{};
}

// clang-format off
constexpr auto kRequestFields = std::to_array<SubmissionField>({
    {"constraints", set_constraint},
    {"contiguous", set_near<&TopologyConstraint::contiguous>},
    {"cpus_per_task", set_amount<&JobRequest::cpus_per_task>},
    {"excluded_nodes", set_hosts<&JobRequest::exclude>},
    {"licenses", set_licenses},
    {"maximum_nodes", set_most_nodes},
    {"memory_per_cpu", set_mebibytes<&JobRequest::memory_per_cpu>},
    {"memory_per_node", set_mebibytes<&JobRequest::memory_per_node>},
    {"minimum_nodes", set_least_nodes},
    {"nodes", set_nodes},
    {"overcommit", [](SubmissionDraft& d, const JsonValue& v) -> Status { BERTH_TRY(d.near().layout.overcommit, given_truth(v)); return Done{}; }},
    {"prefer", set_prefer},
    {"required_nodes", set_hosts<&JobRequest::nodelist>},
    {"required_switches", set_switches},
    {"reservation", set_reservation},
    {"segment_size", set_segment},
    {"shared", set_shared},
    {"sockets_per_node", set_hardware<&NodeShape::sockets>},
    {"tasks", set_amount<&JobRequest::tasks>},
    {"tasks_per_core", set_most_tasks<&TaskLayout::per_core>},
    {"tasks_per_node", set_amount<&JobRequest::tasks_per_node>},
    {"tasks_per_socket", set_most_tasks<&TaskLayout::per_socket>},
    {"temporary_disk_per_node", set_tmp_disk},
    {"threads_per_core", set_hardware<&NodeShape::threads_per_core>},
    {"time_limit", set_time_limit},
    {"tres_per_job", [](SubmissionDraft& d, const JsonValue& v) { return set_gres(d.request().gpus, v, true); }},
    {"tres_per_node", [](SubmissionDraft& d, const JsonValue& v) { return set_gres(d.request().gres_per_node, v, false); }},
    {"tres_per_task", [](SubmissionDraft& d, const JsonValue& v) { return set_gres(d.request().gpus_per_task, v, true); }},
    {"wait_for_switch", set_switches_wait},
});
// clang-format on

}  // namespace

std::span<const SubmissionField> request_fields() { return kRequestFields; }

}  // namespace berth::slurmrest
