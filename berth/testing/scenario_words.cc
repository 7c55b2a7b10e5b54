#include "berth/testing/scenario_words.h"

#include <algorithm>
#include <sstream>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"

namespace berth::testing {

Words::Words(const std::string& line) {
    std::istringstream words(line);
    words >> verb;
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
            plain.push_back(word);
        } else {
            options_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
}

bool Words::has(const std::string& word) const {
    used_.insert(word);
    return std::ranges::find(plain, word) != plain.end();
}

std::optional<std::string> Words::text(const std::string& name) const {
    used_.insert(name);
    const auto found = options_.find(name);
    if (found == options_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::int64_t> Words::number(const std::string& name) const {
    const auto found = text(name);
    if (!found) return std::nullopt;
    return parse_int64(*found).value();
}

std::optional<Duration> Words::duration(const std::string& name) const {
    const auto found = text(name);
    if (!found) return std::nullopt;
    return parse_time_limit(*found).value().value_or(Duration::max());
}

std::optional<Bytes> Words::size(const std::string& name) const {
    const auto found = text(name);
    if (!found) return std::nullopt;
    return parse_size(*found).value();
}

std::vector<std::string> Words::hosts(const std::string& name) const {
    const auto found = text(name);
    if (!found) return {};
    return expand_hostlist(*found).value();
}

std::vector<std::string> Words::list(const std::string& name) const {
    const auto found = text(name);
    std::vector<std::string> items;
    if (!found) return items;
    for (const std::string_view one : split(*found, ',')) items.emplace_back(one);
    return items;
}

std::string Words::unused() const {
    std::string words;
    for (const auto& [name, value] : options_) {
        if (!used_.contains(name)) words += " " + name;
    }
    return words;
}

std::map<std::string, std::string> Words::rest() const {
    for (const auto& [name, value] : options_) used_.insert(name);
    return options_;
}

}  // namespace berth::testing
