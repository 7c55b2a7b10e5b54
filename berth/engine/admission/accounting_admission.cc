#include "berth/engine/admission/accounting_admission.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/base/name_index.h"
#include "berth/engine/admission/objection.h"
#include "berth/model/account_name.h"
#include "berth/model/qos_preemption.h"
#include "berth/model/queue_check.h"
#include "berth/model/queue_options.h"

namespace berth {
namespace {

constexpr std::size_t kEditsMax = 40'000;
constexpr std::size_t kDepthMax = 64;

using AccountAndUser = std::pair<std::string_view, std::string_view>;
const auto kEditedName = [](const auto& one) { return std::string_view(one.name); };

// Edits and what they are of are both thousands, so neither is searched for each of the other.
class Editing {
public:
    Editing(const ClusterState& state, AccountingEdits edits)
        : state_(state), edits_(std::move(edits)), after_(state.spec()) {}

    std::variant<AccountingEdits, Refusing> run() {
        Objection no = check_count();
        if (no) return *std::move(no);
        fold_names();
        no = check_names();
        if (!no) no = check_removed();
        if (no) return *std::move(no);
        remove_what_hangs_on();
        set_default_accounts();
        apply_edits(after_, edits_);
        accounts_ = NameIndex(after_.accounts, kEditedName);
        qos_ = NameIndex(after_.qos, kEditedName);
        no = check_tree();
        if (!no) no = check_associations();
        if (!no) no = check_preemption();
        if (!no) no = check_queues();
        if (no) return *std::move(no);
        return std::move(edits_);
    }

private:
    void fold_names() {
        std::vector<std::string*> names;
        for (AccountSpec& one : edits_.accounts) {
            names.push_back(&one.name);
            names.push_back(&one.parent);
        }
        for (AssociationSpec& one : edits_.associations) names.push_back(&one.account);
        for (std::string& name : edits_.removed_accounts) names.push_back(&name);
        for (auto& [account, user] : edits_.removed_associations) names.push_back(&account);
        for (QueueSpec& one : edits_.queues) names.push_back(&one.name);
        for (std::string& name : edits_.removed_queues) names.push_back(&name);
        spell_accounts(after_, names);
    }

    // As it will be.
    bool is_account(std::string_view name) const { return accounts_.contains(name); }
    bool is_qos(std::string_view name) const {
        const auto* const found = qos_.find(name);
        return found != nullptr && !after_.qos[found->first].gone;
    }

    // Whom each QOS preempts, which is checked as it will be.
    Objection check_preemption() const {
        for (const QosSpec& one : edits_.qos) {
            if (one.gone) continue;
            for (const std::string& name : one.preempt) {
                if (is_qos(name)) continue;
                return refuse(Refusal::unknown_qos,
                              "QOS " + one.name + " preempts " + name + ", which is no QOS");
            }
        }
        if (edits_.qos.empty()) return std::nullopt;
        const auto loop = find_preemption_loop(after_.qos);
        if (!loop) return std::nullopt;
        return refuse(Refusal::invalid_request,
                      "QOS Preemption loop detected: " + *loop + " would preempt itself");
    }

    Objection check_count() const {
        const std::size_t all = edits_.accounts.size() + edits_.associations.size() +
                                edits_.qos.size() + edits_.levels.size() +
                                edits_.removed_accounts.size() +
                                edits_.removed_associations.size() + edits_.queues.size() +
                                edits_.removed_queues.size();
        if (all == 0) return refuse(Refusal::nothing_modified, "nothing would change");
        if (all > kEditsMax) {
            return refuse(Refusal::invalid_request, "more than 40000 changes at once");
        }
        return std::nullopt;
    }

    Objection check_names() const {
        const auto wrong = [](std::string_view what, const std::string& name) {
            return refuse(Refusal::invalid_request,
                          "'" + name + "' is no name for " + std::string(what));
        };
        for (const AccountSpec& one : edits_.accounts) {
            if (!is_accounting_name(one.name) || one.name == "root")
                return wrong("an account", one.name);
        }
        for (const AssociationSpec& one : edits_.associations) {
            if (!is_accounting_name(one.user)) return wrong("a user", one.user);
        }
        for (const QosSpec& one : edits_.qos) {
            if (!is_accounting_name(one.name)) return wrong("a QOS", one.name);
        }
        return std::nullopt;
    }

    // A queue of a message may have what no configuration could say.
    static Objection check_options(const QueueSpec& queue) {
        const auto wrong = [&](const std::string& why) {
            return refuse(Refusal::invalid_request, "queue " + queue.name + ": " + why);
        };
        const std::vector<QueueOption> options = options_of(queue);
        if (options.empty()) return wrong("no option is set");
        QueueSpec again{.name = queue.name};
        for (const auto& [option, value] : options) {
            const Status set = set_queue_option(again, option, value);
            if (!set.ok()) return wrong(set.error().message);
        }
        if (again == queue) return std::nullopt;
        return wrong("its options should be as berth.yaml has them");
    }

