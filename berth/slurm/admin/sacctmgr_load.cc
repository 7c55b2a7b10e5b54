#include "berth/slurm/admin/sacctmgr_load.h"

#include <algorithm>
#include <map>
#include <set>

#include "berth/base/text.h"
#include "berth/model/account_name.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/limit_keys.h"
#include "berth/slurm/admin/association_file.h"
#include "berth/slurm/admin/edits_in_parts.h"
#include "berth/slurm/admin/sacctmgr_specs.h"

namespace berth::slurm {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;  // Name and value, as printed.

template <class Spec>
Fields common_fields(const Spec& spec) {
    Fields all = {
        {"fairshare", spec.shares_of_parent ? "parent" : std::to_string(spec.shares)},
        {"Priority", spec.priority ? std::to_string(*spec.priority) : ""},
        {"QOS", join(spec.qos, ",")},
        {"Default QOS", spec.default_qos},
    };
    for (const LimitKey& key : limit_keys()) {
        if ((key.of & kOfAssociation) != 0)
            all.emplace_back(key.name(), limit_text(spec.limits, key));
    }
    return all;
}

Fields fields_of(const AccountSpec& spec) {
    Fields all = common_fields(spec);
    all.emplace_back("Parent", spec.parent);
    const auto or_name = [&](const std::string& text) { return text.empty() ? spec.name : text; };
    all.emplace_back("Description", or_name(spec.description));
    all.emplace_back("Organization", or_name(spec.organization));
    all.emplace_back("Coordinators", join(spec.coordinators, ","));
    return all;
}

Fields fields_of(const AssociationSpec& spec) {
    Fields all = common_fields(spec);
    all.emplace_back("Default Account", spec.is_default ? spec.account : "");
    return all;
}

// " Changed fairshare             for Account bio               40 -> 41"
std::string changes_text(const char* what, const std::string& name, const Fields& old,
                         const Fields& now) {
    std::string text;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (old[i].second == now[i].second) continue;
        const auto shown = [](const std::string& value) {
            return value.empty() ? "(null)" : value;
        };
        std::string before = shown(old[i].second);
        if (before.size() < 8) before.insert(0, 8 - before.size(), ' ');
        text += " Changed " + padded(now[i].first, 20) + " for " + padded(what, 7) + " " +
                padded(name, 10) + " " + before + " -> " + shown(now[i].second) + "\n";
    }
    return text;
}

template <class Spec>
api::AssociationRow common_row(const Spec& spec) {
    api::AssociationRow row{.shares = spec.shares,
                            .shares_of_parent = spec.shares_of_parent,
                            .priority = spec.priority,
                            .qos = spec.qos,
                            .default_qos = spec.default_qos};
    row.limits = spec.limits;
    return row;
}

class Loader {
public:
    Loader(const AccountingView& view, const LoadOptions& options)
        : view_(view), options_(options) {
        for (const api::AssociationRow& row : view.associations) {
            rows_.emplace(Key{row.account, row.user}, &row);
            if (row.user.empty()) {
                accounts_.emplace(row.account, account_of(row));
            } else {
                users_.emplace(Key{row.account, row.user}, association_of(row));
                if (row.admin_level == "Operator") operators_.insert(row.user);
            }
        }
    }

    Result<LoadPlan> run(std::string_view file) {
        BERTH_TRY(const std::vector<AssociationLine> lines, read_association_file(file));
        for (const AssociationLine& line : lines) BERTH_CHECK(take(line));
        if (!has_cluster_) return no_cluster();
        choose_defaults();
        choose_coordinators();
        if (!problems_.empty() && !options_.lenient)
            return invalid_argument(problems_text() + " Nothing was changed.");
        return plan();
    }

private:
    using Key = std::pair<std::string, std::string>;  // Account, user.
    struct Chosen {
        std::string account;
        std::size_t line = 0;
    };

    static Error no_cluster() {
        return invalid_argument(
            " You need to specify a cluster name first with 'Cluster - $NAME' in your file");
    }
    void problem(const std::string& what, std::size_t line) { problems_.push_back({line, what}); }
    std::string problems_text() const {
        std::string text;
        for (const LoadProblem& one : problems_)
            text += one.what + "\n Problem with line(" + std::to_string(one.line) + ")\n";
        return text;
    }

    // An error ends the reading: what is below would be about something else.
    Status take(const AssociationLine& line) {
        if (line.kind == AssociationLineKind::cluster) return take_cluster(line);
        if (!has_cluster_) return no_cluster();
        switch (line.kind) {
            case AssociationLineKind::parent: return take_parent(line);
            case AssociationLineKind::account: return take_account(line);
            default: take_user(line);
        }
        return Done{};
    }

