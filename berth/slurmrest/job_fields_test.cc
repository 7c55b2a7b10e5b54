// Job descriptions of slurmrestd's requests: what each field comes to, and what is refused.
#include "berth/slurmrest/job_fields.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "berth/model/mail.h"

namespace berth::slurmrest {
namespace {

// A submission with these members of its job besides those that each needs.
std::string body_with(const std::string& members) {
    return R"({"script":"#!/bin/sh\n","job":{"environment":["PATH=/bin"],)"
           R"("current_working_directory":"/home/ann")" +
           (members.empty() ? "" : "," + members) + "}}";
}

JobSpec spec_with(const std::string& members) {
    const auto submission = read_submission(body_with(members));
    EXPECT_TRUE(submission.ok()) << members << ": " << submission.error().message;
    return submission.ok() ? submission->spec : JobSpec{};
}

std::string refusal_of(const std::string& members) {
    const auto submission = read_submission(body_with(members));
    EXPECT_FALSE(submission.ok()) << members;
    return submission.ok() ? "" : submission.error().message;
}

// Each field, a value, and that the job has it.
struct FieldCase {
    const char* name;
    const char* value;
    std::function<bool(const JobSpec&)> has;
};

using Names = std::vector<std::string>;

std::vector<FieldCase> first_cases() {
    return {
        {"account", R"("bio")", [](const JobSpec& s) { return *s.account == "bio"; }},
        {"argv", R"(["ignored","a","b"])",
         [](const JobSpec& s) { return s.command->arguments == Names{"a", "b"}; }},
        {"array", R"("0-2%1")",
         [](const JobSpec& s) { return s.array->tasks.size() == 3 && s.array->max_running == 1; }},
        {"begin_time", R"({"set":true,"infinite":false,"number":100})",
         [](const JobSpec& s) { return s.begin == from_seconds(100); }},
        {"comment", R"("hi")", [](const JobSpec& s) { return *s.comment == "hi"; }},
        {"constraints", R"("a100&ib")",
         [](const JobSpec& s) { return *s.request->constraint == "a100&ib"; }},
        {"contiguous", "true", [](const JobSpec& s) { return s.request->nearness->contiguous; }},
        {"cpus_per_task", "4", [](const JobSpec& s) { return s.request->cpus_per_task == 4U; }},
        {"current_working_directory", R"("/tmp")",
         [](const JobSpec& s) { return s.command->work_dir == "/tmp"; }},
        {"deadline", "500", [](const JobSpec& s) { return s.deadline == from_seconds(500); }},
        {"dependency", R"("afterok:12")",
         [](const JobSpec& s) { return s.dependencies->size() == 1; }},
        {"excluded_nodes", R"(["n[1-2]","n4"])",
         [](const JobSpec& s) { return *s.request->exclude == Names{"n1", "n2", "n4"}; }},
        {"flags", R"(["SPREAD_JOB","KILL_INVALID_DEPENDENCY","PREFER_MINIMUM_NODE_COUNT"])",
         [](const JobSpec& s) {
             const TopologyConstraint& near = *s.request->nearness;
             return near.spread && near.fewest_nodes && s.command->kill_on_invalid_dep == true;
         }},
        {"hold", "true", [](const JobSpec& s) { return s.hold; }},
        {"kill_on_node_fail", "false", [](const JobSpec& s) { return s.command->no_kill; }},
        {"kill_warning_signal", R"("USR1")",
         [](const JobSpec& s) { return s.command->warning->signal == 10; }},
        {"licenses", R"("matlab:2")",
         [](const JobSpec& s) { return s.request->licenses->counts.size() == 1; }},
        {"mail_type", R"(["END","TIME=90%"])",
         [](const JobSpec& s) {
             const MailTypes types{static_cast<std::uint16_t>(s.command->mail_types)};
             return types.has(MailType::end) && types.has(MailType::time_limit_90);
         }},
    };
}

std::vector<FieldCase> second_cases() {
    return {
        {"mail_user", R"("ann@x.org")",
         [](const JobSpec& s) { return s.command->mail_user == "ann@x.org"; }},
        {"maximum_nodes", "3", [](const JobSpec& s) { return s.request->nodes_max == 3U; }},
        {"memory_per_cpu", R"({"set":true,"number":1000})",
         [](const JobSpec& s) { return s.request->memory_per_cpu == mib(1000); }},
        {"memory_per_node", "2000",
         [](const JobSpec& s) { return s.request->memory_per_node == mib(2000); }},
        {"minimum_nodes", "2",
         [](const JobSpec& s) { return s.request->nodes_min == 2 && s.request->nodes_given; }},
        {"name", R"("train")", [](const JobSpec& s) { return *s.name == "train"; }},
        {"nice", "-5", [](const JobSpec& s) { return s.nice == -5; }},
        {"nodes", R"("2-4")",
         [](const JobSpec& s) { return s.request->nodes_min == 2 && s.request->nodes_max == 4U; }},
        {"open_mode", R"(["APPEND"])", [](const JobSpec& s) { return s.command->append_output; }},
        {"partition", R"("main")", [](const JobSpec& s) { return *s.partition == "main"; }},
        {"prefer", R"("ib&ssd")",
         [](const JobSpec& s) { return s.request->nearness->affinities.size() == 2; }},
        {"priority", R"({"set":true,"infinite":false,"number":7})",
         [](const JobSpec& s) { return s.priority == 7U; }},
        {"qos", R"("high")", [](const JobSpec& s) { return *s.qos == "high"; }},
    };
}

std::vector<FieldCase> third_cases() {
    return {
        {"overcommit", "true",
         [](const JobSpec& s) { return s.request->nearness->layout.overcommit; }},
        {"required_nodes", R"("n1,n2")",
         [](const JobSpec& s) { return *s.request->nodelist == Names{"n1", "n2"}; }},
        {"required_switches", "1",
         [](const JobSpec& s) { return s.request->nearness->switches == 1U; }},
        {"requeue", "false", [](const JobSpec& s) { return s.requeue == false; }},
        {"reservation", R"("r1")",
         [](const JobSpec& s) { return *s.request->reservation == "r1"; }},
        {"segment_size", "2", [](const JobSpec& s) { return s.request->nearness->segment == 2U; }},
        {"shared", R"(["none"])", [](const JobSpec& s) { return s.request->exclusive; }},
        {"sockets_per_node", "2",
         [](const JobSpec& s) { return s.request->nearness->node.sockets == 2; }},
        {"standard_error", R"("e")", [](const JobSpec& s) { return s.command->std_err == "e"; }},
        {"standard_input", R"("i")", [](const JobSpec& s) { return s.command->std_in == "i"; }},
        {"standard_output", R"("o")", [](const JobSpec& s) { return s.command->std_out == "o"; }},
        {"tasks", "8", [](const JobSpec& s) { return s.request->tasks == 8U; }},
        {"tasks_per_core", "2",
         [](const JobSpec& s) { return s.request->nearness->layout.per_core == 2; }},
        {"tasks_per_node", "4", [](const JobSpec& s) { return s.request->tasks_per_node == 4U; }},
        {"tasks_per_socket", "1",
         [](const JobSpec& s) { return s.request->nearness->layout.per_socket == 1; }},
        {"temporary_disk_per_node", "100",
         [](const JobSpec& s) { return s.request->nearness->node.tmp_disk == mib(100); }},
        {"threads_per_core", "1",
         [](const JobSpec& s) { return s.request->nearness->node.threads_per_core == 1; }},
        {"time_limit", R"({"set":true,"infinite":false,"number":90})",
         [](const JobSpec& s) { return s.request->time_limit == std::chrono::minutes(90); }},
        {"time_minimum", "10",
         [](const JobSpec& s) { return s.time_min == std::chrono::minutes(10); }},
        {"tres_per_job", R"("gres/gpu:a100=2")",
         [](const JobSpec& s) {
             return *s.request->gpus == std::vector<GresRequest>{{"gpu", "a100", 2}};
         }},
        {"tres_per_node", R"("gres/gpu:1,gres/fpga:1")",
         [](const JobSpec& s) { return s.request->gres_per_node->size() == 2; }},
        {"wait_for_switch", "60",
         [](const JobSpec& s) {
             return s.request->nearness->switches_wait == std::chrono::seconds(60);
         }},
        {"wckey", R"("k")", [](const JobSpec& s) { return s.command->wckey == "k"; }},
    };
}

const std::vector<FieldCase>& field_cases() {
    static const std::vector<FieldCase> all = [] {
        std::vector<FieldCase> cases = first_cases();
        for (const auto& more : {second_cases(), third_cases()})
            cases.insert(cases.end(), more.begin(), more.end());
        return cases;
    }();
    return all;
}

TEST(JobFields, EachFieldComesToWhatItSays) {
    const JobSpec plain = spec_with("");
    for (const FieldCase& c : field_cases()) {
        SCOPED_TRACE(c.name);
        const std::string member = "\"" + std::string(c.name) + "\":" + c.value;
        // The working directory is there already, and twice would be refused.
        if (std::string_view(c.name) == "current_working_directory") continue;
        EXPECT_FALSE(spec_with(member) == plain);
        EXPECT_TRUE(c.has(spec_with(member)));
    }
}

TEST(JobFields, NoFieldIsWithoutACase) {
    std::set<std::string_view> tried = {"environment",        "script",        "kill_warning_delay",
                                        "kill_warning_flags", "tres_per_task", "wait_all_nodes"};
    for (const FieldCase& c : field_cases()) tried.insert(c.name);
    for (const std::string_view name : submission_fields())
        EXPECT_EQ(tried.count(name), 1U) << name;
    for (const RefusedField& field : refused_fields()) {
        EXPECT_EQ(tried.count(field.name), 0U) << field.name << " is refused and taken";
        EXPECT_FALSE(field.instead.empty()) << field.name;
    }
}

TEST(JobFields, SignalsAndTasksOfGpusNeedTheirPartners) {
    const JobSpec spec =
        spec_with(R"("kill_warning_signal":"10","kill_warning_delay":{"set":true,"number":30},)"
                  R"("kill_warning_flags":["BATCH_JOB"],"tres_per_task":"gres:gpu:1","tasks":2)");
    EXPECT_EQ(spec.command->warning->signal, 10);
    EXPECT_EQ(spec.command->warning->before, std::chrono::seconds(30));
    EXPECT_TRUE(spec.command->warning->batch);
    EXPECT_EQ(spec.request->gpus_per_task->size(), 1U);
    EXPECT_NE(refusal_of(R"("kill_warning_delay":30)").find("kill_warning_signal"),
              std::string::npos);
    EXPECT_NE(refusal_of(R"("tres_per_task":"gres/gpu:1")").find("needs tasks"), std::string::npos);
}

TEST(JobFields, WhatAsksNothingIsAsIfLeftOut) {
    const JobSpec plain = spec_with("");
    for (const char* nothing :
         {R"("overcommit":false)", R"("x11":[])", R"("container":"")", R"("reboot":null)",
          R"("rlimits":{})", R"("minimum_cpus":null)", R"("account":null)",
          R"("time_limit":{"set":false,"infinite":false,"number":0})",
          R"("memory_per_cpu":{"set":false,"number":18446744073709551614})",
          R"("wait_all_nodes":true)"}) {
        EXPECT_EQ(spec_with(nothing), plain) << nothing;
    }
}

TEST(JobFields, RefusesTheRestByName) {
    const std::pair<const char*, const char*> cases[] = {
        {R"("reboot":true)", "job: reboot is not supported here: ask the operators"},
        {R"("user_id":"0")", "job: user_id is not supported here: the user of the token"},
        {R"("colour":"red")", "job: colour is not a field of a job"},
        {R"("site_factor":3)", "job: site_factor is given after the submission"},
        {R"("tasks":0)", "job: tasks: must be a whole number from 1"},
        {R"("tasks":"many")", "job: tasks: must be a whole number, not many"},
        {R"("tasks":[])", "job: tasks: must be a whole number"},
        {R"("tasks":{"number":1,"unit":"x"})", "job: tasks: has a member unit"},
        {R"("array":"x")", "job: array: must read 0-15"},
        {R"("shared":["user"])", "job: shared: user is not supported"},
        {R"("flags":["KILL_INVALID_DEPENDENCY","NO_KILL_INVALID_DEPENDENCY"])",
         "job: flags: KILL_INVALID_DEPENDENCY and NO_KILL"},
        {R"("open_mode":["APPEND","TRUNCATE"])", "job: open_mode: must be APPEND or TRUNCATE"},
        {R"("flags":["CRON_JOB"])", "job: flags: CRON_JOB is not supported"},
        {R"("tres_per_job":"gres/fpga:1")", "job: tres_per_job: must name GPUs alone"},
        {R"("memory_per_cpu":1,"memory_per_node":1)", "job: memory_per_cpu and memory_per_node"},
        {R"("minimum_nodes":3,"maximum_nodes":2)", "job: maximum_nodes is less"},
        {R"("name":"a","name":"b")", "job: name is given twice"},
        {R"("tasks":{"set":true,"set":false,"number":1})", "job: tasks: has set twice"},
        {R"("tres_per_task":"cpu=2","tasks":1)", "job: tres_per_task: must name GRES alone"},
        {R"("tres_per_node":"mem=2")", "job: tres_per_node: must name GRES alone"},
        {R"("mail_type":["LOUD"])", "job: mail_type: there is no mail type LOUD"},
    };
    for (const auto& [members, says] : cases) {
        const std::string message = refusal_of(members);
        EXPECT_TRUE(message.starts_with(says)) << members << ": " << message;
    }
}

TEST(JobFields, TheBodyHasAScriptAndAJob) {
    const std::pair<const char*, const char*> cases[] = {
        {R"([])", "the body must be an object"},
        {R"({"script":"x"})", "the body must have \"job\""},
        {R"({"script":"x","job":{},"jobs":[{}]})", "the body must have \"job\""},
        {R"({"script":"x","job":[]})", "job must be a job description"},
        {R"({"script":"x","jobs":[]})", "jobs must be a list of 1 to"},
        {R"({"script":"x","colour":1})", "colour is not a field"},
        {R"({"job":{}})", "script is required"},
        {R"({"script":"x","job":{}})", "environment is required"},
        {R"({"script":"x","job":{"environment":["A=b"]}})", "current_working_directory"},
        {R"({"script":"x","job":{"script":"y"}})", "script: the body and the job"},
        {R"({"script":"x","script":"y","job":{}})", "script is given twice"},
        {R"({"script":"x","job":{},"job":{"tasks":2}})", "job is given twice"},
    };
    for (const auto& [body, says] : cases) {
        const auto submission = read_submission(body);
        ASSERT_FALSE(submission.ok()) << body;
        EXPECT_TRUE(submission.error().message.starts_with(says)) << submission.error().message;
    }
    const auto read = read_submission(body_with(""));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->payload.script, "#!/bin/sh\n");
    EXPECT_EQ(read->payload.environment, std::vector<std::string>{"PATH=/bin"});
    EXPECT_EQ(*read->spec.name, "sbatch");
    const auto named = read_submission(
        R"({"job":{"script":"x","environment":{"A":"b"},"current_working_directory":"/"}})");
    ASSERT_TRUE(named.ok()) << named.error().message;
    EXPECT_EQ(named->payload.environment, std::vector<std::string>{"A=b"});
}

TEST(JobFields, SeveralJobsAreOneHeterogeneousJob) {
    const auto read = read_submission(
        R"({"script":"x","jobs":[{"environment":["A=b"],"current_working_directory":"/",)"
        R"("tasks":1},{"tasks":2}]})");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->spec.request->tasks, 1U);
    ASSERT_EQ(read->components.size(), 1U);
    EXPECT_EQ(read->components[0].request->tasks, 2U);
    const auto of_second = [](const char* environment) {
        return read_submission(
            std::string(
                R"({"script":"x","jobs":[{"environment":["A=b"],"current_working_directory":"/"},)") +
            R"({"environment":)" + environment + "}]}");
    };
    EXPECT_TRUE(of_second(R"(["A=b"])").ok()) << "clients give each component the same";
    EXPECT_TRUE(of_second(R"(["A=c"])")
                    .error()
                    .message.starts_with("jobs[1]: environment: the script has"));
}