    // Faults that were there before, as after nodes have gone, are not the edit's.
    Objection check_queues() const {
        if (edits_.queues.empty() && edits_.removed_queues.empty()) return std::nullopt;
        const NameIndex queues(state_.spec().queues, kEditedName);
        for (const std::string& name : edits_.removed_queues) {
            if (!queues.contains(name)) {
                return refuse(Refusal::invalid_request, "queue " + name + " has no quota");
            }
        }
        for (const QueueSpec& one : edits_.queues) {
            if (!is_account(one.name)) {
                return refuse(Refusal::unknown_account,
                              "a queue is an account, and there is no account '" + one.name + "'");
            }
            if (auto no = check_options(one)) return no;
        }
        const std::vector<QueueFault> before = find_queue_faults(state_.spec());
        using Which = std::tuple<std::string_view, std::string_view, std::string_view>;
        const auto which = [](const QueueFault& fault) {
            return Which(fault.queue, fault.option, fault.text);
        };
        std::set<Which> errors;
        for (const QueueFault& fault : before) {
            if (fault.is_error) errors.insert(which(fault));
        }
        for (const QueueFault& fault : find_queue_faults(after_)) {
            if (!fault.is_error || errors.contains(which(fault))) continue;
            return refuse(Refusal::invalid_request, fault.text);
        }
        return std::nullopt;
    }

    // What of that which would go has a job that waits or runs.
    struct InUse {
        std::vector<bool> qos;  // By QosId.
        std::set<std::string_view> accounts;
        std::set<AccountAndUser> associations;
    };

    // All jobs are read once, and not for each thing that would go.
    InUse find_in_use() const {
        InUse used;
        used.qos.resize(state_.spec().qos.size());
        const bool any_gone = std::ranges::any_of(edits_.qos, &QosSpec::gone);
        const std::set<std::string_view> accounts(edits_.removed_accounts.begin(),
                                                  edits_.removed_accounts.end());
        const std::set<AccountAndUser> associations(edits_.removed_associations.begin(),
                                                    edits_.removed_associations.end());
        if (!any_gone && accounts.empty() && associations.empty()) return used;
        const auto note = [&](JobId id) {
            const Job& job = *state_.find_job(id);
            if (job.qos.index() < used.qos.size()) used.qos[job.qos.index()] = true;
            if (accounts.contains(job.spec.account)) used.accounts.insert(job.spec.account);
            const AccountAndUser name(job.spec.account, job.owner->user);
            if (associations.contains(name)) used.associations.insert(name);
        };
        std::ranges::for_each(state_.index().pending(), note);
        std::ranges::for_each(state_.index().holding(), note);
        return used;
    }

    Objection check_partition_qos(const std::string& qos) const {
        for (const PartitionSpec& partition : state_.spec().partitions) {
            if (partition.gone || partition.qos != qos) continue;
            return refuse(Refusal::in_use, "QOS " + qos + " is that of partition " +
                                               partition.name +
                                               "; give the partition another one first");
        }
        return std::nullopt;
    }

    // Accounts and QOS that pending or running jobs use cannot be removed.
    Objection check_removed() const {
        const InUse used = find_in_use();
        for (const QosSpec& one : edits_.qos) {
            if (!one.gone) continue;
            const auto id = state_.spec().find_qos(one.name);
            if (!id) return refuse(Refusal::unknown_qos, "there is no QOS '" + one.name + "'");
            if (id->index() == 0) {
                return refuse(Refusal::not_supported, "QOS " + one.name + " is always there");
            }
            if (used.qos[id->index()]) return in_use("QOS " + one.name);
            if (auto no = check_partition_qos(one.name)) return no;
        }
        if (!edits_.removed_accounts.empty()) {
            const NameIndex accounts(after_.accounts, kEditedName);
            for (const std::string& name : edits_.removed_accounts) {
                if (!accounts.contains(name)) {
                    return refuse(Refusal::unknown_account, "there is no account '" + name + "'");
                }
                if (used.accounts.contains(name)) return in_use("account " + name);
            }
        }
        for (const auto& [name, user] : edits_.removed_associations) {
            if (used.associations.contains(AccountAndUser(name, user))) {
                return in_use(("user " + user).append(" in account ").append(name));
            }
        }
        return std::nullopt;
    }

    static Refusing in_use(const std::string& what) {
        return refuse(Refusal::in_use, "jobs of " + what + " wait or run: cancel them first");
    }

    void remove_what_hangs_on() {
        const std::set<std::string_view> accounts(edits_.removed_accounts.begin(),
                                                  edits_.removed_accounts.end());
        if (!accounts.empty()) {
            for (const AssociationSpec& one : after_.associations) {
                if (accounts.contains(one.account))
                    edits_.removed_associations.emplace_back(one.account, one.user);
            }
        }
        drop_gone_qos();
    }

