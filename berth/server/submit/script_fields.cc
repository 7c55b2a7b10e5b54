#include "berth/server/submit/script_fields.h"

#include <array>
#include <cmath>

#include "berth/base/text.h"
#include "berth/model/request_values.h"

namespace berth {
namespace {

constexpr double kWholeNumbersEnd = 9e18;
constexpr std::int64_t kLimitMinutesMax = 50'000'000;           // A century, nearly.
constexpr std::int64_t kMebibytesMost = std::int64_t{1} << 40;  // An exbibyte.

struct InsteadOf {
    std::string_view field, instead;
};
constexpr auto kUnwritable = std::to_array<InsteadOf>({
    {"acctg_freq", "CPU time and peak memory come from the job's cgroup"},
    {"admin_comment", "use comment"},
    {"alloc_node", "it is where the job was submitted"},
    {"argc", "arguments are the user's"},
    {"argv", "arguments are the user's"},
    {"assoc_comment", "associations have no comments"},
    {"assoc_qos", "change it with sacctmgr"},
    {"batch_features", "use features"},
    {"bitflags", "no flag of Slurm's has a number here"},
    {"boards_per_node", "use sockets_per_node"},
    {"burst_buffer", "there are no burst buffers"},
    {"clusters", "there is one cluster"},
    {"container", "start the container in the script"},
    {"core_spec", "keep cores for the system with fewer CPUs= of the node"},
    {"cpu_freq_gov", "the node's governor decides"},
    {"cpu_freq_max", "the node's governor decides"},
    {"cpu_freq_min", "the node's governor decides"},
    {"cpus_per_tres", "use cpus_per_task"},
    {"default_account", "change it with sacctmgr"},
    {"default_qos", "change it with sacctmgr"},
    {"delay_boot", "Berth boots no nodes"},
    {"end_time", "use time_limit"},
    {"extra", "use comment"},
    {"group_id", "the job is that of the user who submits it"},
    {"immediate", "the user's client gives up by itself"},
    {"max_cpus", "use num_tasks and cpus_per_task"},
    {"mcs_label", "use PrivateData"},
    {"mem_per_tres", "use min_mem_per_node or min_mem_per_cpu"},
    {"min_cpus", "use num_tasks and cpus_per_task"},
    {"network", "there are no switch plugins"},
    {"ntasks_per_board", "use ntasks_per_node"},
    {"ntasks_per_gpu", "use num_tasks"},
    {"ntasks_per_tres", "use num_tasks"},
    {"pn_min_cpus", "use cpus_per_task"},
    {"power_flags", "there is no power management plugin"},
    {"prefer", "use features"},
    {"reboot", "drain and reboot the node"},
    {"req_context", "there is no SELinux plugin"},
    {"selinux_context", "there is no SELinux plugin"},
    {"site_factor", "use nice, or scontrol update SiteFactor= of the job"},
    {"sockets_per_board", "use sockets_per_node"},
    {"spank_job_env", "use environment"},
    {"thread_spec", "keep cores for the system with fewer CPUs= of the node"},
    {"tres_bind", "use srun --gpu-bind in the script"},
    {"tres_freq", "set clocks in a prolog"},
    {"tres_per_socket", "use tres_per_node"},
    {"user_id", "the job is that of the user who submits it"},
    {"user_name", "the job is that of the user who submits it"},
    {"x11", "X11 is the user's choice"},
});

Error should_be(const char* what) { return invalid_argument(std::string("should be ") + what); }

std::string_view kind_word(DependencyKind kind) {
    switch (kind) {
        case DependencyKind::after: return "after";
        case DependencyKind::afterany: return "afterany";
        case DependencyKind::afterok: return "afterok";
        case DependencyKind::afternotok: return "afternotok";
        case DependencyKind::aftercorr: return "aftercorr";
        case DependencyKind::singleton: return "singleton";
    }
    return "afterany";
}

}  // namespace

Result<std::string> given_text(const ScriptValue& value) {
    if (const auto* const text = std::get_if<std::string>(&value)) {
        if (text->find('\0') != std::string::npos) return should_be("a text without NUL bytes");
        return *text;
    }
    if (const auto* const number = std::get_if<std::int64_t>(&value))
        return std::to_string(*number);
    return should_be("a string; \"\" clears it");
}

Result<std::int64_t> given_number(const ScriptValue& value) {
    if (const auto* const number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* const truth = std::get_if<bool>(&value)) return std::int64_t{*truth};
    if (const auto* const number = std::get_if<double>(&value)) {
        if (*number == kSlurmNoValue64) return kSlurmNoValue;
        if (!(std::abs(*number) < kWholeNumbersEnd)) return should_be("a smaller number");
        return static_cast<std::int64_t>(*number);
    }
    if (const auto* const text = std::get_if<std::string>(&value)) {
        const Result<std::int64_t> number = parse_int64(trim(*text));
        if (number.ok()) return *number;
    }
    return should_be("a number");
}

bool is_unset(std::int64_t number) { return number == kSlurmNoValue; }

Result<std::optional<std::int64_t>> given_count(const ScriptValue& value, std::int64_t least,
                                                std::int64_t most) {
    BERTH_TRY(const std::int64_t number, given_number(value));
    const bool is_unset16 = number == kSlurmNoValue16 && most < kSlurmNoValue16;
    if (is_unset(number) || is_unset16) return std::optional<std::int64_t>();
    if (number < least || number > most) {
        return invalid_argument("should be a number from " + std::to_string(least) + " to " +
                                std::to_string(most) + ", not " + std::to_string(number));
    }
    return std::optional(number);
}

ScriptValue text_or_nil(std::string_view text) {
    if (text.empty()) return {};
    return std::string(text);
}

ScriptValue minutes_or(std::optional<Duration> length, std::int64_t otherwise) {
    if (!length) return otherwise;
    if (*length == Duration::max()) return kSlurmInfinite;
    return std::int64_t{std::chrono::ceil<std::chrono::minutes>(*length).count()};
}

Result<std::optional<Duration>> given_minutes(const ScriptValue& value) {
    BERTH_TRY(const std::int64_t number, given_number(value));
    if (number == kSlurmInfinite) return std::optional(Duration::max());
    if (is_unset(number)) return std::optional<Duration>();
    if (number < 0 || number > kLimitMinutesMax)
        return should_be("minutes, slurm.INFINITE or slurm.NO_VAL");
    return std::optional<Duration>(std::chrono::minutes(number));
}

ScriptValue memory_number(std::optional<Bytes> per_node, std::optional<Bytes> per_cpu) {
    if (per_cpu) {
        const std::int64_t mebibytes = per_cpu->count() / kMebibyte;
        return kSlurmMemoryPerCpu + static_cast<double>(mebibytes);
    }
    if (per_node) return per_node->count() / kMebibyte;
    return kSlurmNoValue64;
}

ScriptValue mebibytes_or_nil(std::optional<Bytes> memory) {
    if (!memory) return {};
    return memory->count() / kMebibyte;
}

Result<std::optional<Bytes>> given_mebibytes(const ScriptValue& value) {
    BERTH_TRY(const auto count, given_count(value, 0, kMebibytesMost));
    if (!count) return std::optional<Bytes>();
    return std::optional(Bytes(*count * kMebibyte));
}

Result<MemoryGiven> given_memory(const ScriptValue& value) {
    const auto* const number = std::get_if<double>(&value);
    if (number != nullptr && *number >= kSlurmMemoryPerCpu && *number != kSlurmNoValue64) {
        BERTH_TRY(auto per_cpu, given_mebibytes(*number - kSlurmMemoryPerCpu));
        return MemoryGiven{.per_node = {}, .per_cpu = per_cpu};
    }
    BERTH_TRY(auto per_node, given_mebibytes(value));
    return MemoryGiven{.per_node = per_node, .per_cpu = {}};
}

void add_gres(std::string& text, const std::vector<GresRequest>& list) {
    for (const GresRequest& one : list) {
        if (!text.empty()) text += ',';
        text += "gres/" + one.name;
        if (!one.type.empty()) text += ':' + one.type;
        text += ':' + std::to_string(one.count);
    }
}

Result<std::vector<GresRequest>> given_gres(const ScriptValue& value, bool only_gpus) {
    BERTH_TRY(std::string text, given_text(value));
    if (trim(text).empty()) return std::vector<GresRequest>();
    std::ranges::replace(text, '=', ':');
    auto gres = parse_gres_list(text);
    if (!gres) return invalid_argument("should read gres/gpu:2, not " + text.substr(0, 100));
    for (const GresRequest& one : *gres) {
        if (one.name == "cpu" || one.name == "mem" || one.name == "node") {
            return invalid_argument(
                "should name GRES alone: use cpus_per_task, min_mem_per_node or min_nodes for " +
                one.name);
        }
        if (only_gpus && one.name != "gpu")
            return invalid_argument("should name GPUs alone: use tres_per_node for " + one.name);
    }
    return *std::move(gres);
}

std::string dependencies_text(const std::vector<Dependency>& all, bool any) {
    std::string text;
    for (const Dependency& one : all) {
        if (!text.empty()) text += any ? '?' : ',';
        text += kind_word(one.kind);
        if (one.kind == DependencyKind::singleton) continue;
        text += ':' + to_string(one.job);
        if (one.array_task) text += '_' + std::to_string(*one.array_task);
        if (one.delay > Duration{}) {
            text += '+' + std::to_string(
                              std::chrono::duration_cast<std::chrono::minutes>(one.delay).count());
        }
    }
    return text;
}

Error unwritable(std::string_view field) {
    const auto* const known = std::ranges::find(kUnwritable, field, &InsteadOf::field);
    std::string text = "job_desc." + std::string(field.substr(0, 100)) + " cannot be set";
    if (known != kUnwritable.end())
        return invalid_argument(text + ": " + std::string(known->instead));
    return invalid_argument(text + ": docs/admin.md lists the fields that can");
}

Status named(std::string_view field, const Status& done) {
    if (done.ok()) return Done{};
    return invalid_argument("job_desc." + std::string(field) + ": " + done.error().message);
}

}  // namespace berth
