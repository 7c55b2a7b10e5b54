#include "berth/model/process_mapping.h"

#include <gtest/gtest.h>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Nodes = std::vector<std::uint32_t>;

TEST(ProcessMapping, SaysBlocksAsMpichReadsThem) {
    EXPECT_EQ(process_mapping(Nodes{0}), "(vector,(0,1,1))");
    EXPECT_EQ(process_mapping(Nodes{0, 0, 1, 1, 2, 2}), "(vector,(0,3,2))");
    EXPECT_EQ(process_mapping(Nodes{0, 1, 0, 1}), "(vector,(0,2,1),(0,2,1))");
    EXPECT_EQ(process_mapping(Nodes{0, 0, 0, 1}), "(vector,(0,1,3),(1,1,1))");
}

TEST(ProcessMapping, IsReadBackWhateverItIs) {
    testing::for_each_seed(200, [](Rng& rng) {
        const auto nodes = static_cast<std::uint32_t>(rng.between(1, 9));
        Nodes all;
        for (auto n = rng.between(1, 60); n > 0; --n) {
            all.push_back(static_cast<std::uint32_t>(rng.between(0, nodes - 1)));
        }
        const auto tasks = static_cast<std::uint32_t>(all.size());
        const auto read = read_process_mapping(process_mapping(all), tasks, nodes);
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_EQ(*read, all);
    });
}

TEST(ProcessMapping, RefusesWhatDoesNotFitTheStep) {
    for (const char* text :
         {"", "(vector", "(vector)", "(vector,(0,1,3))", "(vector,(0,1,5))", "(vector,(0,3,4))",
          "(vector,(2,1,4))", "(vector,(0,1,4)", "(vector,(0,1))", "(vector,(0,1,-4))",
          "(vector,(0,4294967295,4294967295))", "(vector,(0,1,4),)", "(vector,(0,1,4)) "}) {
        EXPECT_FALSE(read_process_mapping(text, 4, 2).ok()) << text;
    }
}

}  // namespace
}  // namespace berth
