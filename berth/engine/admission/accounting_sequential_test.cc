// Edits as admit_edits() admits them are those that a search for each of them by itself comes to:
// the same refusal, or the same edits in the same order. So thousands of them may be worked out
// together, and a journal is decided again alike.
#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/admission/accounting_admission.h"
#include "berth/engine/admission/admission.h"
#include "berth/engine/admission/objection.h"
#include "berth/model/account_name.h"
#include "berth/model/qos_preemption.h"
#include "berth/model/queue_check.h"
#include "berth/model/queue_options.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr std::size_t kCountMax = 40'000;
constexpr std::size_t kDeepest = 64;

// As the controller did it at first: for each edit it reads all accounts, users and jobs.
class OneByOne {
public:
    OneByOne(const ClusterState& state, AccountingEdits edits)
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
        if (all > kCountMax) {
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
                if (++depth > kDeepest || above == &one) {
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

// Few names, so that many edits are of one thing, and things are removed and added at once.
class FewNames {
public:
    explicit FewNames(Rng& rng) : rng_(rng) {}

    ClusterSpec site() {
        ClusterSpec spec = testing::make_cluster(1, {.gpus = 8});
        for (const char* name : {"gold", "silver", "low"}) spec.qos.push_back({.name = name});
        spec.qos[1].preempt = {"silver", "low"};
        spec.qos[2].preempt = {"low"};
        for (const char* name : {"a", "b", "C", "d"}) {
            if (rng_.chance(80)) spec.accounts.push_back({.name = name, .parent = "root"});
            if (rng_.chance(50) && spec.accounts.size() > 1)
                spec.accounts.edit(spec.accounts.size() - 1).parent = spec.accounts.front().name;
        }
        for (const AccountSpec& one : spec.accounts) {
            for (const char* name : {"ann", "ben", "eve"}) {
                if (rng_.chance(40)) {
                    spec.associations.push_back(
                        {.account = one.name, .user = name, .is_default = rng_.chance(40)});
                }
            }
            if (rng_.chance(30))
                spec.queues.push_back({.name = one.name, .nominal = {{"cpu", rng_.between(1, 9)}}});
        }
        return spec;
    }

    AccountingEdits edits() {
        AccountingEdits edits;
        some(30, [&] {
            edits.accounts.push_back(
                {.name = account(), .parent = rng_.chance(60) ? "root" : account()});
        });
        some(20, [&] { edits.removed_accounts.push_back(account()); });
        some(70, [&] {
            edits.associations.push_back(
                {.account = account(), .user = user(), .is_default = rng_.chance(30)});
            if (rng_.chance(10)) edits.associations.back().qos = {qos()};
        });
        some(30, [&] { edits.removed_associations.emplace_back(account(), user()); });
        some(20, [&] {
            edits.qos.push_back({.name = qos(), .gone = rng_.chance(60)});
            if (rng_.chance(30)) edits.qos.back().preempt = {qos()};
        });
        some(20, [&] {
            edits.queues.push_back({.name = account(), .nominal = {{"cpu", rng_.between(1, 9)}}});
            if (rng_.chance(30)) edits.queues.back().guarantee = {{"cpu", rng_.between(1, 9)}};
        });
        some(10, [&] { edits.removed_queues.push_back(account()); });
        return edits;
    }

    void submit_some(Engine& engine) {
        for (std::int64_t left = rng_.between(0, 3); left > 0; --left) {
            JobSpec spec = testing::make_job();
            spec.account = account();
            if (rng_.chance(50)) spec.qos = qos();
            auto answer = admit(engine.state(), Time{},
                                {.uid = 7, .user = user(), .role = Role::admin}, spec);
            if (auto* const job = std::get_if<Job>(&answer))
                engine.apply(Time{}, JobSubmitted{std::move(*job)});
        }
    }

private:
    template <class Make>
    void some(std::int64_t percent, Make make) {
        if (!rng_.chance(percent)) return;
        for (std::int64_t left = rng_.between(1, 4); left > 0; --left) make();
    }
    std::string account() {
        return rng_.pick(std::vector<std::string>{"a", "A", "b", "c", "d", "e", "f"});
    }
    std::string user() { return rng_.pick(std::vector<std::string>{"ann", "ben", "eve", "zoe"}); }
    std::string qos() {
        return rng_.pick(std::vector<std::string>{"gold", "silver", "low", "normal", "new"});
    }

    Rng& rng_;
};

TEST(AdmittedEdits, AreThoseThatOneAfterTheOtherComesTo) {
    int admitted = 0, refused = 0;
    testing::for_each_seed(1000, [&](Rng& rng) {
        FewNames few(rng);
        Engine engine = testing::make_engine(few.site());
        few.submit_some(engine);
        for (int round = 0; round < 4; ++round) {
            const AccountingEdits edits = few.edits();
            const auto wanted = OneByOne(engine.state(), edits).run();
            const auto found = admit_edits(engine.state(), edits);
            ASSERT_EQ(found.index(), wanted.index());
            if (const auto* const no = std::get_if<Refusing>(&wanted)) {
                ++refused;
                ASSERT_EQ(std::get<Refusing>(found).message, no->message);
                ASSERT_EQ(std::get<Refusing>(found).why, no->why);
                continue;
            }
            ++admitted;
            ASSERT_EQ(std::get<AccountingEdits>(found), std::get<AccountingEdits>(wanted));
            engine.apply(Time{}, AccountingEdited{std::get<AccountingEdits>(found)});
            engine.state().check_invariants();
        }
    });
    if (testing::number_in_environment("BERTH_SEED")) return;  // One world may have one of both.
    EXPECT_GT(admitted, 0);
    EXPECT_GT(refused, 0);
}

TEST(AdmittedEdits, GiveThousandsOfNewAccountsTheirQuotasInOneCall) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.scheduling.enforce_limits = true;
    Engine engine = testing::make_engine(std::move(spec));
    AccountingEdits edits;
    for (int q = 0; q < 6'000; ++q) {
        const std::string name = "queue" + std::to_string(q);
        const int above = q / 20;  // Below each of the first 300, some of the others.
        edits.accounts.push_back(
            {.name = name, .parent = q < 20 ? "root" : "queue" + std::to_string(above)});
        edits.queues.push_back({.name = name, .nominal = {{"cpu", 1}}});
    }
    const auto answer = admit_edits(engine.state(), edits);
    ASSERT_TRUE(std::holds_alternative<AccountingEdits>(answer))
        << std::get<Refusing>(answer).message;
    EXPECT_EQ(std::get<AccountingEdits>(answer), edits);
    engine.apply(Time{}, AccountingEdited{edits});
    EXPECT_EQ(engine.state().spec().accounts.size(), 6'000U);
    EXPECT_EQ(engine.state().spec().queues.size(), 6'000U);
    edits.associations.resize(28'001);
    EXPECT_EQ(std::get<Refusing>(admit_edits(engine.state(), edits)).message,
              "more than 40000 changes at once");
}

}  // namespace
}  // namespace berth
