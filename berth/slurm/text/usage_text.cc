#include "berth/slurm/text/usage_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "berth/base/duration_text.h"

namespace berth::slurm {
namespace {

std::int64_t cpu_ms(const StepTotals& used) { return used.user_ms + used.system_ms; }
std::int64_t of_task(const StepTotals& used, std::int64_t all) {
    return all / std::max<std::int64_t>(used.tasks, 1);
}
std::string whole_seconds(std::int64_t ms) { return format_duration(Duration(ms)); }

}  // namespace

std::string exact_size(std::int64_t bytes) {
    constexpr std::array kUnits = {"", "K", "M", "G", "T", "P"};
    std::size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + kUnits[unit];
}

std::string cpu_text(std::int64_t milliseconds) {
    constexpr std::int64_t kHour = 3'600'000, kMinute = 60'000;
    if (milliseconds == 0 || milliseconds >= kHour) return whole_seconds(milliseconds);
    std::array<char, 32> text{};
    std::snprintf(
        text.data(), text.size(), "%02d:%02d.%03d", static_cast<int>(milliseconds / kMinute),
        static_cast<int>(milliseconds % kMinute / 1000), static_cast<int>(milliseconds % 1000));
    return text.data();
}

std::string usage_tres(std::int64_t cpu_ms, std::int64_t memory) {
    return "cpu=" + whole_seconds(cpu_ms) + ",mem=" + exact_size(memory);
}

std::string max_rss(const Used& used) { return used ? exact_size(used->rss_max) : ""; }
std::string max_rss_node(const Used& used) { return used ? used->rss_max_node : ""; }
std::string ave_rss(const Used& used) {
    return used ? exact_size(of_task(*used, used->rss_sum)) : "";
}
std::string min_cpu(const Used& used) { return used ? whole_seconds(used->cpu_min_ms) : ""; }
std::string min_cpu_node(const Used& used) { return used ? used->cpu_min_node : ""; }
std::string ave_cpu(const Used& used) {
    return used ? whole_seconds(of_task(*used, cpu_ms(*used))) : "";
}
std::string usage_max(const Used& used) {
    return used ? usage_tres(cpu_ms(*used), used->rss_max) : "";
}
std::string usage_ave(const Used& used) {
    return used ? usage_tres(of_task(*used, cpu_ms(*used)), of_task(*used, used->rss_sum)) : "";
}
std::string usage_total(const Used& used) {
    return used ? usage_tres(cpu_ms(*used), used->rss_sum) : "";
}

}  // namespace berth::slurm
