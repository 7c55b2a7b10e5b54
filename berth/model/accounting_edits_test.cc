#include "berth/model/accounting_edits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/base/codec.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

// One edit after the other, each of which searches the whole list: what merge() and apply_edits()
// are to come to, however they do it.
template <class Items, class Is>
void remove_one(Items& items, Is is) {
    erase_if(items, is);
}
template <class Items, class Item, class IsSame>
void put_one(Items& items, const Item& item, IsSame is_same) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (is_same(items[i], item)) return edit_at(items, i) = item, void();
    }
    items.push_back(item);
}

using Pair = std::pair<std::string, std::string>;
const auto kSameName = [](const auto& a, const auto& b) { return a.name == b.name; };
const auto kSamePlace = [](const AssociationSpec& a, const AssociationSpec& b) {
    return a.account == b.account && a.user == b.user;
};
const auto kSameText = [](const auto& a, const auto& b) { return a == b; };
const auto kSameLevel = [](const AdminLevel& a, const AdminLevel& b) { return a.user == b.user; };
const auto kCalled = [](const auto& name) {
    return [&name](const auto& one) { return one.name == name; };
};
const auto kOfPair = [](const Pair& pair) {
    return [&pair](const AssociationSpec& one) {
        return one.account == pair.first && one.user == pair.second;
    };
};
const auto kIs = [](const auto& what) { return [&what](const auto& one) { return one == what; }; };

void merge_one_by_one(AccountingEdits& into, const AccountingEdits& later) {
    for (const std::string& name : later.removed_accounts) {
        remove_one(into.accounts, kCalled(name));
        put_one(into.removed_accounts, name, kSameText);
    }
    for (const Pair& pair : later.removed_associations) {
        remove_one(into.associations, kOfPair(pair));
        put_one(into.removed_associations, pair, kSameText);
    }
    for (const AccountSpec& one : later.accounts) {
        remove_one(into.removed_accounts, kIs(one.name));
        put_one(into.accounts, one, kSameName);
    }
    for (const AssociationSpec& one : later.associations) {
        const Pair pair(one.account, one.user);
        remove_one(into.removed_associations, kIs(pair));
        put_one(into.associations, one, kSamePlace);
    }
    for (const QosSpec& one : later.qos) put_one(into.qos, one, kSameName);
    for (const AdminLevel& one : later.levels) put_one(into.levels, one, kSameLevel);
    for (const std::string& name : later.removed_queues) {
        remove_one(into.queues, kCalled(name));
        put_one(into.removed_queues, name, kSameText);
    }
    for (const QueueSpec& one : later.queues) {
        remove_one(into.removed_queues, kIs(one.name));
        put_one(into.queues, one, kSameName);
    }
}

void apply_one_by_one(ClusterSpec& spec, const AccountingEdits& edits) {
    for (const std::string& name : edits.removed_accounts) remove_one(spec.accounts, kCalled(name));
    for (const Pair& pair : edits.removed_associations)
        remove_one(spec.associations, kOfPair(pair));
    for (const AccountSpec& one : edits.accounts) put_one(spec.accounts, one, kSameName);
    for (const AssociationSpec& one : edits.associations)
        put_one(spec.associations, one, kSamePlace);
    for (const QosSpec& one : edits.qos) put_one(spec.qos, one, kSameName);
    for (const AdminLevel& one : edits.levels) {
        remove_one(spec.operators, kIs(one.user));
        if (one.is_operator) spec.operators.push_back(one.user);
    }
    for (const std::string& name : edits.removed_queues) remove_one(spec.queues, kCalled(name));
    for (const QueueSpec& one : edits.queues) put_one(spec.queues, one, kSameName);
}

// Few names, so that many edits are of one thing, and things are removed and added at once.
class SomeEdits {
public:
    explicit SomeEdits(Rng& rng) : rng_(rng), names_(rng.between(1, 12)) {}

    AccountingEdits make() {
        AccountingEdits edits;
        some([&] {
            edits.accounts.push_back({.name = name(), .parent = "root", .shares = mark()});
        });
        some([&] { edits.removed_accounts.push_back(name()); });
        some([&] {
            edits.associations.push_back({.account = name(), .user = name(), .shares = mark()});
        });
        some([&] { edits.removed_associations.emplace_back(name(), name()); });
        some([&] { edits.qos.push_back({.name = name(), .priority = mark()}); });
        some([&] { edits.levels.push_back({name(), rng_.chance(50)}); });
        some([&] { edits.queues.push_back({.name = name(), .nominal = {{"cpu", mark()}}}); });
        some([&] { edits.removed_queues.push_back(name()); });
        return edits;
    }

private:
    template <class Make>
    void some(Make make) {
        for (std::int64_t left = rng_.chance(30) ? 0 : rng_.between(0, 15); left > 0; --left)
            make();
    }
    std::string name() { return std::string(1, static_cast<char>('a' + rng_.between(0, names_))); }
    std::int64_t mark() { return ++marks_; }  // Tells one edit from another one of the same thing.

    Rng& rng_;
    std::int64_t names_ = 0, marks_ = 0;
};

TEST(AccountingEdits, ComeToWhatOneAfterTheOtherComesTo) {
    testing::for_each_seed(500, [](Rng& rng) {
        SomeEdits some(rng);
        ClusterSpec spec;
        // Lists that name a thing twice, as a damaged configuration may.
        if (rng.chance(30)) {
            const AccountingEdits first = some.make();
            spec.accounts = first.accounts;
            spec.associations = first.associations;
            spec.queues = first.queues;
            spec.operators = first.removed_accounts;
        }
        ClusterSpec same_spec = spec;
        AccountingEdits kept, same_kept;
        if (rng.chance(30)) kept = same_kept = some.make();
        for (int round = 0; round < 6; ++round) {
            const AccountingEdits edits = some.make();
            const ClusterSpec reader = spec;  // Another holder of the same elements.
            const std::string before = encode(reader);
            apply_edits(spec, edits);
            apply_one_by_one(same_spec, edits);
            ASSERT_EQ(spec, same_spec);
            ASSERT_EQ(encode(reader), before);
            merge(kept, edits);
            merge_one_by_one(same_kept, edits);
            ASSERT_EQ(kept, same_kept);
        }
    });
}

TEST(AccountingEdits, PutWhatIsNewLastInTheOrderInWhichItWasFirstNamed) {
    ClusterSpec spec;
    spec.accounts = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    AccountingEdits edits;
    edits.removed_accounts = {"b"};
    for (const char* name : {"z", "b", "y", "a", "z"}) {
        edits.accounts.push_back(
            {.name = name, .parent = "root", .shares = std::ssize(edits.accounts)});
    }
    apply_edits(spec, edits);
    std::vector<std::pair<std::string, std::int64_t>> found;
    for (const AccountSpec& one : spec.accounts) found.emplace_back(one.name, one.shares);
    const decltype(found) wanted = {{"a", 3}, {"c", 1}, {"z", 4}, {"b", 1}, {"y", 2}};
    EXPECT_EQ(found, wanted);
}

TEST(AccountingEdits, MakeAUserAnOperatorWhereHisLastLevelStands) {
    ClusterSpec spec;
    spec.operators = {"ann", "ben", "eve"};
    AccountingEdits edits;
    edits.levels = {{"ann", true}, {"zoe", true}, {"ben", true}, {"ann", true}, {"ben", false}};
    apply_edits(spec, edits);
    EXPECT_EQ(spec.operators, (std::vector<std::string>{"eve", "zoe", "ann"}));
}

}  // namespace
}  // namespace berth
