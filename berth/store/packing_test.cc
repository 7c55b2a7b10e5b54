#include "berth/store/packing.h"

#include <gtest/gtest.h>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

std::string environment() {
    std::string text;
    for (int i = 0; i < 60; ++i) {
        text += "A_VARIABLE_" + std::to_string(i) + "=/opt/software/tools/" + std::to_string(i) +
                "/lib\n";
    }
    return text;
}

std::string random_bytes(Rng& rng, std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(rng.between(0, 255));
    return bytes;
}

TEST(Packing, GivesBackWhatItTook) {
    testing::for_each_seed(200, [](Rng& rng) {
        for (int i = 0; i < 10; ++i) {
            const auto size = static_cast<std::size_t>(rng.between(0, 20'000));
            const std::string bytes =
                rng.chance(50) ? random_bytes(rng, size) : environment().substr(0, size);
            const auto back = unpack(pack(bytes));
            ASSERT_TRUE(back.ok());
            EXPECT_EQ(*back, bytes);
        }
    });
}

TEST(Packing, MakesAnEnvironmentSmallAndNothingLarger) {
    EXPECT_LT(pack(environment()).size(), environment().size() / 3);
    EXPECT_EQ(pack("short"), std::string("\0short", 6));
    EXPECT_EQ(pack("").size(), 1u);
    Rng rng(7);
    const std::string noise = random_bytes(rng, 5000);
    EXPECT_EQ(pack(noise).size(), noise.size() + 1);
}

TEST(Packing, RefusesWhatItHasNotMade) {
    const std::string whole = pack(environment());
    const auto refusal = [&](const std::string& bytes) {
        const auto unpacked = unpack(bytes);
        return unpacked.ok() ? "taken" : unpacked.error().message;
    };
    EXPECT_EQ(refusal(""), "is empty");
    EXPECT_EQ(refusal("\x07what"), "is packed in a way that is not known here");
    EXPECT_EQ(refusal("\x01\x10"), "does not say how long it is");
    EXPECT_EQ(refusal(whole.substr(0, whole.size() - 5)), "cannot be unpacked");
    EXPECT_EQ(refusal(std::string("\x01\xff\xff\xff\x7fwhat", 9)),
              "says that it is longer than it can be");
}

TEST(Packing, SurvivesAnyDamage) {
    testing::for_each_seed(300, [](Rng& rng) {
        std::string bytes = pack(environment());
        for (int i = 0; i < 3; ++i) {
            bytes[static_cast<std::size_t>(rng.next() % bytes.size())] =
                static_cast<char>(rng.between(0, 255));
        }
        (void)unpack(bytes);
    });
}

}  // namespace
}  // namespace berth
