#include "berth/model/license.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::int64_t kLicenseCountMax = 1'000'000'000;

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 255 &&
           text.find_first_of(" \t\n=:,|()") == std::string_view::npos;
}

std::optional<LicenseCount> parse_one(std::string_view text) {
    const std::size_t colon = text.find(':');
    LicenseCount one{.name = std::string(trim(text.substr(0, colon)))};
    if (!is_name(one.name)) return std::nullopt;
    if (colon == std::string_view::npos) return one;
    const auto count = parse_int64(trim(text.substr(colon + 1)));
    if (!count.ok() || count.value() < 0 || count.value() > kLicenseCountMax) return std::nullopt;
    one.count = count.value();
    return one;
}

}  // namespace

std::optional<LicenseRequest> parse_licenses(std::string_view text) {
    LicenseRequest request;
    request.any = text.find('|') != std::string_view::npos;
    if (request.any && text.find(',') != std::string_view::npos) return std::nullopt;
    for (const auto part : split(text, request.any ? '|' : ',')) {
        auto one = parse_one(trim(part));
        if (!one) return std::nullopt;
        if (std::ranges::find(request.counts, one->name, &LicenseCount::name) !=
            request.counts.end()) {
            return std::nullopt;
        }
        request.counts.push_back(*std::move(one));
    }
    return request;
}

std::string to_text(const LicenseRequest& request) {
    std::string text;
    for (const LicenseCount& one : request.counts) {
        if (!text.empty()) text += request.any ? '|' : ',';
        text += one.name + ":" + std::to_string(one.count);
    }
    return text;
}

}  // namespace berth
