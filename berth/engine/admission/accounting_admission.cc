#include "berth/engine/admission/accounting_admission.h"

#include <algorithm>

#include "berth/engine/admission/objection.h"
#include "berth/model/account_name.h"
#include "berth/model/qos_preemption.h"
#include "berth/model/queue_check.h"
#include "berth/model/queue_options.h"

namespace berth {
namespace {

constexpr std::size_t kEditsMax = 10'000;
constexpr std::size_t kDepthMax = 64;

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
        if (!no) remove_what_hangs_on();
        if (!no) set_default_accounts();
        apply_edits(after_, edits_);
        if (!no) no = check_tree();
        if (!no) no = check_associations();
        if (!no) no = check_preemption();
        if (!no) no = check_queues();
        if (no) return *std::move(no);
        return std::move(edits_);
    }

private:
    void fold_names() {
        const auto fold = [&](std::string& name) { name = account_name(after_, name); };
        for (AccountSpec& one : edits_.accounts) {
            fold(one.name);
            fold(one.parent);
        }
        for (AssociationSpec& one : edits_.associations) fold(one.account);
        for (std::string& name : edits_.removed_accounts) fold(name);
        for (auto& [account, user] : edits_.removed_associations) fold(account);
        for (QueueSpec& one : edits_.queues) fold(one.name);
        for (std::string& name : edits_.removed_queues) fold(name);
    }

    const AccountSpec* account(std::string_view name) const {
        const auto at = std::ranges::find(after_.accounts, name, &AccountSpec::name);
        return at == after_.accounts.end() ? nullptr : &*at;
    }

