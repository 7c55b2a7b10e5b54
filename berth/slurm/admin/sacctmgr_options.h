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

// The words: names without a "=", "where" and "set" and the options behind each.
struct Words {
    std::vector<std::string> names;
    std::vector<Option> where, set;
    bool has_set = false;
};
Words words_of(const std::vector<std::string>& words);

Error unknown(const Option& option);  // Of an option that is none, or is not built yet.

std::vector<std::string> lower_case_list(
    std::string_view text);  // In lower case, as Slurm keeps names.
std::string padded(std::string text, std::size_t width);
bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names);

// What accounts and users in accounts have in common; false: not one of these options.
template <class Owner>
Result<bool> set_common(Owner& owner, const Option& option, Settings& settings);
Result<bool> set_qos_option(QosSpec& qos, const Option& option, Settings& settings);
std::string settings_text(const Settings& settings);

}  // namespace berth::slurm
