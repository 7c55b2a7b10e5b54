#include "berth/model/step_io.h"

#include <gtest/gtest.h>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

std::vector<StepFrame> all_of(StepFrameReader& reader) {
    std::vector<StepFrame> frames;
    for (;;) {
        auto next = reader.next();
        EXPECT_TRUE(next.ok());
        if (!next.ok() || !*next) return frames;
        frames.push_back(**next);
    }
}

TEST(StepIo, ComesThroughHoweverItIsCut) {
    testing::for_each_seed(50, [](Rng& rng) {
        std::vector<StepFrame> sent;
        std::string wire;
        for (auto n = rng.between(1, 10); n > 0; --n) {
            StepFrame frame{StepFrameKind::standard_out, static_cast<std::uint32_t>(rng.next()),
                            std::string(static_cast<std::size_t>(rng.between(0, 3000)), 'x')};
            wire += encode_frame(frame.kind, frame.task, frame.bytes);
            sent.push_back(std::move(frame));
        }
        StepFrameReader reader;
        std::vector<StepFrame> got;
        for (std::string_view rest = wire; !rest.empty();) {
            const auto part = rest.substr(0, static_cast<std::size_t>(rng.between(1, 500)));
            rest.remove_prefix(part.size());
            reader.add(part);
            for (StepFrame& frame : all_of(reader)) got.push_back(std::move(frame));
        }
        EXPECT_EQ(got, sent);
    });
}

TEST(StepIo, CutsLongOutputIntoFrames) {
    const std::string bytes(kStepFrameBytesMax * 2 + 5, 'y');
    StepFrameReader reader;
    reader.add(encode_frames(StepFrameKind::standard_error, 3, bytes));
    const auto frames = all_of(reader);
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[0].bytes + frames[1].bytes + frames[2].bytes, bytes);
    reader.add(encode_frames(StepFrameKind::standard_in, kAllTasks, ""));
    EXPECT_EQ(all_of(reader),
              (std::vector<StepFrame>{{StepFrameKind::standard_in, kAllTasks, ""}}));
}

TEST(StepIo, RefusesWhatIsNoFrame) {
    for (const std::string& bytes :
         {std::string("GET / HTTP/1.1\r\n"), std::string("BIO\x0d") + "12345678",
          std::string("BIO\0aaaabbbb", 12), std::string("BIO\x02\0\0\0\0\xff\xff\xff\xff", 12)}) {
        StepFrameReader reader;
        reader.add(bytes);
        EXPECT_FALSE(reader.next().ok()) << bytes;
    }
}

TEST(StepIo, TakesAHelloWithTheRightTokenOnly) {
    StepFrameReader reader;
    reader.add(encode_hello({1, "secret", 2, {4, 5}}));
    const StepFrame frame = **reader.next();
    EXPECT_EQ(read_hello(frame, "secret")->ranks, (std::vector<std::uint32_t>{4, 5}));
    for (const char* token : {"", "secre", "Secret", "secrets"}) {
        EXPECT_EQ(read_hello(frame, token).error().code, ErrorCode::permission_denied) << token;
    }
    EXPECT_FALSE(read_hello({StepFrameKind::hello, 0, "\x05garbage"}, "secret").ok());
    EXPECT_FALSE(read_hello({StepFrameKind::standard_out, 0, frame.bytes}, "secret").ok());
    StepFrameReader newer;
    newer.add(encode_hello({2, "secret", 0, {}}));
    EXPECT_EQ(read_hello(**newer.next(), "secret").error().message,
              "step I/O: version 2; this is version 1");
}

TEST(StepIo, CarriesHowATaskEnded) {
    StepFrameReader reader;
    reader.add(encode_exit(7, {3, 9}));
    const StepFrame frame = **reader.next();
    EXPECT_EQ(frame.task, 7u);
    EXPECT_EQ(*read_exit(frame), (ExitStatus{3, 9}));
    EXPECT_FALSE(read_exit({StepFrameKind::task_exit, 7, "\x09"}).ok());
}

TEST(StepIo, CarriesAnExchangeInAsManyPartsAsItNeeds) {
    const std::string bytes(kStepFrameBytesMax * 2 + 5, 'y');
    StepFrameReader reader;
    reader.add(encode_exchange("fence", {1, 4}, bytes));
    std::string got;
    bool last = false;
    for (const StepFrame& frame : all_of(reader)) {
        EXPECT_FALSE(last);
        const auto part = read_exchange(frame);
        ASSERT_TRUE(part.ok());
        EXPECT_EQ(part->key, "fence");
        EXPECT_EQ(part->nodes, (std::vector<std::uint32_t>{1, 4}));
        got += part->bytes;
        last = part->last;
    }
    EXPECT_TRUE(last);
    EXPECT_EQ(got, bytes);
    reader.add(encode_exchange("empty", {}, ""));
    EXPECT_TRUE(read_exchange(all_of(reader).front())->last);
    EXPECT_FALSE(read_exchange({StepFrameKind::exchange, 0, "\xff"}).ok());
    EXPECT_FALSE(read_exchange({StepFrameKind::abort, 0, ""}).ok());
}

TEST(StepIo, LabelsOfAllTasksAreOfOneWidth) {
    EXPECT_EQ(task_label(0, 1), "0: ");
    EXPECT_EQ(task_label(9, 10), "9: ");
    EXPECT_EQ(task_label(9, 11), " 9: ");
    EXPECT_EQ(task_label(10, 11), "10: ");
    EXPECT_EQ(task_label(7, 0), "7: ");
}

TEST(StepIo, CarriesTheSizeOfAWindow) {
    StepFrameReader reader;
    reader.add(encode_window({.rows = 50, .columns = 132}));
    const StepFrame frame = **reader.next();
    EXPECT_EQ(*read_window(frame), (TerminalSize{.rows = 50, .columns = 132}));
    EXPECT_FALSE(read_window({StepFrameKind::window_size, 0, "\xff"}).ok());
    EXPECT_FALSE(read_window({StepFrameKind::task_exit, 0, frame.bytes}).ok());
}

}  // namespace
}  // namespace berth
