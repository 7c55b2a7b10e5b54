#include "berth/mpi/exchange.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using Nodes = std::vector<std::uint32_t>;

std::vector<StepFrame> frames_of(const std::string& bytes) {
    StepFrameReader reader;
    reader.add(bytes);
    std::vector<StepFrame> frames;
    while (const auto frame = *reader.next()) frames.push_back(*frame);
    return frames;
}

std::string text_of(const Exchange::Outcome& outcome) {
    std::string text;
    for (const StepFrame& frame : frames_of(outcome.frames)) text += read_exchange(frame)->bytes;
    return text;
}

Result<std::optional<Exchange::Outcome>> give(Exchange& exchange, std::uint32_t node,
                                              const std::string& key, const Nodes& nodes,
                                              const std::string& bytes) {
    Result<std::optional<Exchange::Outcome>> last = std::optional<Exchange::Outcome>();
    for (const StepFrame& frame : frames_of(encode_exchange(key, nodes, bytes))) {
        last = exchange.take(node, frame);
        if (!last.ok() || *last) return last;
    }
    return last;
}

TEST(Exchange, GivesEachNodeWhatAllGaveInTheirOrder) {
    Exchange exchange(3);
    EXPECT_FALSE(*give(exchange, 2, "a", {}, "two"));
    EXPECT_FALSE(*give(exchange, 0, "a", {}, std::string(100'000, 'z')));
    const auto outcome = give(exchange, 1, "a", {}, "one");
    ASSERT_TRUE(outcome.ok() && *outcome);
    EXPECT_EQ((*outcome)->nodes, (Nodes{0, 1, 2}));
    EXPECT_EQ(text_of(**outcome), std::string(100'000, 'z') + "onetwo");
}

TEST(Exchange, SomeNodesMayHaveTheirOwnMeanwhile) {
    Exchange exchange(3);
    EXPECT_FALSE(*give(exchange, 0, "all", {}, "0"));
    EXPECT_FALSE(*give(exchange, 0, "some", {0, 2}, "x"));
    const auto some = give(exchange, 2, "some", {0, 2}, "y");
    ASSERT_TRUE(some.ok() && *some);
    EXPECT_EQ((*some)->nodes, (Nodes{0, 2}));
    EXPECT_EQ(text_of(**some), "xy");
    EXPECT_FALSE(*give(exchange, 2, "all", {}, "2"));
    EXPECT_TRUE(give(exchange, 1, "all", {}, "1")->has_value());
    EXPECT_FALSE(*give(exchange, 0, "all", {}, "again"));  // The next of this name.
}

TEST(Exchange, RefusesWhoDoesNotKeepToTheRules) {
    const std::vector<std::pair<std::uint32_t, Nodes>> wrong = {
        {3, {}}, {1, {0, 2}}, {0, {0, 9}}, {0, {2, 0}}, {0, {0, 0}}};
    for (const auto& [node, nodes] : wrong) {
        Exchange exchange(3);
        EXPECT_FALSE(give(exchange, node, "a", nodes, "x").ok()) << node;
    }
    Exchange twice(2);
    EXPECT_FALSE(*give(twice, 0, "a", {}, "x"));
    EXPECT_FALSE(give(twice, 0, "a", {}, "x").ok());
    Exchange others(3);
    EXPECT_FALSE(*give(others, 0, "a", {0, 1}, "x"));
    EXPECT_FALSE(give(others, 1, "a", {}, "x").ok());
    EXPECT_FALSE(Exchange(1).take(0, {StepFrameKind::exchange, 0, "\xff"}).ok());
}

TEST(Exchange, HoldsNoMoreThanItsBound) {
    Exchange exchange(2);
    const StepFrame part{
        StepFrameKind::exchange, 0,
        frames_of(encode_exchange("a", {}, std::string(40'000, 'x'))).front().bytes};
    std::size_t held = 0;
    for (; held <= kExchangeBytesMax; held += 32'768) {
        if (!exchange.take(0, part).ok()) break;
    }
    EXPECT_GT(held, kExchangeBytesMax - 40'000);
    EXPECT_LE(held, kExchangeBytesMax);
}

}  // namespace
}  // namespace berth
