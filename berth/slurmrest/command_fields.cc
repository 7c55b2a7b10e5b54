// Fields of a submission that say whose job it is, what it runs, and when.
#include <array>

#include "berth/base/text.h"
#include "berth/model/dependency_text.h"
#include "berth/model/mail.h"
#include "berth/model/request_values.h"
#include "berth/slurmrest/submission_draft.h"

namespace berth::slurmrest {
namespace {

using api::JsonValue;

constexpr std::size_t kArrayTasksMost = 900'000;  // A message of /v1 has at most a million values.

template <SharedText JobSpec::* Member>
Status set_name(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    d.spec.*Member = text;
    return Done{};
}

template <std::string JobCommand::* Member>
Status set_command(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(d.command().*Member, given_text(v));
    return Done{};
}

Status set_array(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    if (text.empty()) return Done{};
    d.spec.array = parse_array(text);
    if (!d.spec.array || d.spec.array->tasks.size() > kArrayTasksMost)
        return invalid_argument("must read 0-15, 0,6,16-32, 0-15:4 or 1-100%8");
    return Done{};
}

// The first is the script's own place: what stands there is replaced.
Status set_arguments(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(std::vector<std::string> words, given_texts(v));
    if (!words.empty()) words.erase(words.begin());
    d.command().arguments = std::move(words);
    return Done{};
}

Status set_begin(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto at, given_count(v, 0, kTimeMax));
    if (at.value_or(0) > 0) d.spec.begin = from_seconds(*at);
    return Done{};
}

Status set_deadline(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto at, given_count(v, 0, kTimeMax));
    if (at.value_or(0) > 0) d.spec.deadline = from_seconds(*at);
    return Done{};
}

Status set_dependency(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    BERTH_TRY(const Dependencies parsed, parse_dependencies(text));
    d.spec.dependencies = parsed.all;
    d.spec.any_dependency = parsed.any;
    return Done{};
}

// A list of NAME=value, or an object of names.
Status set_environment(SubmissionDraft& d, const JsonValue& v) {
    if (const auto* const members = v.as<api::JsonObject>()) {
        for (const auto& [name, value] : *members) {
            BERTH_TRY(const std::string text, given_text(value));
            d.environment.push_back((name + "=").append(text));
        }
        return Done{};
    }
    if (v.as<std::string>() != nullptr)
        return invalid_argument("must be a list of NAME=value strings");
    BERTH_TRY(d.environment, given_texts(v));
    return Done{};
}

Status set_flags(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::vector<std::string> flags, given_texts(v));
    for (const std::string& flag : flags) {
        if (flag == "KILL_INVALID_DEPENDENCY" || flag == "NO_KILL_INVALID_DEPENDENCY") {
            const bool kills = flag.starts_with("KILL");
            if (d.command().kill_on_invalid_dep.value_or(kills) != kills) {
                return invalid_argument(
                    "KILL_INVALID_DEPENDENCY and NO_KILL_INVALID_DEPENDENCY exclude each other");
            }
            d.command().kill_on_invalid_dep = kills;
        } else if (flag == "SPREAD_JOB") {
            d.near().spread = true;
        } else if (flag == "PREFER_MINIMUM_NODE_COUNT") {
            d.near().fewest_nodes = true;
        } else {
            return invalid_argument(
                flag.substr(0, 100) +
                " is not supported; there are KILL_INVALID_DEPENDENCY, "
                "NO_KILL_INVALID_DEPENDENCY, SPREAD_JOB and PREFER_MINIMUM_NODE_COUNT");
        }
    }
    return Done{};
}

Status set_mail_type(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string words, given_mail_types(v));
    d.command().mail_types = parse_mail_types(words).value_or(MailTypes{}).bits;
    return Done{};
}

Status set_nice(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto nice, given_count(v, -2'147'483'645, 2'147'483'645));
    if (nice) d.spec.nice = static_cast<std::int32_t>(*nice);
    return Done{};
}