    Status take_cluster(const AssociationLine& line) {
        const std::string at = " line(" + std::to_string(line.number) + ") ";
        if (has_cluster_) return invalid_argument(at + "You can only add one cluster at a time.");
        has_cluster_ = true;
        const std::string& named = options_.cluster.empty() ? line.name : options_.cluster;
        if (!iequals(named, view_.cluster)) {
            return invalid_argument(at + "This file is of cluster " + named +
                                    ", and this cluster is " + view_.cluster +
                                    ". To load it all the same, add cluster=" + view_.cluster);
        }
        for (const Option& option : line.options) {
            if (is_one_of(option.name, {"fairshare", "shares", "classification"})) continue;
            if (!is_one_of(option.name, {"qos", "qoslevel"})) {
                problem(
                    " Berth has no limits of a cluster; give them to its accounts: " + option.word,
                    line.number);
                continue;
            }
            AccountSpec all;
            if (set(all, option, line.number)) cluster_qos_ = all.qos;
        }
        return Done{};
    }

    Status take_parent(const AssociationLine& line) {
        const bool is_there =
            options_.clean ? named_accounts_.contains(line.name) : accounts_.contains(line.name);
        if (line.name != "root" && !is_there) {
            return invalid_argument(" line(" + std::to_string(line.number) +
                                    ") You need to add this parent (" + line.name +
                                    ") as a child before you can add children to it.");
        }
        parent_ = line.name;
        return Done{};
    }

    Status take_account(const AssociationLine& line) {
        if (line.name == "root" || !is_accounting_name(line.name)) {
            problem(" Account - '" + line.name + "' is no name for an account", line.number);
            return Done{};
        }
        if (lies_beneath(parent_, line.name)) {
            return invalid_argument(" line(" + std::to_string(line.number) + ") Account " +
                                    line.name + " would be beneath itself");
        }
        named_accounts_.insert(line.name);
        const auto at = accounts_.find(line.name);
        AccountSpec spec;
        if (at != accounts_.end() && !options_.clean) spec = at->second;
        spec.name = line.name;
        spec.parent = parent_;
        for (const Option& option : line.options) {
            const std::string own = option.value == line.name ? "" : to_lower(option.value);
            if (option.name == "description") {
                spec.description = own;
            } else if (is_one_of(option.name, {"organization", "org"})) {
                spec.organization = own;
            } else {
                set(spec, option, line.number);
            }
        }
        if (parent_ == "root" && spec.qos.empty()) spec.qos = cluster_qos_;
        check_default_qos(spec, line.number);
        accounts_[line.name] = std::move(spec);
        return Done{};
    }

    // Whether it is the other account, or below it.
    bool lies_beneath(std::string account, const std::string& other) const {
        for (std::size_t steps = 0; steps <= accounts_.size(); ++steps) {
            if (account == other) return true;
            const auto at = accounts_.find(account);
            if (at == accounts_.end() || account == "root") return false;
            account = at->second.parent;
        }
        return true;
    }

    // What the controller would refuse with all that is beside it.
    template <class Spec>
    void check_default_qos(Spec& spec, std::size_t line) {
        if (spec.default_qos.empty() || spec.qos.empty()) return;
        if (std::ranges::find(spec.qos, spec.default_qos) != spec.qos.end()) return;
        problem(
            " DefaultQOS='" + spec.default_qos + "' is not among QOS='" + join(spec.qos, ",") + "'",
            line);
        spec.default_qos.clear();
    }

    void take_user(const AssociationLine& line) {
        if (!is_accounting_name(line.name))
            return problem(" User - '" + line.name + "' is no name for a user", line.number);
        const Key key{parent_, line.name};
        const bool is_named = !named_users_.insert(key).second;
        const bool of_partition = std::ranges::any_of(line.options, [](const Option& option) {
            return option.name == "partition" && !option.value.empty();
        });
        AssociationSpec spec = user_so_far(key, is_named, of_partition);
        const AssociationSpec before = spec;
        take_options(line, spec);
        // What a user may in a partition says nothing of the account as a whole.
        if (of_partition && is_named) spec = before;
        if (of_partition && !is_named) of_partitions_.insert(key);
        if (parent_ == "root" && spec.qos.empty()) spec.qos = cluster_qos_;
        check_default_qos(spec, line.number);
        users_[key] = std::move(spec);
    }

