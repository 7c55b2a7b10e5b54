// What is kept of nodes and reservations, and the runs of a time, one by one.
#include <gtest/gtest.h>

#include <array>

#include "berth/base/codec.h"
#include "berth/store/reader.h"
#include "berth/store/small_cluster.h"
#include "berth/store/span_table.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using testing::at;
using testing::Folder;
using testing::SmallCluster;
using testing::two_nodes;

class SpansKept : public ::testing::Test {
protected:
    SpansKept() : cluster_(folder_.path()) {
        EXPECT_TRUE(cluster_.ok()) << cluster_.error;
        EXPECT_TRUE(cluster_.become_leader(at(0)).ok());
    }
    void record(std::int64_t second, std::vector<Fact> facts) {
        ASSERT_TRUE(cluster_.record(at(second), std::move(facts)).ok());
    }
    void registered(std::int64_t second, std::uint32_t node) {
        record(second, {NodeRegistered{.node = NodeId(node), .boot_id = "b"}});
    }
    Spans all(std::int64_t from = 0, std::int64_t until = 1'000'000) {
        Result<StoreReader> reader = StoreReader::open(folder_.path());
        EXPECT_TRUE(reader.ok());
        Result<Spans> spans = reader->spans(at(from), at(until));
        EXPECT_TRUE(spans.ok()) << spans.error().message;
        return spans.ok() ? *std::move(spans) : Spans{};
    }
    // "0-10 16, 10- 0": from when until when, and how many CPUs took no work.
    std::string of_node(const std::string& name) {
        std::string text;
        for (const NodeSpan& span : all().nodes) {
            if (span.name != name) continue;
            text += (text.empty() ? "" : ", ") + std::to_string(seconds(span.began - at(0))) + "-" +
                    (span.ended ? std::to_string(seconds(*span.ended - at(0))) : "") + " " +
                    std::to_string(span.standing.unavailable.cpu().count() / 1000);
        }
        return text;
    }
    // "10-20 fan by root, 30- DOWN": from when until when, and why.
    std::string events_of(const std::string& name, std::int64_t from = 0,
                          std::int64_t until = 1'000'000) {
        Result<StoreReader> reader = StoreReader::open(folder_.path());
        EXPECT_TRUE(reader.ok());
        const Result<std::vector<NodeEventSpan>> events = reader->node_events(at(from), at(until));
        EXPECT_TRUE(events.ok()) << events.error().message;
        std::string text;
        for (const NodeEventSpan& event : *events) {
            if (event.name != name) continue;
            const NodeEvent& what = event.standing;
            text += (text.empty() ? "" : ", ") + std::to_string(seconds(event.began - at(0))) +
                    "-" + (event.ended ? std::to_string(seconds(*event.ended - at(0))) : "") + " " +
                    (what.responding ? "" : "silent ") + (what.down ? "down " : "") +
                    (what.drained ? "drained " : "") + what.reason +
                    (what.by.empty() ? "" : " by " + what.by);
        }
        return text;
    }
    std::string of_reservations(std::int64_t from = 0, std::int64_t until = 1'000'000) {
        std::string text;
        for (const ReservationSpan& span : all(from, until).reservations) {
            text += (text.empty() ? "" : ", ") + span.name + " " +
                    std::to_string(seconds(span.began - at(0))) + "-" +
                    std::to_string(seconds(*span.ended - at(0))) + " on " +
                    std::to_string(span.standing.nodes.size());
        }
        return text;
    }
    static Reservation reservation(std::int64_t start, std::int64_t end, std::uint32_t nodes = 1) {
        Reservation one{.name = "course", .start = at(start), .end = at(end)};
        for (std::uint32_t n = 0; n < nodes; ++n) {
            Resources amount;
            amount.set_cpu(cores(16));
            one.amounts.emplace_back(NodeId(n), amount);
        }
        return one;
    }

    Folder folder_;
    SmallCluster cluster_;
};