Status set_open_mode(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::vector<std::string> modes, given_texts(v));
    if (modes.size() > 1) return invalid_argument("must be APPEND or TRUNCATE, and one of them");
    for (const std::string& mode : modes) {
        const bool appends = iequals(mode, "APPEND");
        if (!appends && !iequals(mode, "TRUNCATE"))
            return invalid_argument("must be APPEND or TRUNCATE");
        d.command().append_output = appends;
        d.command().truncate_output = !appends;
    }
    return Done{};
}

Status set_hold(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(d.spec.hold, given_truth(v));
    return Done{};
}

Status set_priority(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto priority, given_count(v, 0, 0xffff'fffeLL));
    if (priority) d.spec.priority = static_cast<std::uint32_t>(*priority);
    return Done{};
}

Status set_kill_on_node_fail(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const bool kill, given_truth(v));
    d.command().no_kill = !kill;
    return Done{};
}

Status set_requeue(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const bool requeue, given_truth(v));
    d.spec.requeue = requeue;
    return Done{};
}

Status set_script(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(d.script, given_text(v));
    return Done{};
}

Status set_time_minimum(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const auto least, given_count(v, 0, kMinutesMax));
    if (least.value_or(0) > 0) d.spec.time_min = std::chrono::minutes(*least);
    return Done{};
}

Status set_signal(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::string text, given_text(v));
    if (text.empty()) return Done{};
    d.signal = parse_signal(text);
    if (!d.signal) return invalid_argument("must be a signal, such as USR1 or 10");
    return Done{};
}

Status set_signal_delay(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(d.signal_delay, given_count(v, 0, 65'535));
    return Done{};
}

Status set_signal_flags(SubmissionDraft& d, const JsonValue& v) {
    BERTH_TRY(const std::vector<std::string> flags, given_texts(v));
    for (const std::string& flag : flags) {
        if (flag != "BATCH_JOB")
            return invalid_argument(flag.substr(0, 100) + " is not supported; BATCH_JOB is");
        d.signal_batch = true;
    }
    return Done{};
}

// A job starts once all of its nodes are ready, whatever is asked.
Status set_wait_all_nodes(SubmissionDraft&, const JsonValue& v) {
    BERTH_CHECK(given_truth(v));
    return Done{};
}

// clang-format off
constexpr auto kCommandFields = std::to_array<SubmissionField>({
    {"account", set_name<&JobSpec::account>},
    {"argv", set_arguments},
    {"array", set_array},
    {"begin_time", set_begin},
    {"comment", set_name<&JobSpec::comment>},
    {"current_working_directory", set_command<&JobCommand::work_dir>},
    {"deadline", set_deadline},
    {"dependency", set_dependency},
    {"environment", set_environment},
    {"flags", set_flags},
    {"hold", set_hold},
    {"kill_on_node_fail", set_kill_on_node_fail},
    {"kill_warning_delay", set_signal_delay},
    {"kill_warning_flags", set_signal_flags},
    {"kill_warning_signal", set_signal},
    {"mail_type", set_mail_type},
    {"mail_user", set_command<&JobCommand::mail_user>},
    {"name", set_name<&JobSpec::name>},
    {"nice", set_nice},
    {"open_mode", set_open_mode},
    {"partition", set_name<&JobSpec::partition>},
    {"priority", set_priority},
    {"qos", set_name<&JobSpec::qos>},
    {"requeue", set_requeue},
    {"script", set_script},
    {"standard_error", set_command<&JobCommand::std_err>},
    {"standard_input", set_command<&JobCommand::std_in>},
    {"standard_output", set_command<&JobCommand::std_out>},
    {"time_minimum", set_time_minimum},
    {"wait_all_nodes", set_wait_all_nodes},
    {"wckey", set_command<&JobCommand::wckey>},
});
// clang-format on

}  // namespace

std::span<const SubmissionField> command_fields() { return kCommandFields; }

}  // namespace berth::slurmrest
