#include "berth/engine/derived/unwritten_reasons.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using Ids = std::vector<JobId>;
using Firsts = std::vector<std::optional<JobId>>;

UnwrittenReasons nothing_unwritten(const Firsts& firsts) {
    UnwrittenReasons unwritten;
    unwritten.take(firsts, false);
    return unwritten;
}

TEST(UnwrittenReasons, AreAllAtFirst) {
    UnwrittenReasons unwritten;
    EXPECT_EQ(unwritten.take({}, false), std::nullopt);
    EXPECT_EQ(unwritten.take({}, false), Ids{});
    unwritten.add_all();
    EXPECT_EQ(unwritten.take({}, false), std::nullopt);
    EXPECT_EQ(unwritten.take({}, true), std::nullopt);
}

TEST(UnwrittenReasons, ComeInOrderAndOnce) {
    UnwrittenReasons unwritten = nothing_unwritten({});
    for (const std::uint32_t id : {9U, 3U, 9U}) unwritten.add(JobId(id));
    EXPECT_EQ(unwritten.take({}, false), (Ids{JobId(3), JobId(9)}));
    EXPECT_EQ(unwritten.take({}, false), Ids{});
}

TEST(UnwrittenReasons, IncludeTheJobsThatBecomeOrCeaseToBeFirst) {
    UnwrittenReasons unwritten = nothing_unwritten({JobId(1), JobId(5)});
    EXPECT_EQ(unwritten.take({JobId(2), JobId(5)}, false), (Ids{JobId(1), JobId(2)}));
    EXPECT_EQ(unwritten.take({std::nullopt, JobId(5)}, false), Ids{JobId(2)});
    EXPECT_EQ(unwritten.take({std::nullopt, JobId(5), JobId(7)}, false), Ids{JobId(7)});
}

TEST(UnwrittenReasons, LeaveToLaterCyclesWhatIsTooMuchForOne) {
    UnwrittenReasons unwritten = nothing_unwritten({});
    Ids many;
    for (std::uint32_t id = 1; id <= 5000; ++id) many.push_back(JobId(id));
    unwritten.add_later(many);
    std::size_t written = 0;
    int cycles = 0;
    for (; unwritten.any_later(); ++cycles) written += unwritten.take({}, false)->size();
    EXPECT_EQ(written, many.size());
    EXPECT_EQ(cycles, 2);
}

}  // namespace
}  // namespace berth
