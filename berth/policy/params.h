// Params: the settings of one rule, checked against what the rule knows before it is made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// One setting that a rule knows. Values are whole numbers; the summary names their unit.
struct SettingDef {
    std::string_view name;
    std::string_view summary;
    std::int64_t otherwise = 0;  // Where the site says nothing.
    std::int64_t low = 0, high = 0;
};

class Params {
public:
    // The settings of `rule` in the order of `known`; an error where one is unknown, given twice or
    // out of its range.
    static Result<Params> check(const RuleSpec& rule, std::span<const SettingDef> known);

    // REQUIRES: the rule knows a setting of this name.
    std::int64_t number(std::string_view name) const;
    bool flag(std::string_view name) const { return number(name) != 0; }

private:
    std::vector<std::pair<std::string_view, std::int64_t>> values_;
};

}  // namespace berth
