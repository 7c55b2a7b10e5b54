#include "berth/cli/usage_import.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth::cli {
namespace {

Error wrong(std::size_t line, const std::string& what) {
    return {ErrorCode::invalid_argument, "line " + std::to_string(line) + ": " + what};
}

constexpr std::array<std::string_view, 3> kNames = {"Account", "User", "RawUsage"};
using Places = std::array<std::size_t, kNames.size()>;

Result<Places> read_header(std::string_view line) {
    const auto fields = split(line, '|');
    Places places{};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        const auto at = std::ranges::find_if(
            fields, [&](std::string_view field) { return iequals(trim(field), kNames[i]); });
        if (at == fields.end()) {
            return wrong(1, "there is no column " + std::string(kNames[i]) +
                                "; make the file with: sshare -a -P -o Account,User,RawUsage");
        }
        places[i] = static_cast<std::size_t>(at - fields.begin());
    }
    return places;
}

}  // namespace

Result<std::vector<UsageLine>> read_usage(std::string_view text) {
    std::vector<UsageLine> lines;
    std::optional<Places> places;
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
        ++number;
        if (trim(line).empty()) continue;
        if (!places) {
            BERTH_TRY(places, read_header(line));
            continue;
        }
        const auto fields = split(line, '|');
        if (fields.size() <= *std::ranges::max_element(*places)) {
            return wrong(number, "too few fields");
        }
        const std::string_view user = trim(fields[(*places)[1]]);
        if (user.empty()) continue;
        const auto billing = parse_int64(trim(fields[(*places)[2]]));
        if (!billing.ok() || *billing < 0) {
            return wrong(number, "RawUsage should be a whole number of seconds, not '" +
                                     std::string(fields[(*places)[2]]) + "'");
        }
        lines.push_back(
            {number, {std::string(trim(fields[(*places)[0]])), std::string(user), *billing}});
    }
    if (!places) return wrong(1, "nothing is there");
    return lines;
}

Result<api::UsagePatch> parse_usage(std::string_view text) {
    BERTH_TRY(std::vector<UsageLine> lines, read_usage(text));
    api::UsagePatch patch;
    for (UsageLine& one : lines) patch.entries.push_back(std::move(one.entry));
    return patch;
}

}  // namespace berth::cli
