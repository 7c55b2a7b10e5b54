#include "berth/engine/placement/features.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Features, AreMatchedAsSlurmReadsThem) {
    struct Row {
        std::string constraint;
        std::vector<std::string> features;
        bool matches;
    };
    for (const Row& row : {
             Row{"a", {"a"}, true},
             Row{"a", {"ab"}, false},
             Row{"a&b", {"a", "b"}, true},
             Row{"a&b", {"a"}, false},
             Row{"a|b", {"b"}, true},
             Row{"a|b", {"c"}, false},
             Row{"(a&b)|c", {"c"}, true},
             Row{"(a&b)|c", {"a"}, false},
             Row{"a|b&c", {"a"}, false},  // From left to right: (a|b)&c.
             Row{"a|b&c", {"a", "c"}, true},
             Row{"a|(b&c)", {"a"}, true},
             Row{"a&b&c|d", {"d"}, true},
             Row{"((a))", {"a"}, true},
             Row{"[a]", {"a"}, true},
             Row{"gpu-a100.80:x=1_y", {"gpu-a100.80:x=1_y"}, true},
         }) {
        const auto parsed = FeatureExpression::parse(row.constraint);
        ASSERT_TRUE(parsed.ok()) << row.constraint;
        EXPECT_EQ(parsed->alternatives(), 1U);
        EXPECT_EQ(parsed->matches(row.features, 0), row.matches) << row.constraint;
    }
}

TEST(Features, InBracketsAreAlternativesForAllNodesTogether) {
    const auto parsed = FeatureExpression::parse("ib&[r1|r2|r3]");
    ASSERT_TRUE(parsed.ok());
    ASSERT_EQ(parsed->alternatives(), 3U);
    EXPECT_TRUE(parsed->matches({"ib", "r2"}, 1));
    EXPECT_FALSE(parsed->matches({"ib", "r2"}, 0));
    EXPECT_FALSE(parsed->matches({"r2"}, 1));
    EXPECT_EQ(parsed->names(), (std::vector<std::string>{"ib", "r1", "r2", "r3"}));
}

TEST(Features, WhatMeansNothingIsRefusedWithTheReason) {
    struct Row {
        std::string constraint, says;
    };
    for (const Row& row :
         {Row{"", "ends where"}, Row{"a&", "ends where"}, Row{"&a", "'&'"},
          Row{"(a", "lacks a ')'"}, Row{"[a|b", "lacks a ']'"}, Row{"a)", "')'"}, Row{"(a]", "']'"},
          Row{"a b", "' '"}, Row{"a,b", "','"}, Row{"a*4", "counts nodes"},
          Row{"[a|b]&[c|d]", "more than one ["}, Row{std::string(100, '('), "nested"},
          Row{std::string(5000, 'a'), "longer"}}) {
        const auto parsed = FeatureExpression::parse(row.constraint);
        ASSERT_FALSE(parsed.ok()) << row.constraint;
        EXPECT_NE(parsed.error().message.find(row.says), std::string::npos)
            << parsed.error().message;
    }
}

}  // namespace
}  // namespace berth
