// Environment: variables in the order in which they were first set, each once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

class Environment {
public:
    Environment() = default;
    // "NAME=value" each; other forms are skipped.
    explicit Environment(const std::vector<std::string>& settings) { add(settings); }

    void add(const std::vector<std::string>& settings);  // Overwrites existing values.
    void set(std::string_view name, std::string_view value);
    void set(std::string_view name, std::int64_t value) { set(name, std::to_string(value)); }
    void unset(std::string_view name);
    template <class Predicate>
    void unset_if(Predicate is_unwanted) {
        std::vector<std::string> names;
        for (const auto& [name, place] : places_) {
            if (is_unwanted(std::string_view(name))) names.push_back(name);
        }
        for (const std::string& name : names) unset(name);
    }

    std::optional<std::string_view> get(std::string_view name) const;
    std::vector<std::string> settings() const;

private:
    std::vector<std::pair<std::string, std::string>> all_;
    std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace berth