TEST(JobFields, AChangeIsAPatch) {
    const auto read = read_update(
        R"({"time_limit":{"set":true,"number":30},"comment":"x","priority":5,"required_nodes":)"
        R"(["n[1-2]"],"memory_per_node":{"set":true,"number":2},"begin_time":100,"nice":-3,)"
        R"("mail_type":["END"],"requeue":true,"time_minimum":{"infinite":true}})");
    ASSERT_TRUE(read.ok()) << read.error().message;
    const api::JobPatch& patch = read->patch;
    EXPECT_EQ(patch.time_limit, "30");
    EXPECT_EQ(patch.time_min, "UNLIMITED");
    EXPECT_EQ(patch.comment, "x");
    EXPECT_EQ(patch.priority, 5U);
    EXPECT_EQ(patch.nodelist, (std::vector<std::string>{"n1", "n2"}));
    EXPECT_EQ(patch.memory_per_node, mib(2).count());
    EXPECT_EQ(patch.begin, from_seconds(100));
    EXPECT_EQ(patch.nice, -3);
    EXPECT_EQ(patch.mail_type, "END");
    EXPECT_EQ(patch.requeue, true);
    EXPECT_FALSE(patch.partition);
    const auto more = read_update(
        R"({"current_working_directory":"/tmp","wckey":"k","standard_output":"out","tasks_per_node":2,)"
        R"("account":"lab","temporary_disk_per_node":3,"sockets_per_node":2,"threads_per_core":1,)"
        R"("tres_per_node":"gres/gpu:a100=2"})");
    ASSERT_TRUE(more.ok()) << more.error().message;
    EXPECT_EQ(more->patch.work_dir, "/tmp");
    EXPECT_EQ(more->patch.account, "lab");
    EXPECT_EQ(more->patch.wckey, "k");
    EXPECT_EQ(more->patch.std_out, "out");
    EXPECT_EQ(more->patch.tasks_per_node, 2U);
    EXPECT_EQ(more->patch.tmp_disk, mib(3).count());
    EXPECT_EQ(more->patch.sockets, 2U);
    EXPECT_EQ(more->patch.threads_per_core, 1U);
    EXPECT_EQ(more->patch.gres, "gres/gpu:a100:2");
    EXPECT_EQ(read_update(R"({"hold":true})")->hold, true);
    EXPECT_EQ(read_update(R"({"mail_type":[]})")->patch.mail_type, "NONE");
    EXPECT_EQ(read_update(R"({"deadline":{"set":true,"number":100}})")->patch.deadline,
              from_seconds(100));
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"{}", "the fields to change"},
        {R"({"hold":true,"comment":"x"})", "hold must be the only field"},
        {R"({"open_mode":"append"})", "open_mode cannot be changed after the submission"},
        {R"({"job_id":3})", "job_id is not supported here"},
        {R"({"tasks":0})", "tasks: must be a whole number from 1"},
        {R"({"deadline":0})", "deadline: 0 is no deadline, and one cannot be removed"},
    };
    for (const auto& [body, says] : cases) {
        const auto update = read_update(body);
        ASSERT_FALSE(update.ok()) << body;
        EXPECT_NE(update.error().message.find(says), std::string::npos) << update.error().message;
    }
}

}  // namespace
}  // namespace berth::slurmrest
