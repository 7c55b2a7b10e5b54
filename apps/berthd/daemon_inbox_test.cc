#include "apps/berthd/daemon_inbox.h"

#include <gtest/gtest.h>

#include <thread>

#include "apps/daemon/wall_clock.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

Input lost(std::uint64_t link) { return LinkLost{Link{link}}; }

TEST(DaemonInbox, GivesAllThatCameInOrder) {
    SystemClock clock;
    DaemonInbox inbox(clock);
    for (std::uint64_t i = 0; i < 100; ++i) inbox.push(lost(i));
    const std::vector<Input> taken = inbox.wait_until(std::nullopt);
    ASSERT_EQ(taken.size(), 100u);
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(std::get<LinkLost>(taken[i]).link, Link{i});
}

TEST(DaemonInbox, WaitsUntilTheDeadlineAndNoLonger) {
    SystemClock clock;
    DaemonInbox inbox(clock);
    const Time before = clock.now();
    EXPECT_TRUE(inbox.wait_until(before + 50ms).empty());
    EXPECT_GE(clock.now() - before, 50ms);
    EXPECT_TRUE(inbox.wait_until(before).empty()) << "it is past already";
}

TEST(DaemonInbox, WakesForWhatComesAndForTheStop) {
    SystemClock clock;
    DaemonInbox inbox(clock);
    std::thread sender([&] {
        std::this_thread::sleep_for(20ms);
        inbox.push(lost(7));
    });
    EXPECT_EQ(inbox.wait_until(std::nullopt).size(), 1u);
    sender.join();
    std::thread stopper([&] { inbox.stop(); });
    EXPECT_TRUE(inbox.wait_until(std::nullopt).empty());
    stopper.join();
    EXPECT_TRUE(inbox.stopped());
    EXPECT_FALSE(inbox.try_push(lost(1)));
    inbox.push(lost(1));  // Does not hang.
}

TEST(DaemonInbox, RefusesClientsAndMakesAgentsWaitWhenItIsFull) {
    SystemClock clock;
    DaemonInbox inbox(clock, 10);
    for (std::uint64_t i = 0; i < 10; ++i) EXPECT_TRUE(inbox.try_push(lost(i)));
    EXPECT_FALSE(inbox.try_push(lost(10)));
    std::thread agent([&] { inbox.push(lost(11)); });
    std::size_t taken = 0;
    while (taken < 11) taken += inbox.wait_until(std::nullopt).size();
    agent.join();
    EXPECT_EQ(taken, 11u);
}

TEST(DaemonInbox, BoundsWhatOneTurnTakes) {
    SystemClock clock;
    DaemonInbox inbox(clock);
    for (std::uint64_t i = 0; i < 10'000; ++i) inbox.push(lost(i));
    std::uint64_t next = 0;
    for (int turn = 0; turn < 3; ++turn) {
        const std::vector<Input> taken = inbox.wait_until(std::nullopt);
        EXPECT_LE(taken.size(), 4096u);
        for (const Input& input : taken) EXPECT_EQ(std::get<LinkLost>(input).link, Link{next++});
    }
    EXPECT_EQ(next, 10'000u);
}

}  // namespace
}  // namespace berth
