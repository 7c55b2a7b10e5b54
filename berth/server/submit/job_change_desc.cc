#include "berth/server/submit/job_change_desc.h"

#include <array>

#include "berth/base/hostlist.h"
#include "berth/model/dependency_text.h"
#include "berth/model/mail.h"
#include "berth/server/submit/script_fields.h"

namespace berth {
namespace {

constexpr std::int64_t kNumberMost = 0xffff'fff0;
constexpr std::int64_t kNiceValueMost = 1'000'000'000;  // See desc_spec_fields.cc.

template <std::optional<std::string> JobChange::* Member>
ScriptValue new_text(const JobChange& change) {
    return change.*Member ? ScriptValue(*(change.*Member)) : ScriptValue();
}
template <std::optional<std::string> JobChange::* Member>
Status set_new_text(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(change.*Member, given_text(value));
    return Done{};
}
template <std::optional<std::string> JobChange::* Member>
constexpr ScriptField<JobChange> new_text_field(std::string_view name) {
    return {name, new_text<Member>, set_new_text<Member>};
}

template <std::optional<std::uint32_t> JobChange::* Member, std::int64_t unset>
ScriptValue new_count(const JobChange& change) {
    return number_or(change.*Member, unset);
}
template <std::optional<std::uint32_t> JobChange::* Member, std::int64_t unset>
Status set_new_count(JobChange& change, const ScriptValue& value) {
    constexpr std::int64_t kMost = unset == kSlurmNoValue16 ? 65'533 : kNumberMost;
    BERTH_TRY(const auto count, given_count(value, 0, kMost));
    (change.*Member).reset();
    if (count) change.*Member = static_cast<std::uint32_t>(*count);
    return Done{};
}
template <std::optional<std::uint32_t> JobChange::* Member, std::int64_t unset>
constexpr ScriptField<JobChange> new_count_field(std::string_view name) {
    return {name, new_count<Member, unset>, set_new_count<Member, unset>};
}

template <std::optional<bool> JobChange::* Member>
ScriptValue new_flag(const JobChange& change) {
    return number_or(change.*Member, kSlurmNoValue16);
}
template <std::optional<bool> JobChange::* Member>
Status set_new_flag(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const auto flag, given_count(value, 0, 1));
    (change.*Member).reset();
    if (flag) change.*Member = *flag == 1;
    return Done{};
}

template <std::optional<std::vector<std::string>> JobChange::* Member>
ScriptValue new_hosts(const JobChange& change) {
    return change.*Member ? ScriptValue(compress_hostlist(*(change.*Member))) : ScriptValue();
}
template <std::optional<std::vector<std::string>> JobChange::* Member>
Status set_new_hosts(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    BERTH_TRY(change.*Member, expand_hostlist(text));
    return Done{};
}

template <std::optional<Duration> JobChange::* Member>
ScriptValue new_minutes(const JobChange& change) {
    return minutes_or(change.*Member, kSlurmNoValue);
}
template <std::optional<Duration> JobChange::* Member>
Status set_new_minutes(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(change.*Member, given_minutes(value));
    return Done{};
}

ScriptValue new_begin(const JobChange& change) {
    return change.begin ? seconds(*change.begin) : std::int64_t{0};
}
Status set_new_begin(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const auto at, given_count(value, 0, kNumberMost));
    change.begin.reset();
    if (at.value_or(0) > 0) change.begin = from_seconds(*at);
    return Done{};
}

ScriptValue new_dependencies(const JobChange& change) {
    if (!change.dependencies) return {};
    return dependencies_text(*change.dependencies, change.any_dependency.value_or(false));
}
Status set_new_dependencies(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    BERTH_TRY(Dependencies parsed, parse_dependencies(text));
    change.dependencies = std::move(parsed.all);
    change.any_dependency = parsed.any;
    return Done{};
}

ScriptValue new_licenses(const JobChange& change) {
    return change.licenses ? ScriptValue(to_text(*change.licenses)) : ScriptValue();
}
Status set_new_licenses(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const std::string text, given_text(value));
    auto licenses = text.empty() ? LicenseRequest() : parse_licenses(text);
    if (!licenses) return invalid_argument("should read NAME:COUNT,…");
    change.licenses = *std::move(licenses);
    return Done{};
}

