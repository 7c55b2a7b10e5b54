#include "berth/model/inherited.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

TEST(Inherited, LimitsAreReadAsSlurmNamesThem) {
    const auto only = [](auto... kinds) {
        return static_cast<RlimitSet>((rlimit_bit(kinds) | ...));
    };
    EXPECT_EQ(parse_rlimits("ALL").value(), kAllRlimits);
    EXPECT_EQ(parse_rlimits("none").value(), 0);
    EXPECT_EQ(parse_rlimits("NOFILE").value(), only(RlimitKind::nofile));
    EXPECT_EQ(parse_rlimits("RLIMIT_CORE, nproc").value(),
              only(RlimitKind::core, RlimitKind::nproc));
    for (std::size_t i = 0; i < kRlimitKinds; ++i) {
        const auto kind = static_cast<RlimitKind>(i);
        EXPECT_EQ(parse_rlimits(rlimit_name(kind)).value(), only(kind));
    }
}

TEST(Inherited, ALimitThatDoesNotExistIsNamedWithThoseThatDo) {
    const auto wrong = parse_rlimits("NOFILE,FILES");
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().message,
              "there is no resource limit \"FILES\"; there are ALL, NONE, or a list of AS, CORE, "
              "CPU, DATA, FSIZE, MEMLOCK, NOFILE, NPROC, RSS, STACK");
    EXPECT_FALSE(parse_rlimits("").ok());
}

TEST(Inherited, ValuesFromOutsideAreChecked) {
    EXPECT_FALSE(wrong_with({}));
    EXPECT_FALSE(wrong_with({.umask = 0777, .limits = {}}));
    EXPECT_TRUE(wrong_with({.umask = 01000, .limits = {}}));
    const ProcessLimit files{.kind = RlimitKind::nofile, .soft = 1024};
    EXPECT_FALSE(wrong_with({.umask = {}, .limits = {files}}));
    EXPECT_TRUE(wrong_with({.umask = {}, .limits = {files, files}}));
    EXPECT_TRUE(wrong_with({.umask = {}, .limits = {{.kind = static_cast<RlimitKind>(10)}}}));
}

}  // namespace
}  // namespace berth
