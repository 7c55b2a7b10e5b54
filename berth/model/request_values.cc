#include "berth/model/request_values.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::int64_t kCountMax = 0x7fff'ffff;
constexpr std::int64_t kGpuMemoryMax = std::int64_t{1} << 50;  // As admission has it.
constexpr std::uint32_t kTaskIndexMax = 4'000'000;

// A whole number, followed by at most one of these suffixes: 1024, 1024², and so on.
std::optional<std::int64_t> parse_scaled(std::string_view text, std::string_view suffixes,
                                         std::int64_t most) {
    std::int64_t unit = 1;
    if (!text.empty()) {
        const std::size_t power = suffixes.find(to_lower(text.back()));
        if (power != std::string_view::npos) {
            unit = std::int64_t{1} << (10 * (power + 1));
            text.remove_suffix(1);
        }
    }
    const auto number = parse_int64(text);
    if (!number.ok() || number.value() < 0 || number.value() > most / unit) return std::nullopt;
    return number.value() * unit;
}

std::optional<std::int64_t> parse_count(std::string_view text) {
    return parse_scaled(text, "km", kCountMax);
}

// "gpumem" is an amount of memory: no other GRES comes in billions.
std::optional<std::int64_t> parse_gres_count(std::string_view name, std::string_view text) {
    return name == "gpumem" ? parse_scaled(text, "kmgt", kGpuMemoryMax) : parse_count(text);
}

bool is_gres_name(std::string_view text) {
    return !text.empty() && text[0] != '-' && text.size() <= 64 &&
           std::ranges::all_of(text, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.';
           });
}

// "gpu", "gpu:2", "gpu:a100", "gpu:a100:2", "gpumem:10G"; "gres/" may stand before it.
std::optional<GresRequest> parse_gres(std::string_view text) {
    if (text.starts_with("gres/") || text.starts_with("gres:")) text.remove_prefix(5);
    const auto parts = split(text, ':');
    if (parts.size() > 3 || !is_gres_name(parts[0])) return std::nullopt;
    GresRequest gres{.name = std::string(parts[0])};
    if (parts.size() == 1) return gres;
    const auto count = parse_gres_count(gres.name, parts.back());
    if (parts.size() == 3) {
        if (!count || !is_gres_name(parts[1])) return std::nullopt;
        gres.type = parts[1];
        gres.count = *count;
    } else if (count) {
        gres.count = *count;
    } else if (is_gres_name(parts[1]) && !(parts[1][0] >= '0' && parts[1][0] <= '9' &&
                                           parts[1].find('.') == std::string_view::npos)) {
        gres.type = parts[1];
    } else {
        return std::nullopt;
    }
    if (gres.name == "mig") gres.name = "gpu";  // An instance is a GPU of its profile's type.
    return gres;
}

// "3", "3-9", "3-9:2"
bool add_range(std::string_view text, std::vector<std::uint32_t>& tasks) {
    const std::size_t colon = text.find(':');
    const auto step = colon == std::string_view::npos ? Result<std::int64_t>(1)
                                                      : parse_int64(text.substr(colon + 1));
    const std::string_view range = text.substr(0, colon);
    const std::size_t dash = range.find('-');
    const auto first = parse_int64(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_int64(range.substr(dash + 1));
    if (!first.ok() || !last.ok() || !step.ok()) return false;
    if (first.value() < 0 || last.value() < first.value() || last.value() > kTaskIndexMax ||
        step.value() <= 0)
        return false;
    if (colon != std::string_view::npos && dash == std::string_view::npos) return false;
    for (std::int64_t n = first.value(); n <= last.value(); n += step.value())
        tasks.push_back(static_cast<std::uint32_t>(n));
    return true;
}

struct SignalName {
    std::string_view name;
    std::int32_t number;
};
constexpr auto kSignals = std::to_array<SignalName>({
    {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"ABRT", SIGABRT}, {"KILL", SIGKILL},
    {"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"URG", SIGURG},
    {"CONT", SIGCONT}, {"STOP", SIGSTOP}, {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},
    {"PIPE", SIGPIPE}, {"CHLD", SIGCHLD}, {"WINCH", SIGWINCH}, {"XCPU", SIGXCPU},
});

}  // namespace

std::optional<NodeCount> parse_node_count(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto least = parse_count(text.substr(0, dash));
    if (!least) return std::nullopt;
    const auto most = dash == std::string_view::npos ? least : parse_count(text.substr(dash + 1));
    if (!most) return std::nullopt;
    return NodeCount{static_cast<std::uint32_t>(*least), static_cast<std::uint32_t>(*most)};
}

std::optional<std::uint32_t> parse_positive(std::string_view text) {
    const auto count = parse_count(text);
    if (!count || *count < 1) return std::nullopt;
    return static_cast<std::uint32_t>(*count);
}

std::optional<std::vector<GresRequest>> parse_gres_list(std::string_view text) {
    std::vector<GresRequest> all;
    if (iequals(trim(text), "none")) return all;
    for (const auto item : split(text, ',')) {
        const auto gres = parse_gres(trim(item));
        if (!gres) return std::nullopt;
        all.push_back(*gres);
    }
    return all;
}

std::optional<std::vector<GresRequest>> parse_gpu_list(std::string_view text) {
    std::vector<GresRequest> all;
    for (const auto item : split(text, ',')) {
        const auto gres = parse_gres("gpu:" + std::string(trim(item)));
        if (!gres) return std::nullopt;
        all.push_back(*gres);
    }
    return all;
}

std::optional<ArraySpec> parse_array(std::string_view text) {
    ArraySpec array;
    const std::size_t percent = text.find('%');
    if (percent != std::string_view::npos) {
        const auto limit = parse_positive(text.substr(percent + 1));
        if (!limit) return std::nullopt;
        array.max_running = *limit;
    }
    std::size_t ranges = 0;
    for (const auto range : split(text.substr(0, percent), ',')) {
        if (++ranges > 10'000 || array.tasks.size() > kTaskIndexMax ||
            !add_range(trim(range), array.tasks))
            return std::nullopt;
    }
    std::ranges::sort(array.tasks);
    array.tasks.erase(std::unique(array.tasks.begin(), array.tasks.end()), array.tasks.end());
    return array;
}

std::optional<std::int32_t> parse_signal(std::string_view text) {
    const auto number = parse_int64(text);
    if (number.ok()) {
        if (number.value() < 1 || number.value() > 64) return std::nullopt;
        return static_cast<std::int32_t>(number.value());
    }
    if (starts_with_icase(text, "SIG")) text.remove_prefix(3);
    const auto found =
        std::ranges::find_if(kSignals, [&](const SignalName& s) { return iequals(s.name, text); });
    if (found == kSignals.end()) return std::nullopt;
    return found->number;
}

std::optional<WarningSignal> parse_warning(std::string_view text) {
    WarningSignal warning{.before = std::chrono::seconds(60)};
    if (starts_with_icase(text, "B:")) {
        warning.batch = true;
        text.remove_prefix(2);
    }
    const std::size_t at = text.find('@');
    const auto signal = parse_signal(text.substr(0, at));
    if (!signal) return std::nullopt;
    warning.signal = *signal;
    if (at == std::string_view::npos) return warning;
    const auto seconds = parse_int64(text.substr(at + 1));
    if (!seconds.ok() || seconds.value() < 0 || seconds.value() > 65'535) return std::nullopt;
    warning.before = std::chrono::seconds(seconds.value());
    return warning;
}

}  // namespace berth
