#include "berth/base/size_text.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Size, ReadsEveryFormSlurmReads) {
    struct Case {
        const char* text;
        Bytes size;
    };
    // clang-format off
    const Case cases[] = {
        {"4000",  mib(4000)},
        {"4G",    gib(4)},
        {"4g",    gib(4)},
        {"4GB",   gib(4)},
        {"4GiB",  gib(4)},
        {"512M",  mib(512)},
        {"1T",    gib(1024)},
        {"1P",    gib(1024 * 1024)},
        {"100K",  kib(100)},
        {"0",     Bytes(0)},
    };
    // clang-format on
    for (const Case& c : cases) {
        const auto size = parse_size(c.text);
        ASSERT_TRUE(size.ok()) << c.text << ": " << size.error().message;
        EXPECT_EQ(*size, c.size) << c.text;
    }
}

TEST(Size, RefusesTheRest) {
    for (const char* text : {"", "G", "-1", "1.5G", "4X", "4 G", "4GX", "9999999999P", "1e3"}) {
        EXPECT_FALSE(parse_size(text).ok()) << text;
    }
}

// From Slurm's own output, shared/oracle.
TEST(Size, PrintsAsInATresList) {
    struct Case {
        Bytes size;
        const char* text;
    };
    // clang-format off
    const Case cases[] = {
        {Bytes(0),        "0"},
        {Bytes(1),        "1M"},
        {mib(500),        "500M"},
        {mib(1000),       "1000M"},
        {mib(1023),       "1023M"},
        {gib(1),          "1G"},
        {mib(1536),       "1.50G"},
        {mib(2000),       "2000M"},
        {mib(16'000),     "16000M"},
        {mib(64'000),     "62.50G"},
        {mib(256'000),    "250G"},
        {gib(16),         "16G"},
        {gib(999),        "999G"},
        {gib(1000),       "1000G"},
        {gib(1024),       "1T"},
        {gib(1536),       "1.50T"},
    };
    // clang-format on
    for (const Case& c : cases) EXPECT_EQ(format_size(c.size), c.text);
}

TEST(Size, InMibRoundsUp) {
    EXPECT_EQ(in_mib(kib(100)), 1);
    EXPECT_EQ(in_mib(mib(3)), 3);
    EXPECT_EQ(in_mib(Bytes(0)), 0);
}

}  // namespace
}  // namespace berth
