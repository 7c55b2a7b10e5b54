// Shapes that no command prints: licenses, reservations, errors and states alone.
#include "berth/slurmrest/error_shape.h"
#include "berth/slurmrest/row_shapes.h"
#include "berth/slurmrest/shape_rig.h"

namespace berth::slurmrest {
namespace {

TEST(Shapes, LicensesAndReservations) {
    const JsonValue license = written([](ShapeWriter& to) {
        put_license(to, {.name = "matlab", .total = 10, .used = 3, .reserved = 2});
    });
    EXPECT_EQ(at(license, "LicenseName"), "matlab");
    EXPECT_EQ(at(license, "Free"), "5");
    api::ReservationRow row{.name = "r", .start = from_seconds(1), .end = from_seconds(9)};
    row.nodes = {"n1", "n2"};
    row.flags = "MAINT,PURGE_COMP=00:05:00";
    row.users = {"ann", "bob"};
    const JsonValue json = written([&](ShapeWriter& to) { put_reservation(to, row); });
    EXPECT_EQ(at(json, "node_list"), "n[1-2]");
    EXPECT_EQ(at(json, "node_count"), "2");
    EXPECT_EQ(at(json, "flags"), "[MAINT,PURGE_COMP]");
    EXPECT_EQ(at(json, "users"), "ann,bob");
}

TEST(Shapes, ErrorsHaveSlurmsNumbers) {
    const ErrorEntry known = error_of({.status = 404,
                                       .code = "unknown_job",
                                       .title = "Not found",
                                       .detail = "There is no job 9",
                                       .slurm = "Invalid job id specified",
                                       .details = {"more"}});
    EXPECT_EQ(known.number, 2017);
    EXPECT_EQ(known.description, "There is no job 9; more");
    EXPECT_EQ(known.error, "Invalid job id specified");
    const ErrorEntry other = error_of({.status = 503, .title = "Unavailable"});
    EXPECT_EQ(other.number, 1804);
    EXPECT_EQ(other.error, "Unavailable");
    EXPECT_EQ(other.description, "Unavailable");
}

TEST(Shapes, AStateIsWhatJobsStateGives) {
    api::JobRow row{.id = JobId(12), .array_job = JobId(10), .array_task = 3};
    row.state = "COMPLETING", row.outcome = "FAILED";
    const JsonValue json = written([&](ShapeWriter& to) { put_job_state(to, row); });
    EXPECT_EQ(at(json, "job_id"), "12");
    EXPECT_EQ(at(json, "array_task_id.number"), "3");
    EXPECT_EQ(at(json, "job_state"), "[FAILED,COMPLETING]");
}

TEST(Shapes, MailTypesHaveDataParsersNames) {
    api::JobRow row{.id = JobId(1)};
    row.command.mail_types = 2 + 32 + 1024;  // END, TIME_LIMIT_90, INVALID_DEPEND
    const JsonValue json = written([&](ShapeWriter& to) { put_job(to, row, "c"); });
    EXPECT_EQ(at(json, "mail_type"), "[INVALID_DEPENDENCY,END,TIME=90%]");
}

}  // namespace
}  // namespace berth::slurmrest
