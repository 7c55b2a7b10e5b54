#include "berth/base/name_index.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace berth {
namespace {

TEST(NameIndex, FindsTheFirstAndTheLastOfEachName) {
    const std::vector<std::string> words = {"b", "a", "b", "", "c", "b"};
    const NameIndex index(words, [](const std::string& word) { return std::string_view(word); });
    EXPECT_EQ(index.size(), 4U);
    std::vector<bool> numbers(index.size());
    for (const std::string& word : words) {
        const auto* const entry = index.find(word);
        ASSERT_NE(entry, nullptr) << word;
        EXPECT_EQ(words[entry->first], word);
        EXPECT_EQ(words[entry->last], word);
        numbers.at(index.number_of(*entry)) = true;
    }
    EXPECT_EQ(numbers, std::vector<bool>(index.size(), true));
    EXPECT_EQ(index.find("b")->first, 0U);
    EXPECT_EQ(index.find("b")->last, 5U);
    EXPECT_FALSE(index.contains("aa"));
    EXPECT_FALSE(index.contains("d"));
    EXPECT_EQ(NameIndex<std::string_view>().find("a"), nullptr);
}

}  // namespace
}  // namespace berth
