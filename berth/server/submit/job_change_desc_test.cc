#include "berth/server/submit/job_change_desc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "berth/server/submit/script_fields.h"

namespace berth {
namespace {

using std::chrono::minutes;

struct ChangedField {
    const char* field;
    ScriptValue unset, written;
    std::function<bool(const JobChange&)> holds;
};

#define CHANGES(condition) [](const JobChange& c) { return condition; }

ScriptValue count(std::int64_t value) { return value; }
ScriptValue words(const char* value) { return std::string(value); }

std::vector<ChangedField> changed_fields() {
    const ScriptValue nil;
    const ScriptValue none = kSlurmNoValue, none16 = kSlurmNoValue16;
    return {
        {"account", nil, words("lab"), CHANGES(c.account == "lab")},
        {"begin_time", count(0), count(1700000000), CHANGES(c.begin == from_seconds(1700000000))},
        {"comment", nil, words("x"), CHANGES(c.comment == "x")},
        {"contiguous", none16, count(1), CHANGES(c.contiguous == true)},
        {"cores_per_socket", none16, count(8), CHANGES(c.cores_per_socket == 8U)},
        {"cpus_per_task", none16, count(2), CHANGES(c.cpus_per_task == 2U)},
        {"dependency", nil, words("afterok:12?afterok:13"),
         CHANGES(c.dependencies->size() == 2 && c.any_dependency == true)},
        {"exc_nodes", nil, words("n1"), CHANGES(c.exclude->size() == 1)},
        {"extra", nil, words("y"), CHANGES(c.extra == "y")},
        {"features", nil, words("ib"), CHANGES(c.constraint == "ib")},
        {"licenses", nil, words("matlab:2"), CHANGES(c.licenses->counts.size() == 1)},
        {"mail_type", none16, count(2), CHANGES(c.mail_types == 2U)},
        {"mail_user", nil, words("ann"), CHANGES(c.mail_user == "ann")},
        {"max_nodes", none, count(3), CHANGES(c.nodes_max == 3U)},
        {"min_mem_per_cpu", nil, count(2048), CHANGES(c.memory_per_cpu == mib(2048))},
        {"min_mem_per_node", nil, count(100), CHANGES(c.memory_per_node == mib(100))},
        {"min_nodes", none, count(2), CHANGES(c.nodes_min == 2U)},
        {"name", nil, words("n"), CHANGES(c.name == "n")},
        {"nice", none, count(kSlurmNiceOffset - 5), CHANGES(c.nice == -5)},
        {"ntasks_per_node", none16, count(2), CHANGES(c.tasks_per_node == 2U)},
        {"num_tasks", none, count(4), CHANGES(c.tasks == 4U)},
        {"partition", nil, words("debug"), CHANGES(c.partition == "debug")},
        {"pn_min_memory", kSlurmNoValue64, count(100), CHANGES(c.memory_per_node == mib(100))},
        {"pn_min_tmp_disk", none, count(100), CHANGES(c.tmp_disk == mib(100))},
        {"priority", none, count(0), CHANGES(c.priority == 0U)},
        {"qos", nil, words("high"), CHANGES(c.qos == "high")},
        {"req_nodes", nil, words("n[1-2]"), CHANGES(c.nodelist->size() == 2)},
        {"req_switch", none, count(1), CHANGES(c.switches == 1U)},
        {"requeue", none16, count(1), CHANGES(c.requeue == true)},
        {"reservation", nil, words("week"), CHANGES(c.reservation == "week")},
        {"shared", none16, count(1), CHANGES(c.oversubscribe == true)},
        {"site_factor", none, count(-100), CHANGES(c.site_factor == -100)},
        {"sockets_per_node", none16, count(2), CHANGES(c.sockets == 2U)},
        {"std_err", nil, words("err-%j"), CHANGES(c.std_err == "err-%j")},
        {"std_in", nil, words("/data/in"), CHANGES(c.std_in == "/data/in")},
        {"std_out", nil, words("out-%j"), CHANGES(c.std_out == "out-%j")},
        {"threads_per_core", none16, count(2), CHANGES(c.threads_per_core == 2U)},
        {"time_limit", none, count(60), CHANGES(c.time_limit == minutes(60))},
        {"time_min", none, count(30), CHANGES(c.time_min == minutes(30))},
        {"tres_per_node", nil, words("gres/gpu:a100:2"), CHANGES(c.gres_per_node->size() == 1)},
        {"wait4switch", none, count(5), CHANGES(c.switches_wait == std::chrono::seconds(5))},
        {"wckey", nil, words("k"), CHANGES(c.wckey == "k")},
        {"work_dir", nil, words("/tmp"), CHANGES(c.work_dir == "/tmp")},
    };
}

TEST(JobChangeDesc, EachFieldIsReadAndWritten) {
    std::set<std::string_view> tested;
    for (const ChangedField& one : changed_fields()) {
        JobChange change;
        JobChangeDesc desc(change);
        EXPECT_EQ(desc.read(one.field), one.unset) << one.field;
        EXPECT_TRUE(change == JobChange()) << one.field;
        const Status done = desc.write(one.field, one.written);
        EXPECT_TRUE(done.ok()) << one.field << ": " << (done.ok() ? "" : done.error().message);
        EXPECT_TRUE(one.holds(change)) << one.field;
        EXPECT_EQ(desc.read(one.field), one.written) << one.field;
        tested.insert(one.field);
    }
    for (const std::string_view field : JobChangeDesc::writable())
        EXPECT_TRUE(tested.contains(field)) << field;
    EXPECT_EQ(tested.size(), JobChangeDesc::writable().size());
}

TEST(JobChangeDesc, WhatCannotBeChangedIsRefusedByName) {
    JobChange change;
    JobChangeDesc desc(change);
    for (const char* const field : {"array_inx", "tres_per_job", "script", "user_id", "no_such"}) {
        EXPECT_EQ(desc.read(field), ScriptValue()) << field;
        EXPECT_EQ(
            desc.write(field, words("x")).error().message,
            std::string("job_desc.") + field + " cannot be changed of a job that is there already");
    }
    EXPECT_EQ(desc.write("time_limit", words("x")).error().message,
              "job_desc.time_limit: should be a number");
    EXPECT_TRUE(desc.write("comment", words("")).ok());
    EXPECT_TRUE(change.comment == "") << "cleared";
    EXPECT_TRUE(desc.write("time_limit", kSlurmInfinite).ok());
    EXPECT_TRUE(change.time_limit == Duration::max());
}

}  // namespace
}  // namespace berth
