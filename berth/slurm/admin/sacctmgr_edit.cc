#include "berth/slurm/admin/sacctmgr_edit.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/qos_preemption.h"
#include "berth/slurm/admin/sacctmgr_options.h"
#include "berth/slurm/admin/sacctmgr_specs.h"

namespace berth::slurm {
namespace {

QosSpec qos_of(const api::QosRow& row) {
    QosSpec one{.name = row.name, .priority = row.priority, .max_wall = row.max_wall};
    one.usage_factor = Ppm(row.usage_factor_ppm);
    one.limits = row.limits;
    one.deny_on_limit = row.deny_on_limit;
    one.over_partition_qos = row.over_partition_qos;
    one.description = row.description;
    one.preempt = row.preempt;
    if (!row.preempt_mode.empty()) (void)set_preempt_mode(one, row.preempt_mode);  // As it gave it.
    one.grace_time = row.grace_time;
    one.preempt_exempt = row.preempt_exempt;
    return one;
}

// ---- add

Result<Intent> add_accounts(const AccountingView& view, const CommandWords& words) {
    Intent intent{.problem = " Problem adding accounts: "};
    AccountSpec wanted{.parent = "root"};
    Settings settings;
    std::string description = "Account Name", organization = "Parent/Account Name";
    for (const Option& option : words.where) {
        if (option.name == "description") {
            description = wanted.description = to_lower(option.value);
        } else if (is_one_of(option.name, {"organization", "org"})) {
            organization = wanted.organization = to_lower(option.value);
        } else if (is_one_of(option.name, {"parent", "parents"})) {
            wanted.parent = to_lower(option.value);
            settings["Parent"] = wanted.parent;
        } else if (!is_one_of(option.name, {"cluster", "clusters"})) {
            BERTH_TRY(const bool known, set_common(wanted, option, settings));
            if (!known) return unknown(option);
        }
    }
    if (words.names.empty()) return invalid_argument(" Need name of account to add.");
    if (wanted.parent != "root" && find_row(view, wanted.parent, "") == nullptr) {
        return invalid_argument(" Parent account '" + wanted.parent +
                                "' doesn't exist on cluster " + view.cluster +
                                "\n        Contact your admin to add this account.\n"
                                " No associations created.");
    }
    std::string names, associations;
    for (const std::string& name : words.names) {
        if (find_row(view, name, "") != nullptr) continue;
        wanted.name = name;
        intent.edits.accounts.push_back(wanted);
        names += "  " + name + "\n";
        associations += "  A = " + padded(name, 10) + " C = " + padded(view.cluster, 10) + "\n";
    }
    if (intent.edits.accounts.empty()) return invalid_argument(" Nothing new added.");
    intent.text = " Adding Account(s)\n" + names + " Settings\n  Description     = " + description +
                  "\n  Organization    = " + organization + "\n Associations\n" + associations;
    if (!settings.empty()) intent.text += " Settings\n" + settings_text(settings);
    return intent;
}

Status check_accounts(const AccountingView& view, const std::vector<std::string>& accounts) {
    for (const std::string& account : accounts) {
        if (find_row(view, account, "") == nullptr) {
            return invalid_argument(" This account '" + account +
                                    "' doesn't exist.\n"
                                    "        Contact your admin to add this account.\n No "
                                    "associations or wckeys created.");
        }
    }
    return Done{};
}

Result<Intent> users_to_add(const AccountingView& view, const CommandWords& words) {
    Intent intent{.problem = " Problem adding users: "};
    AssociationSpec wanted;
    std::vector<std::string> accounts;
    Settings settings;
    std::string default_account, level;
    for (const Option& option : words.where) {
        if (is_one_of(option.name, {"account", "accounts"})) {
            accounts = lower_case_list(option.value);
        } else if (is_one_of(option.name, {"defaultaccount", "defaccount"})) {
            default_account = to_lower(option.value);
        } else if (option.name == "adminlevel") {
            level = to_lower(option.value);
            if (!is_one_of(level, {"none", "operator"})) {
                return invalid_argument(" AdminLevel=" + option.value +
                                        " should be None or Operator; root is the administrator");
            }
        } else if (!is_one_of(option.name, {"cluster", "clusters"})) {
            BERTH_TRY(const bool known, set_common(wanted, option, settings));
            if (!known) return unknown(option);
        }
    }
    if (words.names.empty()) return invalid_argument(" Need name of user to add.");
    if (accounts.empty() && !default_account.empty()) accounts = {default_account};
    if (accounts.empty()) return invalid_argument(" Need name of account to add user to.");
    BERTH_CHECK(check_accounts(view, accounts));
    std::string users, associations;
    for (const std::string& user : words.names) {
        const bool is_new = std::ranges::none_of(view.associations,
                                                 [&](const auto& row) { return row.user == user; });
        if (is_new) users += "  " + user + "\n";
        for (const std::string& account : accounts) {
            if (find_row(view, account, user) != nullptr) continue;
            wanted.account = account;
            wanted.user = user;
            wanted.is_default = account == default_account;
            intent.edits.associations.push_back(wanted);
            associations += "  U = " + padded(user, 9) + " A = " + padded(account, 10) +
                            " C = " + padded(view.cluster, 10) + "\n";
        }
        if (!level.empty()) intent.edits.levels.push_back({user, level == "operator"});
    }
    if (intent.edits.empty()) return invalid_argument(" Nothing new added.");
    if (!users.empty()) intent.text += " Adding User(s)\n" + users;
    if (!default_account.empty() || !level.empty()) {
        intent.text += " Settings =\n";
        if (!default_account.empty())
            intent.text += "  Default Account = " + default_account + "\n";
        if (!level.empty()) {
            intent.text += std::string("  Admin Level     = ") +
                           (level == "operator" ? "Operator" : "None") + "\n";
        }
    }
    intent.text += " Associations =\n" + associations;
    if (!settings.empty()) intent.text += " Non Default Settings\n" + settings_text(settings);
    return intent;
}

// The names in Preempt= are those of QOS.
Status check_preempted(const AccountingView& view, const QosSpec& qos) {
    for (const std::string& name : qos.preempt) {
        if (std::ranges::find(view.qos, name, &api::QosRow::name) != view.qos.end()) continue;
        std::vector<std::string> names(view.qos.size());
        std::ranges::transform(view.qos, names.begin(), &api::QosRow::name);
        return invalid_argument("sacctmgr: error: You gave a bad qos '" + name +
                                "'. Valid QOS's are " + join(names, ","));
    }
    return Done{};
}

// As Slurm says it, twice. `intent`: what the same command has changed already.
Status check_loops(const AccountingView& view, const QosSpec& changed, const Intent& intent) {
    std::vector<QosSpec> all = intent.edits.qos;
    all.push_back(changed);
    for (const api::QosRow& row : view.qos) {
        if (std::ranges::find(all, row.name, &QosSpec::name) == all.end())
            all.push_back(qos_of(row));
    }
    if (!find_preemption_loop(all)) return Done{};
    const std::string text = "QOS Preemption loop detected";
    return invalid_argument("sacctmgr: error: " + text + "\n" + intent.problem + text);
}

// As sacctmgr prints them: by name, but for one.
std::vector<std::pair<std::string, std::string>> in_order(const Settings& settings) {
    std::vector<std::pair<std::string, std::string>> all(settings.begin(), settings.end());
    std::ranges::stable_sort(all, {}, [](const auto& one) {
        return one.first == "PreemptExemptTime" ? std::string("PreemptModeZ") : one.first;
    });
    return all;
}

Result<Intent> add_qos(const AccountingView& view, const CommandWords& words) {
    Intent intent{.problem = " Problem adding QOS: "};
    QosSpec wanted;
    Settings settings;
    for (const Option& option : words.where) {
        BERTH_TRY(const bool known, set_qos_option(wanted, option, settings));
        if (!known) return unknown(option);
    }
    if (words.names.empty()) return invalid_argument(" Need name of qos to add.");
    BERTH_CHECK(check_preempted(view, wanted));
    std::string names;
    for (const std::string& name : words.names) {
        if (std::ranges::find(view.qos, name, &api::QosRow::name) != view.qos.end()) continue;
        wanted.name = name;
        QosSpec one = wanted;
        if (one.description.empty()) one.description = name;
        intent.edits.qos.push_back(std::move(one));
        names += "  " + name + "\n";
    }
    if (intent.edits.qos.empty()) return invalid_argument(" Nothing new added.");
    intent.text = " Adding QOS(s)\n" + names +
                  " Settings\n  Description    = " + intent.edits.qos.front().description + "\n";
    for (const auto& [name, value] : in_order(settings)) {
        const bool short_one = name.starts_with("MaxJobs") || name.starts_with("MaxSubmit");
        intent.text += "  " + padded(name, short_one ? 14 : 24) + " = " + value + "\n";
    }
    return intent;
}

// ---- modify

Result<Intent> modify_accounts(const AccountingView& view, const CommandWords& words) {
    Intent intent{.text = " Modified account associations...\n",
                  .problem = " Error with request: "};
    for (const api::AssociationRow& row : view.associations) {
        if (!row.user.empty() || row.account == "root") continue;
        if (!words.names.empty() &&
            std::ranges::find(words.names, row.account) == words.names.end())
            continue;
        AccountSpec changed = account_of(row);
        Settings settings;
        for (const Option& option : words.set) {
            if (option.name == "description") {
                changed.description = to_lower(option.value);
            } else if (is_one_of(option.name, {"organization", "org"})) {
                changed.organization = to_lower(option.value);
            } else if (is_one_of(option.name, {"parent", "parents"})) {
                changed.parent = to_lower(option.value);
            } else {
                BERTH_TRY(const bool known, set_common(changed, option, settings));
                if (!known) {
                    return invalid_argument(unknown(option).message +
                                            "\n Use keyword 'where' to modify condition");
                }
            }
        }
        intent.edits.accounts.push_back(std::move(changed));
        intent.text += "  C = " + padded(view.cluster, 10) + " A = " + row.account + " of " +
                       row.parent + "\n";
    }
    return intent;
}

bool is_wanted(const CommandWords& words, const api::AssociationRow& row) {
    if (row.user.empty()) return false;
    if (!words.names.empty() && std::ranges::find(words.names, row.user) == words.names.end())
        return false;
    for (const Option& option : words.where) {
        if (!is_one_of(option.name, {"account", "accounts"})) continue;
        const std::vector<std::string> accounts = lower_case_list(option.value);
        if (std::ranges::find(accounts, row.account) == accounts.end()) return false;
    }
    return true;
}

Result<Intent> modify_users(const AccountingView& view, const CommandWords& words) {
    Intent intent{.text = " Modified user associations...\n", .problem = " Error with request: "};
    for (const api::AssociationRow& row : view.associations) {
        if (!is_wanted(words, row)) continue;
        AssociationSpec changed = association_of(row);
        Settings settings;
        for (const Option& option : words.set) {
            if (is_one_of(option.name, {"defaultaccount", "defaccount"})) {
                changed.is_default = row.account == to_lower(option.value);
            } else if (option.name == "adminlevel") {
                const std::string level = to_lower(option.value);
                if (!is_one_of(level, {"none", "operator"})) {
                    return invalid_argument(" AdminLevel=" + option.value +
                                            ": there are None and Operator");
                }
                intent.edits.levels.push_back({row.user, level == "operator"});
            } else {
                BERTH_TRY(const bool known, set_common(changed, option, settings));
                if (!known) {
                    return invalid_argument(unknown(option).message +
                                            "\n Use keyword 'where' to modify condition");
                }
            }
        }
        intent.edits.associations.push_back(std::move(changed));
        intent.text += "  C = " + padded(view.cluster, 10) + " A = " + padded(row.account, 20) +
                       " U = " + padded(row.user, 9) + "\n";
    }
    return intent;
}

Result<Intent> modify_qos(const AccountingView& view, const CommandWords& words) {
    Intent intent{.text = " Modified qos...\n", .problem = " Error with request: "};
    for (const api::QosRow& row : view.qos) {
        if (!words.names.empty() && std::ranges::find(words.names, row.name) == words.names.end())
            continue;
        QosSpec changed = qos_of(row);
        Settings settings;
        for (const Option& option : words.set) {
            BERTH_TRY(const bool known, set_qos_option(changed, option, settings));
            if (!known) {
                return invalid_argument(unknown(option).message +
                                        "\n Use keyword 'where' to modify condition");
            }
        }
        BERTH_CHECK(check_preempted(view, changed));
        BERTH_CHECK(check_loops(view, changed, intent));
        intent.edits.qos.push_back(std::move(changed));
        intent.text += "  " + row.name + "\n";
    }
    return intent;
}

}  // namespace

Result<Intent> parse_add(const AccountingView& view, Entity entity,
                         const std::vector<std::string>& words) {
    const CommandWords read = words_of(words);
    if (entity == Entity::account) return add_accounts(view, read);
    if (entity == Entity::user) return users_to_add(view, read);
    if (entity == Entity::qos) return add_qos(view, read);
    return invalid_argument(
        " Berth adds neither clusters nor single associations; add an account or a user");
}

Result<Intent> parse_modify(const AccountingView& view, Entity entity,
                            const std::vector<std::string>& words) {
    const CommandWords read = words_of(words);
    if (read.set.empty()) return invalid_argument(" You didn't give me anything to set");
    Result<Intent> intent =
        entity == Entity::account ? modify_accounts(view, read)
        : entity == Entity::user  ? modify_users(view, read)
        : entity == Entity::qos
            ? modify_qos(view, read)
            : Result<Intent>(invalid_argument(" Berth does not modify clusters"));
    if (intent.ok() && intent->edits.empty()) return invalid_argument(" Nothing modified");
    return intent;
}

Result<Intent> parse_delete(const AccountingView& view, Entity entity,
                            const std::vector<std::string>& words) {
    const CommandWords read = words_of(words);
    Intent intent{.problem = " Error with request: "};
    if (read.names.empty() && read.where.empty())
        return invalid_argument(" You didn't set any conditions with 'WHERE'.\n");
    const auto named = [&](const std::string& name) {
        return std::ranges::find(read.names, name) != read.names.end();
    };
    if (entity == Entity::qos) {
        intent.text = " Deleting QOS(s)...\n";
        for (const api::QosRow& row : view.qos) {
            if (!named(row.name)) continue;
            QosSpec gone = qos_of(row);
            gone.gone = true;
            intent.edits.qos.push_back(std::move(gone));
            intent.text += "  " + row.name + "\n";
        }
    } else if (entity == Entity::account) {
        intent.text = " Deleting accounts...\n";
        for (const api::AssociationRow& row : view.associations) {
            if (!row.user.empty() || !named(row.account)) continue;
            intent.edits.removed_accounts.push_back(row.account);
            intent.text += "  " + row.account + "\n";
        }
    } else if (entity == Entity::user) {
        const bool some = !read.where.empty();
        intent.text = some ? " Deleting user associations...\n" : " Deleting users...\n";
        for (const api::AssociationRow& row : view.associations) {
            if (!is_wanted(read, row)) continue;
            const bool again = !intent.edits.removed_associations.empty() &&
                               intent.edits.removed_associations.back().second == row.user;
            intent.edits.removed_associations.emplace_back(row.account, row.user);
            if (some) {
                intent.text += "  C = " + padded(view.cluster, 10) +
                               " A = " + padded(row.account, 10) + " U = " + padded(row.user, 9) +
                               "\n";
            } else if (!again) {
                intent.text += "  " + row.user + "\n";
            }
        }
    }
    if (intent.edits.empty()) return invalid_argument(" Nothing deleted");
    return intent;
}

}  // namespace berth::slurm
