#include "berth/model/account_name.h"

#include <gtest/gtest.h>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(AccountName, IsSpelledAlikeByItselfAndAmongMany) {
    testing::for_each_seed(300, [](Rng& rng) {
        const auto name = [&] {
            std::string text;
            for (int i = 0; i < 2; ++i) text += rng.pick(std::vector<char>{'a', 'A', 'b', 'B'});
            return text;
        };
        ClusterSpec spec;
        for (auto left = rng.between(0, 8); left > 0; --left)
            spec.accounts.push_back({.name = name(), .parent = "root"});
        std::vector<std::string> asked, wanted;
        for (int i = 0; i < 20; ++i) {
            asked.push_back(name());
            wanted.push_back(account_name(spec, asked.back()));
        }
        std::vector<std::string*> names;
        names.reserve(asked.size());
        for (std::string& one : asked) names.push_back(&one);
        spell_accounts(spec, names);
        EXPECT_EQ(asked, wanted);
    });
}

}  // namespace
}  // namespace berth
