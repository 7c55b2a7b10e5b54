#include "berth/base/shared_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "berth/base/codec.h"
#include "berth/base/rng.h"

namespace berth {
namespace {

using WordList = SharedList<std::string>;

static_assert(std::random_access_iterator<WordList::const_iterator>);

std::vector<std::string> vector_of(const WordList& list) { return {list.begin(), list.end()}; }

std::vector<std::string> some_words(std::size_t count) {
    std::vector<std::string> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) all.push_back("word " + std::to_string(i));
    return all;
}

// A list and the vector that it should equal.
struct ListAndVector {
    WordList list;
    std::vector<std::string> plain;
};

void change_both(ListAndVector& pair, Rng& rng) {
    const auto number = [&](std::size_t below) {
        return static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(below) - 1));
    };
    const std::string word = std::to_string(number(1000));
    switch (number(12)) {
        case 0: {
            const char last = static_cast<char>('0' + number(10));
            const auto goes = [&](const std::string& one) { return one.back() == last; };
            const auto erased = erase_if(pair.list, goes);
            EXPECT_EQ(erased, std::erase_if(pair.plain, goes));
            break;
        }
        case 1: {
            const std::size_t size = number(200);
            pair.list.resize(pair.list.size() + size / 2);
            pair.plain.resize(pair.plain.size() + size / 2);
            for (std::size_t i = 0; i < pair.plain.size(); ++i) {
                if (pair.plain[i].empty()) pair.list.edit(i) = pair.plain[i] = word;
            }
            const std::size_t less = pair.plain.size() - number(pair.plain.size() + 1) / 3;
            pair.list.resize(less);
            pair.plain.resize(less);
            break;
        }
        case 2: pair.list = pair.plain = some_words(number(140)); break;
        default:
            if (pair.plain.empty() || rng.chance(40)) {
                pair.plain.push_back(word);
                EXPECT_EQ(pair.list.push_back(word), word);
            } else {
                const std::size_t at = number(pair.plain.size());
                pair.list.edit(at) = pair.plain[at] = word;
            }
    }
}

void expect_same_elements(const ListAndVector& pair) {
    ASSERT_EQ(pair.list.size(), pair.plain.size());
    EXPECT_EQ(pair.list.empty(), pair.plain.empty());
    EXPECT_EQ(vector_of(pair.list), pair.plain);
    for (std::size_t i = 0; i < pair.plain.size(); ++i) EXPECT_EQ(pair.list[i], pair.plain[i]);
    EXPECT_EQ(pair.list, WordList(pair.plain));
    if (pair.plain.empty()) return;
    EXPECT_EQ(pair.list.front(), pair.plain.front());
    EXPECT_EQ(pair.list.back(), pair.plain.back());
}

// Lists that were copied from each other at some time, changed in turn.
TEST(SharedList, IsLikeAVectorWhateverItsCopiesGoThrough) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        std::vector<ListAndVector> pairs(4);
        for (int step = 0; step < 300; ++step) {
            ListAndVector& pair = pairs[static_cast<std::size_t>(rng.between(0, 3))];
            if (rng.chance(10)) pair = pairs[static_cast<std::size_t>(rng.between(0, 3))];
            change_both(pair, rng);
            if (step % 10 == 0) std::ranges::for_each(pairs, expect_same_elements);
        }
        std::ranges::for_each(pairs, expect_same_elements);
        for (const ListAndVector& one : pairs) {
            for (const ListAndVector& other : pairs)
                EXPECT_EQ(one.list == other.list, one.plain == other.plain);
        }
    }
}

TEST(SharedList, SharesWhatItsCopiesDoNotChange) {
    const WordList list = some_words(200);
    WordList copy = list;
    copy.edit(100) = "another";
    EXPECT_EQ(&copy[63], &list[63]);
    EXPECT_NE(&copy[100], &list[100]);
    EXPECT_NE(&copy[64], &list[64]);  // In the same piece.
    EXPECT_EQ(&copy[128], &list[128]);
    EXPECT_EQ(list[100], "word 100");
    EXPECT_EQ(copy[100], "another");
    EXPECT_EQ(copy[101], "word 101");
}

TEST(SharedList, IsChangedInPlaceWhereNoOtherListHoldsIt) {
    WordList list = some_words(100);
    const std::string* const place = &list[70];
    list.edit(70) = "another";
    EXPECT_EQ(&list[70], place);
}

TEST(SharedList, ErasesNothingThatIsToStay) {
    const WordList list = some_words(200);
    WordList copy = list;
    EXPECT_EQ(erase_if(copy, [](const std::string&) { return false; }), 0U);
    EXPECT_EQ(&copy[199], &list[199]);
    EXPECT_EQ(erase_if(copy, [](const std::string& one) { return one == "word 130"; }), 1U);
    EXPECT_EQ(&copy[127], &list[127]);
    EXPECT_EQ(copy[130], "word 131");
}

TEST(SharedList, IsReadByAlgorithms) {
    const WordList list = some_words(150);
    const auto at = std::ranges::find(list, "word 149");
    EXPECT_EQ(at - list.begin(), 149);
    EXPECT_EQ(at[-1], "word 148");
    EXPECT_EQ(std::ranges::find(list, "none"), list.end());
    EXPECT_TRUE(std::ranges::is_sorted(list, {}, &std::string::size));
    EXPECT_EQ(std::vector<std::string>(std::make_reverse_iterator(list.end()),
                                       std::make_reverse_iterator(list.begin()))
                  .front(),
              "word 149");
}

TEST(SharedList, IsWrittenAndHashedAsAVector) {
    for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 128U, 300U}) {
        const std::vector<std::string> plain = some_words(size);
        const std::string bytes = encode(plain);
        EXPECT_EQ(encode(WordList(plain)), bytes);
        EXPECT_EQ(hash_of(WordList(plain)), hash_of(plain));
        const auto read = decode<WordList>(bytes);
        ASSERT_TRUE(read.ok());
        EXPECT_EQ(vector_of(*read), plain);
        EXPECT_FALSE(decode<WordList>(bytes.substr(0, bytes.size() - 1)).ok());
    }
}

}  // namespace
}  // namespace berth
