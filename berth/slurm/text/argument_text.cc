#include "berth/slurm/text/argument_text.h"

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth::slurm {

KeyAndValue key_and_value(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return {"", word};
    return {word.substr(0, equals), word.substr(equals + 1)};
}

std::vector<std::string> names_listed(std::string_view list) {
    std::vector<std::string> names;
    add_names(list, names);
    return names;
}

void add_names(std::string_view list, std::vector<std::string>& names) {
    for (const auto name : split(list, ',')) names.emplace_back(trim(name));
}

bool means(std::string_view word, std::string_view keyword, std::size_t least) {
    return word.size() >= least && word.size() <= keyword.size() &&
           iequals(word, keyword.substr(0, word.size()));
}

Result<std::int64_t> whole_number(const std::string& key, std::string_view value,
                                  std::int64_t least, std::int64_t most) {
    auto number = parse_int64(value);
    if (number.ok() && *number >= least && *number <= most) return number;
    return invalid_argument("Invalid " + key + " value: " + std::string(value));
}

}  // namespace berth::slurm