TEST_F(SpansKept, ANodeIsUnavailableUntilItRegisters) {
    EXPECT_EQ(of_node("gpu1"), "0- 16");
    registered(10, 0);
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10- 0");
    registered(20, 0);
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10- 0") << "nothing is new";
    EXPECT_EQ(of_node("gpu2"), "0- 16");
    EXPECT_EQ(all().since, at(0));
}

TEST_F(SpansKept, OfADrainedNodeWhatRunsHoldIsInUse) {
    registered(10, 0);
    ASSERT_TRUE(cluster_.submit(1, at(15)).ok());
    ASSERT_TRUE(cluster_.start(1, at(20), 1, {NodeId(0)}).ok());
    record(30, {NodeUpdated{.node = NodeId(0), .drained = true, .reason = "fan", .by = "root"}});
    record(40, {AttemptEnded{.job = JobId(1),
                             .attempt = Attempt(1),
                             .node = NodeId(0),
                             .batch_exit = ExitStatus{}}});
    record(50, {NodeUpdated{.node = NodeId(0), .drained = false}});
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10-30 0, 30-40 15, 40-50 16, 50- 0");
}

TEST_F(SpansKept, ANodeThatTakesNoWorkIsAnEventUntilItDoes) {
    EXPECT_EQ(events_of("gpu1"), "0- silent down Not responding");
    registered(10, 0);
    record(30, {NodeUpdated{.node = NodeId(0), .drained = true, .reason = "fan", .by = "root"}});
    record(35, {NodeUpdated{.node = NodeId(0), .drained = true, .reason = "fans", .by = "ann"}});
    record(40, {NodeNotResponding{NodeId(0)}});
    registered(45, 0);
    record(50, {NodeUpdated{.node = NodeId(0), .drained = false}});
    record(60, {NodeNotResponding{NodeId(0)}});
    EXPECT_EQ(events_of("gpu1"),
              "0-10 silent down Not responding, 30-35 drained fan by root, "
              "35-40 drained fans by ann, 40-45 silent down drained fans by ann, "
              "45-50 drained fans by ann, 60- silent down Not responding");
    EXPECT_EQ(events_of("gpu1", 36, 41),
              "35-40 drained fans by ann, 40-45 silent down drained fans by ann");
    EXPECT_EQ(events_of("gpu2"), "0- silent down Not responding");
}

TEST_F(SpansKept, ARestartIsNoEventOfNodesThatComeBackInTime) {
    const std::int64_t timeout = seconds(cluster_.state().spec().scheduling.agent_timeout);
    registered(10, 0);
    registered(10, 1);
    record(100, {ControllerStarted{Epoch(2)}});
    registered(105, 1);
    registered(100 + 2 * timeout, 1);
    EXPECT_EQ(events_of("gpu1"), "0-10 silent down Not responding, " +
                                     std::to_string(100 + timeout) +
                                     "- silent down Not responding");
    EXPECT_EQ(events_of("gpu2"), "0-10 silent down Not responding");
}

TEST_F(SpansKept, ASilentNodeIsUnavailable) {
    registered(10, 0);
    record(60, {NodeNotResponding{NodeId(0)}});
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10-60 0, 60- 16");
    EXPECT_EQ(all(20, 30).nodes.size(), 2U) << "one of each node";
    EXPECT_EQ(all(5, 30).nodes.size(), 3U);
}

TEST_F(SpansKept, ANewControllerGoesOnWithWhatIsSo) {
    registered(10, 0);
    record(100, {ControllerStarted{Epoch(2)}});
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10- 0");
    registered(103, 0);
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10- 0") << "a restart takes nothing away";
    EXPECT_EQ(of_node("gpu2"), "0- 16");
}