    // What the file has said of the user, or what there was before it. The line of the account as a
    // whole begins anew after those of partitions.
    AssociationSpec user_so_far(const Key& key, bool is_named, bool of_partition) {
        const bool begins_anew = !of_partition && of_partitions_.erase(key) > 0;
        if (is_named && !begins_anew) return users_[key];
        const api::AssociationRow* const row = row_before(key.first, key.second);
        if (row != nullptr && !options_.clean) return association_of(*row);
        return {.account = key.first, .user = key.second};
    }

    void take_options(const AssociationLine& line, AssociationSpec& spec) {
        for (const Option& option : line.options) {
            if (is_one_of(option.name, {"defaultaccount", "defaccount"})) {
                default_accounts_[line.name] = {to_lower(option.value), line.number};
            } else if (option.name == "adminlevel") {
                set_level(line, to_lower(option.value));
            } else if (option.name == "coordinator") {
                for (const std::string& account : lower_case_list(option.value))
                    coordinated_[{account, line.name}] = line.number;
            } else if (is_one_of(option.name, {"partition", "defaultwckey", "wckeys", "wckey"})) {
                if (!option.value.empty()) {
                    problem(" " + option.word.substr(0, option.word.find('=')) +
                                " of a user is not supported yet: " + option.word,
                            line.number);
                }
            } else {
                set(spec, option, line.number);
            }
        }
    }

    void set_level(const AssociationLine& line, const std::string& level) {
        if (line.name == "root") return;  // Root is the administrator.
        if (!is_one_of(level, {"none", "notset", "operator"})) {
            return problem(
                " AdminLevel='" + level + "' should be None or Operator; root is the administrator",
                line.number);
        }
        levels_[line.name] = level == "operator";
    }

    template <class Spec>
    bool set(Spec& spec, const Option& option, std::size_t line) {
        const bool is_qos = is_one_of(option.name, {"qos", "qoslevel"});
        const bool is_delta = option.value.starts_with('+') || option.value.starts_with('-');
        if (is_qos && is_delta && option.value != "-1" && spec.qos.empty())
            spec.qos = qos_above(parent_);
        Settings settings;
        const Result<bool> known = set_common(spec, option, settings);
        if (!known.ok() || !*known) {
            problem(known.ok() ? unknown(option).message : known.error().message, line);
            return false;
        }
        if (is_qos) return check_qos(spec.qos, line);
        if (!is_one_of(option.name, {"defaultqos", "defqos"}) || spec.default_qos.empty())
            return true;
        std::vector<std::string> named = {spec.default_qos};
        if (check_qos(named, line)) return true;
        spec.default_qos.clear();
        return false;
    }

    // Names that are not there leave the list.
    bool check_qos(std::vector<std::string>& named, std::size_t line) {
        const std::size_t before = named.size();
        std::erase_if(named, [&](const std::string& name) {
            if (std::ranges::find(view_.qos, name, &api::QosRow::name) != view_.qos.end())
                return false;
            std::vector<std::string> names(view_.qos.size());
            std::ranges::transform(view_.qos, names.begin(), &api::QosRow::name);
            problem("sacctmgr: error: You gave a bad qos '" + name + "'. Valid QOS's are " +
                        join(names, ","),
                    line);
            return true;
        });
        return named.size() == before;
    }

    std::vector<std::string> qos_above(std::string account) const {
        for (std::size_t depth = 0; depth < 64; ++depth) {
            const auto at = accounts_.find(account);
            if (at == accounts_.end()) break;
            if (!at->second.qos.empty()) return at->second.qos;
            account = at->second.parent;
        }
        return cluster_qos_;
    }

    // Once all accounts are read: the file has users before accounts.
    void choose_coordinators() {
        for (const auto& [one, line] : coordinated_) {
            const auto& [account, user] = one;
            if (account.empty()) continue;
            const auto at = accounts_.find(account);
            const bool is_kept = !options_.clean || named_accounts_.contains(account);
            if (at == accounts_.end() || !is_kept || account == "root") {
                std::string text = " Coordinator='";
                text.append(account).append("' of user ").append(user).append(": no such account");
                problem(text, line);
                continue;
            }
            named_accounts_.insert(account);
            std::vector<std::string>& all = at->second.coordinators;
            if (std::ranges::find(all, user) == all.end()) all.push_back(user);
            std::ranges::sort(all);
        }
    }

