#include "berth/server/submit/job_desc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <tuple>

#include "berth/server/submit/desc_fields.h"

namespace berth {
namespace {

using std::chrono::minutes;

ScriptValue number(std::int64_t value) { return value; }
ScriptValue text(const char* value) { return std::string(value); }

std::string shown(const ScriptValue& value) {
    if (const auto* const one = std::get_if<std::string>(&value)) return "'" + *one + "'";
    if (const auto* const one = std::get_if<std::int64_t>(&value)) return std::to_string(*one);
    if (const auto* const one = std::get_if<double>(&value)) return std::to_string(*one);
    return "kind " + std::to_string(value.index());
}

// A batch job of ann's, of which she has said nothing.
class Desc : public ::testing::Test {
protected:
    Desc() {
        payload.script = "#!/bin/sh\n";
        payload.environment = {"HOME=/home/ann", "HOMELY=1"};
        who = {.uid = 1000, .gid = 100, .user = "ann", .group = "users", .role = Role::user};
    }
    JobDesc desc(std::optional<std::uint32_t> het_offset = {}) {
        return JobDesc({spec, payload, who, cluster, het_offset});
    }
    ScriptValue read(std::string_view field) { return desc().read(field); }
    std::string write(std::string_view field, const ScriptValue& value) {
        const Status done = desc().write(field, value);
        return done.ok() ? "" : done.error().message;
    }

    JobSpec spec;
    JobPayload payload;
    Principal who;
    ClusterSpec cluster;
};

struct WrittenField {
    const char* field;
    ScriptValue unset;  // What reads before anything is said.
    ScriptValue written;
    ScriptValue reads;  // What reads then.
    std::function<bool(const JobSpec&)> holds;

