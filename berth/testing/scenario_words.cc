#include "berth/testing/scenario_words.h"

#include <algorithm>
#include <sstream>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"

namespace berth::testing {

ScenarioWords::ScenarioWords(const std::string& line) {
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

bool ScenarioWords::has(const std::string& word) const {
    used_.insert(word);
    return std::ranges::find(plain, word) != plain.end();
}

std::optional<std::string> ScenarioWords::text(const std::string& name) const {
    used_.insert(name);
    const auto found = options_.find(name);
    if (found == options_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::int64_t> ScenarioWords::number(const std::string& name) const {
    const auto found = text(name);
    if (!found) return std::nullopt;
    return parse_int64(*found).value();
}

std::optional<Duration> ScenarioWords::duration(const std::string& name) const {
    const auto found = text(name);
    if (!found) return std::nullopt;
    return parse_time_limit(*found).value().value_or(Duration::max());
}

std::optional<Bytes> ScenarioWords::size(const std::string& name) const {
    const auto found = text(name);
    if (!found) return std::nullopt;
    return parse_size(*found).value();
}

std::vector<std::string> ScenarioWords::hosts(const std::string& name) const {
    const auto found = text(name);
    if (!found) return {};
    return expand_hostlist(*found).value();
}

std::vector<std::string> ScenarioWords::list(const std::string& name) const {
    const auto found = text(name);
    std::vector<std::string> items;
    if (!found) return items;
    for (const std::string_view one : split(*found, ',')) items.emplace_back(one);
    return items;
}

std::string ScenarioWords::unused() const {
    std::string words;
    for (const auto& [name, value] : options_) {
        if (!used_.contains(name)) words += " " + name;
    }
    return words;
}

std::map<std::string, std::string> ScenarioWords::rest() const {
    for (const auto& [name, value] : options_) used_.insert(name);
    return options_;
}

}  // namespace berth::testing