    // From what the QOS that are not edited preempt.
    void drop_gone_qos() {
        std::set<std::string, std::less<>> edited, gone;
        for (const QosSpec& edit : edits_.qos) {
            edited.insert(edit.name);
            if (edit.gone) gone.insert(edit.name);
        }
        if (gone.empty()) return;
        for (const QosSpec& one : after_.qos) {
            if (edited.contains(one.name)) continue;
            QosSpec left = one;
            const auto goes = [&](const std::string& name) { return gone.contains(name); };
            if (std::erase_if(left.preempt, goes) == 0) continue;
            edited.insert(left.name);
            if (left.gone) gone.insert(left.name);
            edits_.qos.push_back(std::move(left));
        }
    }

    // Every user has one default account: the one that was named, else the first that is left.
    void set_default_accounts() {
        std::vector<std::string_view> users;
        users.reserve(edits_.associations.size() + edits_.removed_associations.size());
        for (const AssociationSpec& one : edits_.associations) users.push_back(one.user);
        for (const auto& [name, user] : edits_.removed_associations) users.push_back(user);
        if (users.empty()) return;
        ClusterSpec then = after_;
        apply_edits(then, edits_);
        const NameIndex named(users, [](std::string_view user) { return user; });
        std::vector<std::optional<std::string_view>> wanted(named.size());  // By user.
        const auto number_of = [&](const AssociationSpec& one) {
            const auto* const entry = named.find(one.user);
            return entry == nullptr ? std::optional<std::size_t>() : named.number_of(*entry);
        };
        for (const AssociationSpec& one : edits_.associations) {
            if (one.is_default) wanted[*number_of(one)] = one.account;
        }
        struct Held {
            std::size_t user;
            const AssociationSpec* association;
        };
        std::vector<Held> held;  // What these users have then.
        for (const AssociationSpec& one : then.associations) {
            if (const auto user = number_of(one)) held.push_back({*user, &one});
        }
        for (const auto& [user, one] : held) {
            if (one->is_default && !wanted[user]) wanted[user] = one->account;
        }
        for (const auto& [user, one] : held) {
            if (!wanted[user]) wanted[user] = one->account;
        }
        // User by user, as they are recorded.
        std::ranges::stable_sort(held, {}, &Held::user);
        AccountingEdits more;
        for (const auto& [user, one] : held) {
            if (one->is_default == (one->account == *wanted[user])) continue;
            more.associations.push_back(*one);
            more.associations.back().is_default = !one->is_default;
        }
        merge(edits_, more);
    }

    // Every account has a parent, up to the root, and no account is its own ancestor.
    Objection check_tree() const {
        constexpr std::size_t kNone = ~std::size_t{0};
        const auto& accounts = after_.accounts;
        std::vector<std::size_t> above;  // Of each account the one above it.
        above.reserve(accounts.size());
        for (const AccountSpec& one : accounts) {
            const auto* const found = accounts_.find(one.parent);
            above.push_back(found == nullptr ? kNone : found->first);
        }
        for (std::size_t a = 0; a < accounts.size(); ++a) {
            std::size_t at = a;
            for (std::size_t depth = 0; accounts[at].parent != "root"; at = above[at]) {
                if (above[at] == kNone) {
                    return refuse(Refusal::unknown_account,
                                  "account " + accounts[at].name + " would be under " +
                                      accounts[at].parent + ", which is not there");
                }
                if (++depth > kDepthMax || above[at] == a) {
                    return refuse(Refusal::invalid_request, "account " + accounts[a].name +
                                                                " would be beneath itself, or more "
                                                                "than 64 deep");
                }
            }
        }
        return std::nullopt;
    }

    Objection check_associations() const {
        for (const AssociationSpec& one : edits_.associations) {
            if (!is_account(one.account) && one.account != "root") {
                return refuse(Refusal::unknown_account,
                              "there is no account '" + one.account + "'");
            }
            if (auto no = check_qos(one.qos, one.default_qos)) return no;
        }
        for (const AccountSpec& one : edits_.accounts) {
            if (auto no = check_qos(one.qos, one.default_qos)) return no;
        }
        return std::nullopt;
    }

    Objection check_qos(const std::vector<std::string>& all, const std::string& chosen) const {
        for (const std::string& name : all) {
            if (!is_qos(name)) {
                return refuse(Refusal::unknown_qos, "there is no QOS '" + name + "'");
            }
        }
        const bool open = all.empty() || std::ranges::find(all, chosen) != all.end();
        if (chosen.empty() || (open && is_qos(chosen))) return std::nullopt;
        return refuse(Refusal::unknown_qos,
                      "the default QOS '" + chosen + "' is not among those that are open");
    }

    const ClusterState& state_;
    AccountingEdits edits_;
    ClusterSpec after_;
    NameIndex<std::string_view> accounts_, qos_;  // Of after_, once the edits are part of it.
};

}  // namespace

std::variant<AccountingEdits, Refusing> admit_edits(const ClusterState& state,
                                                    AccountingEdits edits) {
    return Editing(state, std::move(edits)).run();
}

}  // namespace berth
