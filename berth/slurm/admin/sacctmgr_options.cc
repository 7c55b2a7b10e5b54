#include "berth/slurm/admin/sacctmgr_options.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/limit_keys.h"
#include "berth/model/qos_preemption.h"

namespace berth::slurm {

std::vector<std::string> lower_case_list(std::string_view text) {
    std::vector<std::string> items;
    for (const auto one : split(text, ',')) {
        if (!trim(one).empty()) items.emplace_back(to_lower(trim(one)));
    }
    return items;
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

std::optional<Option> key_value_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return std::nullopt;
    Option option{.value = word.substr(equals + 1), .word = word};
    std::string name = word.substr(0, equals);
    if (name.ends_with('+') || name.ends_with('-')) {
        option.sign = name.back();
        name.pop_back();
    }
    option.name = to_lower(name);
    return option;
}

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

// `start`: what an empty list is taken for when names are added or removed.
void change_list(std::vector<std::string>& list, const Option& option,
                 const std::vector<std::string>& start = {"normal"}) {
    std::string value = option.value;
    char sign = option.sign;
    if (value.starts_with('+') || value.starts_with('-')) {
        sign = value.front();
        value.erase(0, 1);
    }
    const std::vector<std::string> named = lower_case_list(value);
    if (sign == '=') {
        list = named;
        return;
    }
    if (list.empty()) list = start;
    std::erase_if(
        list, [&](const std::string& one) { return std::ranges::find(named, one) != named.end(); });
    if (sign == '+') list.insert(list.end(), named.begin(), named.end());
}

std::string qos_flags_text(bool deny_on_limit, bool over_partition_qos) {
    std::vector<std::string> flags;
    if (deny_on_limit) flags.emplace_back("DenyOnLimit");
    if (over_partition_qos) flags.emplace_back("OverPartQOS");
    return join(flags, ",");
}

Error unknown(const Option& option) {
    if (is_unbuilt_limit(option.name)) {
        return invalid_argument(" " + option.word.substr(0, option.word.find('=')) +
                                " is not supported yet: " + option.word);
    }
    return invalid_argument(" Unknown option: " + option.word);
}

std::string settings_text(const Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings)
        text += "  " + padded(name, 13) + " = " + value + "\n";
    return text;
}

// What accounts and users in accounts have in common. False: not one of these options.
template <class Owner>
Result<bool> set_common(Owner& owner, const Option& option, Settings& settings) {
    if (is_one_of(option.name, {"fairshare", "shares", "share"})) {
        // `sacctmgr dump` of Slurm writes its constant for it.
        const bool is_constant = option.value == "2147483647";
        owner.shares_of_parent = iequals(option.value, "parent") || is_constant;
        const auto shares = parse_int64(option.value);
        if (!owner.shares_of_parent && (!shares.ok() || shares.value() < 0))
            return invalid_argument(" Bad Fairshare value: " + option.value);
        owner.shares = owner.shares_of_parent ? 1 : shares.value();
        settings["Fairshare"] = option.value;
        return true;
    }
    if (option.name == "priority") {
        const auto priority = parse_int64(option.value);
        if (!priority.ok()) return invalid_argument(" Bad Priority value: " + option.value);
        owner.priority.reset();
        if (priority.value() >= 0) owner.priority = priority.value();
        settings["Priority"] = option.value;
        return true;
    }
    if (is_one_of(option.name, {"qos", "qoslevel"})) {
        change_list(owner.qos, option);
        settings["QOS"] = join(owner.qos, ",");
        return true;
    }
    if (is_one_of(option.name, {"defaultqos", "defqos"})) {
        owner.default_qos = option.value == "-1" ? "" : to_lower(option.value);
        settings["DefQOS"] = owner.default_qos;
        return true;
    }
    const LimitKey* key = find_limit_key(option.name, kOfAssociation);
    if (key == nullptr) return false;
    BERTH_CHECK(set_limit(owner.limits, *key, option.value));
    settings[std::string(key->name())] = limit_text(owner.limits, *key);
    return true;
}

template Result<bool> set_common(AccountSpec&, const Option&, Settings&);
template Result<bool> set_common(AssociationSpec&, const Option&, Settings&);

CommandWords words_of(const std::vector<std::string>& words) {
    CommandWords read;
    for (const std::string& word : words) {
        if (iequals(word, "where")) {
            read.has_set = false;
        } else if (iequals(word, "set")) {
            read.has_set = true;
        } else if (const auto option = key_value_option(word)) {
            const bool name = is_one_of(option->name, {"name", "names"});
            if (name && !read.has_set) {
                for (std::string& one : lower_case_list(option->value)) read.names.push_back(one);
            } else {
                (read.has_set ? read.set : read.where).push_back(*option);
            }
        } else {
            for (std::string& one : lower_case_list(word)) read.names.push_back(one);
        }
    }
    read.has_set = read.has_set || !read.set.empty();
    return read;
}