// Nothing is recorded when the time is over, only later: the span tells when it was.
TEST_F(SpansKept, ANodeThatDoesNotComeBackToANewControllerIsUnavailableAfterTheTimeout) {
    const std::int64_t timeout = seconds(cluster_.state().spec().scheduling.agent_timeout);
    registered(10, 0);
    registered(10, 1);
    record(100, {ControllerStarted{Epoch(2)}});
    registered(105, 1);
    record(99 + timeout, {});
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10- 0");
    record(130 + timeout, {});
    const std::string due = std::to_string(100 + timeout);
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10-" + due + " 0, " + due + "- 16");
    EXPECT_EQ(of_node("gpu2"), "0-10 16, 10- 0");
    registered(200 + timeout, 0);
    const std::string back = std::to_string(200 + timeout);
    EXPECT_EQ(of_node("gpu1"),
              "0-10 16, 10-" + due + " 0, " + due + "-" + back + " 16, " + back + "- 0");
}

TEST_F(SpansKept, ARestartWithAnotherSizeOfANodeTellsTheSizeAlone) {
    registered(10, 0);
    ClusterSpec larger = two_nodes();
    larger.nodes.edit(0).capacity.set_memory(gib(128));
    record(100, {ControllerStarted{Epoch(2)}, SpecInstalled{larger}});
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10-100 0, 100- 0");
    registered(105, 0);
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10-100 0, 100- 0");
    EXPECT_EQ(all(101, 102).nodes.at(0).standing.capacity.memory(), gib(128));
}

TEST_F(SpansKept, OfADrainedGpuWhatNoRunHoldsIsUnavailable) {
    const DimensionId gpu = *cluster_.state().spec().dimensions.find("gpu", "a100");
    const auto gpus = [&](std::int64_t second) {
        return all(second, second + 1).nodes.at(0).standing.unavailable[gpu];
    };
    registered(10, 0);
    ASSERT_TRUE(cluster_.submit(1, at(15)).ok());
    ASSERT_TRUE(cluster_.start(1, at(20), 1, {NodeId(0)}).ok());  // It holds GPU 0.
    record(30, {DevicesDrained{.node = NodeId(0), .devices = 0b11, .reason = "xid", .by = "root"}});
    record(40, {AttemptEnded{.job = JobId(1),
                             .attempt = Attempt(1),
                             .node = NodeId(0),
                             .batch_exit = ExitStatus{}}});
    record(50, {NodeNotResponding{NodeId(0)}});
    record(60, {DevicesDrained{.node = NodeId(0), .devices = 0b11, .drained = false}});
    EXPECT_EQ(gpus(29), 0);
    EXPECT_EQ(gpus(30), 1) << "the job holds the other one";
    EXPECT_EQ(gpus(40), 2);
    EXPECT_EQ(gpus(50), 4);
    EXPECT_EQ(gpus(60), 4);
    EXPECT_EQ(of_node("gpu1"), "0-10 16, 10-30 0, 30-40 0, 40-50 0, 50- 16");
}

TEST_F(SpansKept, ANodeThatIsDescribedHasASpanUntilItIsNoMore) {
    NodeSpec node = two_nodes().nodes[0];
    node.name = node.hostname = "pod1";
    node.origin = NodeOrigin::joined;
    const Dimensions dimensions = cluster_.state().spec().dimensions;
    record(10, {NodeDescribed{node, dimensions}});
    EXPECT_EQ(of_node("pod1"), "10- 16");
    registered(20, 2);
    node.gone = true;
    record(30, {NodeNotResponding{NodeId(2)}, NodeDescribed{node, dimensions}});
    EXPECT_EQ(of_node("pod1"), "10-20 16, 20-30 0");
    EXPECT_EQ(of_node("gpu1"), "0- 16");
}

TEST_F(SpansKept, AReservationLastsUntilItsEndUnlessItIsChangedOrDeleted) {
    record(5, {ReservationSet{reservation(100, 200)}});
    EXPECT_EQ(of_reservations(), "course 100-200 on 1");
    record(150, {ReservationSet{reservation(100, 300, 2)}});
    EXPECT_EQ(of_reservations(), "course 100-150 on 1, course 150-300 on 2");
    record(180, {ReservationDeleted{"course"}});
    EXPECT_EQ(of_reservations(), "course 100-150 on 1, course 150-180 on 2");
}

