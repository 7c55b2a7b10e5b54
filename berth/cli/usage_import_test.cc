#include "berth/cli/usage_import.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

TEST(UsageText, ReadsWhatSsharePrints) {
    const auto patch = parse_usage(
        "User|RawUsage|Account\n|3567|root\nroot|0| root\n|2175| bio\nnews|2175|  bio\n\n");
    ASSERT_TRUE(patch.ok());
    const std::vector<UsageSet::Entry> expected = {{"root", "root", 0}, {"bio", "news", 2175}};
    EXPECT_EQ(patch->entries, expected);
}

TEST(UsageText, ReadsTheLongTableAndKnowsItsLines) {
    const auto lines = read_usage(
        "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|"
        "GrpTRESMins|TRESRunMins\nroot|||0.000000|3567||1.000000||||cpu=2481,mem=4963333\n"
        " bio|news|1|0.500000|2175|0.609866|1.000000|0.200000|0.500000||cpu=1883\n");
    ASSERT_TRUE(lines.ok()) << lines.error().message;
    ASSERT_EQ(lines->size(), 1U);
    EXPECT_EQ(lines->front().line, 3U);
    EXPECT_EQ(lines->front().entry, (UsageSet::Entry{"bio", "news", 2175}));
}

TEST(UsageText, SaysWhatIsWrongWithTheRest) {
    EXPECT_EQ(parse_usage("").error().message, "line 1: nothing is there");
    EXPECT_EQ(parse_usage("Account|User\n").error().message,
              "line 1: there is no column RawUsage; make the file with: sshare -a -P -o "
              "Account,User,RawUsage");
    EXPECT_EQ(parse_usage("Account|User|RawUsage\na|b\n").error().message,
              "line 2: too few fields");
    EXPECT_EQ(parse_usage("Account|User|RawUsage\na|b|much\n").error().message,
              "line 2: RawUsage should be a whole number of seconds, not 'much'");
}

}  // namespace
}  // namespace berth::cli
