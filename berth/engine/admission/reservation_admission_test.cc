#include "berth/engine/admission/reservation_admission.h"

#include <gtest/gtest.h>

#include "berth/engine/admission/reservation_choice.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Engine three_nodes() { return testing::make_engine(testing::make_cluster(3)); }

ReservationChange change_of(std::optional<std::string> nodes, Time start = Time(hours(1))) {
    return {.start = start,
            .duration = Duration(hours(1)),
            .nodes = std::move(nodes),
            .users = std::vector<std::string>{"ann"}};
}

Refusal why_not(const std::variant<Reservation, Refusing>& answer) {
    const auto* no = std::get_if<Refusing>(&answer);
    return no == nullptr ? Refusal::already_disabled : no->why;
}

TEST(ReservationAdmission, TakesNamedNodesWhole) {
    const Engine engine = three_nodes();
    const auto made = admit_reservation(engine, Time{}, "", change_of("node[1-2]"));
    const auto* reservation = std::get_if<Reservation>(&made);
    ASSERT_NE(reservation, nullptr) << std::get<Refusing>(made).message;
    EXPECT_EQ(reservation->name, "ann_1");
    EXPECT_EQ(reservation->amounts.size(), 2U);
    EXPECT_EQ(reservation->end - reservation->start, hours(1));
    EXPECT_TRUE(reservation->listed_nodes && reservation->whole_nodes);
}

TEST(ReservationAdmission, ChoosesNodesAndGpusThatAreFree) {
    Engine engine = three_nodes();
    testing::submit(engine, Time{}, testing::make_job({.gpus = 8, .limit = hours(3)}));
    (void)engine.cycle(Time{}, 1000);
    ReservationChange two = change_of(std::nullopt);
    two.node_count = 2;
    const auto made = admit_reservation(engine, Time{}, "two", two);
    const auto* reservation = std::get_if<Reservation>(&made);
    ASSERT_NE(reservation, nullptr) << std::get<Refusing>(made).message;
    for (const auto& [node, amount] : reservation->amounts) EXPECT_NE(node, NodeId(0));
    EXPECT_EQ(reservation->partition, "main");
    two.node_count = 3;
    EXPECT_EQ(why_not(admit_reservation(engine, Time{}, "three", two)),
              Refusal::node_configuration_unavailable);

    ReservationChange gpus = change_of(std::nullopt);
    gpus.tres = "gres/gpu=12";
    const auto part = admit_reservation(engine, Time{}, "gpus", gpus);
    const auto* some = std::get_if<Reservation>(&part);
    ASSERT_NE(some, nullptr) << std::get<Refusing>(part).message;
    std::int64_t count = 0, cpus = 0;
    for (const auto& [node, amount] : some->amounts) {
        count += amount[DimensionId(2)];
        cpus += amount.cpu().count() / 1000;
    }
    EXPECT_EQ(count, 12);
    EXPECT_EQ(cpus, 12 * 8);  // The same share of the cores.
    EXPECT_FALSE(some->whole_nodes);
}

TEST(ReservationAdmission, SaysWhatIsWrong) {
    Engine engine = three_nodes();
    testing::submit(engine, Time{}, testing::make_job({.gpus = 8, .limit = hours(3)}));
    (void)engine.cycle(Time{}, 1000);
    const Time now{hours(0)};
    ReservationChange nobody = change_of("node2");
    nobody.users.reset();
    ReservationChange endless = change_of("node2");
    endless.duration = Duration(hours(24 * 400));
    ReservationChange daily = change_of("node2");
    daily.duration = Duration(hours(25));
    daily.flags_added = {"DAILY"};
    ReservationChange flag = change_of("node2");
    flag.flags_added = {"MAGNETIC"};
    ReservationChange account = change_of("node2");
    account.accounts = std::vector<std::string>{"nosuch"};
    ReservationChange tres = change_of("node2");
    tres.tres = "gres/tpu=1";
    struct Case {
        ReservationChange change;
        Refusal why;
    };
    const Case cases[] = {
        {change_of("node1"), Refusal::nodes_busy},
        {change_of("nosuch"), Refusal::unknown_node},
        {change_of(std::nullopt), Refusal::invalid_request},
        {change_of("node2", Time(-hours(5))), Refusal::invalid_time},
        {nobody, Refusal::invalid_request},
        {endless, Refusal::invalid_time},
        {daily, Refusal::invalid_time},
        {flag, Refusal::not_supported},
        {account, Refusal::unknown_account},
        {tres, Refusal::not_supported},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(why_not(admit_reservation(engine, now, "x", one.change)), one.why)
            << code(one.why);
    }
    ReservationChange ignoring = change_of("node1");
    ignoring.flags_added = {"IGNORE_JOBS"};
    EXPECT_EQ(why_not(admit_reservation(engine, now, "x", ignoring)), Refusal::already_disabled);
}

TEST(ReservationAdmission, KeepsReservationsApartUnlessOneIsForMaintenance) {
    Engine engine = three_nodes();
    const auto first = admit_reservation(engine, Time{}, "one", change_of("node1"));
    engine.apply(Time{}, ReservationSet{std::get<Reservation>(first)});
    EXPECT_EQ(why_not(admit_reservation(engine, Time{}, "one", change_of("node2"))),
              Refusal::reservation_name_taken);
    EXPECT_EQ(why_not(admit_reservation(engine, Time{}, "two", change_of("node[1-2]"))),
              Refusal::reservation_overlap);
    EXPECT_EQ(why_not(admit_reservation(engine, Time{}, "two", change_of("node1", Time(hours(3))))),
              Refusal::already_disabled);
    ReservationChange maint = change_of("node1");
    maint.flags_added = {"MAINT"};
    EXPECT_EQ(why_not(admit_reservation(engine, Time{}, "two", maint)), Refusal::already_disabled);
}

TEST(ReservationAdmission, ChangesAndDeletesWhatIsThere) {
    Engine engine = three_nodes();
    const auto first = admit_reservation(engine, Time{}, "one", change_of("node1"));
    engine.apply(Time{}, ReservationSet{std::get<Reservation>(first)});
    const auto later = admit_reservation_change(engine, Time{}, "one",
                                                {.end = Time(hours(5)), .users_added = {"ben"}});
    ASSERT_TRUE(std::holds_alternative<Reservation>(later));
    EXPECT_EQ(std::get<Reservation>(later).end, Time(hours(5)));
    EXPECT_EQ(std::get<Reservation>(later).users, (std::vector<std::string>{"ann", "ben"}));
    EXPECT_EQ(why_not(admit_reservation_change(engine, Time{}, "nosuch", {})),
              Refusal::unknown_reservation);
    EXPECT_TRUE(object_to_deletion(engine, "nosuch").has_value());
    EXPECT_FALSE(object_to_deletion(engine, "one").has_value());
    JobSpec job = testing::make_job({.gpus = 1, .limit = minutes(10)});
    job.request.edit().reservation = "one";
    testing::submit(engine, Time{}, job);
    (void)engine.cycle(Time(hours(1)), 1000);
    EXPECT_EQ(object_to_deletion(engine, "one")->why, Refusal::reservation_in_use);
}

}  // namespace
}  // namespace berth