// Also what lies beyond the time that is asked for, so that it can be told in full.
TEST_F(SpansKept, AllSpansOfAnOccurrenceAreToldTogether) {
    record(5, {ReservationSet{reservation(100, 300)}});
    record(150, {ReservationSet{reservation(100, 300, 2)}});
    record(200, {ReservationSet{reservation(100, 300)}});
    record(300, {ReservationSet{reservation(300, 400)}});
    EXPECT_EQ(of_reservations(160, 170),
              "course 100-150 on 1, course 150-200 on 2, course 200-300 on 1");
    EXPECT_EQ(of_reservations(310, 320), "course 300-400 on 1") << "the next occurrence";
    EXPECT_EQ(of_reservations(290, 310), of_reservations(0, 500));
}

TEST_F(SpansKept, AReservationThatIsDeletedBeforeItBeginsHasNeverBeen) {
    record(5, {ReservationSet{reservation(100, 200)}});
    record(6, {ReservationDeleted{"course"}});
    EXPECT_EQ(of_reservations(), "");
}

TEST_F(SpansKept, OneThatComesAgainHasASpanForEachTime) {
    record(5, {ReservationSet{reservation(100, 200)}});
    record(200, {ReservationSet{reservation(1100, 1200)}});
    EXPECT_EQ(of_reservations(), "course 100-200 on 1, course 1100-1200 on 1");
}

// What the spans say at each moment is what the state said, but for nodes that a new controller
// still waits for: these are as they were before it.
class SpansByChance : public ::testing::Test {
protected:
    // What each node was after each record, by its time.
    struct Moment {
        Time at{};
        std::vector<NodeStanding> nodes;
    };

    static Fact change(Rng& rng, NodeId node, const NodeCondition& condition, Epoch& epoch) {
        switch (rng.between(0, 6)) {
            case 0: return NodeNotResponding{node};
            case 1: return NodeUpdated{.node = node, .drained = !condition.drained, .by = "root"};
            case 2: return NodeUpdated{.node = node, .down = !condition.down, .by = "root"};
            case 3:
                return DevicesDrained{.node = node,
                                      .devices = static_cast<DeviceMask>(rng.between(1, 7)) << 1U,
                                      .drained = rng.chance(60)};
            case 4: epoch = Epoch(epoch.value() + 1); return ControllerStarted{epoch};
            default: return NodeRegistered{.node = node, .boot_id = "b"};
        }
    }
    // The state's word, or, of a node that is awaited, that of before.
    void note(const ClusterState& state, Time at) {
        Moment moment{.at = at, .nodes = {}};
        for (std::uint32_t n = 0; n < 2; ++n) {
            awaited_[n] = awaited_[n] && !state.nodes().condition(NodeId(n)).registered;
            moment.nodes.push_back(awaited_[n] ? moments_.back().nodes[n]
                                               : standing_of(state, NodeId(n)));
        }
        moments_.push_back(std::move(moment));
    }

    std::vector<Moment> moments_;
    std::array<bool, 2> awaited_{};
};

