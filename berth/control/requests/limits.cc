#include "berth/control/requests/limits.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "berth/model/cpu_frequency.h"
#include "berth/model/gpu_frequency.h"
#include "berth/model/mem_bind.h"

namespace berth {
namespace {

constexpr std::size_t kMb = std::size_t{1} << 20;
constexpr std::size_t kKb = std::size_t{1} << 10;
constexpr Duration kWarningMax = std::chrono::seconds(65'535);

// "5 MB", "4.1 MB", "17 KB": rounded up, so that a size just over the limit does not look equal to
// it.
std::string in_words(std::size_t bytes) {
    const auto [unit, name] = bytes >= kMb ? std::pair(kMb, " MB") : std::pair(kKb, " KB");
    const std::size_t tenths = (bytes * 10 + unit - 1) / unit;
    const std::string rest = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
    return std::to_string(tenths / 10) + rest + name;
}

std::size_t total(const std::vector<std::string>& texts) {
    std::size_t sum = 0;
    for (const std::string& text : texts) sum += text.size() + 1;
    return sum;
}

std::optional<Refusing> over(std::string_view what, std::size_t size, std::size_t most,
                             Refusal why = Refusal::invalid_request) {
    if (size <= most) return std::nullopt;
    return Refusing{
        why, std::string(what) + " is " + in_words(size) + "; the most is " + in_words(most), {}};
}

// The kernel and C programs take a NUL byte for the end of the text.
std::optional<Refusing> has_nul(std::string_view what, std::string_view text) {
    if (text.find('\0') == std::string_view::npos) return std::nullopt;
    return Refusing{
        Refusal::invalid_request, std::string(what) + " holds a NUL byte: leave it out", {}};
}

std::optional<Refusing> has_nul(std::string_view what, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        if (auto refusing = has_nul(what, text)) return refusing;
    }
    return std::nullopt;
}

// The first of these texts that is too long or contains a NUL byte.
std::optional<Refusing> long_text(
    std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
    for (const auto& [what, text] : texts) {
        if (auto refusing = over(what, text.size(), kTextMax)) return refusing;
        if (auto refusing = has_nul(what, text)) return refusing;
    }
    return std::nullopt;
}

std::optional<Refusing> long_list(
    std::initializer_list<std::pair<std::string_view, std::size_t>> lists) {
    for (const auto& [what, size] : lists) {
        if (size <= kListMax) continue;
        return Refusing{Refusal::invalid_request,
                        std::string(what) + " has " + std::to_string(size) +
                            " entries; the most is " + std::to_string(kListMax),
                        {}};
    }
    return std::nullopt;
}

// Otherwise the kernel would reject a variable without a name or a value, much later.
std::optional<Refusing> bad_variable(const std::vector<std::string>& environment) {
    for (const std::string& variable : environment) {
        const std::size_t equals = variable.find('=');
        if (equals != std::string::npos && equals > 0 && variable.find('\0') == std::string::npos) {
            continue;
        }
        return Refusing{
            Refusal::invalid_request,
            "An environment variable must read NAME=value, not '" + variable.substr(0, 40) + "'",
            {}};
    }
    return std::nullopt;
}

std::optional<Refusing> bad_warning(const WarningSignal& warning) {
    const bool is_signal = warning.signal >= 1 && warning.signal <= kSignalMax;
    const bool is_time = warning.before >= Duration::zero() && warning.before <= kWarningMax;
    if (is_signal && is_time) return std::nullopt;
    return Refusing{Refusal::invalid_request,
                    "--signal takes a signal from 1 to 64 and 0 to 65535 seconds",
                    {}};
}

std::optional<Refusing> bad_inherited(const Inherited& inherited) {
    const auto wrong = wrong_with(inherited);
    if (!wrong) return std::nullopt;
    return Refusing{Refusal::invalid_request, std::string(*wrong), {}};
}

// Of the CPUs and of the GPUs of a step.
std::optional<Refusing> bad_frequency(const LaunchStep& launch) {
    if (!launch.cpu_frequency.empty()) {
        const auto read = parse_cpu_frequency(launch.cpu_frequency);
        if (!read.ok()) return Refusing{Refusal::invalid_request, read.error().message, {}};
    }
    if (!launch.gpu_frequency.empty()) {
        const auto read = parse_gpu_frequency(launch.gpu_frequency);
        if (!read.ok()) return Refusing{Refusal::invalid_request, read.error().message, {}};
    }
    return std::nullopt;
}

std::optional<Refusing> bad_mem_bind(const std::string& text) {
    const auto read = MemBind::parse(text);
    if (read.ok()) return std::nullopt;
    return Refusing{Refusal::invalid_request, read.error().message, {}};
}

std::optional<Refusing> too_large(const JobCommand& command) {
    if (auto refusing = bad_inherited(command.inherited)) return refusing;
    if (command.warning) {
        if (auto refusing = bad_warning(*command.warning)) return refusing;
    }
    if (auto refusing = long_text({{"Working directory", command.work_dir},
                                   {"Output file name", command.std_out},
                                   {"Error file name", command.std_err},
                                   {"Input file name", command.std_in},
                                   {"Script name", command.script_name},
                                   {"Submit host", command.submit_host},
                                   {"--gpu-bind", command.gpu_bind},
                                   {"--wckey", command.wckey},
                                   {"--mail-user", command.mail_user}})) {
        return refusing;
    }
    if (auto refusing = has_nul("Submit line", command.submit_line)) return refusing;
    if (auto refusing = has_nul("--export", command.export_env)) return refusing;
    if (auto refusing = has_nul("The script's list of arguments", command.arguments)) {
        return refusing;
    }
    if (auto refusing = over("Submit line", command.submit_line.size(), kArgumentsMax)) {
        return refusing;
    }
    if (auto refusing = over("--export", command.export_env.size(), kEnvironmentMax)) {
        return refusing;
    }
    return over("The script's list of arguments", total(command.arguments), kArgumentsMax);
}

std::optional<Refusing> too_large(const JobRequest& request) {
    if (auto refusing =
            long_text({{"Constraint", request.constraint}, {"Reservation", request.reservation}})) {
        return refusing;
    }
    for (const Affinity& affinity : request.nearness->affinities) {
        if (auto refusing = long_text({{"Name in an affinity", affinity.name}})) return refusing;
    }
    if (auto refusing = has_nul("Node list", request.nodelist)) return refusing;
    if (auto refusing = has_nul("List of excluded nodes", request.exclude)) return refusing;
    return long_list({{"Node list", request.nodelist.size()},
                      {"List of excluded nodes", request.exclude.size()},
                      {"--gres", request.gres_per_node.size()},
                      {"--gpus", request.gpus.size()},
                      {"--gpus-per-node", request.gpus_per_node.size()},
                      {"--gpus-per-task", request.gpus_per_task.size()}});
}

std::optional<Refusing> too_large(const JobSpec& spec) {
    if (auto refusing = long_text({{"Job name", spec.name},
                                   {"Partition", spec.partition},
                                   {"Account", spec.account},
                                   {"QOS", spec.qos},
                                   {"Comment", spec.comment},
                                   {"Request id", spec.request_id}})) {
        return refusing;
    }
    if (auto refusing = too_large(spec.command)) return refusing;
    if (auto refusing = long_list({{"List of dependencies", spec.dependencies.size()}})) {
        return refusing;
    }
    return too_large(spec.request);
}

}  // namespace

std::optional<Refusing> too_large(const SubmitJob& submission) {
    const JobPayload& payload = submission.payload;
    if (auto refusing =
            over("Script", payload.script.size(), kScriptMax, Refusal::script_too_large)) {
        return refusing;
    }
    if (auto refusing = over("Environment", total(payload.environment), kEnvironmentMax)) {
        return refusing;
    }
    if (auto refusing = bad_variable(payload.environment)) return refusing;
    if (auto refusing = too_large(submission.spec)) return refusing;
    for (const JobSpec& component : submission.components) {
        if (auto refusing = too_large(component)) return refusing;
    }
    return std::nullopt;
}

// Of each field by its own name, so that a new one is bounded, too.
std::optional<Refusing> too_large(const UpdateJob& command) {
    std::optional<Refusing> found;
    JobChange::fields(command.change, [&](std::string_view name, const auto& value) {
        using Value = typename std::remove_cvref_t<decltype(value)>::value_type;
        if (found || !value) return;
        if constexpr (std::is_same_v<Value, std::string>) {
            found = long_text({{name, *value}});
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            found = has_nul(name, *value);
        }
        if constexpr (requires { value->begin(); } && !std::is_same_v<Value, std::string>) {
            if (!found) found = long_list({{name, value->size()}});
        }
    });
    if (found) return found;
    JobRequest request;
    command.change.apply_to(request);
    return too_large(request);
}

std::optional<Refusing> too_large(const CreateStep& step) {
    const LaunchStep& launch = step.launch;
    if (auto refusing = over("Environment", total(launch.environment), kEnvironmentMax)) {
        return refusing;
    }
    if (auto refusing = bad_variable(launch.environment)) return refusing;
    if (auto refusing = bad_inherited(launch.inherited)) return refusing;
    if (auto refusing = over("The list of arguments", total(launch.arguments), kArgumentsMax)) {
        return refusing;
    }
    if (auto refusing = has_nul("The list of arguments", launch.arguments)) return refusing;
    if (auto refusing = long_text({{"Step name", step.request.name},
                                   {"Working directory", launch.work_dir},
                                   {"Output file name", launch.std_out},
                                   {"Error file name", launch.std_err},
                                   {"Input file name", launch.std_in},
                                   {"Task prolog", launch.task_prolog},
                                   {"Task epilog", launch.task_epilog},
                                   {"--cpu-freq", launch.cpu_frequency},
                                   {"--gpu-freq", launch.gpu_frequency},
                                   {"--cpu-bind", step.request.cpu_bind},
                                   {"--mem-bind", launch.mem_bind},
                                   {"--gpu-bind", step.request.gpu_bind}})) {
        return refusing;
    }
    if (auto refusing = bad_frequency(launch)) return refusing;
    if (auto refusing = bad_mem_bind(launch.mem_bind)) return refusing;
    return long_list(
        {{"Node list", step.request.nodelist.size()}, {"--gres", step.request.gres.size()}});
}

std::optional<Refusing> too_large(const ReservationChange& change) {
    const auto text = [](const std::optional<std::string>& maybe) {
        return maybe ? std::string_view(*maybe) : std::string_view();
    };
    const auto size = [](const std::optional<std::vector<std::string>>& maybe) {
        return maybe ? maybe->size() : std::size_t{0};
    };
    if (auto refusing = long_text({{"Comment", text(change.comment)},
                                   {"TRES", text(change.tres)},
                                   {"Features", text(change.features)},
                                   {"Partition", text(change.partition)}})) {
        return refusing;
    }
    if (auto refusing = over("Node list", text(change.nodes).size(), kArgumentsMax)) {
        return refusing;
    }
    return long_list({{"List of users", size(change.users) + change.users_added.size()},
                      {"List of groups", size(change.groups)},
                      {"List of accounts", size(change.accounts) + change.accounts_added.size()},
                      {"List of QOS", size(change.qos)},
                      {"List of flags", change.flags_added.size()}});
}

std::optional<Refusing> too_large(const PartitionChange& change) {
    const auto size = [](const std::optional<std::vector<std::string>>& maybe) {
        return maybe ? maybe->size() : std::size_t{0};
    };
    if (auto refusing = long_text({{"QOS", change.qos.value_or("")},
                                   {"JobDefaults", change.job_defaults.value_or("")}})) {
        return refusing;
    }
    return long_list(
        {{"Node list",
          size(change.nodes) + change.nodes_added.size() + change.nodes_removed.size()},
         {"List of accounts", size(change.allow_accounts) + size(change.deny_accounts)},
         {"List of groups", size(change.allow_groups)},
         {"List of QOS", size(change.allow_qos) + size(change.deny_qos)},
         {"List of hosts", size(change.alloc_nodes)}});
}

std::optional<Refusing> too_large(const NodeChange& change) {
    if (auto refusing = long_text(
            {{"Comment", change.comment.value_or("")}, {"Extra", change.extra.value_or("")}})) {
        return refusing;
    }
    return long_list({{"List of features", change.features ? change.features->size() : 0}});
}

std::optional<Refusing> too_large(const NotifyJob& notice) {
    return long_text({{"The message", notice.text}});
}

}  // namespace berth