ScriptValue new_nice(const JobChange& change) {
    return change.nice ? kSlurmNiceOffset + *change.nice : kSlurmNoValue;
}
Status set_new_nice(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const std::int64_t given, given_number(value));
    change.nice.reset();
    if (is_unset(given)) return Done{};
    const std::int64_t nice = given - kSlurmNiceOffset;
    if (nice < -kNiceValueMost || nice > kNiceValueMost)
        return invalid_argument("should be slurm.NICE_OFFSET plus the nice value");
    change.nice = nice;
    return Done{};
}

ScriptValue new_priority(const JobChange& change) {
    return number_or(change.priority, kSlurmNoValue);
}
Status set_new_priority(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const std::int64_t given, given_number(value));
    change.priority.reset();
    if (is_unset(given)) return Done{};
    if (given < 0 || given > kSlurmInfinite)
        return invalid_argument("should be a number from 0, which holds the job, to 4294967295");
    change.priority = static_cast<std::uint32_t>(given);
    return Done{};
}

ScriptValue new_site_factor(const JobChange& change) {
    return number_or(change.site_factor, kSlurmNoValue);
}
Status set_new_site_factor(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const std::int64_t given, given_number(value));
    change.site_factor.reset();
    if (!is_unset(given)) change.site_factor = given;
    return Done{};
}

ScriptValue new_memory(const JobChange& change) {
    return memory_number(change.memory_per_node, change.memory_per_cpu);
}
Status set_new_memory(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const MemoryGiven memory, given_memory(value));
    change.memory_per_node = memory.per_node;
    change.memory_per_cpu = memory.per_cpu;
    return Done{};
}
template <std::optional<Bytes> JobChange::* Member>
ScriptValue new_memory_of(const JobChange& change) {
    return mebibytes_or_nil(change.*Member);
}
template <std::optional<Bytes> JobChange::* Member>
Status set_new_memory_of(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const auto memory, given_mebibytes(value));
    change.memory_per_node.reset();
    change.memory_per_cpu.reset();
    change.*Member = memory;
    return Done{};
}

ScriptValue new_mail_bits(const JobChange& change) {
    return number_or(change.mail_types, kSlurmNoValue16);
}
Status set_new_mail_bits(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const auto bits, given_count(value, 0, 0x7ff));
    change.mail_types.reset();
    if (bits) change.mail_types = static_cast<std::uint32_t>(*bits);
    return Done{};
}
Status set_new_mail_user(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(std::string text, given_text(value));
    const std::string wrong = text.empty() ? "" : objection_to_address(text);
    if (!wrong.empty()) return invalid_argument(wrong);
    change.mail_user = std::move(text);
    return Done{};
}

ScriptValue new_tmp_disk(const JobChange& change) {
    return change.tmp_disk ? change.tmp_disk->count() / kMebibyte : kSlurmNoValue;
}
Status set_new_tmp_disk(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(change.tmp_disk, given_mebibytes(value));
    return Done{};
}

ScriptValue new_gres(const JobChange& change) {
    if (!change.gres_per_node) return {};
    std::string text;
    add_gres(text, *change.gres_per_node);
    return text;
}
Status set_new_gres(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(change.gres_per_node, given_gres(value, false));
    return Done{};
}

ScriptValue new_wait(const JobChange& change) {
    return change.switches_wait ? seconds(*change.switches_wait) : kSlurmNoValue;
}
Status set_new_wait(JobChange& change, const ScriptValue& value) {
    BERTH_TRY(const auto wait, given_count(value, 0, kNumberMost));
    change.switches_wait.reset();
    if (wait) change.switches_wait = std::chrono::seconds(*wait);
    return Done{};
}

