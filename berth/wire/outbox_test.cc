#include "berth/wire/outbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace berth {
namespace {

TEST(Outbox, CarriesAllInOrderOnAnotherThread) {
    std::vector<int> carried;
    std::atomic<bool> elsewhere = true;
    const auto here = std::this_thread::get_id();
    std::atomic<int> count = 0;
    {
        Outbox<int> outbox(100, [&](int item) {
            if (std::this_thread::get_id() == here) elsewhere = false;
            carried.push_back(item);
            ++count;
        });
        for (int i = 0; i < 10'000; ++i) outbox.put(i);
        while (count < 10'000) std::this_thread::yield();
    }
    EXPECT_TRUE(elsewhere);
    ASSERT_EQ(carried.size(), 10'000u);
    for (int i = 0; i < 10'000; ++i) EXPECT_EQ(carried[static_cast<std::size_t>(i)], i);
}

TEST(Outbox, MakesThemWaitWhoPutTooMuch) {
    std::mutex gate;
    std::unique_lock shut(gate);
    std::atomic<int> put = 0;
    Outbox<int> outbox(4, [&](int) { const std::lock_guard wait(gate); });
    std::thread busy([&] {
        for (int i = 0; i < 20; ++i) {
            outbox.put(i);
            ++put;
        }
    });
    while (put < 5) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_LE(put, 8) << "four under way, four more that wait";
    shut.unlock();
    busy.join();
    EXPECT_EQ(put, 20);
}

TEST(Outbox, LetsGoOfWhoWaitsWhenItIsStopped) {
    std::mutex gate;
    std::unique_lock shut(gate);
    Outbox<int> outbox(1, [&](int) { const std::lock_guard wait(gate); });
    std::thread busy([&] {
        for (int i = 0; i < 10; ++i) outbox.put(i);
    });
    std::thread stopper([&] { outbox.stop(); });
    busy.join();  // Although nothing is carried.
    shut.unlock();
    stopper.join();
}

}  // namespace
}  // namespace berth
