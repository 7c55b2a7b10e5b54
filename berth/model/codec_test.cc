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

// The kinds of elements that a record can have many of, at any depth, and how little of a message
// the smallest of each takes.
class ElementSizes {
public:
    explicit ElementSizes(std::size_t room_per_byte) : room_per_byte_(room_per_byte) {}
    template <class T>
    void look_into(const T& value) {
        T::fields(value, *this);
    }
    template <class T>
    void operator()(const char* name, const T& value) {
        name_ = name;
        visit(value);
    }
    std::size_t kinds() const { return kinds_; }

private:
    template <class T>
    void visit(const T& value) {
        if constexpr (HasPlain<T>) {
            visit(typename T::Plain(value.plain()));
        } else if constexpr (HasFields<T>) {
            look_into(value);
        }
    }
    template <class T>
    void visit(const std::vector<T>&) {
        check<T>();
        visit(T{});
    }
    template <class T>
    void visit(const std::optional<T>&) {
        visit(T{});
    }
    template <class A, class B>
    void visit(const std::pair<A, B>&) {
        visit(A{});
        visit(B{});
    }
    template <class... Kinds>
    void visit(const std::variant<Kinds...>&) {
        (visit(Kinds{}), ...);
    }
    template <class T>
    void check() {
        ++kinds_;
        const std::string name = name_;
        EXPECT_LE(sizeof(T), encode(T{}).size() * room_per_byte_ / 2)
            << "an element of `" << name << "` takes " << encode(T{}).size() << " bytes";
    }

    const std::size_t room_per_byte_;
    std::string name_;
    std::size_t kinds_ = 0;
};

TEST(Codec, HasRoomForAllThatWeWrite) {
    ElementSizes messages(kMessageRoom), records(kRecordRoom);
    messages.look_into(Order{});
    messages.look_into(Report{});
    records.look_into(Record{});
    EXPECT_GT(messages.kinds(), 20U);
    EXPECT_GT(records.kinds(), 50U);
}

struct Crowd {
    std::vector<NodeSpec> nodes;
    std::vector<std::vector<Job>> jobs;
    BERTH_FIELDS(Crowd, nodes, jobs)
};

// `count` elements of one byte each: a struct of no fields.
std::string many(std::size_t count) {
    Writer varint;
    varint.write(std::string(count, '\0'));  // A length, and that many zeroes.
    return varint.take();
}

TEST(Codec, RefusesWhatWouldTakeFarMoreMemoryThanItSays) {
    EXPECT_TRUE(decode<std::vector<NodeSpec>>(many(5), kMessageRoom).ok());
    const auto nodes = decode<std::vector<NodeSpec>>(many(1 << 20), kMessageRoom);
    ASSERT_FALSE(nodes.ok());
    EXPECT_NE(nodes.error().message.find("in memory"), std::string::npos) << nodes.error().message;
    // Also in parts, each of which would do by itself: the room of all is one.
    std::vector<std::vector<std::string>> parts(1000, std::vector<std::string>(200));
    const std::string bytes = encode(parts);
    EXPECT_TRUE((decode<std::vector<std::vector<std::string>>>(bytes, kMessageRoom).ok()));
    EXPECT_FALSE((decode<std::vector<std::vector<NodeSpec>>>(bytes, kMessageRoom).ok()));
    const std::string crowd = encode(many(10'000));  // A struct's, as its first field.
    EXPECT_FALSE(decode<Crowd>(crowd, kMessageRoom).ok());
    EXPECT_TRUE(decode<Crowd>(crowd).ok());  // What lies on a disk of ours, has its checksum.
}

TEST(Codec, HoldsOrdersAndReports) {
    const Order order{.epoch = Epoch(1), .boot_id = "b", .body = EndAttempt{.job = JobId(1)}};
    EXPECT_EQ(decode<Order>(encode(order)).value(), order);
    const Report report{.boot_id = "b", .session = 2, .body = Registration{.node = "gpu1"}};
    EXPECT_EQ(decode<Report>(encode(report)).value(), report);
}

}  // namespace
}  // namespace berth