// clang-format off
constexpr auto kChangeFields = std::to_array<ScriptField<JobChange>>({
    new_text_field<&JobChange::account>("account"),
    {"begin_time", new_begin, set_new_begin},
    new_text_field<&JobChange::comment>("comment"),
    {"contiguous", new_flag<&JobChange::contiguous>, set_new_flag<&JobChange::contiguous>},
    new_count_field<&JobChange::cores_per_socket, kSlurmNoValue16>("cores_per_socket"),
    new_count_field<&JobChange::cpus_per_task, kSlurmNoValue16>("cpus_per_task"),
    {"dependency", new_dependencies, set_new_dependencies},
    {"exc_nodes", new_hosts<&JobChange::exclude>, set_new_hosts<&JobChange::exclude>},
    new_text_field<&JobChange::extra>("extra"),
    new_text_field<&JobChange::constraint>("features"),
    {"licenses", new_licenses, set_new_licenses},
    {"mail_type", new_mail_bits, set_new_mail_bits},
    {"mail_user", new_text<&JobChange::mail_user>, set_new_mail_user},
    new_count_field<&JobChange::nodes_max, kSlurmNoValue>("max_nodes"),
    {"min_mem_per_cpu", new_memory_of<&JobChange::memory_per_cpu>, set_new_memory_of<&JobChange::memory_per_cpu>},
    {"min_mem_per_node", new_memory_of<&JobChange::memory_per_node>, set_new_memory_of<&JobChange::memory_per_node>},
    new_count_field<&JobChange::nodes_min, kSlurmNoValue>("min_nodes"),
    new_text_field<&JobChange::name>("name"),
    {"nice", new_nice, set_new_nice},
    new_count_field<&JobChange::tasks_per_node, kSlurmNoValue16>("ntasks_per_node"),
    new_count_field<&JobChange::tasks, kSlurmNoValue>("num_tasks"),
    new_text_field<&JobChange::partition>("partition"),
    {"pn_min_memory", new_memory, set_new_memory},
    {"pn_min_tmp_disk", new_tmp_disk, set_new_tmp_disk},
    {"priority", new_priority, set_new_priority},
    new_text_field<&JobChange::qos>("qos"),
    {"req_nodes", new_hosts<&JobChange::nodelist>, set_new_hosts<&JobChange::nodelist>},
    new_count_field<&JobChange::switches, kSlurmNoValue>("req_switch"),
    {"requeue", new_flag<&JobChange::requeue>, set_new_flag<&JobChange::requeue>},
    new_text_field<&JobChange::reservation>("reservation"),
    {"shared", new_flag<&JobChange::oversubscribe>, set_new_flag<&JobChange::oversubscribe>},
    {"site_factor", new_site_factor, set_new_site_factor},
    new_count_field<&JobChange::sockets, kSlurmNoValue16>("sockets_per_node"),
    new_text_field<&JobChange::std_err>("std_err"),
    new_text_field<&JobChange::std_in>("std_in"),
    new_text_field<&JobChange::std_out>("std_out"),
    new_count_field<&JobChange::threads_per_core, kSlurmNoValue16>("threads_per_core"),
    {"time_limit", new_minutes<&JobChange::time_limit>, set_new_minutes<&JobChange::time_limit>},
    {"time_min", new_minutes<&JobChange::time_min>, set_new_minutes<&JobChange::time_min>},
    {"tres_per_node", new_gres, set_new_gres},
    {"wait4switch", new_wait, set_new_wait},
    new_text_field<&JobChange::wckey>("wckey"),
    new_text_field<&JobChange::work_dir>("work_dir"),
});
// clang-format on

}  // namespace

ScriptValue JobChangeDesc::read(std::string_view field) {
    const auto* const found =
        find_field(std::span<const ScriptField<JobChange>>(kChangeFields), field);
    return found == nullptr ? ScriptValue() : found->read(change_);
}

Status JobChangeDesc::write(std::string_view field, const ScriptValue& value) {
    const auto* const found =
        find_field(std::span<const ScriptField<JobChange>>(kChangeFields), field);
    if (found != nullptr) return named(field, found->write(change_, value));
    return invalid_argument("job_desc." + std::string(field.substr(0, 100)) +
                            " cannot be changed of a job that is there already");
}

std::vector<std::string_view> JobChangeDesc::writable() {
    return field_names(std::span<const ScriptField<JobChange>>(kChangeFields));
}

}  // namespace berth
