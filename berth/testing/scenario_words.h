// The words of one line of a scenario: a verb, plain words, and options.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/base/quantity.h"
#include "berth/base/time.h"

namespace berth::testing {

// "submit gpus=8 exclusive" -> verb, {gpus: 8}, plain {exclusive}.
class ScenarioWords {
public:
    explicit ScenarioWords(const std::string& line);

    std::string verb;
    std::vector<std::string> plain;

    bool has(const std::string& word) const;
    std::optional<std::string> text(const std::string& name) const;
    std::optional<std::int64_t> number(const std::string& name) const;
    std::optional<Duration> duration(const std::string& name) const;  // Duration::max(): no limit.
    std::optional<Bytes> size(const std::string& name) const;
    std::vector<std::string> hosts(const std::string& name) const;

    std::vector<std::string> list(const std::string& name) const;  // "a,b"

    // Words that nobody asked for: mistakes of whoever wrote the scenario.
    std::string unused() const;
    // All options, for those that take any: marked as used.
    std::map<std::string, std::string> rest() const;

private:
    std::map<std::string, std::string> options_;
    mutable std::set<std::string> used_;
};

}  // namespace berth::testing
