// The options of sacctmgr's add, modify and delete: "where", "set", KEY=VALUE, KEY+=VALUE.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth::slurm {

using Settings = std::map<std::string, std::string>;  // By name, as they are printed.

// "name+=value": the name in lower case, the sign '+', '-' or '=', the value.
struct Option {
    std::string name, value, word;
    char sign = '=';
};

// The parsed words: names without a "=", and the options after "where" and "set".
struct CommandWords {
    std::vector<std::string> names;
    std::vector<Option> where, set;
    bool has_set = false;
};
CommandWords words_of(const std::vector<std::string>& words);

Error unknown(const Option& option);  // For an unknown option, or one that is not built yet.

std::vector<std::string> lower_case_list(
    std::string_view text);  // In lower case, as Slurm keeps names.
std::string padded(std::string text, std::size_t width);
bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names);

// Options that accounts and users in accounts share; false: not one of these.
template <class Owner>
Result<bool> set_common(Owner& owner, const Option& option, Settings& settings);
Result<bool> set_qos_option(QosSpec& qos, const Option& option, Settings& settings);
std::string settings_text(const Settings& settings);
// "DenyOnLimit,OverPartQOS"
std::string qos_flags_text(bool deny_on_limit, bool over_partition_qos);

}  // namespace berth::slurm