    // What takes it back.
    ScriptValue clears() const {
        if (unset != ScriptValue()) return unset;
        return std::holds_alternative<std::string>(written) ? text("") : number(kSlurmNoValue);
    }
};

#define HOLDS(condition)                                            \
    [](const JobSpec& s) {                                          \
        [[maybe_unused]] const JobRequest& r = *s.request;          \
        [[maybe_unused]] const JobCommand& c = *s.command;          \
        [[maybe_unused]] const TopologyConstraint& n = *r.nearness; \
        return condition;                                           \
    }

using Gres = std::vector<GresRequest>;
using Hosts = std::vector<std::string>;

std::vector<WrittenField> fields_up_to_name() {
    const ScriptValue nil;
    const ScriptValue none = kSlurmNoValue, none16 = kSlurmNoValue16;
    return {
        {"account", nil, text("physics"), text("physics"), HOLDS(s.account == "physics")},
        {"array_inx", nil, text("0-3,7,9-10%2"), text("0-3,7,9-10%2"),
         HOLDS(s.array->tasks.size() == 7 && s.array->max_running == 2)},
        {"begin_time", number(0), number(1700000000), number(1700000000),
         HOLDS(s.begin == from_seconds(1700000000))},
        {"comment", nil, text("why"), text("why"), HOLDS(s.comment == "why")},
        {"contiguous", number(0), number(1), number(1), HOLDS(n.contiguous)},
        {"cores_per_socket", none16, number(8), number(8), HOLDS(n.node.cores_per_socket == 8)},
        {"cpus_per_task", none16, number(4), number(4), HOLDS(r.cpus_per_task == 4U)},
        {"dependency", nil, text("afterok:12_3:14,after:15+5"),
         text("afterok:12_3,afterok:14,after:15+5"),
         HOLDS(s.dependencies.size() == 3 && !s.any_dependency)},
        {"exc_nodes", nil, text("gpu[1-2]"), text("gpu[1-2]"),
         HOLDS(r.exclude == (Hosts{"gpu1", "gpu2"}))},
        {"features", nil, text("a100&ib"), text("a100&ib"), HOLDS(r.constraint == "a100&ib")},
        {"gres", nil, text("gpu:a100:2"), text("gres/gpu:a100:2"),
         HOLDS(r.gres_per_node == (Gres{{"gpu", "a100", 2}}))},
        {"licenses", nil, text("matlab:2"), text("matlab:2"),
         HOLDS(r.licenses->counts.front().count == 2)},
        {"mail_type", number(0), number(6), number(6), HOLDS(c.mail_types == 6)},
        {"mail_user", nil, text("ann@example.org"), text("ann@example.org"),
         HOLDS(c.mail_user == "ann@example.org")},
        {"max_nodes", none, number(4), number(4), HOLDS(r.nodes_max == 4U)},
        {"min_mem_per_cpu", nil, number(2048), number(2048),
         HOLDS(r.memory_per_cpu == mib(2048) && !r.memory_per_node)},
        {"min_mem_per_node", nil, number(4000), number(4000),
         HOLDS(r.memory_per_node == mib(4000) && !r.memory_per_cpu)},
        {"min_nodes", none, number(2), number(2), HOLDS(r.nodes_min == 2 && r.nodes_given)},
    };
}

std::vector<WrittenField> fields_from_name_on() {
    const ScriptValue nil;
    const ScriptValue none = kSlurmNoValue, none16 = kSlurmNoValue16;
    return {
        {"name", nil, text("train"), text("train"), HOLDS(s.name == "train")},
        {"nice", none, number(kSlurmNiceOffset + 50), number(kSlurmNiceOffset + 50),
         HOLDS(s.nice == 50)},
        {"ntasks_per_core", none16, number(1), number(1), HOLDS(n.layout.per_core == 1)},
        {"ntasks_per_node", none16, number(8), number(8), HOLDS(r.tasks_per_node == 8U)},
        {"ntasks_per_socket", none16, number(2), number(2), HOLDS(n.layout.per_socket == 2)},
        {"num_tasks", none, number(16), number(16), HOLDS(r.tasks == 16U)},
        {"oversubscribe", none16, number(1), number(1), HOLDS(r.oversubscribe && !r.exclusive)},
        {"partition", nil, text("debug,main"), text("debug,main"),
         HOLDS(s.partition == "debug,main")},
        {"pn_min_memory", kSlurmNoValue64, number(1000), number(1000),
         HOLDS(r.memory_per_node == mib(1000))},
        {"pn_min_tmp_disk", none, number(500), number(500), HOLDS(n.node.tmp_disk == mib(500))},
        {"priority", none, number(0), number(0), HOLDS(s.priority == 0U)},
        {"qos", nil, text("high"), text("high"), HOLDS(s.qos == "high")},
        {"req_nodes", nil, text("gpu3"), text("gpu3"), HOLDS(r.nodelist == Hosts{"gpu3"})},
        {"req_switch", none, number(1), number(1), HOLDS(n.switches == 1U)},
        {"requeue", none16, number(0), number(0), HOLDS(s.requeue == false)},
        {"reservation", nil, text("week"), text("week"), HOLDS(r.reservation == "week")},
        {"segment_size", none16, number(4), number(4), HOLDS(n.segment == 4U)},
        {"shared", none16, number(0), number(0), HOLDS(r.exclusive && !r.oversubscribe)},
        {"sockets_per_node", none16, number(2), number(2), HOLDS(n.node.sockets == 2)},
        {"std_err", nil, text("e-%j"), text("e-%j"), HOLDS(c.std_err == "e-%j")},
        {"std_in", nil, text("in"), text("in"), HOLDS(c.std_in == "in")},
        {"std_out", nil, text("o-%j"), text("o-%j"), HOLDS(c.std_out == "o-%j")},
        {"threads_per_core", none16, number(1), number(1), HOLDS(n.node.threads_per_core == 1)},
        {"time_limit", none, number(90), number(90), HOLDS(r.time_limit == minutes(90))},
        {"time_min", none, number(30), number(30), HOLDS(s.time_min == minutes(30))},
        {"tres_per_job", nil, text("gres/gpu:4"), text("gres/gpu:4"),
         HOLDS(r.gpus == (Gres{{"gpu", "", 4}}))},
        {"tres_per_node", nil, text("gres/gpu:2,gres/fpga:1"), text("gres/gpu:2,gres/fpga:1"),
         HOLDS(r.gres_per_node.size() == 2)},
        {"tres_per_task", nil, text("gres/gpu=1"), text("gres/gpu:1"),
         HOLDS(r.gpus_per_task == (Gres{{"gpu", "", 1}}))},
        {"wait4switch", none, number(600), number(600),
         HOLDS(n.switches_wait == std::chrono::seconds(600))},
        {"wckey", nil, text("k"), text("k"), HOLDS(c.wckey == "k")},
        {"work_dir", nil, text("/scratch"), text("/scratch"), HOLDS(c.work_dir == "/scratch")},
    };
}

std::vector<WrittenField> written_fields() {
    std::vector<WrittenField> all = fields_up_to_name();
    for (const WrittenField& one : fields_from_name_on()) all.push_back(one);
    return all;
}

TEST_F(Desc, EachFieldIsReadAndWritten) {
    for (const WrittenField& one : written_fields()) {
        spec = {};
        EXPECT_EQ(read(one.field), one.unset) << one.field << ": " << shown(read(one.field));
        EXPECT_EQ(write(one.field, one.written), "") << one.field;
        EXPECT_TRUE(one.holds(spec)) << one.field;
        EXPECT_EQ(read(one.field), one.reads) << one.field << ": " << shown(read(one.field));
        EXPECT_EQ(write(one.field, one.clears()), "") << one.field;
        EXPECT_EQ(read(one.field), one.unset) << one.field << ": " << shown(read(one.field));
    }
}

TEST_F(Desc, NoFieldIsWithoutATest) {
    std::set<std::string> tested = {"environment", "script"};
    for (const WrittenField& one : written_fields()) tested.insert(one.field);
    for (const std::string_view field : JobDesc::writable())
        EXPECT_TRUE(tested.contains(std::string(field))) << field;
    for (const std::string& field : tested)
        EXPECT_EQ(std::ranges::count(JobDesc::writable(), std::string_view(field)), 1) << field;
}

TEST_F(Desc, TheManualListsEachField) {
    std::ifstream in(BERTH_SOURCE_DIR "/docs/admin.md");
    std::ostringstream manual;
    manual << in.rdbuf();
    for (const std::string_view field : JobDesc::readable()) {
        const std::string name = '`' + std::string(field);
        EXPECT_NE(manual.str().find(name), std::string::npos) << field;
    }
}

TEST_F(Desc, FieldsThatAreOnlyRead) {
    cluster.accounts.push_back({.name = "root", .parent = ""});
    AccountSpec physics{.name = "physics", .parent = "root"};
    physics.default_qos = "long";
    physics.qos = {"long", "normal"};
    cluster.accounts.push_back(physics);
    cluster.associations.push_back({.account = "physics", .user = "ann", .is_default = true});
    spec.command.edit().script_name = "run.sh";
    spec.command.edit().arguments = {"a", "b"};
    spec.command.edit().submit_host = "login";
    spec.request.edit().tasks = 3;
    spec.request.edit().cpus_per_task = 2;
    spec.request.edit().gpus_per_node = {{"gpu", "", 4}};
    spec.request.edit().nearness.edit().layout.gpus_per_socket = 2;
    const std::vector<std::pair<const char*, ScriptValue>> cases = {
        {"alloc_node", text("login")},
        {"argc", number(3)},
        {"argv", ScriptList{"run.sh", "a", "b"}},
        {"assoc_qos", text("long,normal")},
        {"default_account", text("physics")},
        {"default_qos", text("long")},
        {"group_id", number(100)},
        {"het_job_offset", kSlurmNoValue},
        {"min_cpus", number(6)},
        {"pack_job_offset", kSlurmNoValue},
        {"tres_per_socket", text("gres/gpu:2")},
        {"user_id", number(1000)},
        {"user_name", text("ann")},
    };
    std::set<std::string_view> tested;
    for (const auto& [field, value] : cases) {
        EXPECT_EQ(read(field), value) << field << ": " << shown(read(field));
        EXPECT_NE(write(field, number(1)).find(std::string("job_desc.") + field + " cannot be set"),
                  std::string::npos)
            << field;
        tested.insert(field);
    }
    for (const std::string_view field : JobDesc::writable()) tested.insert(field);
    for (const std::string_view field : JobDesc::readable())
        EXPECT_TRUE(tested.contains(field)) << field;
    EXPECT_EQ(desc(2).read("het_job_offset"), number(2));
}

TEST_F(Desc, WhatBerthDoesNotOfferIsNilAndCannotBeSet) {
    for (const char* const field :
         {"acctg_freq", "admin_comment", "bitflags", "burst_buffer", "clusters", "core_spec",
          "cpus_per_tres", "end_time", "extra", "mcs_label", "mem_per_tres", "network", "prefer",
          "pn_min_cpus", "reboot", "site_factor", "spank_job_env", "tres_bind", "no_such_field"}) {
        EXPECT_EQ(read(field), ScriptValue()) << field;
        EXPECT_NE(
            write(field, text("1")).find(std::string("job_desc.") + field + " cannot be set: "),
            std::string::npos)
            << field;
    }
    EXPECT_EQ(write("admin_comment", text("x")),
              "job_desc.admin_comment cannot be set: use comment");
}

TEST_F(Desc, NumbersAreTakenAsSlurmTakesThem) {
    EXPECT_EQ(write("time_limit", 90.9), "");
    EXPECT_EQ(read("time_limit"), number(90)) << "cut off";
    EXPECT_EQ(write("time_limit", text(" 120 ")), "");
    EXPECT_EQ(read("time_limit"), number(120));
    EXPECT_EQ(write("time_limit", kSlurmInfinite), "");
    EXPECT_TRUE(spec.request->time_limit == Duration::max());
    EXPECT_EQ(read("time_limit"), ScriptValue(kSlurmInfinite));
    EXPECT_EQ(write("time_limit", kSlurmNoValue64), "");
    EXPECT_FALSE(spec.request->time_limit.has_value());
    EXPECT_EQ(write("time_limit", number(65534)), "");
    EXPECT_EQ(read("time_limit"), number(65534)) << "NO_VAL16 is for fields of 16 bits";
    EXPECT_EQ(write("name", number(7)), "");
    EXPECT_EQ(read("name"), text("7"));
    EXPECT_EQ(write("contiguous", true), "");
    EXPECT_EQ(read("contiguous"), number(1));
}

TEST_F(Desc, MemoryForEachCpuHasSlurmsBit) {
    spec.request.edit().memory_per_cpu = mib(2048);
    EXPECT_EQ(read("pn_min_memory"), ScriptValue(kSlurmMemoryPerCpu + 2048));
    EXPECT_EQ(read("min_mem_per_node"), ScriptValue());
    EXPECT_EQ(write("pn_min_memory", kSlurmMemoryPerCpu + 4096), "");
    EXPECT_TRUE(spec.request->memory_per_cpu == mib(4096));
    EXPECT_FALSE(spec.request->memory_per_node.has_value());
}

TEST_F(Desc, GpusOfANodeAreGresToo) {
    spec.request.edit().gpus_per_node = {{"gpu", "a100", 2}};
    EXPECT_EQ(read("tres_per_node"), text("gres/gpu:a100:2"));
    EXPECT_EQ(write("tres_per_node", text("gres:gpu:1")), "");
    EXPECT_TRUE(spec.request->gpus_per_node.empty());
    EXPECT_EQ(read("gres"), text("gres/gpu:1"));
}

TEST_F(Desc, AHeldJobHasPriorityZero) {
    spec.hold = true;
    EXPECT_EQ(read("priority"), number(0));
    EXPECT_EQ(write("priority", number(100)), "");
    EXPECT_FALSE(spec.hold);
    EXPECT_TRUE(spec.priority == 100U);
}

TEST_F(Desc, ValuesThatAreWrongAreRefusedByName) {
    const std::vector<std::tuple<const char*, ScriptValue, const char*>> cases = {
        {"time_limit", text("soon"), "job_desc.time_limit: should be a number"},
        {"time_limit", number(-5), "job_desc.time_limit: should be minutes"},
        {"time_limit", 1e300, "job_desc.time_limit: should be a smaller number"},
        {"account", ScriptValue(), "job_desc.account: should be a string"},
        {"account", true, "job_desc.account: should be a string"},
        {"name", std::string("a\0b", 3), "without NUL"},
        {"num_tasks", number(0), "job_desc.num_tasks: should be a number from 1"},
        {"num_tasks", number(1LL << 40), "job_desc.num_tasks: should be a number from 1"},
        {"array_inx", text("a-b"), "job_desc.array_inx: should read 0-15"},
        {"dependency", text("whenever"), "job_desc.dependency: 'whenever' is no dependency"},
        {"gres", text("gpu:x:y:z"), "job_desc.gres: should read gres/gpu:2"},
        {"gres", text("cpu:4"), "should name GRES alone"},
        {"tres_per_job", text("fpga:1"), "should name GPUs alone"},
        {"licenses", text(":"), "job_desc.licenses: should read NAME:COUNT"},
        {"mail_user", text("|rm"), "job_desc.mail_user: "},
        {"mail_type", number(1 << 20), "job_desc.mail_type: should be a number from 0"},
        {"nice", number(5), "job_desc.nice: should be slurm.NICE_OFFSET plus"},
        {"req_nodes", text("n[1-"), "job_desc.req_nodes: "},
        {"shared", number(2), "job_desc.shared: should be 0"},
        {"requeue", number(7), "job_desc.requeue: should be a number from 0 to 1"},
        {"script", text(""), "job_desc.script: should not be empty"},
    };
    for (const auto& [field, value, says] : cases) {
        const JobSpec before = spec;
        EXPECT_NE(write(field, value).find(says), std::string::npos)
            << field << ": " << write(field, value);
        EXPECT_TRUE(spec == before) << field;
    }
}

TEST_F(Desc, TheEnvironmentIsReadAndWritten) {
    JobDesc job = desc();
    ScriptTable& all = *std::get<ScriptTable*>(job.read("environment"));
    EXPECT_EQ(all.read("HOME"), text("/home/ann"));
    EXPECT_EQ(all.read("HOM"), ScriptValue());
    EXPECT_TRUE(all.write("HOME", text("/tmp")).ok());
    EXPECT_TRUE(all.write("NEW", number(5)).ok());
    EXPECT_EQ(payload.environment, (Hosts{"HOME=/tmp", "HOMELY=1", "NEW=5"}));
    EXPECT_FALSE(all.write("A=B", text("x")).ok());
    EXPECT_FALSE(all.write("", text("x")).ok());
    EXPECT_FALSE(job.write("environment", text("x")).ok());
    payload.script.clear();
    EXPECT_EQ(all.write("A", text("x")).error().message,
              "job_desc.environment.A: only a batch job's environment can be set");
}

TEST_F(Desc, TheEnvironmentGrowsOnlySoFar) {
    const std::string too_much =
        "job_desc.environment.A: a script may set the environment 1000 times, and 1 MiB of it";
    JobDesc often = desc();
    ScriptTable& many = *std::get<ScriptTable*>(often.read("environment"));
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(many.write("A", number(i)).ok());
    EXPECT_EQ(many.write("A", number(1000)).error().message, too_much);
    JobDesc large = desc();
    ScriptTable& few = *std::get<ScriptTable*>(large.read("environment"));
    const std::string half(600'000, 'x');
    EXPECT_TRUE(few.write("B", ScriptValue(half)).ok());
    EXPECT_EQ(few.write("A", ScriptValue(half)).error().message, too_much);
    EXPECT_EQ(payload.environment.size(), 4U);
}

TEST_F(Desc, TheScriptIsTheFirstComponents) {
    EXPECT_EQ(read("script"), text("#!/bin/sh\n"));
    EXPECT_EQ(desc(1).read("script"), ScriptValue());
    EXPECT_FALSE(desc(1).write("script", text("#!/bin/sh\ntrue\n")).ok());
    EXPECT_EQ(write("script", text("#!/bin/sh\ntrue\n")), "");
    EXPECT_EQ(payload.script, "#!/bin/sh\ntrue\n");
    payload.script.clear();
    EXPECT_NE(write("script", text("x")).find("only a batch job"), std::string::npos);
}

}  // namespace
}  // namespace berth
