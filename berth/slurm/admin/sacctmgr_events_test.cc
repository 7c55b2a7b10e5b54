// sacctmgr show events: what its words choose, and how it is printed.
#include "berth/slurm/admin/sacctmgr_events.h"

#include <gtest/gtest.h>

#include <sstream>

#include "berth/slurm/text/when.h"

namespace berth::slurm {
namespace {

const Time kEventsNow = from_seconds(1'700'000'000);

std::vector<api::NodeEventRow> sample_events() {
    return {{.node = "n1",
             .began = kEventsNow - std::chrono::hours(3),
             .ended = kEventsNow - std::chrono::hours(1),
             .state = "DRAIN",
             .reason = "fan",
             .by = "ann"},
            {.node = "n2",
             .began = kEventsNow - std::chrono::hours(2),
             .state = "DOWN*",
             .reason = "Not responding"}};
}

std::string events_printed(const std::vector<std::string>& words, const SacctmgrOptions& options) {
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    const Result<EventChoice> choice = parse_event_choice(words, kEventsNow);
    if (!choice.ok()) return choice.error().message;
    const int code = print_events("oracle", sample_events(), *choice, kEventsNow, options, streams);
    EXPECT_EQ(code, err.str().empty() ? 0 : 1);
    return out.str() + err.str();
}

TEST(SacctmgrEvents, ArePrintedAsSlurmDoes) {
    EXPECT_EQ(events_printed({}, {}).substr(0, 234),
              "   Cluster NodeName                  TimeStart             TimeEnd  State "
              "                        Reason       User \n"
              "---------- --------------- ------------------- ------------------- ------ "
              "------------------------------ ---------- \n");
    EXPECT_EQ(events_printed({"format=cluster,node,state,reason,user,duration,event"},
                             {.parsable2 = true}),
              "Cluster|NodeName|State|Reason|User|Duration|Event\n"
              "oracle|n1|DRAIN|fan|ann|02:00:00|Node\n"
              "oracle|n2|DOWN*|Not responding|slurm|02:00:00|Node\n");
    EXPECT_EQ(events_printed({"nodes=n2", "format=timeend"}, {.no_header = true, .parsable2 = true})
                  .substr(20),
              "Unknown\n");
    EXPECT_EQ(events_printed({"format=nosuch"}, {}), "Unknown field 'nosuch'\n");
}

TEST(SacctmgrEvents, AreChosenByTheirWords) {
    struct Case {
        const char *word, *nodes;
    };
    const Case cases[] = {
        {"cond_flags=open", "n2\n"}, {"state=drain", "n1\n"}, {"state=down", "n2\n"},
        {"reason=fan", "n1\n"},      {"user=ann", "n1\n"},    {"event=node", "n1\nn2\n"},
        {"all_time", "n1\nn2\n"},    {"where", "n1\nn2\n"},   {"clusters=oracle", "n1\nn2\n"},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(events_printed({one.word, "format=node"}, {.no_header = true, .parsable2 = true}),
                  one.nodes)
            << one.word;
    }
    EXPECT_EQ(events_printed({"colour=red"}, {}), "Unknown condition: colour=red");
    EXPECT_EQ(events_printed({"event=cluster"}, {}), "Unknown condition: event=cluster");
}

TEST(SacctmgrEvents, AreAskedForByTimeAndNode) {
    const auto yesterday = parse_event_choice({}, kEventsNow);
    EXPECT_EQ(yesterday->query.from,
              midnight_before(midnight_before(kEventsNow) - std::chrono::hours(12)));
    EXPECT_FALSE(parse_event_choice({"all_time"}, kEventsNow)->query.from);
    const auto chosen =
        parse_event_choice({"start=now-1hour", "end=now", "nodes=n[1-2]"}, kEventsNow);
    EXPECT_EQ(chosen->query.from, kEventsNow - std::chrono::hours(1));
    EXPECT_EQ(chosen->query.until, kEventsNow);
    EXPECT_EQ(chosen->query.nodes, (std::vector<std::string>{"n1", "n2"}));
    EXPECT_FALSE(parse_event_choice({"start=never"}, kEventsNow).ok());
    EXPECT_FALSE(parse_event_choice({"nodes=n[1-"}, kEventsNow).ok());
}

}  // namespace
}  // namespace berth::slurm
