#include "berth/server/submit/job_desc.h"

#include <array>

#include "berth/base/text.h"
#include "berth/control/requests/size_limits.h"
#include "berth/model/account_name.h"
#include "berth/server/submit/desc_fields.h"

namespace berth {
namespace {

using DescOf = JobDesc::Of;

constexpr std::size_t kAccountDepthMost = 64;
constexpr std::size_t kVariablesMost = 1000;  // Set by one call: each goes through all there are.

const AssociationSpec* association_of(const DescOf& of, const std::string& account) {
    const std::string name = account.empty() ? "" : account_name(of.cluster, account);
    for (const AssociationSpec& one : of.cluster.associations) {
        if (one.user != of.who.user) continue;
        if (account.empty() ? one.is_default : one.account == name) return &one;
    }
    return nullptr;
}

// The first of the accounts from this one up to the root for which `what` finds something.
template <class Find>
std::string up_the_tree(const ClusterSpec& cluster, std::string account, Find what) {
    for (std::size_t depth = 0; depth < kAccountDepthMost; ++depth) {
        const auto found = std::ranges::find(cluster.accounts, account, &AccountSpec::name);
        if (found == cluster.accounts.end()) return {};
        if (std::string text = what(*found); !text.empty()) return text;
        account = (*found).parent;
    }
    return {};
}

ScriptValue default_account(const DescOf& of) {
    const AssociationSpec* const found = association_of(of, {});
    return found == nullptr ? ScriptValue() : text_or_nil(found->account);
}
ScriptValue default_qos(const DescOf& of) {
    const AssociationSpec* const found = association_of(of, of.spec.account);
    if (found == nullptr) return {};
    if (!found->default_qos.empty()) return found->default_qos;
    return text_or_nil(up_the_tree(of.cluster, found->account,
                                   [](const AccountSpec& account) { return account.default_qos; }));
}
ScriptValue association_qos(const DescOf& of) {
    const AssociationSpec* const found = association_of(of, of.spec.account);
    if (found == nullptr) return {};
    if (!found->qos.empty()) return join(found->qos, ",");
    return text_or_nil(up_the_tree(of.cluster, found->account, [](const AccountSpec& account) {
        return join(account.qos, ",");
    }));
}

ScriptValue user_id(const DescOf& of) { return std::int64_t{of.who.uid}; }
ScriptValue group_id(const DescOf& of) { return std::int64_t{of.who.gid}; }
ScriptValue user_name(const DescOf& of) { return text_or_nil(of.who.user); }
ScriptValue component(const DescOf& of) { return number_or(of.het_offset, kSlurmNoValue); }

ScriptList words_of(const DescOf& of) {
    const JobCommand& command = *of.spec.command;
    ScriptList words;
    if (!command.script_name.empty()) words.push_back(command.script_name);
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    return words;
}
ScriptValue argument_words(const DescOf& of) {
    ScriptList words = words_of(of);
    if (words.empty()) return {};
    return words;
}
ScriptValue argument_count(const DescOf& of) {
    return static_cast<std::int64_t>(words_of(of).size());
}

bool has_script(const DescOf& of) { return of.het_offset.value_or(0) == 0; }
ScriptValue script_text(const DescOf& of) {
    return has_script(of) ? text_or_nil(of.payload.script) : ScriptValue();
}
Status set_script_text(DescOf& of, const ScriptValue& value) {
    BERTH_TRY(std::string text, given_text(value));
    if (!has_script(of) || of.payload.script.empty())
        return invalid_argument("only a batch job has a script, in its first component");
    if (text.empty()) return invalid_argument("should not be empty: a batch job needs a script");
    of.payload.script = std::move(text);
    return Done{};
}

constexpr auto kSubmissionFields = std::to_array<ScriptField<DescOf>>({
    {"argc", argument_count, nullptr},
    {"argv", argument_words, nullptr},
    {"assoc_qos", association_qos, nullptr},
    {"default_account", default_account, nullptr},
    {"default_qos", default_qos, nullptr},
    {"group_id", group_id, nullptr},
    {"het_job_offset", component, nullptr},
    {"pack_job_offset", component, nullptr},
    {"script", script_text, set_script_text},
    {"user_id", user_id, nullptr},
    {"user_name", user_name, nullptr},
});
constexpr std::string_view kEnvironment = "environment";

template <class Subject>
void add_names(std::vector<std::string_view>& names, std::span<const ScriptField<Subject>> fields,
               bool written) {
    for (const ScriptField<Subject>& field : fields) {
        if (!written || field.write != nullptr) names.push_back(field.name);
    }
}

std::vector<std::string_view> names_of_fields(bool written) {
    std::vector<std::string_view> names{kEnvironment};
    add_names(names, std::span<const ScriptField<DescOf>>(kSubmissionFields), written);
    add_names(names, spec_fields(), written);
    add_names(names, request_fields(), written);
    std::ranges::sort(names);
    return names;
}

bool is_variable(const std::string& entry, std::string_view name) {
    return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

}  // namespace

ScriptValue JobDesc::read(std::string_view field) {
    if (field == kEnvironment) return static_cast<ScriptTable*>(&environment_);
    const auto* const own =
        find_field(std::span<const ScriptField<DescOf>>(kSubmissionFields), field);
    return own != nullptr ? own->read(of_) : read_spec(of_.spec, field);
}

Status JobDesc::write(std::string_view field, const ScriptValue& value) {
    if (const auto* const own =
            find_field(std::span<const ScriptField<DescOf>>(kSubmissionFields), field)) {
        return own->write == nullptr ? unwritable(field) : named(field, own->write(of_, value));
    }
    const auto* const found = find_spec_field(field);
    if (found == nullptr || found->write == nullptr) return unwritable(field);
    return named(field, found->write(of_.spec, value));
}

std::vector<std::string_view> JobDesc::readable() { return names_of_fields(false); }
std::vector<std::string_view> JobDesc::writable() { return names_of_fields(true); }

ScriptValue JobDesc::Environment::read(std::string_view name) {
    for (const std::string& entry : of_.payload.environment) {
        if (is_variable(entry, name)) return entry.substr(name.size() + 1);
    }
    return {};
}

Status JobDesc::Environment::write(std::string_view name, const ScriptValue& value) {
    const std::string field = "environment." + std::string(name.substr(0, 100));
    if (of_.payload.script.empty())
        return named(field, invalid_argument("only a batch job's environment can be set"));
    if (name.empty() || name.find('=') != std::string_view::npos ||
        name.find('\0') != std::string_view::npos) {
        return named(field, invalid_argument("is no name of a variable"));
    }
    const Result<std::string> text = given_text(value);
    if (!text.ok()) return named(field, text.error());
    bytes_ += name.size() + text->size() + 2;
    if (++writes_ > kVariablesMost || bytes_ > kEnvironmentMax) {
        return named(field, invalid_argument("a script may set the environment 1000 times, and "
                                             "1 MiB of it"));
    }
    std::string entry = std::string(name) + '=' + *text;
    std::vector<std::string>& all = of_.payload.environment;
    const auto there =
        std::ranges::find_if(all, [&](const std::string& one) { return is_variable(one, name); });
    if (there != all.end()) {
        *there = std::move(entry);
    } else {
        all.push_back(std::move(entry));
    }
    return Done{};
}

}  // namespace berth
