#include "berth/base/codec.h"

#include <gtest/gtest.h>

#include "berth/model/event.h"
#include "berth/model/order.h"
#include "berth/model/report.h"

namespace berth {
namespace {

Record example() {
    Job job;
    job.id = JobId(7);
    job.spec.name = "train";
    job.spec.array = ArraySpec{.tasks = {1, 2, 5}, .max_running = 2};
    job.time_limit = std::chrono::hours(1);
    job.allocation.emplace();
    job.allocation->shares.push_back(
        {.node = NodeId(3), .cores = BitSet::all(70), .devices = 0x80});
    Record record;
    record.sequence = 12;
    record.epoch = Epoch(3);
    record.now = Time(std::chrono::seconds(100));
    record.facts.push_back(JobSubmitted{job});
    record.facts.push_back(AttemptEnded{.job = JobId(7), .batch_exit = ExitStatus{.code = -1}});
    record.payloads.push_back({JobId(7), {.script = "#!/bin/sh\n", .environment = {"A=b"}}});
    return record;
}

TEST(Codec, GivesBackWhatItWasGiven) {
    const Record record = example();
    const Result<Record> again = decode<Record>(encode(record));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again.value(), record);
}

TEST(Codec, RefusesEveryCutOffRecordAndNeverCrashesOnAChangedByte) {
    const std::string bytes = encode(example());
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_FALSE(decode<Record>(std::string_view(bytes).substr(0, n)).ok()) << n;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 0xff);
        (void)decode<Record>(changed);
    }
}

struct Before {
    int a = 1;
    BERTH_FIELDS(Before, a)
};
struct After {
    int a = 0;
    std::string b = "default";
    BERTH_FIELDS(After, a, b)
};

TEST(Codec, ReadsOlderAndNewerForms) {
    EXPECT_EQ(decode<After>(encode(Before{5})).value(), (After{5, "default"}));
    EXPECT_EQ(decode<Before>(encode(After{6, "new"})).value(), Before{6});
}

TEST(Codec, HoldsOrdersAndReports) {
    const Order order{.epoch = Epoch(1), .boot_id = "b", .body = EndAttempt{.job = JobId(1)}};
    EXPECT_EQ(decode<Order>(encode(order)).value(), order);
    const Report report{.boot_id = "b", .session = 2, .body = Registration{.node = "gpu1"}};
    EXPECT_EQ(decode<Report>(encode(report)).value(), report);
}

}  // namespace
}  // namespace berth
