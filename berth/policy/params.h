// Params: the settings of one rule, checked against its definition before the rule is made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// The definition of one setting. Values are integers; the summary names the unit.
struct SettingDef {
    std::string_view name;
    std::string_view summary;
    std::int64_t otherwise = 0;  // The default.
    std::int64_t low = 0, high = 0;
};

class Params {
public:
    // The settings of `rule` in the order of `known`; an error if one is unknown, repeated or out
    // of range.
    static Result<Params> check(const RuleSpec& rule, std::span<const SettingDef> known);

    // REQUIRES: the rule has a setting of this name.
    std::int64_t number(std::string_view name) const;
    bool flag(std::string_view name) const { return number(name) != 0; }

private:
    std::vector<std::pair<std::string_view, std::int64_t>> values_;
};

}  // namespace berth
