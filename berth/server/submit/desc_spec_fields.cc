// The fields of job_desc that say what a job is, what it runs and when.
#include <array>

#include "berth/model/dependency_text.h"
#include "berth/model/mail.h"
#include "berth/model/request_values.h"
#include "berth/server/submit/desc_fields.h"

namespace berth {
namespace {

// A value without NICE_OFFSET is beyond it, and so is not taken for a very negative one.
constexpr std::int64_t kUserNiceMost = 1'000'000'000;
constexpr std::int64_t kEpochMost = 0xffff'ffff;  // The year 2106.

template <SharedText JobSpec::* Member>
ScriptValue spec_text(const JobSpec& spec) {
    return text_or_nil((spec.*Member).plain());
}
template <SharedText JobSpec::* Member>
Status set_spec_text(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    spec.*Member = text;
    return Done{};
}
template <SharedText JobSpec::* Member>
constexpr ScriptField<JobSpec> of_spec(std::string_view name) {
    return {name, spec_text<Member>, set_spec_text<Member>};
}

template <std::string JobCommand::* Member>
ScriptValue command_text(const JobSpec& spec) {
    return text_or_nil((*spec.command).*Member);
}
template <std::string JobCommand::* Member>
Status set_command_text(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(std::string text, given_text(value));
    spec.command.edit().*Member = std::move(text);
    return Done{};
}
template <std::string JobCommand::* Member>
constexpr ScriptField<JobSpec> of_command(std::string_view name) {
    return {name, command_text<Member>, set_command_text<Member>};
}

// "0-3,7%2"
ScriptValue array_indices(const JobSpec& spec) {
    if (!spec.array) return {};
    const std::vector<std::uint32_t>& tasks = spec.array->tasks;
    std::string text;
    for (std::size_t i = 0; i < tasks.size();) {
        std::size_t end = i;
        while (end + 1 < tasks.size() && tasks[end + 1] == tasks[end] + 1) ++end;
        if (!text.empty()) text += ',';
        text += std::to_string(tasks[i]);
        if (end > i) text += '-' + std::to_string(tasks[end]);
        i = end + 1;
    }
    if (spec.array->max_running > 0) text += '%' + std::to_string(spec.array->max_running);
    return text;
}
Status set_array_indices(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    if (text.empty()) {
        spec.array.reset();
        return Done{};
    }
    const auto array = parse_array(text);
    if (!array) return invalid_argument("should read 0-15, 0,6,16-32 or 1-100%8");
    spec.array = *array;
    return Done{};
}

ScriptValue begin_seconds(const JobSpec& spec) {
    return spec.begin ? seconds(*spec.begin) : std::int64_t{0};
}
Status set_begin_seconds(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto at, given_count(value, 0, kEpochMost));
    spec.begin.reset();
    if (at.value_or(0) > 0) spec.begin = from_seconds(*at);
    return Done{};
}

ScriptValue dependency_words(const JobSpec& spec) {
    return text_or_nil(dependencies_text(spec.dependencies, spec.any_dependency));
}
Status set_dependency_words(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    BERTH_TRY(Dependencies parsed, parse_dependencies(text));
    spec.dependencies = std::move(parsed.all);
    spec.any_dependency = parsed.any;
    return Done{};
}

ScriptValue mail_bits(const JobSpec& spec) { return std::int64_t{spec.command->mail_types}; }
Status set_mail_bits(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto bits, given_count(value, 0, 0x7ff));
    spec.command.edit().mail_types = static_cast<std::uint32_t>(bits.value_or(0));
    return Done{};
}
Status set_mail_address(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(std::string text, given_text(value));
    const std::string wrong = text.empty() ? "" : objection_to_address(text);
    if (!wrong.empty()) return invalid_argument(wrong);
    spec.command.edit().mail_user = std::move(text);
    return Done{};
}

ScriptValue nice_offset(const JobSpec& spec) {
    return spec.nice == 0 ? kSlurmNoValue : kSlurmNiceOffset + spec.nice;
}
Status set_nice_offset(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::int64_t given, given_number(value));
    const std::int64_t nice = is_unset(given) ? 0 : given - kSlurmNiceOffset;
    if (nice < -kUserNiceMost || nice > kUserNiceMost)
        return invalid_argument("should be slurm.NICE_OFFSET plus the nice value");
    spec.nice = static_cast<std::int32_t>(nice);
    return Done{};
}

ScriptValue hand_priority(const JobSpec& spec) {
    if (spec.hold) return std::int64_t{0};
    return number_or(spec.priority.plain(), kSlurmNoValue);
}
Status set_hand_priority(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const std::int64_t given, given_number(value));
    spec.hold = false;
    spec.priority.reset();
    if (given == kSlurmNoValue || given == kSlurmInfinite) return Done{};
    if (given < 0 || given > kSlurmInfinite)
        return invalid_argument("should be a number from 0, which holds the job, to 4294967293");
    spec.priority = static_cast<std::uint32_t>(given);
    return Done{};
}

ScriptValue requeue_number(const JobSpec& spec) { return number_or(spec.requeue, kSlurmNoValue16); }
Status set_requeue_number(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto requeue, given_count(value, 0, 1));
    spec.requeue.reset();
    if (requeue) spec.requeue = *requeue == 1;
    return Done{};
}

ScriptValue least_minutes(const JobSpec& spec) {
    return minutes_or(spec.time_min.plain(), kSlurmNoValue);
}
Status set_least_minutes(JobSpec& spec, const ScriptValue& value) {
    BERTH_TRY(const auto length, given_minutes(value));
    if (length == Duration::max()) return invalid_argument("should be minutes or slurm.NO_VAL");
    spec.time_min = length;
    return Done{};
}

constexpr auto kSpecFields = std::to_array<ScriptField<JobSpec>>({
    of_spec<&JobSpec::account>("account"),
    {"alloc_node", command_text<&JobCommand::submit_host>, nullptr},
    {"array_inx", array_indices, set_array_indices},
    {"begin_time", begin_seconds, set_begin_seconds},
    of_spec<&JobSpec::comment>("comment"),
    {"dependency", dependency_words, set_dependency_words},
    {"mail_type", mail_bits, set_mail_bits},
    {"mail_user", command_text<&JobCommand::mail_user>, set_mail_address},
    of_spec<&JobSpec::name>("name"),
    {"nice", nice_offset, set_nice_offset},
    of_spec<&JobSpec::partition>("partition"),
    {"priority", hand_priority, set_hand_priority},
    of_spec<&JobSpec::qos>("qos"),
    {"requeue", requeue_number, set_requeue_number},
    of_command<&JobCommand::std_err>("std_err"),
    of_command<&JobCommand::std_in>("std_in"),
    of_command<&JobCommand::std_out>("std_out"),
    {"time_min", least_minutes, set_least_minutes},
    of_command<&JobCommand::wckey>("wckey"),
    of_command<&JobCommand::work_dir>("work_dir"),
});

}  // namespace

std::span<const ScriptField<JobSpec>> spec_fields() { return kSpecFields; }

const ScriptField<JobSpec>* find_spec_field(std::string_view field) {
    const auto* const found = find_field(spec_fields(), field);
    return found != nullptr ? found : find_field(request_fields(), field);
}

ScriptValue read_spec(const JobSpec& spec, std::string_view field) {
    const auto* const found = find_spec_field(field);
    return found == nullptr ? ScriptValue() : found->read(spec);
}

}  // namespace berth
