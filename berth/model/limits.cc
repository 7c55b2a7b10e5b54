#include "berth/model/limits.h"

#include <algorithm>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/flavor.h"

namespace berth {
namespace {

constexpr std::int64_t kLimitMax = std::int64_t{1} << 50;

// As Slurm lists them: CPUs first, GRES and licenses last.
int rank_of(std::string_view tres) {
    const std::string_view base = tres.substr(0, tres.find(':'));  // It may be of a flavor.
    if (base == "cpu") return 0;
    if (base == "mem") return 1;
    if (base == "node") return 2;
    if (tres == "billing") return 3;
    return tres.starts_with("gres/") ? 4 : 5;
}

bool is_tres(std::string_view name) {
    if (rank_of(name) <= 3) return name.find(':') == std::string_view::npos;
    const bool prefixed = name.starts_with("gres/") || name.starts_with("license/");
    return prefixed && name.find('/') + 1 < name.size() && name.size() <= 255 &&
           name.find_first_of(" \t\n,;|()") == std::string_view::npos;
}

std::optional<std::int64_t> parse_count(std::string_view tres, std::string_view text) {
    if (text == "-1") return -1;
    if (kind_of_tres(tres) == TresKind::mem) {
        const auto size = parse_size(text);
        if (!size.ok() || size->count() < 0) return std::nullopt;
        return in_mib(size.value());
    }
    const auto count = parse_int64(text);
    if (!count.ok() || count.value() < 0 || count.value() > kLimitMax) return std::nullopt;
    return count.value();
}

// In the largest unit in which it is whole, so that it reads back: 1536G, not Slurm's 1.50T.
std::string size_text(std::int64_t mebibytes) {
    constexpr std::string_view kUnits = "MGTP";
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && mebibytes % 1024 == 0) {
        mebibytes /= 1024;
        ++unit;
    }
    return std::to_string(mebibytes) + kUnits[unit];
}

void put(TresLimits& counts, const std::string& tres, std::int64_t count) {
    const auto at = std::ranges::find(counts, tres, &TresLimits::value_type::first);
    if (at != counts.end()) {
        at->second = count;
        return;
    }
    const auto before = [](const auto& a, const auto& b) {
        return std::pair(rank_of(a.first), a.first) < std::pair(rank_of(b.first), b.first);
    };
    const std::pair<std::string, std::int64_t> entry(tres, count);
    counts.insert(std::ranges::upper_bound(counts, entry, before), entry);
}

// cpu:gpu-a100
bool is_flavored_tres(std::string_view name) {
    const std::size_t colon = name.find(':');
    return rank_of(name) <= 2 && colon != std::string_view::npos &&
           is_flavor_name(name.substr(colon + 1));
}

template <class IsTres>
std::optional<TresLimits> parse_counts(std::string_view text, IsTres is_one) {
    TresLimits counts;
    for (const auto part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        const std::string tres = to_lower(trim(part.substr(0, equals)));
        const auto count = parse_count(tres, trim(part.substr(equals + 1)));
        if (!is_one(tres) || !count) return std::nullopt;
        put(counts, tres, *count);
    }
    return counts;
}

}  // namespace

std::optional<TresLimits> parse_tres_counts(std::string_view text) {
    return parse_counts(text, is_tres);
}

std::optional<TresLimits> parse_flavored_counts(std::string_view text) {
    return parse_counts(
        text, [](std::string_view tres) { return is_tres(tres) || is_flavored_tres(tres); });
}

std::string to_text(const TresLimits& counts) {
    std::string text;
    for (const auto& [tres, count] : counts) {
        if (!text.empty()) text += ',';
        text += tres + "=";
        text += kind_of_tres(tres) == TresKind::mem && count > 0 ? size_text(count)
                                                                 : std::to_string(count);
    }
    return text;
}

TresLimits changed(TresLimits before, const TresLimits& changes) {
    for (const auto& [tres, count] : changes) put(before, tres, count);
    std::erase_if(before, [](const auto& entry) { return entry.second < 0; });
    return before;
}

TresKind kind_of_tres(std::string_view tres) {
    switch (rank_of(tres)) {
        case 0: return TresKind::cpu;
        case 1: return TresKind::mem;
        case 2: return TresKind::node;
        case 3: return TresKind::billing;
        case 4: return TresKind::gres;
        default: return TresKind::license;
    }
}

}  // namespace berth
