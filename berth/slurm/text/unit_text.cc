#include "berth/slurm/text/unit_text.h"

#include <cstdint>

#include "berth/base/size_text.h"
#include "berth/base/text.h"

namespace berth::slurm {
namespace {

constexpr std::string_view kUnits = "KMGTP";

// Whole, or with two digits behind the point.
std::string size_in(std::string_view text, char unit) {
    const std::string_view digits = "0123456789.";
    const bool has_unit = !text.empty() && kUnits.find(text.back()) != std::string_view::npos;
    if (!has_unit || text.find_first_not_of(digits) != text.size() - 1) return std::string(text);
    // Halves are told as ".50": twice the size is whole.
    const std::size_t point = text.find('.');
    const auto whole =
        parse_int64(text.substr(0, point == std::string_view::npos ? text.size() - 1 : point));
    if (!whole.ok()) return std::string(text);
    const auto shift = static_cast<unsigned>(10 * (kUnits.find(text.back()) + 1));
    std::int64_t bytes = *whole << shift;
    if (point != std::string_view::npos) {
        const std::string_view part = text.substr(point + 1, text.size() - point - 2);
        const auto hundredths = parse_int64(part);
        if (!hundredths.ok() || part.size() != 2) return std::string(text);
        bytes += (*hundredths << shift) / 100;
    }
    const std::int64_t size = std::int64_t{1} << (10 * (kUnits.find(unit) + 1));
    const std::int64_t hundredths = (bytes * 100 + size / 2) / size;
    std::string shown = std::to_string(hundredths / 100);
    if (hundredths % 100 != 0) {
        const std::string rest = std::to_string(100 + hundredths % 100);
        shown += "." + rest.substr(1);
    }
    return shown + unit;
}

}  // namespace

bool is_unit(std::string_view text) {
    return text.size() == 1 && kUnits.find(text[0]) != std::string_view::npos;
}

std::string in_unit(std::string_view text, char unit) {
    if (text.find('=') == std::string_view::npos) return size_in(text, unit);
    std::string shown;
    for (const std::string_view part : split(text, ',')) {
        if (!shown.empty()) shown += ',';
        const std::size_t equals = part.find('=');
        const bool is_memory = equals != std::string_view::npos && part.substr(0, equals) == "mem";
        shown += is_memory ? "mem=" + size_in(part.substr(equals + 1), unit) : std::string(part);
    }
    return shown;
}

}  // namespace berth::slurm
