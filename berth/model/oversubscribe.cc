#include "berth/model/oversubscribe.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {
namespace {

constexpr std::int64_t kJobsMost = 64;
constexpr std::string_view kJobsWithoutNumber = "4";

std::string upper(std::string_view text) {
    std::string word(text);
    std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    return word;
}

}  // namespace

Result<std::string> parse_oversubscribe(std::string_view text) {
    std::string all = upper(trim(text));
    if (all == "NO" || all == "EXCLUSIVE") return all;
    const std::size_t colon = all.find(':');
    const std::string word = all.substr(0, colon);
    const std::string_view number =
        colon == std::string::npos ? kJobsWithoutNumber : std::string_view(all).substr(colon + 1);
    const auto jobs = parse_int64(number);
    if ((word != "YES" && word != "FORCE") || !jobs.ok() || *jobs < 1 || *jobs > kJobsMost) {
        return invalid_argument("OverSubscribe=" + std::string(text) +
                                " should be NO, EXCLUSIVE, YES or FORCE; :N behind the last two, "
                                "from 1 to " +
                                std::to_string(kJobsMost));
    }
    return word + ":" + std::to_string(*jobs);
}

std::string_view oversubscribe_text(const JobRequest& request) {
    return request.exclusive ? "NO" : request.oversubscribe ? "YES" : "OK";
}

CoreSharing core_sharing_of(std::string_view oversubscribe) {
    const std::size_t colon = oversubscribe.find(':');
    if (colon == std::string_view::npos) return {};
    const auto jobs = parse_int64(oversubscribe.substr(colon + 1));
    if (!jobs.ok() || *jobs < 1 || *jobs > kJobsMost) return {};
    return {.jobs = static_cast<std::uint32_t>(*jobs),
            .if_asked = oversubscribe.starts_with("YES")};
}

}  // namespace berth
