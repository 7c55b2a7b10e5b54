// GivenValues: what a client's JSON says, in all the forms that data_parser takes: a number may be
// {"set": true, "infinite": false, "number": 5}, 5 or "5"; a list may be "a,b".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/json_value.h"
#include "berth/base/result.h"

namespace berth::slurmrest {

struct GivenNumber {
    bool infinite = false;
    std::int64_t value = 0;
};

// nullopt: it is not set.
Result<std::optional<GivenNumber>> given_number(const api::JsonValue& value);
// From `least` to `most`; nullopt: it is not set. Infinite is refused.
Result<std::optional<std::int64_t>> given_count(const api::JsonValue& value, std::int64_t least,
                                                std::int64_t most);
Result<std::string> given_text(const api::JsonValue& value);
Result<bool> given_truth(const api::JsonValue& value);
Result<std::vector<std::string>> given_texts(const api::JsonValue& value);

// ["BEGIN", "TIME=90%"] as the words of --mail-type: "BEGIN,TIME_LIMIT_90".
Result<std::string> given_mail_types(const api::JsonValue& value);
std::string_view mail_type_of_parser(std::string_view word);  // "TIME_LIMIT_90" -> "TIME=90%"

// Null, false, an unset number, an empty text or list: as if the field were left out.
bool asks_nothing(const api::JsonValue& value);

}  // namespace berth::slurmrest