// Preempt=, PreemptMode=, GraceTime=, PreemptExemptTime=; false: not one of these.
Result<bool> set_preemption(QosSpec& qos, const Option& option, Settings& settings) {
    if (option.name == "preempt") {
        change_list(qos.preempt, option, {});
        settings["Preempt"] = join(qos.preempt, ",");
        return true;
    }
    if (option.name == "preemptmode") {
        // OFF of a QOS is the cluster's, as in Slurm.
        const bool off = iequals(option.value, "off") || option.value == "-1";
        const Status set = set_preempt_mode(qos, off ? "cluster" : option.value);
        if (!set.ok()) {
            return invalid_argument(" Bad Preempt Mode given: " + option.word +
                                    "\nsacctmgr: " + set.error().message);
        }
        const std::string text = qos_preempt_mode_text(qos);
        if (!text.empty()) settings["PreemptMode"] = text;
        return true;
    }
    if (option.name == "gracetime") {
        if (!set_grace_time(qos, option.value).ok()) {
            return invalid_argument("sacctmgr: error: Invalid value for GraceTime (" +
                                    option.value + ")\n You didn't give me anything to set");
        }
        settings["GraceTime"] = std::to_string(qos.grace_time / std::chrono::seconds(1));
        return true;
    }
    if (option.name == "preemptexempttime") {
        if (!set_preempt_exempt(qos, option.value).ok())
            return invalid_argument(" Bad PreemptExemptTime format: " + option.word);
        if (qos.preempt_exempt)
            settings["PreemptExemptTime"] = format_duration(*qos.preempt_exempt);
        return true;
    }
    return false;
}

Result<bool> set_qos_option(QosSpec& qos, const Option& option, Settings& settings) {
    if (option.name == "priority") {
        const auto priority = parse_int64(option.value);
        if (!priority.ok() || priority.value() < 0)
            return invalid_argument(" Bad Priority value: " + option.value);
        qos.priority = priority.value();
        settings["Priority"] = option.value;
        return true;
    }
    if (option.name == "description") {
        qos.description = to_lower(option.value);
        return true;
    }
    if (option.name == "flags") {
        std::vector<std::string> flags = {"normal"};
        if (qos.deny_on_limit) flags.emplace_back("denyonlimit");
        if (qos.over_partition_qos) flags.emplace_back("overpartqos");
        change_list(flags, option);
        std::erase(flags, "normal");
        std::erase(flags, "-1");
        qos.deny_on_limit = std::erase(flags, "denyonlimit") > 0;
        qos.over_partition_qos = std::erase(flags, "overpartqos") > 0;
        if (!flags.empty())
            return invalid_argument(" Flag " + flags.front() + " of a QOS is not supported yet");
        settings["Flags"] = qos_flags_text(qos.deny_on_limit, qos.over_partition_qos);
        return true;
    }
    BERTH_TRY(const bool is_preemption, set_preemption(qos, option, settings));
    if (is_preemption) return true;
    if (is_one_of(option.name, {"maxwall", "maxwalldurationperjob", "maxwallpj"})) {
        const auto limit = parse_time_limit(option.value);
        if (!limit.ok()) return invalid_argument(" Bad MaxWall value: " + option.value);
        qos.max_wall = limit.value();
        settings["MaxWall"] = qos.max_wall ? format_duration(*qos.max_wall) : "";
        return true;
    }
    if (option.name == "usagefactor") {
        const std::size_t dot = option.value.find('.');
        std::string fraction = dot == std::string::npos ? "" : option.value.substr(dot + 1);
        fraction.resize(6, '0');
        const auto all = parse_int64(option.value.substr(0, dot) + fraction);
        if (!all.ok() || all.value() < 0)
            return invalid_argument(" Bad UsageFactor value: " + option.value);
        qos.usage_factor = Ppm(all.value());
        settings["UsageFactor"] = option.value;
        return true;
    }
    const LimitKey* key = find_limit_key(option.name, kOfQos);
    if (key == nullptr) return false;
    BERTH_CHECK(set_limit(qos.limits, *key, option.value));
    settings[std::string(key->name())] = limit_text(qos.limits, *key);
    return true;
}

}  // namespace berth::slurm
