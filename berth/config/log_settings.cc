#include "berth/config/log_settings.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth::config {
namespace {

struct LevelName {
    std::string_view name;
    LogLevel level;
};
// In Slurm's order, which also numbers them from 0.
constexpr auto kLevels = std::to_array<LevelName>({
    {"quiet", LogLevel::error},
    {"fatal", LogLevel::error},
    {"error", LogLevel::error},
    {"info", LogLevel::info},
    {"verbose", LogLevel::info},
    {"debug", LogLevel::debug},
    {"debug2", LogLevel::debug},
    {"debug3", LogLevel::debug},
    {"debug4", LogLevel::debug},
    {"debug5", LogLevel::debug},
});

// What slurm.conf says; empty: nothing. ClusterSpec::settings has Slurm's defaults, too.
std::string_view setting(const ClusterSpec& spec, std::string_view key) {
    for (const auto& [name, value] : spec.settings) {
        const bool is_none = value == "(null)" || iequals(value, "none");
        if (name == key) return is_none ? std::string_view() : std::string_view(value);
    }
    return {};
}

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + by.size())) {
        text.replace(at, mark.size(), by);
    }
    return text;
}

LogSettings of(const ClusterSpec& spec, std::string_view file, std::string_view level) {
    LogSettings settings;
    settings.file = setting(spec, file);
    const std::string_view word = setting(spec, level);
    if (!word.empty() && word != "info") settings.least = log_level_of(word);
    return settings;
}

}  // namespace

LogSettings controller_log(const ClusterSpec& spec) {
    return of(spec, "SlurmctldLogFile", "SlurmctldDebug");
}

LogSettings agent_log(const ClusterSpec& spec, std::string_view node, std::string_view host) {
    LogSettings settings = of(spec, "SlurmdLogFile", "SlurmdDebug");
    settings.file = replaced(replaced(std::move(settings.file), "%n", node), "%h", host);
    return settings;
}

std::optional<LogLevel> log_level_of(std::string_view word) {
    const Result<std::int64_t> number = parse_int64(word);
    if (number.ok()) {
        if (*number < 0 || *number >= static_cast<std::int64_t>(kLevels.size())) return {};
        return kLevels[static_cast<std::size_t>(*number)].level;
    }
    const auto known = std::ranges::find_if(
        kLevels, [&](const LevelName& one) { return iequals(one.name, word); });
    if (known == kLevels.end()) return std::nullopt;
    return known->level;
}

}  // namespace berth::config
