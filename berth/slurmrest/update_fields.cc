// A change of a job as slurmrestd takes it, as the JobPatch of /v1.
#include <algorithm>
#include <array>
#include <limits>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/slurmrest/field_reading.h"

namespace berth::slurmrest {
namespace {

using api::JobPatch;
using api::JsonValue;

constexpr std::int64_t kCountMost = std::numeric_limits<std::uint32_t>::max();

template <std::optional<std::string> JobPatch::* Member>
Status change_text(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(to.patch.*Member, given_text(v));
    return Done{};
}

template <std::optional<std::uint32_t> JobPatch::* Member, std::int64_t Least = 0>
Status change_count(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const auto count, given_count(v, Least, kCountMost));
    if (count) to.patch.*Member = static_cast<std::uint32_t>(*count);
    return Done{};
}

template <std::optional<std::int64_t> JobPatch::* Member>
Status change_number(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const auto number, given_count(v, -kCountMost, kCountMost));
    if (number) to.patch.*Member = number;
    return Done{};
}

template <std::optional<std::int64_t> JobPatch::* Member>
Status change_mebibytes(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const auto amount, given_count(v, 0, kMemoryMax));
    if (amount) to.patch.*Member = mib(*amount).count();
    return Done{};
}

template <std::optional<Time> JobPatch::* Member>
Status change_time(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const auto at, given_count(v, 0, kTimeMax));
    if (at) to.patch.*Member = from_seconds(*at);
    return Done{};
}

template <std::optional<std::vector<std::string>> JobPatch::* Member>
Status change_hosts(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const std::vector<std::string> texts, given_texts(v));
    BERTH_TRY(to.patch.*Member, expand_hostlist(join(texts, ",")));
    return Done{};
}

template <std::optional<bool> JobPatch::* Member>
Status change_truth(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(to.patch.*Member, given_truth(v));
    return Done{};
}

// Minutes, as the text that scontrol update takes.
template <std::optional<std::string> JobPatch::* Member>
Status change_minutes(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const auto limit, given_number(v));
    if (!limit) return Done{};
    if (!limit->infinite && (limit->value < 0 || limit->value > kMinutesMax))
        return invalid_argument("must be a number of minutes");
    to.patch.*Member = limit->infinite ? "UNLIMITED" : std::to_string(limit->value);
    return Done{};
}

Status change_hold(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(to.hold, given_truth(v));
    return Done{};
}

Status change_deadline(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const auto at, given_count(v, 0, kTimeMax));
    if (at == 0)
        return invalid_argument("0 is no deadline, and one cannot be removed: give a later one");
    if (at) to.patch.deadline = from_seconds(*at);
    return Done{};
}

// An empty list is no mail at all.
Status change_mail_type(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const std::string types, given_mail_types(v));
    to.patch.mail_type = types.empty() ? "NONE" : types;
    return Done{};
}

Status change_switches_wait(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(const auto wait, given_count(v, 0, kCountMost));
    if (wait) to.patch.switches_wait = std::chrono::seconds(*wait);
    return Done{};
}

// "gres/gpu:a100=2" is what scontrol update has as gpu:a100:2.
Status change_gres(UpdateRequest& to, const JsonValue& v) {
    BERTH_TRY(std::string text, given_text(v));
    std::ranges::replace(text, '=', ':');
    to.patch.gres = std::move(text);
    return Done{};
}

using Field = JobField<UpdateRequest>;

// clang-format off
constexpr auto kUpdateFields = std::to_array<Field>({
    {"account", change_text<&JobPatch::account>},
    {"begin_time", change_time<&JobPatch::begin>},
    {"comment", change_text<&JobPatch::comment>},
    {"constraints", change_text<&JobPatch::features>},
    {"contiguous", change_truth<&JobPatch::contiguous>},
    {"cpus_per_task", change_count<&JobPatch::cpus_per_task, 1>},
    {"current_working_directory", change_text<&JobPatch::work_dir>},
    {"deadline", change_deadline},
    {"dependency", change_text<&JobPatch::dependency>},
    {"excluded_nodes", change_hosts<&JobPatch::exclude>},
    {"extra", change_text<&JobPatch::extra>},
    {"hold", change_hold},
    {"licenses", change_text<&JobPatch::licenses>},
    {"mail_type", change_mail_type},
    {"mail_user", change_text<&JobPatch::mail_user>},
    {"maximum_nodes", change_count<&JobPatch::nodes_max, 1>},
    {"memory_per_cpu", change_mebibytes<&JobPatch::memory_per_cpu>},
    {"memory_per_node", change_mebibytes<&JobPatch::memory_per_node>},
    {"minimum_nodes", change_count<&JobPatch::nodes_min, 1>},
    {"name", change_text<&JobPatch::name>},
    {"nice", change_number<&JobPatch::nice>},
    {"partition", change_text<&JobPatch::partition>},
    {"priority", change_count<&JobPatch::priority>},
    {"qos", change_text<&JobPatch::qos>},
    {"required_nodes", change_hosts<&JobPatch::nodelist>},
    {"required_switches", change_count<&JobPatch::switches>},
    {"requeue", change_truth<&JobPatch::requeue>},
    {"reservation", change_text<&JobPatch::reservation>},
    {"site_factor", change_number<&JobPatch::site_factor>},
    {"sockets_per_node", change_count<&JobPatch::sockets>},
    {"standard_error", change_text<&JobPatch::std_err>},
    {"standard_input", change_text<&JobPatch::std_in>},
    {"standard_output", change_text<&JobPatch::std_out>},
    {"tasks", change_count<&JobPatch::tasks, 1>},
    {"tasks_per_node", change_count<&JobPatch::tasks_per_node, 1>},
    {"temporary_disk_per_node", change_mebibytes<&JobPatch::tmp_disk>},
    {"threads_per_core", change_count<&JobPatch::threads_per_core>},
    {"time_limit", change_minutes<&JobPatch::time_limit>},
    {"time_minimum", change_minutes<&JobPatch::time_min>},
    {"tres_per_node", change_gres},
    {"wait_for_switch", change_switches_wait},
    {"wckey", change_text<&JobPatch::wckey>},
});
// clang-format on

}  // namespace

std::vector<std::string_view> update_fields() { return names_of<UpdateRequest>(kUpdateFields); }

Result<UpdateRequest> read_update(std::string_view body) {
    BERTH_TRY(const JsonValue root, api::parse_json(body));
    const auto* const members = root.as<api::JsonObject>();
    if (members == nullptr || members->empty()) {
        return invalid_argument(
            "the body must be an object with the fields to change, such as {\"comment\": \"…\"}");
    }
    UpdateRequest update;
    BERTH_CHECK(read_fields<UpdateRequest>(*members, kUpdateFields, update));
    if (update.hold && members->size() > 1)
        return invalid_argument("hold must be the only field of its request");
    return update;
}

}  // namespace berth::slurmrest