TEST_F(SpansByChance, SayWhatTheStateSaid) {
    testing::for_each_seed(20, [&](Rng& rng) {
        Folder folder;
        SmallCluster cluster(folder.path());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        moments_.clear(), awaited_ = {};
        note(cluster.state(), at(0));
        Epoch epoch = cluster.opened().epoch;
        std::int64_t second = 0;
        std::uint32_t job = 0;
        for (int i = 0; i < 60; ++i) {
            // A node that is awaited for too long is a case of its own, above.
            const bool waits = awaited_[0] || awaited_[1];
            second += waits ? rng.between(1, 2) : rng.between(1, 500);
            const NodeId node(static_cast<std::uint32_t>(rng.between(0, 1)));
            const NodeCondition& condition = cluster.state().nodes().condition(node);
            Fact fact = change(rng, node, condition, epoch);
            if (condition.schedulable() && rng.chance(30)) {
                ++job;
                ASSERT_TRUE(cluster.submit(job, at(second)).ok());
                ASSERT_TRUE(cluster.start(job, at(second), 1, {node}, 0).ok());
                fact = AttemptEnded{.job = JobId(job),
                                    .attempt = Attempt(1),
                                    .node = node,
                                    .batch_exit = ExitStatus{}};
            }
            const bool is_start = std::holds_alternative<ControllerStarted>(fact);
            const bool is_own = !is_start && !std::holds_alternative<AttemptEnded>(fact);
            ASSERT_TRUE(cluster.record(at(second), {fact}).ok());
            if (is_start) awaited_ = {true, true};
            if (is_own) awaited_[node.index()] = false;
            note(cluster.state(), at(second));
        }
        const Spans spans = StoreReader::open(folder.path())->spans(at(0), at(1'000'000)).value();
        for (std::size_t m = 0; m < moments_.size(); ++m) {
            if (m + 1 < moments_.size() && moments_[m + 1].at == moments_[m].at) continue;
            std::size_t n = 0;
            for (const char* const name : {"gpu1", "gpu2"}) {
                std::vector<NodeStanding> said;
                for (const NodeSpan& span : spans.nodes) {
                    const bool holds = span.began <= moments_[m].at &&
                                       (!span.ended || *span.ended > moments_[m].at);
                    if (span.name == name && holds) said.push_back(span.standing);
                }
                ASSERT_EQ(said.size(), 1U) << name << " at record " << m;
                EXPECT_EQ(encode(said.front()), encode(moments_[m].nodes[n++]))
                    << name << " at record " << m;
            }
        }
    });
}

TEST_F(SpansKept, DamageIsTold) {
    Database changed = *Database::open(folder_.path() + "/berth.db", {});
    ASSERT_TRUE(changed.run("UPDATE spans SET row = row || x'00' WHERE name = 'gpu1'").ok());
    Result<StoreReader> reader = StoreReader::open(folder_.path());
    ASSERT_TRUE(reader.ok());
    const auto spans = reader->spans(at(0), at(10));
    ASSERT_FALSE(spans.ok());
    EXPECT_EQ(spans.error().message, "what is known of gpu1 is damaged in the state file");
    ASSERT_TRUE(cluster_.submit(7, at(10)).ok());
    ASSERT_TRUE(changed.run("UPDATE jobs SET row = row || x'00'").ok());
    EXPECT_EQ(reader->accounting({}).error().message,
              "the accounting of job 7 is damaged in the state file");
}

// Earlier attempts, those that wait and those that run are all there; others are not.
TEST_F(SpansKept, EachRunOfATimeIsTold) {
    ASSERT_TRUE(cluster_.submit(1, at(10)).ok());
    ASSERT_TRUE(cluster_.start(1, at(20), 1, {NodeId(0)}).ok());
    ASSERT_TRUE(cluster_.submit(2, at(30)).ok());
    record(40, {AttemptEnded{.job = JobId(1),
                             .attempt = Attempt(1),
                             .node = NodeId(0),
                             .batch_exit = ExitStatus{}}});
    Result<StoreReader> reader = StoreReader::open(folder_.path());
    ASSERT_TRUE(reader.ok());
    const auto ids = [&](std::int64_t from, std::int64_t until) {
        std::string text;
        EXPECT_TRUE(reader
                        ->each_run({.from = at(from), .until = at(until)},
                                   [&](const AccountingRecord& run) {
                                       text += to_string(run.job) + " ";
                                       EXPECT_TRUE(run.steps.empty());
                                   })
                        .ok());
        return text;
    };
    EXPECT_EQ(ids(0, 100), "1 2 ");
    EXPECT_EQ(ids(40, 100), "2 ") << "job 1 was over";
    EXPECT_EQ(ids(0, 30), "1 ") << "job 2 was not there yet";
    EXPECT_EQ(ids(0, 10), "");
}

}  // namespace
}  // namespace berth
