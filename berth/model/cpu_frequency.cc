#include "berth/model/cpu_frequency.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {
namespace {

// Words are Slurm's; it takes any that begin with `least`.
struct GovernorWord {
    std::string_view least, word;
    bool allowed = false;
};
constexpr auto kGovernors = std::to_array<GovernorWord>({{"co", "Conservative"},
                                                         {"perf", "Performance", true},
                                                         {"pow", "PowerSave"},
                                                         {"user", "UserSpace", true},
                                                         {"onde", "OnDemand", true},
                                                         {"sche", "SchedUtil"}});

struct SpeedWord {
    std::string_view least, word;
    CpuSpeed::Named named;
};
constexpr auto kSpeeds = std::to_array<SpeedWord>({{"lo", "Low", CpuSpeed::Named::low},
                                                   {"him1", "Highm1", CpuSpeed::Named::highm1},
                                                   {"highm1", "Highm1", CpuSpeed::Named::highm1},
                                                   {"hi", "High", CpuSpeed::Named::high},
                                                   {"med", "Medium", CpuSpeed::Named::medium}});

template <class Words>
auto word_of(const Words& words, std::string_view text) {
    return std::ranges::find_if(
        words, [&](const auto& one) { return starts_with_icase(text, one.least); });
}

Result<CpuSpeed> parse_speed(std::string_view text) {
    const auto found = word_of(kSpeeds, text);
    if (found != kSpeeds.end()) return CpuSpeed{.named = found->named};
    const auto khz = parse_int64(text);
    if (khz.ok() && *khz > 0 && *khz < UINT32_MAX)
        return CpuSpeed{.khz = static_cast<std::uint32_t>(*khz)};
    return invalid_argument("unrecognized --cpu-freq argument \"" + std::string(text) + "\"");
}

bool is_less(const CpuSpeed& a, const CpuSpeed& b) {
    const bool both_named = a.named != CpuSpeed::Named::no && b.named != CpuSpeed::Named::no;
    const bool none_named = a.named == CpuSpeed::Named::no && b.named == CpuSpeed::Named::no;
    return both_named ? a.named < b.named : none_named && a.khz < b.khz;
}

std::string text_of(const CpuSpeed& speed) {
    const auto found = std::ranges::find(kSpeeds, speed.named, &SpeedWord::named);
    return found == kSpeeds.end() ? std::to_string(speed.khz) : std::string(found->word);
}

}  // namespace

Result<CpuFrequency> parse_cpu_frequency(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view speeds = text.substr(0, colon);
    const std::size_t dash = speeds.find('-');
    const std::string_view first = speeds.substr(0, dash);
    std::string_view governor = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    CpuFrequency frequency;
    if (word_of(kGovernors, first) != kGovernors.end()) {
        if (colon != std::string_view::npos || dash != std::string_view::npos) {
            return invalid_argument("governor cannot be specified twice " + std::string(first) +
                                    "{-}:" + std::string(governor) + " in --cpu-freq");
        }
        governor = first;
    } else {
        BERTH_TRY(frequency.most, parse_speed(first));
    }
    if (dash != std::string_view::npos) {
        const std::string_view second = speeds.substr(dash + 1);
        frequency.least = frequency.most;
        BERTH_TRY(frequency.most, parse_speed(second));
        if (is_less(*frequency.most, *frequency.least)) {
            return invalid_argument("min cpu-frec (" + std::string(first) +
                                    ") must be < max cpu-freq (" + std::string(second) + ")");
        }
    } else if (colon != std::string_view::npos) {
        return invalid_argument("gov on cpu-frec (" + std::string(governor) +
                                ") illegal without max");
    }
    if (governor.empty() && colon == std::string_view::npos) return frequency;
    const auto found = word_of(kGovernors, governor);
    if (found == kGovernors.end())
        return invalid_argument("illegal governor: " + std::string(governor) + " on --cpu-freq");
    if (!found->allowed) {
        return invalid_argument("governor of " + std::string(text) +
                                " is not allowed in slurm.conf");
    }
    frequency.governor = to_lower(found->word);
    return frequency;
}

std::string cpu_frequency_text(const CpuFrequency& frequency) {
    std::string text = frequency.least ? text_of(*frequency.least) + "-" : "";
    if (frequency.most) text += text_of(*frequency.most);
    if (frequency.governor.empty()) return text;
    const std::string_view word = word_of(kGovernors, frequency.governor)->word;
    return text + (text.empty() ? "" : ":") + std::string(word);
}

}  // namespace berth