    void choose_defaults() {
        std::erase_if(default_accounts_, [&](const auto& one) {
            const auto& [user, chosen] = one;
            if (users_.contains({chosen.account, user})) return false;
            problem(" DefaultAccount='" + chosen.account + "': user " + user +
                        " is not in this account",
                    chosen.line);
            return true;
        });
        for (auto& [key, spec] : users_) {
            const auto chosen = default_accounts_.find(key.second);
            if (chosen != default_accounts_.end())
                spec.is_default = key.first == chosen->second.account;
        }
    }

    const api::AssociationRow* row_before(const std::string& account,
                                          const std::string& user) const {
        const auto at = rows_.find({account, user});
        return at == rows_.end() ? nullptr : at->second;
    }

    LoadPlan plan() {
        LoadPlan made;
        made.accounts = made.users = {view_.cluster, view_.host, {}, view_.qos};
        AccountingEdits edits;
        if (options_.clean) remove_unnamed(edits, made.changes);
        for (const auto& [name, spec] : accounts_) {
            if (!named_accounts_.contains(name)) continue;
            const api::AssociationRow* const before = row_before(name, "");
            if (before == nullptr) {
                made.accounts.associations.push_back(account_row(spec));
            } else {
                const std::string text =
                    changes_text("Account", name, fields_of(account_of(*before)), fields_of(spec));
                if (text.empty()) continue;
                made.changes += text;
            }
            edits.accounts.push_back(spec);
        }
        for (const auto& [key, spec] : users_) {
            const api::AssociationRow* const before = row_before(key.first, key.second);
            const bool is_named = named_users_.contains(key);
            if (options_.clean && !is_named) continue;
            if (before == nullptr) {
                made.users.associations.push_back(user_row(spec));
            } else {
                const std::string text = changes_text(
                    "User", key.second, fields_of(association_of(*before)), fields_of(spec));
                if (text.empty()) continue;
                made.changes += text;
            }
            edits.associations.push_back(spec);
        }
        set_levels(edits, made.changes);
        made.edits = edits_in_parts(std::move(edits), accounts_);
        made.problems = problems_;
        return made;
    }

    void remove_unnamed(AccountingEdits& edits, std::string& changes) const {
        for (const api::AssociationRow& row : view_.associations) {
            if (!row.user.empty()) {
                if (named_users_.contains({row.account, row.user})) continue;
                edits.removed_associations.emplace_back(row.account, row.user);
                changes += " Removed User " + row.user + " from Account " + row.account + "\n";
            } else if (row.account != "root" && !named_accounts_.contains(row.account)) {
                edits.removed_accounts.push_back(row.account);
                changes += " Removed Account " + row.account + "\n";
            }
        }
    }

    void set_levels(AccountingEdits& edits, std::string& changes) const {
        for (const auto& [user, is_operator] : levels_) {
            const bool was = operators_.contains(user);
            if (was == is_operator) continue;
            edits.levels.push_back({user, is_operator});
            changes += changes_text("User", user, {{"Admin Level", was ? "Operator" : "None"}},
                                    {{"Admin Level", is_operator ? "Operator" : "None"}});
        }
    }

    static api::AssociationRow account_row(const AccountSpec& spec) {
        api::AssociationRow row = common_row(spec);
        row.account = spec.name;
        row.parent = spec.parent;
        row.description = spec.description;
        row.organization = spec.organization;
        return row;
    }
    static api::AssociationRow user_row(const AssociationSpec& spec) {
        api::AssociationRow row = common_row(spec);
        row.account = row.parent = spec.account;
        row.user = spec.user;
        row.is_default = spec.is_default;
        return row;
    }

    const AccountingView& view_;
    const LoadOptions& options_;
    std::map<Key, const api::AssociationRow*> rows_;  // As they are; of an account, without a user.
    std::set<std::string> operators_;
    std::map<std::string, AccountSpec> accounts_;  // As they will be; those not named stay.
    std::map<Key, AssociationSpec> users_;
    std::set<std::string> named_accounts_;  // By the file.
    std::set<Key> named_users_;
    std::set<Key> of_partitions_;  // Of them: those of whom only lines of partitions were read.
    std::map<std::string, Chosen> default_accounts_;  // By user.
    std::map<Key, std::size_t> coordinated_;          // Account and coordinator: the line.
    std::map<std::string, bool> levels_;              // By user: whether an operator.
    std::vector<std::string> cluster_qos_;
    std::string parent_ = "root";
    std::vector<LoadProblem> problems_;
    bool has_cluster_ = false;
};

}  // namespace

Result<LoadPlan> plan_load(const AccountingView& view, std::string_view file,
                           const LoadOptions& options) {
    return Loader(view, options).run(file);
}

}  // namespace berth::slurm
