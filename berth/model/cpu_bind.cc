#include "berth/model/cpu_bind.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kTasksMax = 4096;
constexpr std::size_t kBindTextMax = std::size_t{1} << 16;
constexpr std::array<std::string_view, 6> kOfSlurmAlone = {"threads",   "boards",   "ldoms",
                                                           "rank_ldom", "map_ldom", "mask_ldom"};

// "0x" makes it hexadecimal.
std::optional<std::uint32_t> parse_below(std::string_view text, std::uint32_t end) {
    std::uint32_t number = 0;
    const int base = starts_with_icase(text, "0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    const auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return {};
    return number < end ? std::optional(number) : std::nullopt;
}

// "0xC" is CPUs 2 and 3. Masks of large machines have more digits than any integer.
std::optional<std::vector<std::uint32_t>> parse_cpu_mask(std::string_view text) {
    if (starts_with_icase(text, "0x")) text.remove_prefix(2);
    if (text.empty() || text.size() > kCpuNumbersMax / 4) return std::nullopt;
    std::vector<std::uint32_t> cpus;
    for (std::size_t digit = 0; digit < text.size(); ++digit) {
        unsigned value = 0;
        const char* const at = &text[text.size() - 1 - digit];
        if (std::from_chars(at, at + 1, value, 16).ec != std::errc()) return std::nullopt;
        for (std::uint32_t i = 0; i < 4; ++i) {
            if ((value >> i & 1U) != 0) cpus.push_back(static_cast<std::uint32_t>(digit) * 4 + i);
        }
    }
    return cpus.empty() ? std::nullopt : std::optional(cpus);
}

// One of a list for each task; "0*4" stands for four tasks.
bool parse_cpu_list(std::string_view text, bool masks, CpuBind& bind) {
    for (std::string_view part : split(text, ',')) {
        std::uint32_t times = 1;
        if (const auto star = part.find('*'); star != std::string_view::npos) {
            const auto count = parse_below(part.substr(star + 1), kTasksMax + 1);
            if (!count || *count == 0) return false;
            times = *count;
            part = part.substr(0, star);
        }
        if (bind.cpus.size() + times > kTasksMax) return false;
        if (masks) {
            const auto cpus = parse_cpu_mask(part);
            if (!cpus) return false;
            bind.cpus.insert(bind.cpus.end(), times, *cpus);
        } else {
            const auto cpu = parse_below(part, kCpuNumbersMax);
            if (!cpu) return false;
            bind.cpus.insert(bind.cpus.end(), times, {*cpu});
        }
    }
    return true;
}

Error not_bound(std::string_view word, std::string_view text) {
    const auto is = [&](std::string_view known) { return iequals(word, known); };
    if (std::ranges::any_of(kOfSlurmAlone, is)) {
        return Error{ErrorCode::failed_precondition,
                     "--cpu-bind=" + std::string(word) +
                         " is not supported yet; cores, sockets, rank, none, map_cpu and mask_cpu "
                         "are"};
    }
    return Error{ErrorCode::invalid_argument,
                 "unrecognized --cpu-bind argument \"" + std::string(text.substr(0, 256)) +
                     "\": write cores, sockets, rank, none, map_cpu:0,1 or mask_cpu:0x1,0x2"};
}

}  // namespace

Result<CpuBind> CpuBind::parse(std::string_view text) {
    CpuBind bind;
    if (text.empty()) return bind;
    const auto colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    if (colon != std::string_view::npos) {
        const bool masks = iequals(word, "mask_cpu");
        bind.kind = masks ? Kind::mask : Kind::map;
        const bool known = masks || iequals(word, "map_cpu");
        if (known && text.size() <= kBindTextMax &&
            parse_cpu_list(text.substr(colon + 1), masks, bind))
            return bind;
    } else {
        for (const auto& [name, kind] : {std::pair{"none", Kind::none},
                                         {"no", Kind::none},
                                         {"cores", Kind::cores},
                                         {"sockets", Kind::sockets},
                                         {"rank", Kind::rank}}) {
            bind.kind = kind;
            if (iequals(word, name)) return bind;
        }
    }
    return not_bound(word, text);
}

}  // namespace berth
