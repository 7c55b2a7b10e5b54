#include "berth/slurm/admin/sacctmgr_coordinators.h"

#include <algorithm>
#include <set>

#include "berth/model/invalid_argument.h"
#include "berth/slurm/admin/sacctmgr_options.h"
#include "berth/slurm/admin/sacctmgr_specs.h"

namespace berth::slurm {
namespace {

struct Named {
    std::vector<std::string> users, accounts;
};

Result<Named> named_in(const std::vector<std::string>& words) {
    CommandWords read = words_of(words);
    Named named{.users = std::move(read.names)};
    for (const Option& option : read.where) {
        const std::vector<std::string> listed = lower_case_list(option.value);
        if (is_one_of(option.name, {"account", "accounts"})) {
            named.accounts.insert(named.accounts.end(), listed.begin(), listed.end());
        } else if (is_one_of(option.name, {"user", "users"})) {
            named.users.insert(named.users.end(), listed.begin(), listed.end());
        } else {
            return unknown(option);
        }
    }
    return named;
}

std::string lines_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += "  " + name + "\n";
    return text;
}

bool is_user(const AccountingView& view, const std::string& name) {
    return std::ranges::find(view.associations, name, &api::AssociationRow::user) !=
           view.associations.end();
}

}  // namespace

Result<Intent> parse_add_coordinators(const AccountingView& view,
                                      const std::vector<std::string>& words) {
    BERTH_TRY(const Named named, named_in(words));
    if (named.users.empty()) return invalid_argument(" You need to specify a user list here.");
    if (named.accounts.empty())
        return invalid_argument(" You need to specify a account list here.");
    for (const std::string& user : named.users) {
        if (!is_user(view, user)) return invalid_argument(" User '" + user + "' is in no account.");
    }
    Intent intent{.text = " Adding Coordinator User(s)\n" + lines_of(named.users) +
                          " To Account(s) and all sub-accounts\n" + lines_of(named.accounts),
                  .problem = " Problem adding coordinator: "};
    for (const std::string& account : named.accounts) {
        const api::AssociationRow* const row = find_row(view, account, "");
        if (row == nullptr || account == "root")
            return invalid_argument(" Account '" + account + "' doesn't exist, or is root.");
        AccountSpec changed = account_of(*row);
        std::set<std::string> all(changed.coordinators.begin(), changed.coordinators.end());
        all.insert(named.users.begin(), named.users.end());
        if (all.size() == changed.coordinators.size()) continue;
        changed.coordinators.assign(all.begin(), all.end());
        intent.edits.accounts.push_back(std::move(changed));
    }
    if (intent.edits.empty()) return invalid_argument(" Nothing new added.");
    return intent;
}

Result<Intent> parse_delete_coordinators(const AccountingView& view,
                                         const std::vector<std::string>& words) {
    BERTH_TRY(const Named named, named_in(words));
    if (named.users.empty() && named.accounts.empty())
        return invalid_argument(" You need to specify a user list or account list here.");
    Intent intent{.text = " Removing Coordinators (sub accounts not listed)...\n",
                  .problem = " Error with request: "};
    for (const api::AssociationRow& row : view.associations) {
        if (!row.user.empty() || !is_selected(named.accounts, row.account)) continue;
        AccountSpec changed = account_of(row);
        std::erase_if(changed.coordinators, [&](const std::string& user) {
            if (!is_selected(named.users, user)) return false;
            intent.text += "  U = " + padded(user, 9) + " A = " + padded(row.account, 10) + "\n";
            return true;
        });
        if (changed.coordinators.size() < row.coordinators.size())
            intent.edits.accounts.push_back(std::move(changed));
    }
    if (intent.edits.empty()) return invalid_argument(" Nothing removed");
    return intent;
}

}  // namespace berth::slurm
