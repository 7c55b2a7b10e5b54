#include "berth/model/step_io.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(StepIo, PutsFramesTogetherHoweverTheyAreCut) {
    const Frame frames[] = {{FrameKind::hello, 0, "token"},
                            {FrameKind::out, 7, "hello\n"},
                            {FrameKind::err, 0, ""},
                            task_end_frame(7, {.code = 3, .signal = 0}),
                            {FrameKind::node_end, 0, ""}};
    std::string bytes;
    for (const Frame& frame : frames) bytes += encode_frame(frame);
    for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
        FrameReader reader;
        std::vector<Frame> read;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.add(std::string_view(bytes).substr(at, piece));
            while (auto frame = reader.next()) read.push_back(*frame);
        }
        ASSERT_EQ(read.size(), std::size(frames));
        EXPECT_TRUE(std::equal(read.begin(), read.end(), std::begin(frames)));
    }
}

TEST(StepIo, KnowsAnEndAndAStranger) {
    EXPECT_EQ(exit_of(task_end_frame(1, {.code = -1, .signal = 9})),
              (ExitStatus{.code = -1, .signal = 9}));
    EXPECT_FALSE(exit_of({FrameKind::task_end, 1, "short"}));
    FrameReader reader;
    reader.add("GET / HTTP/1.1\r\n");
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.wrong());
    FrameReader greedy;
    greedy.add(std::string("\x02\0\0\0\0\x7f\xff\xff\xff", 9));
    EXPECT_FALSE(greedy.next());
    EXPECT_TRUE(greedy.wrong());
}

}  // namespace
}  // namespace berth
