// Heartbeats that wait for nothing.
#include "apps/berth_agent/pulse.h"

#include <gtest/gtest.h>

#include <atomic>

namespace berth {
namespace {

using std::chrono::milliseconds;

OutgoingReport report_of(std::uint64_t session) {
    return {7, Report{"boot-1", session, AttemptStarted{JobId{1}, Attempt{1}}}};
}

class Heart {
public:
    explicit Heart(Pulse::Settings settings)
        : pulse(settings, [this](OutgoingReport report) {
              last = std::move(report);
              ++beats;
          }) {}
    // Whether more heartbeats than that were sent.
    bool beats_beyond(int count) {
        for (int i = 0; i < 1000 && beats <= count; ++i) {
            std::this_thread::sleep_for(milliseconds(5));
        }
        return beats > count;
    }
    std::atomic<int> beats = 0;
    OutgoingReport last;
    Pulse pulse;  // Last, because its thread uses the other members.
};

TEST(Pulse, BeatsWhileATurnWaitsForADiskAndNotOtherwise) {
    Heart heart({.every = milliseconds(10), .longest = std::chrono::minutes(5)});
    heart.pulse.turn_begins();  // No session yet: there is nothing to send to.
    std::this_thread::sleep_for(milliseconds(60));
    heart.pulse.turn_ends();
    EXPECT_EQ(heart.beats, 0);
    heart.pulse.sent(report_of(3));
    std::this_thread::sleep_for(milliseconds(60));
    EXPECT_EQ(heart.beats, 0) << "the agent itself says that it lives";
    heart.pulse.turn_begins();
    EXPECT_TRUE(heart.beats_beyond(2));
    heart.pulse.turn_ends();
    std::this_thread::sleep_for(milliseconds(30));
    const int beats = heart.beats;
    std::this_thread::sleep_for(milliseconds(60));
    EXPECT_EQ(heart.beats, beats);
    EXPECT_EQ(heart.last.link, 7U);
    EXPECT_EQ(heart.last.report.session, 3U);
    EXPECT_EQ(heart.last.report.boot_id, "boot-1");
    EXPECT_TRUE(std::holds_alternative<Heartbeat>(heart.last.report.body));
}

TEST(Pulse, GivesUpATurnThatWillNotEnd) {
    Heart heart({.every = milliseconds(10), .longest = milliseconds(100)});
    heart.pulse.sent(report_of(3));
    heart.pulse.turn_begins();
    EXPECT_TRUE(heart.beats_beyond(0));
    std::this_thread::sleep_for(milliseconds(200));
    const int beats = heart.beats;
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ(heart.beats, beats);
}

}  // namespace
}  // namespace berth
