#include "berth/policy/params.h"

#include <algorithm>

#include "berth/base/assert.h"
#include "berth/base/text.h"

namespace berth {
namespace {

Error unknown_setting(const RuleSpec& rule, std::string_view name,
                      std::span<const SettingDef> known) {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const SettingDef& def : known) names.push_back(def.name);
    return {ErrorCode::invalid_argument, rule.kind + " rule " + rule.name + ": no setting '" +
                                             std::string(name) + "'; it has " +
                                             (names.empty() ? "none" : join(names, ", "))};
}

Error out_of_range(const RuleSpec& rule, const SettingDef& def, std::int64_t value) {
    return {ErrorCode::invalid_argument,
            rule.kind + " rule " + rule.name + ": " + std::string(def.name) + " is " +
                std::to_string(value) + "; it must be from " + std::to_string(def.low) + " to " +
                std::to_string(def.high)};
}

}  // namespace

Result<Params> Params::check(const RuleSpec& rule, std::span<const SettingDef> known) {
    Params params;
    for (const SettingDef& def : known) params.values_.emplace_back(def.name, def.otherwise);
    std::vector<std::string> seen;
    for (const auto& [name, value] : rule.settings) {
        const auto def = std::ranges::find(known, name, &SettingDef::name);
        if (def == known.end()) return unknown_setting(rule, name, known);
        if (std::ranges::find(seen, name) != seen.end()) {
            return Error{ErrorCode::invalid_argument,
                         rule.kind + " rule " + rule.name + ": " + name + " is given twice"};
        }
        if (value < def->low || value > def->high) return out_of_range(rule, *def, value);
        seen.push_back(name);
        params.values_[static_cast<std::size_t>(def - known.begin())].second = value;
    }
    return params;
}

std::int64_t Params::number(std::string_view name) const {
    for (const auto& [known, value] : values_) {
        if (known == name) return value;
    }
    BERTH_ASSERT(!"a rule asks for a setting that it did not declare");
    return 0;
}

}  // namespace berth
