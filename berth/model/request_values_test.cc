#include "berth/model/request_values.h"

#include <csignal>

#include "berth/base/codec.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Values, ReadNodeCounts) {
    EXPECT_EQ(parse_node_count("4")->least, 4U);
    EXPECT_EQ(parse_node_count("4")->most, 4U);
    EXPECT_EQ(parse_node_count("2-8")->most, 8U);
    EXPECT_EQ(parse_node_count("1k")->least, 1024U);
    EXPECT_EQ(parse_node_count("4-2")->most, 2U);  // Refused by name where the option is read.
    for (const char* wrong : {"", "-1", "a", "2-", "-2", "1-2-3", "99999999999"}) {
        EXPECT_FALSE(parse_node_count(wrong)) << wrong;
    }
}

TEST(Values, ReadGresAsSlurmDoes) {
    struct Case {
        const char* text;
        std::vector<GresRequest> all;
    };
    const Case cases[] = {
        {"gpu", {{"gpu", "", 1}}},
        {"gpu:2", {{"gpu", "", 2}}},
        {"gpu:a100", {{"gpu", "a100", 1}}},
        {"gpu:a100:2,fpga:1", {{"gpu", "a100", 2}, {"fpga", "", 1}}},
        {"gres/gpu:1", {{"gpu", "", 1}}},
        {"gpu:0", {{"gpu", "", 0}}},
        {"shard:2k", {{"shard", "", 2048}}},
        {"gpumem:10G", {{"gpumem", "", std::int64_t{10} << 30}}},
        {"gpumem:10240M,fpga:1", {{"gpumem", "", std::int64_t{10} << 30}, {"fpga", "", 1}}},
        {"gres/gpumem:1024t", {{"gpumem", "", std::int64_t{1} << 50}}},
        {"gpumem:10737418240", {{"gpumem", "", std::int64_t{10} << 30}}},
        {"none", {}},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        ASSERT_TRUE(parse_gres_list(c.text));
        EXPECT_EQ(*parse_gres_list(c.text), c.all);
    }
    for (const char* wrong :
         {"", "gpu:", ":2", "gpu:a100:x", "gpu:a:b:c", "gpu:-1", "gpu,,fpga", "g p:1", "gpu:1G",
          "shard:3000m", "gpumem:1025T", "gpumem:-1G", "gpumem:1P"}) {
        EXPECT_FALSE(parse_gres_list(wrong)) << wrong;
    }
    EXPECT_EQ(*parse_gpu_list("a100:2,h100:1"),
              (std::vector<GresRequest>{{"gpu", "a100", 2}, {"gpu", "h100", 1}}));
    EXPECT_EQ(*parse_gpu_list("3"), (std::vector<GresRequest>{{"gpu", "", 3}}));
}

TEST(Values, ReadArrays) {
    EXPECT_EQ(parse_array("0-3")->tasks, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(parse_array("6,0,16-18")->tasks, (std::vector<std::uint32_t>{0, 6, 16, 17, 18}));
    EXPECT_EQ(parse_array("0-15:4")->tasks, (std::vector<std::uint32_t>{0, 4, 8, 12}));
    EXPECT_EQ(parse_array("1-100%8")->max_running, 8U);
    EXPECT_EQ(parse_array("1,1,1")->tasks.size(), 1U);
    for (const char* wrong :
         {"", "a", "3-1", "1-", "-1", "1-5:0", "1%0", "1%", "5:2", "0-99999999999", "1,,2"}) {
        EXPECT_FALSE(parse_array(wrong)) << wrong;
    }
}

TEST(Values, ReadSignals) {
    EXPECT_EQ(parse_signal("USR1"), 10);
    EXPECT_EQ(parse_signal("sigterm"), 15);
    EXPECT_EQ(parse_signal("9"), 9);
    EXPECT_FALSE(parse_signal("NOPE"));
    EXPECT_FALSE(parse_signal("0"));
}

TEST(Values, ReadASignalBeforeTheEnd) {
    struct Case {
        const char* text;
        std::optional<WarningSignal> warning;
    };
    using std::chrono::seconds;
    for (const Case& one : {
             Case{"USR2@90", WarningSignal{.signal = SIGUSR2, .before = seconds(90)}},
             Case{"B:SIGTERM",
                  WarningSignal{.signal = SIGTERM, .before = seconds(60), .batch = true}},
             Case{"10@0", WarningSignal{.signal = 10, .before = seconds(0)}},
             Case{"R:10", std::nullopt},
             Case{"nosuch", std::nullopt},
             Case{"10@", std::nullopt},
             Case{"10@65536", std::nullopt},
             Case{"10@-1", std::nullopt},
         }) {
        EXPECT_EQ(parse_warning(one.text).has_value(), one.warning.has_value()) << one.text;
        if (!one.warning) continue;
        EXPECT_EQ(encode(*parse_warning(one.text)), encode(*one.warning)) << one.text;
    }
}

}  // namespace
}  // namespace berth