    // Whom each QOS preempts, which is checked as it will be.
    Objection check_preemption() const {
        for (const QosSpec& one : edits_.qos) {
            if (one.gone) continue;
            for (const std::string& name : one.preempt) {
                if (after_.find_qos(name)) continue;
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
            return refuse(Refusal::invalid_request, "more than 10000 changes at once");
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
        for (const std::string& name : edits_.removed_queues) {
            if (std::ranges::find(state_.spec().queues, name, &QueueSpec::name) ==
                state_.spec().queues.end()) {
                return refuse(Refusal::invalid_request, "queue " + name + " has no quota");
            }
        }
        for (const QueueSpec& one : edits_.queues) {
            if (account(one.name) == nullptr) {
                return refuse(Refusal::unknown_account,
                              "a queue is an account, and there is no account '" + one.name + "'");
            }
            if (auto no = check_options(one)) return no;
        }
        if (edits_.queues.empty() && edits_.removed_queues.empty()) return std::nullopt;
        const std::vector<QueueFault> before = find_queue_faults(state_.spec());
        for (const QueueFault& fault : find_queue_faults(after_)) {
            if (!fault.is_error || std::ranges::find(before, fault) != before.end()) continue;
            return refuse(Refusal::invalid_request, fault.text);
        }
        return std::nullopt;
    }

    // Accounts and QOS that pending or running jobs use cannot be removed.
    Objection check_removed() const {
        for (const QosSpec& one : edits_.qos) {
            if (!one.gone) continue;
            const auto id = state_.spec().find_qos(one.name);
            if (!id) return refuse(Refusal::unknown_qos, "there is no QOS '" + one.name + "'");
            if (id->index() == 0) {
                return refuse(Refusal::not_supported, "QOS " + one.name + " is always there");
            }
            if (any_unfinished([&](const Job& job) { return job.qos == *id; }))
                return in_use("QOS " + one.name);
        }
        for (const std::string& name : edits_.removed_accounts) {
            if (account(name) == nullptr) {
                return refuse(Refusal::unknown_account, "there is no account '" + name + "'");
            }
            if (any_unfinished([&](const Job& job) { return job.spec.account == name; }))
                return in_use("account " + name);
        }
        for (const auto& [name, user] : edits_.removed_associations) {
            const auto is_of = [&](const Job& job) {
                return job.spec.account == name && job.owner->user == user;
            };
            if (any_unfinished(is_of)) {
                return in_use(("user " + user).append(" in account ").append(name));
            }
        }
        return std::nullopt;
    }

    template <class Which>
    bool any_unfinished(Which which) const {
        const auto is_one = [&](JobId id) { return which(*state_.find_job(id)); };
        return std::ranges::any_of(state_.index().pending(), is_one) ||
               std::ranges::any_of(state_.index().holding(), is_one);
    }

    static Refusing in_use(const std::string& what) {
        return refuse(Refusal::in_use, "jobs of " + what + " wait or run: cancel them first");
    }

    void remove_what_hangs_on() {
        for (const AssociationSpec& one : after_.associations) {
            const bool goes = std::ranges::find(edits_.removed_accounts, one.account) !=
                              edits_.removed_accounts.end();
            if (goes) edits_.removed_associations.emplace_back(one.account, one.user);
        }
        for (const QosSpec& one : after_.qos) {
            const bool is_edited =
                std::ranges::find(edits_.qos, one.name, &QosSpec::name) != edits_.qos.end();
            QosSpec left = one;
            const auto goes = [&](const std::string& name) {
                return std::ranges::any_of(edits_.qos, [&](const QosSpec& edit) {
                    return edit.gone && edit.name == name;
                });
            };
            if (!is_edited && std::erase_if(left.preempt, goes) > 0)
                edits_.qos.push_back(std::move(left));
        }
    }

    // Every user has one default account: the one that was named, else the first that is left.
    void set_default_accounts() {
        std::vector<std::string> users;
        users.reserve(edits_.associations.size());
        for (const AssociationSpec& one : edits_.associations) users.push_back(one.user);
        for (const auto& [name, user] : edits_.removed_associations) users.push_back(user);
        std::ranges::sort(users);
        users.erase(std::unique(users.begin(), users.end()), users.end());
        // One user's default does not depend on those of the others.
        ClusterSpec then = after_;
        apply_edits(then, edits_);
        for (const std::string& user : users) set_default_account(then, user);
    }

    void set_default_account(const ClusterSpec& then, const std::string& user) {
        std::optional<std::string> wanted;
        for (const AssociationSpec& one : edits_.associations) {
            if (one.user == user && one.is_default) wanted = one.account;
        }
        for (const AssociationSpec& one : then.associations) {
            if (one.user == user && one.is_default && !wanted) wanted = one.account;
        }
        for (const AssociationSpec& one : then.associations) {
            if (one.user != user) continue;
            if (!wanted) wanted = one.account;
            if (one.is_default == (one.account == *wanted)) continue;
            AssociationSpec other = one;
            other.is_default = one.account == *wanted;
            AccountingEdits more;
            more.associations.push_back(std::move(other));
            merge(edits_, more);
        }
    }

    // Every account has a parent, up to the root, and no account is its own ancestor.
    Objection check_tree() const {
        for (const AccountSpec& one : after_.accounts) {
            const AccountSpec* at = &one;
            std::size_t depth = 0;
            while (at->parent != "root") {
                const AccountSpec* above = account(at->parent);
                if (above == nullptr) {
                    return refuse(Refusal::unknown_account, "account " + at->name +
                                                                " would be under " + at->parent +
                                                                ", which is not there");
                }
                if (++depth > kDepthMax || above == &one) {
                    return refuse(Refusal::invalid_request, "account " + one.name +
                                                                " would be beneath itself, or more "
                                                                "than 64 deep");
                }
                at = above;
            }
        }
        return std::nullopt;
    }

    Objection check_associations() const {
        for (const AssociationSpec& one : edits_.associations) {
            if (account(one.account) == nullptr && one.account != "root") {
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
            if (!after_.find_qos(name)) {
                return refuse(Refusal::unknown_qos, "there is no QOS '" + name + "'");
            }
        }
        const bool open = all.empty() || std::ranges::find(all, chosen) != all.end();
        if (chosen.empty() || (open && after_.find_qos(chosen))) return std::nullopt;
        return refuse(Refusal::unknown_qos,
                      "the default QOS '" + chosen + "' is not among those that are open");
    }

    const ClusterState& state_;
    AccountingEdits edits_;
    ClusterSpec after_;
};

}  // namespace

std::variant<AccountingEdits, Refusing> admit_edits(const ClusterState& state,
                                                    AccountingEdits edits) {
    return Editing(state, std::move(edits)).run();
}

}  // namespace berth
