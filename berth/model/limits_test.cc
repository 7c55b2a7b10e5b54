#include "berth/model/limits.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(TresLimits, AreReadAsSlurmWritesThem) {
    struct Case {
        const char* text;
        const char* meant;  // Null: no such list.
    };
    const Case cases[] = {
        {"cpu=4", "cpu=4"},
        {"gres/gpu=4,cpu=10", "cpu=10,gres/gpu=4"},
        {"mem=16000", "mem=16000M"},
        {"mem=16G,node=2", "mem=16G,node=2"},
        {"GRES/gpu:A100=2", "gres/gpu:a100=2"},
        {"license/matlab=2,billing=7", "billing=7,license/matlab=2"},
        {"cpu=-1", "cpu=-1"},
        {"cpu=1,cpu=2", "cpu=2"},
        {"cpu", nullptr},
        {"cpu=", nullptr},
        {"cpu=-2", nullptr},
        {"gpu=2", nullptr},
        {"gres/=2", nullptr},
        {"", nullptr},
    };
    for (const Case& one : cases) {
        const auto read = parse_tres_counts(one.text);
        ASSERT_EQ(read.has_value(), one.meant != nullptr) << one.text;
        if (read) {
            EXPECT_EQ(to_text(*read), one.meant);
        }
    }
}

// Slurm's 1.50T and 62.50G are no sizes that it, or Berth, would read.
TEST(TresLimits, ReadBackAsTheyAreWritten) {
    struct Case {
        std::int64_t mem;
        const char* text;
    };
    constexpr std::int64_t kGib = 1024;
    for (const auto& [mem, text] :
         {Case{0, "mem=0"}, Case{1, "mem=1M"}, Case{1024, "mem=1G"}, Case{64000, "mem=64000M"},
          Case{1536, "mem=1536M"}, Case{1536 * kGib, "mem=1536G"}, Case{2048 * kGib, "mem=2T"},
          Case{3 * 1024 * 1024 * kGib, "mem=3P"}, Case{2048 * kGib * 1024 * 1024, "mem=2048P"}}) {
        const TresLimits counts = {{"mem", mem}};
        EXPECT_EQ(to_text(counts), text);
        EXPECT_EQ(parse_tres_counts(text), counts) << text;
    }
}

TEST(TresLimits, ChangeOneByOneAndGoWithMinusOne) {
    const TresLimits before = parse_tres_counts("cpu=4,gres/gpu=2").value();
    EXPECT_EQ(to_text(changed(before, parse_tres_counts("gres/gpu=3,mem=1G").value())),
              "cpu=4,mem=1G,gres/gpu=3");
    EXPECT_EQ(to_text(changed(before, parse_tres_counts("gres/gpu=-1").value())), "cpu=4");
}

}  // namespace
}  // namespace berth
