#include "berth/slurmrest/given_values.h"

#include <algorithm>
#include <array>
#include <set>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/mail.h"

namespace berth::slurmrest {
namespace {

using api::JsonValue;

Error must_be(std::string_view right, const JsonValue& value) {
    return invalid_argument("must be " + std::string(right) + ", not " +
                            std::string(api::kind_of(value)));
}

// As data_parser calls them, and as sbatch does.
struct MailName {
    std::string_view parser, option;
};
constexpr auto kMailNames = std::to_array<MailName>({{"INVALID_DEPENDENCY", "INVALID_DEPEND"},
                                                     {"TIME=100%", "TIME_LIMIT"},
                                                     {"TIME=90%", "TIME_LIMIT_90"},
                                                     {"TIME=80%", "TIME_LIMIT_80"},
                                                     {"TIME=50%", "TIME_LIMIT_50"}});

// {"set": …, "infinite": …, "number": …}
Result<std::optional<GivenNumber>> number_in(const api::JsonObject& members) {
    bool set = true, infinite = false;
    const JsonValue* given = nullptr;
    std::set<std::string_view> seen;
    for (const auto& [name, value] : members) {
        if (!seen.insert(name).second) return invalid_argument("has " + name + " twice");
        if (name == "set") {
            BERTH_TRY(set, given_truth(value));
        } else if (name == "infinite") {
            BERTH_TRY(infinite, given_truth(value));
        } else if (name == "number") {
            given = &value;
        } else {
            return invalid_argument("has a member " + name +
                                    "; a number has set, infinite and number");
        }
    }
    if (infinite) return std::optional(GivenNumber{.infinite = true});
    if (!set || given == nullptr) return std::optional<GivenNumber>();
    const auto* const whole = given->as<std::int64_t>();
    if (whole == nullptr) return must_be("a whole number, in its \"number\"", *given);
    return std::optional(GivenNumber{.value = *whole});
}

}  // namespace

Result<std::optional<GivenNumber>> given_number(const JsonValue& value) {
    if (value.is_null()) return std::optional<GivenNumber>();
    if (const auto* const members = value.as<api::JsonObject>()) return number_in(*members);
    if (const auto* const whole = value.as<std::int64_t>())
        return std::optional(GivenNumber{.value = *whole});
    if (const auto* const text = value.as<std::string>()) {
        const auto whole = parse_int64(*text);
        if (!whole.ok()) return invalid_argument("must be a whole number, not " + *text);
        return std::optional(GivenNumber{.value = *whole});
    }
    return must_be("a whole number", value);
}

Result<std::optional<std::int64_t>> given_count(const JsonValue& value, std::int64_t least,
                                                std::int64_t most) {
    BERTH_TRY(const std::optional<GivenNumber> given, given_number(value));
    if (!given) return std::optional<std::int64_t>();
    if (given->infinite || given->value < least || given->value > most) {
        return invalid_argument("must be a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most));
    }
    return std::optional(given->value);
}

Result<std::string> given_text(const JsonValue& value) {
    if (const auto* const text = value.as<std::string>()) return *text;
    if (value.is_null()) return std::string();
    if (const auto* const number = value.as<std::int64_t>()) return std::to_string(*number);
    return must_be("a string", value);
}

Result<bool> given_truth(const JsonValue& value) {
    if (const auto* const truth = value.as<bool>()) return *truth;
    return must_be("true or false", value);
}

Result<std::vector<std::string>> given_texts(const JsonValue& value) {
    std::vector<std::string> texts;
    if (value.is_null()) return texts;
    if (const auto* const text = value.as<std::string>()) {
        if (text->empty()) return texts;
        for (const std::string_view part : split(*text, ',')) texts.emplace_back(trim(part));
        return texts;
    }
    const auto* const list = value.as<api::JsonArray>();
    if (list == nullptr) return must_be("a list of strings", value);
    for (const JsonValue& one : *list) {
        const auto* const text = one.as<std::string>();
        if (text == nullptr) return must_be("a list of strings", value);
        texts.push_back(*text);
    }
    return texts;
}

Result<std::string> given_mail_types(const JsonValue& value) {
    BERTH_TRY(const std::vector<std::string> given, given_texts(value));
    std::vector<std::string> words;
    for (const std::string& word : given) {
        const auto known = std::ranges::find(kMailNames, word, &MailName::parser);
        words.emplace_back(known == kMailNames.end() ? std::string_view(word) : known->option);
        if (!parse_mail_types(words.back()))
            return invalid_argument("there is no mail type " + word.substr(0, 100));
    }
    return join(words, ",");
}

std::string_view mail_type_of_parser(std::string_view word) {
    const auto known = std::ranges::find(kMailNames, word, &MailName::option);
    return known == kMailNames.end() ? word : known->parser;
}

bool asks_nothing(const JsonValue& value) {
    if (value.is_null()) return true;
    if (const auto* const truth = value.as<bool>()) return !*truth;
    if (const auto* const text = value.as<std::string>()) return text->empty();
    if (const auto* const list = value.as<api::JsonArray>()) return list->empty();
    const auto* const members = value.as<api::JsonObject>();
    if (members == nullptr) return false;
    if (members->empty()) return true;
    const auto number = given_number(value);
    return number.ok() && !*number;
}

}  // namespace berth::slurmrest
