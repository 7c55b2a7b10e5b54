// Decimal numbers, and the shapes of what accounts, users, QOS, shares and figures are.
#include "berth/slurmrest/row_shapes.h"
#include "berth/slurmrest/shape_rig.h"

namespace berth::slurmrest {
namespace {

TEST(ShapeWriter, WritesDecimalsAsTheyAre) {
    const std::pair<std::int64_t, const char*> cases[] = {
        {0, "0.0"},
        {1, "0.000000001"},
        {1'000'000'000, "1.0"},
        {396'040'000, "0.39604"},
        {12'000'000'001, "12.000000001"},
        {-250'000'000, "-0.25"},
        {-3'250'000'000, "-3.25"},
    };
    for (const auto& [billionths, text] : cases) {
        const JsonValue value = written([&](ShapeWriter& json) {
            json.begin(), json.put_billionths("x", billionths), json.end();
        });
        EXPECT_EQ(at(value, "x.number"), text);
        EXPECT_EQ(at(value, "x.set"), "true");
    }
    std::string yaml;
    ShapeWriter json(yaml, Notation::yaml);
    json.begin(), json.put_billionths("x", 500'000'000), json.end();
    EXPECT_NE(yaml.find("number: 0.5\n"), std::string::npos) << yaml;
}

TEST(DeclaredShapes, AnAssociationHasItsLimits) {
    const api::AssociationRow row{.account = "bio",
                                  .parent = "bio",
                                  .user = "ann",
                                  .is_default = true,
                                  .shares = 3,
                                  .priority = 7};
    const std::string cluster = "here";
    Limits limits;
    limits.max_jobs = 4;
    limits.group_tres = {{"cpu", 8}, {"mem", 2048}, {"gres/gpu", 2}};
    limits.max_wall = std::chrono::hours(2);
    const JsonValue json = written([&](ShapeWriter& to) {
        put_association(to, {.row = row,
                             .cluster = cluster,
                             .limits = limits,
                             .qos = {"normal"},
                             .default_qos = "normal",
                             .lineage = "/bio/0-ann/"});
    });
    const std::pair<const char*, const char*> expected[] = {
        {"account", "bio"},
        {"user", "ann"},
        {"cluster", "here"},
        {"is_default", "true"},
        {"shares_raw", "3"},
        {"priority.number", "7"},
        {"qos", "[normal]"},
        {"default.qos", "normal"},
        {"lineage", "/bio/0-ann/"},
        {"parent_account", ""},
        {"max.jobs.active.number", "4"},
        {"max.jobs.total.set", "false"},
        {"max.jobs.per.wall_clock.number", "120"},
        {"max.per.account.wall_clock.set", "false"},
        {"max.tres.total.0.count", "8"},
        {"max.tres.total.1.count", "2048"},
        {"max.tres.total.2.type", "gres"},
        {"max.tres.total.2.name", "gpu"},
        {"max.tres.total.2.id", "1001"},
        {"max.tres.total.2.count", "2"},
    };
    for (const auto& [path, value] : expected) EXPECT_EQ(at(json, path), value) << path;
}

TEST(DeclaredShapes, SharesOfTheParentAreANumberOfTheirOwn) {
    const api::AssociationRow row{.account = "bio", .parent = "root", .shares_of_parent = true};
    const std::string cluster = "here";
    const JsonValue json = written([&](ShapeWriter& to) {
        put_association(to, {.row = row,
                             .cluster = cluster,
                             .limits = {},
                             .qos = {},
                             .default_qos = "",
                             .lineage = "/bio/"});
    });
    EXPECT_EQ(at(json, "shares_raw"), "2147483647");
    EXPECT_EQ(at(json, "parent_account"), "root");
}

TEST(DeclaredShapes, AccountsAndUsersListTheirAssociations) {
    const api::AssociationRow account{.account = "bio", .description = "cells"};
    const api::AssociationRow user{.account = "bio", .user = "ann", .admin_level = "Operator"};
    const std::string here = "here";
    const JsonValue of_account = written([&](ShapeWriter& to) {
        put_account(to, {.row = account,
                         .cluster = here,
                         .coordination = {{"ann", true}},
                         .associations = {&account, &user}});
    });
    EXPECT_EQ(at(of_account, "coordinators.0.name"), "ann");
    EXPECT_EQ(at(of_account, "coordinators.0.direct"), "true");
    EXPECT_EQ(at(of_account, "name"), "bio");
    EXPECT_EQ(at(of_account, "description"), "cells");
    EXPECT_EQ(at(of_account, "organization"), "bio") << "as the table has it";
    EXPECT_EQ(at(of_account, "associations.1.user"), "ann");
    EXPECT_EQ(at(of_account, "associations.2"), "(none)");
    const JsonValue of_user = written([&](ShapeWriter& to) {
        put_user(to, {.row = user, .cluster = here, .default_account = "bio"});
    });
    EXPECT_EQ(at(of_user, "coordinators"), "[]");
    EXPECT_EQ(at(of_user, "administrator_level"), "[Operator]");
    EXPECT_EQ(at(of_user, "default.account"), "bio");
    EXPECT_EQ(at(of_user, "associations"), "[]");
}

TEST(DeclaredShapes, AQosHasItsLimitsAndHowItPreempts) {
    api::QosRow qos{.name = "high", .priority = 10, .deny_on_limit = true};
    qos.preempt = {"low"};
    qos.preempt_mode = "WITHIN,REQUEUE";
    qos.limits.group_jobs = 5;
    qos.limits.max_jobs = 2;
    qos.limits.max_tres_per_job = {{"cpu", 4}};
    qos.max_wall = std::chrono::minutes(30);
    qos.usage_factor_ppm = 500'000;
    const JsonValue json = written([&](ShapeWriter& to) { put_qos(to, qos); });
    const std::pair<const char*, const char*> expected[] = {
        {"flags", "[DENY_LIMIT]"},
        {"priority.number", "10"},
        {"preempt.list", "[low]"},
        {"preempt.mode", "[REQUEUE]"},
        {"preempt.exempt_time.set", "false"},
        {"limits.max.active_jobs.count.number", "5"},
        {"limits.max.jobs.active_jobs.per.account.set", "false"},
        {"limits.max.jobs.active_jobs.per.user.number", "2"},
        {"limits.max.tres.per.job.0.count", "4"},
        {"limits.max.wall_clock.per.job.number", "30"},
        {"usage_factor.number", "0.5"},
        {"usage_threshold.set", "false"},
    };
    for (const auto& [path, value] : expected) EXPECT_EQ(at(json, path), value) << path;
    qos.preempt_mode = "CHECKPOINT";
    EXPECT_EQ(at(written([&](ShapeWriter& to) { put_qos(to, qos); }), "preempt.mode"), "[REQUEUE]");
    qos.preempt_mode = "";
    EXPECT_EQ(at(written([&](ShapeWriter& to) { put_qos(to, qos); }), "preempt.mode"),
              "[DISABLED]");
}

TEST(DeclaredShapes, TheClusterNamesItsRoot) {
    const JsonValue json = written([&](ShapeWriter& to) { put_cluster(to, "here", "head"); });
    EXPECT_EQ(at(json, "name"), "here");
    EXPECT_EQ(at(json, "controller.host"), "head");
    EXPECT_EQ(at(json, "associations.root.account"), "root");
    EXPECT_EQ(at(json, "associations.root.user"), "");
}

TEST(DeclaredShapes, SharesHaveWhatSsharePrints) {
    api::ShareRow root{.cluster = "here", .account = "root"};
    api::ShareRow ann{.cluster = "here", .account = "bio", .user = "ann", .parent = "bio"};
    ann.raw_shares = 3;
    ann.norm_shares = 500'000'000;
    ann.raw_usage = 120;
    ann.fair_share = 250'000'000;
    ann.level_fs_infinite = true;
    ann.tres_minutes = {{"cpu", 2}};
    ann.tres_run_minutes = {{"cpu", 4}};
    ann.group_minutes = {{"gres/gpu", 60}};
    const api::ShareRow bio{.cluster = "here", .account = "bio", .parent = "root"};
    const JsonValue json =
        written([&](ShapeWriter& to) { to.begin(), put_shares(to, {root, bio, ann}), to.end(); });
    EXPECT_EQ(at(json, "shares.total_shares"), "3");
    EXPECT_EQ(at(json, "shares.shares.0.shares.set"), "false") << "the root has none";
    EXPECT_EQ(at(json, "shares.shares.1.shares.number"), "2147483647") << "those of its parent";
    EXPECT_EQ(at(json, "shares.shares.1.type"), "[ASSOCIATION]");
    const std::pair<const char*, const char*> expected[] = {
        {"name", "ann"},
        {"parent", "bio"},
        {"shares_normalized.number", "0.5"},
        {"shares.number", "3"},
        {"tres.usage.0.value", "120"},
        {"tres.run_seconds.0.value.number", "240"},
        {"tres.group_minutes.0.name", "gres/gpu"},
        {"tres.group_minutes.0.value.number", "60"},
        {"usage", "120"},
        {"fairshare.factor.number", "0.25"},
        {"fairshare.level.infinite", "true"},
        {"type", "[USER]"},
    };
    for (const auto& [path, value] : expected)
        EXPECT_EQ(at(json, std::string("shares.shares.2.") + path), value) << path;
}

TEST(DeclaredShapes, DiagnosticsHaveWhatSdiagPrints) {
    api::DiagnosticsRow row;
    row.since = from_seconds(1000);
    row.now = from_seconds(1120);
    row.jobs_started = 5;
    row.cycles.cycles = 4;
    row.cycles.total = 200;
    row.rounds.cycles = 2;
    row.rounds.total_depth = 10;
    const JsonValue json = written([&](ShapeWriter& to) {
        to.begin();
        put_diagnostics(to,
                        {.row = row,
                         .calls = {{.name = "REQUEST_PING", .id = 1008, .count = 2, .total = 30}},
                         .users = {{.name = "ann", .id = 1000, .count = 3, .total = 9}}});
        to.end();
    });
    const std::pair<const char*, const char*> expected[] = {
        {"parts_packed", "1"},
        {"req_time.number", "1120"},
        {"jobs_started", "5"},
        {"schedule_cycle_mean", "50"},
        {"schedule_cycle_per_minute", "2"},
        {"bf_depth_mean", "5"},
        {"bf_exit.state_changed", "0"},
        {"pending_rpcs", "[]"},
        {"rpcs_by_message_type.0.message_type", "REQUEST_PING"},
        {"rpcs_by_message_type.0.type_id", "1008"},
        {"rpcs_by_message_type.0.average_time.number", "15"},
        {"rpcs_by_message_type.1", "(none)"},
        {"rpcs_by_user.0.user_id", "1000"},
        {"rpcs_by_user.0.average_time.number", "3"},
    };
    for (const auto& [path, value] : expected)
        EXPECT_EQ(at(json, std::string("statistics.") + path), value) << path;
}

}  // namespace
}  // namespace berth::slurmrest
