#include "berth/model/mail.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth {
namespace {

struct Name {
    std::string_view name;
    MailType type;
};
// In the order that Slurm prints them.
constexpr auto kMailNames = std::to_array<Name>({
    {"ARRAY_TASKS", MailType::array_tasks},
    {"INVALID_DEPEND", MailType::invalid_depend},
    {"BEGIN", MailType::begin},
    {"END", MailType::end},
    {"FAIL", MailType::fail},
    {"REQUEUE", MailType::requeue},
    {"STAGE_OUT", MailType::stage_out},
    {"TIME_LIMIT_50", MailType::time_limit_50},
    {"TIME_LIMIT_80", MailType::time_limit_80},
    {"TIME_LIMIT_90", MailType::time_limit_90},
    {"TIME_LIMIT", MailType::time_limit},
});
constexpr auto kAll =
    std::to_array<MailType>({MailType::begin, MailType::end, MailType::fail,
                             MailType::invalid_depend, MailType::requeue, MailType::stage_out});

constexpr std::size_t kAddressMax = 1024;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_address(std::string_view one) {
    if (one.empty() ||
        !(is_letter_or_digit(one.front()) || one.front() == '_' || one.front() == '$'))
        return false;
    return std::ranges::all_of(one, [](char c) {
        return is_letter_or_digit(c) || std::string_view("._%+-=@$").find(c) != std::string::npos;
    });
}

}  // namespace

std::optional<MailTypes> parse_mail_types(std::string_view text) {
    MailTypes types;
    for (const std::string_view part : split(text, ',')) {
        const std::string_view word = trim(part);
        if (iequals(word, "NONE")) return MailTypes{};
        if (iequals(word, "ALL")) {
            for (const MailType one : kAll) types.add(one);
            continue;
        }
        const auto known = std::ranges::find_if(
            kMailNames, [&](const Name& one) { return iequals(one.name, word); });
        if (known == kMailNames.end()) return std::nullopt;
        types.add(known->type);
    }
    return types;
}

std::string to_text(MailTypes types) {
    std::string text;
    for (const auto& [name, type] : kMailNames) {
        if (!types.has(type)) continue;
        if (!text.empty()) text += ',';
        text += name;
    }
    return text.empty() ? "NONE" : text;
}

std::string objection_to_address(std::string_view address) {
    const bool fits = address.size() <= kAddressMax;
    for (const std::string_view one : split(address, ',')) {
        if (fits && is_address(one)) continue;
        return "Invalid mail user '" + std::string(address.substr(0, 64)) +
               "': an address is made of letters, digits and ._%+-=@$, and begins with a letter, "
               "a digit, _ or $";
    }
    return {};
}

}  // namespace berth
