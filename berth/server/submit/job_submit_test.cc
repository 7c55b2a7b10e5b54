#include "berth/server/submit/job_submit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "berth/server/snapshot/sample_cluster.h"
#include "berth/server/submit/job_rec.h"
#include "berth/server/submit/part_list.h"
#include "berth/server/submit/site_script.h"

namespace berth {
namespace {

using std::chrono::minutes;

class KeptLog final : public LogSink {
public:
    void write(LogLevel level, std::string_view component, std::string_view text) override {
        const std::lock_guard lock(mutex_);
        lines_.push_back(std::string(to_string(level)) + " " + std::string(component) + ": " +
                         std::string(text));
    }
    bool has(std::string_view text) {
        const std::lock_guard lock(mutex_);
        return std::ranges::any_of(
            lines_, [&](const std::string& line) { return line.find(text) != std::string::npos; });
    }
    std::size_t size() {
        const std::lock_guard lock(mutex_);
        return lines_.size();
    }

private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
};

std::string submit_with(const std::string& body) {
    return "function slurm_job_submit(job_desc, part_list, submit_uid)\n" + body +
           "\nend\nfunction slurm_job_modify() return slurm.SUCCESS end\n";
}
std::string modify_with(const std::string& body) {
    return "function slurm_job_submit() return slurm.SUCCESS end\n"
           "function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)\n" +
           body + "\nend\n";
}

class Submit : public ::testing::Test {
protected:
    void use(std::vector<std::string> names, const std::string& script = {}) {
        ClusterSpec spec = sample_spec();
        spec.job_submit = {std::move(names), script};
        cluster.emplace(std::move(spec));
        cluster->submit(SampleCluster::job(1));
        (void)cluster->publish(read_model);
    }
    void use_script(const std::string& body) { use({"lua"}, submit_with(body)); }

    JobSubmit::Outcome apply(Command& command) {
        EXPECT_TRUE(JobSubmit::concerns(*read_model.current()->spec, command));
        return plugins.apply(*read_model.current(), who, command);
    }
    JobSubmit::Outcome submit() {
        Command command = job;
        JobSubmit::Outcome outcome = apply(command);
        job = std::get<SubmitJob>(std::move(command));
        return outcome;
    }
    // Why it is refused; empty: it is not.
    std::vector<std::string> details() {
        const JobSubmit::Outcome outcome = submit();
        return outcome.refused ? outcome.refused->details : std::vector<std::string>();
    }

    KeptLog log;
    JobSubmit plugins{log};
    ReadModel read_model;
    std::optional<SampleCluster> cluster;
    Principal who{.uid = 1000, .gid = 100, .user = "ann", .group = "users", .role = Role::user};
    SubmitJob job{.payload = {.script = "#!/bin/sh\n", .environment = {"A=1"}}};
};

TEST_F(Submit, WithoutPluginsNothingIsSeen) {
    const ClusterSpec none;
    EXPECT_FALSE(JobSubmit::concerns(none, SubmitJob{}));
    ClusterSpec some;
    some.job_submit.plugins = {"lua"};
    EXPECT_TRUE(JobSubmit::concerns(some, SubmitJob{}));
    EXPECT_TRUE(JobSubmit::concerns(some, TestJob{}));
    EXPECT_TRUE(JobSubmit::concerns(some, UpdateJob{}));
    EXPECT_TRUE(JobSubmit::concerns(some, HoldJob{}));
    EXPECT_FALSE(JobSubmit::concerns(some, CancelJob{}));
}

TEST_F(Submit, AScriptChangesTheJob) {
    use_script("job_desc.partition = 'debug' job_desc.time_limit = 30 return slurm.SUCCESS");
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.partition, "debug");
    EXPECT_TRUE(job.spec.request->time_limit == minutes(30));
}

TEST_F(Submit, AScriptRefusesWithSlurmsErrors) {
    struct Refusing {
        const char* returns;
        const char* slurm;
    };
    for (const auto& [returns, slurm] :
         {Refusing{"slurm.ERROR", "Unspecified error"},
          Refusing{"slurm.FAILURE", "Unspecified error"},
          Refusing{"slurm.ESLURM_INVALID_ACCOUNT",
                   "Invalid account or account/partition combination specified"},
          Refusing{"2066", "Invalid qos specification"},
          Refusing{"'2066'", "Invalid qos specification"}, Refusing{"9", "Unknown error 9"}}) {
        use_script(std::string("slurm.log_user('Ask %s', 'us') return ") + returns);
        const JobSubmit::Outcome outcome = submit();
        ASSERT_TRUE(outcome.refused) << returns;
        EXPECT_EQ(outcome.refused->slurm, slurm);
        EXPECT_EQ(outcome.refused->code, "refused_by_site");
        EXPECT_EQ(outcome.refused->status, 422);
        EXPECT_EQ(outcome.refused->details, std::vector<std::string>{"Ask us"});
    }
    EXPECT_TRUE(log.has("info job_submit: refused what ann (uid 1000) asked: 2045, Invalid"));
}

TEST_F(Submit, WhatIsNoNumberIsSuccessAndLogged) {
    for (const char* const returns :
         {"", "return nil", "return 'fine'", "return {}", "return true"}) {
        use_script(returns);
        EXPECT_FALSE(submit().refused) << returns;
        EXPECT_TRUE(log.has("slurm_job_submit() returned no number: taken for slurm.SUCCESS"));
    }
}

TEST_F(Submit, MessagesReachTheUserLineByLine) {
    use_script("slurm.log_user('one\\ntwo\\27[31m') slurm.user_msg('three') return 0");
    const JobSubmit::Outcome outcome = submit();
    EXPECT_FALSE(outcome.refused);
    EXPECT_EQ(outcome.messages, (std::vector<std::string>{"one", "two?[31m", "three"}));
    EXPECT_EQ(submit().messages.size(), 3U) << "of this submission alone";
    use_script("for i = 1, 1000 do slurm.log_user('x') slurm.log_info('y') end return 0");
    const std::size_t before = log.size();
    EXPECT_EQ(submit().messages.size(), SubmitSpeech::kUserLinesMost);
    use_script("slurm.user_msg(string.rep('\\n', 1000000)) return 0");
    EXPECT_EQ(submit().messages.size(), SubmitSpeech::kUserLinesMost);
    EXPECT_LE(log.size() - before, SubmitSpeech::kLogLinesMost);
}

TEST_F(Submit, AScriptThatFailsRefusesTheJobAndSaysWhere) {
    use_script("return job_desc.nothing.there");
    EXPECT_EQ(details(), std::vector<std::string>{
                             "job_submit.lua:2: attempt to index a nil value (field 'nothing')"});
    EXPECT_TRUE(log.has("error job_submit: job_submit.lua:2: attempt to index"));
    use_script("job_desc.admin_comment = 'x' return 0");
    EXPECT_EQ(details(),
              std::vector<std::string>{
                  "job_submit.lua:2: job_desc.admin_comment cannot be set: use comment"});
    use_script("error({})");
    EXPECT_EQ(details().size(), 1U);
    use({"lua"}, "x = = 1");
    EXPECT_EQ(details(), std::vector<std::string>{"job_submit.lua:1: unexpected symbol near '='"});
    use({"lua"}, "");
    EXPECT_EQ(details(), std::vector<std::string>{
                             "job_submit.lua: it should define a function slurm_job_submit"});
}

TEST_F(Submit, AScriptBeyondItsLimitsIsLoadedAgain) {
    use({"lua"},
        "count = 0\n" + submit_with("count = count + 1\n"
                                    "if job_desc.name == 'loop' then while true do end end\n"
                                    "if job_desc.name == 'bomb' then\n"
                                    "local t = {} for i = 1, 1e9 do t[i] = i end end\n"
                                    "job_desc.comment = tostring(count) return 0"));
    EXPECT_FALSE(submit().refused);
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.comment, "2") << "its globals stay";
    job.spec.name = "loop";
    EXPECT_NE(details().at(0).find("stopped after 10000000 instructions"), std::string::npos);
    job.spec.name = "bomb";
    EXPECT_NE(details().at(0).find("not enough memory"), std::string::npos);
    job.spec.name = "good";
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.comment, "1") << "it begins anew";
}

TEST_F(Submit, AnotherConfigurationBringsAnotherScript) {
    use_script("job_desc.comment = 'old' return 0");
    EXPECT_FALSE(submit().refused);
    use_script("job_desc.comment = 'new' return 0");
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.comment, "new");
}

TEST_F(Submit, EachComponentIsSeen) {
    use_script(
        "if job_desc.het_job_offset == 1 then job_desc.account = 'second' end\n"
        "if job_desc.het_job_offset == 2 then return slurm.ERROR end\n"
        "return slurm.SUCCESS");
    job.components.resize(1);
    EXPECT_FALSE(submit().refused);
    EXPECT_TRUE(job.spec.account.empty());
    EXPECT_EQ(job.components[0].account, "second");
    job.components.resize(2);
    EXPECT_TRUE(submit().refused) << "all or none";
}

TEST_F(Submit, ATestIsSeenToo) {
    use_script("return slurm.ESLURM_INVALID_QOS");
    Command command = TestJob{job};
    EXPECT_EQ(apply(command).refused->slurm, "Invalid qos specification");
}

TEST_F(Submit, ThePartitionsAreThoseThatTheUserMayAskFor) {
    ClusterSpec spec = sample_spec();
    spec.partitions.push_back({.name = "staff", .allow_groups = {"staff"}});
    spec.partitions.push_back({.name = "root", .root_only = true});
    spec.partitions[0].max_time = minutes(120);
    spec.job_submit = {{"lua"}, submit_with(R"(
        local names = {}
        for name, part in pairs(part_list) do table.insert(names, name) end
        table.sort(names)
        local main = part_list.main
        job_desc.comment = table.concat(names, " ") .. " " .. main.max_time .. " " .. main.nodes ..
            " " .. main.flag_default .. " " .. main.total_cpus .. " " .. main.state_up .. " " ..
            tostring(main.allow_groups) .. " " .. tostring(part_list.debug.max_time == slurm.INFINITE)
        return slurm.SUCCESS)")};
    cluster.emplace(std::move(spec));
    (void)cluster->publish(read_model);
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.comment, "debug main 120 gpu[1-4] 1 128 3 nil true");
    who.groups = {"staff"};
    EXPECT_FALSE(submit().refused);
    EXPECT_TRUE(job.spec.comment.plain().starts_with("debug main staff 120"));
    who.role = Role::admin;
    EXPECT_FALSE(submit().refused);
    EXPECT_TRUE(job.spec.comment.plain().starts_with("debug main root staff 120"));
}

TEST_F(Submit, EachFieldOfAPartitionReadsAndNoneIsWritten) {
    std::string script = "local p = part_list.main\n";
    for (const std::string_view field : PartitionTable::readable())
        script += "local x = p." + std::string(field) + "\n";
    use_script(script + "return slurm.SUCCESS");
    EXPECT_FALSE(submit().refused);
    use_script("part_list.main.max_time = 5");
    EXPECT_EQ(details(), std::vector<std::string>{"job_submit.lua:2: part_list: max_time cannot be "
                                                  "set: partitions are changed with scontrol"});
}

TEST_F(Submit, WhatOnlyOperatorsSetIsTheSitesOrTheUsers) {
    use_script("job_desc.priority = 500 return 0");
    EXPECT_FALSE(submit().refused);
    EXPECT_TRUE(job.site_set_priority);
    job = {};
    use_script("job_desc.nice = slurm.NICE_OFFSET - 10 return 0");
    EXPECT_FALSE(submit().refused);
    EXPECT_TRUE(job.site_set_priority);
    EXPECT_EQ(job.spec.nice, -10);
    EXPECT_FALSE(submit().refused);
    EXPECT_FALSE(job.site_set_priority) << "it was there already: the user's own";
    job = {};
    use_script("return 0");
    EXPECT_FALSE(submit().refused);
    EXPECT_FALSE(job.site_set_priority);
}

TEST_F(Submit, AChangeIsSeenBesideTheJob) {
    use({"lua"}, modify_with(R"(
        if modify_uid == 1000 and job_desc.time_limit ~= slurm.NO_VAL and
           job_desc.time_limit > job_rec.time_limit then
            slurm.log_user("not beyond %d", job_rec.time_limit)
            return slurm.ESLURM_ACCESS_DENIED
        end
        job_desc.comment = job_rec.name .. job_rec.job_id .. job_rec.account .. job_rec.user_id
        return slurm.SUCCESS)"));
    UpdateJob update{.job = {JobId(1)}};
    update.change.time_limit = minutes(20);
    Command command = update;
    EXPECT_FALSE(apply(command).refused);
    EXPECT_EQ(std::get<UpdateJob>(command).change.comment, "job11physics1000");
    update.change.time_limit = minutes(40);
    command = update;
    const JobSubmit::Outcome no = apply(command);
    ASSERT_TRUE(no.refused);
    EXPECT_EQ(no.refused->slurm, "Access/permission denied");
    EXPECT_EQ(no.refused->details, std::vector<std::string>{"not beyond 30"});
}

TEST_F(Submit, WhatTheCallerMayNotChangeIsNotSeen) {
    use({"lua"}, modify_with("slurm.log_user('%s', job_rec.name) return slurm.ERROR"));
    const auto is_seen = [&](Command command) {
        const JobSubmit::Outcome outcome = apply(command);
        EXPECT_EQ(outcome.refused.has_value(), !outcome.messages.empty());
        return outcome.refused.has_value();
    };
    const Command update = UpdateJob{.job = {JobId(1)}}, hold = HoldJob{{JobId(1)}, Hold::user};
    EXPECT_TRUE(is_seen(update) && is_seen(hold)) << "the job's owner";
    EXPECT_FALSE(is_seen(UpdateJob{.job = {JobId(77)}})) << "there is none";
    who.uid = 1001;
    EXPECT_FALSE(is_seen(update) || is_seen(hold)) << "a stranger";
    who.role = Role::op;
    EXPECT_TRUE(is_seen(update) && is_seen(hold));
}

TEST_F(Submit, EachFieldOfTheJobReadsAndNoneIsWritten) {
    std::string script;
    for (const std::string_view field : JobRec::readable())
        script += "local x = job_rec." + std::string(field) + "\n";
    use({"lua"}, modify_with(script + "return job_rec.job_state"));
    Command command = UpdateJob{.job = {JobId(1)}};
    EXPECT_FALSE(apply(command).refused);
    use({"lua"}, modify_with("job_rec.comment = 'x'"));
    EXPECT_NE(apply(command).refused->details.at(0).find("job_rec.comment cannot be set"),
              std::string::npos);
}

TEST_F(Submit, AHoldIsAChangeOfThePriority) {
    use({"lua"},
        modify_with("if job_desc.priority == 0 then return slurm.ESLURM_ACCESS_DENIED end\n"
                    "if job_desc.priority ~= slurm.INFINITE then return 1 end\n"
                    "return 0"));
    Command command = HoldJob{{JobId(1)}, Hold::user};
    EXPECT_EQ(apply(command).refused->slurm, "Access/permission denied");
    command = HoldJob{{JobId(1)}, Hold::none};
    EXPECT_FALSE(apply(command).refused);
    use({"lua"}, modify_with("job_desc.comment = 'x' return 0"));
    EXPECT_NE(
        apply(command).refused->details.at(0).find("cannot change job_desc when a job is held"),
        std::string::npos);
}

TEST_F(Submit, AllPartitionsStandWhereNoneIsNamed) {
    use({"all_partitions"});
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.partition, "main,debug");
    job.spec.partition = "debug";
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.partition, "debug");
}

TEST_F(Submit, ATimeLimitIsRequired) {
    use({"require_timelimit"});
    const JobSubmit::Outcome outcome = submit();
    ASSERT_TRUE(outcome.refused);
    EXPECT_EQ(outcome.refused->slurm, "Time limit specification required, but not provided");
    job.spec.request.edit().time_limit = minutes(5);
    EXPECT_FALSE(submit().refused);
    Command command = UpdateJob{.job = {JobId(1)}};
    EXPECT_FALSE(apply(command).refused);
}

TEST_F(Submit, PluginsComeInTheirOrder) {
    use({"lua", "require_timelimit", "all_partitions"},
        submit_with("if job_desc.partition == nil then job_desc.time_limit = 7 end return 0"));
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.partition, "main,debug");
    job = {};
    use({"all_partitions", "lua", "require_timelimit"},
        submit_with("if job_desc.partition == nil then job_desc.time_limit = 7 end return 0"));
    EXPECT_TRUE(submit().refused);
}

TEST_F(Submit, ManyMaySubmitAtOnce) {
    use({"lua"},
        "count = 0\n" + submit_with("count = count + 1 job_desc.comment = tostring(count)\n"
                                    "slurm.log_user('%d', count) return 0"));
    constexpr int kThreads = 4, kEach = 200;
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::vector<std::string> seen;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < kEach; ++i) {
                Command command = SubmitJob{.payload = {.script = "x", .environment = {}}};
                const auto outcome = plugins.apply(*read_model.current(), who, command);
                const std::string comment = std::get<SubmitJob>(command).spec.comment;
                const std::lock_guard lock(mutex);
                if (!outcome.refused && outcome.messages == std::vector<std::string>{comment})
                    seen.push_back(comment);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::ranges::sort(seen);
    EXPECT_EQ(seen.size(), std::size_t{kThreads * kEach});
    EXPECT_EQ(std::ranges::unique(seen).size(), 0U) << "each has its own number";
}

// ---- A script as sites have them.

TEST_F(Submit, ASitesScriptRunsUnchanged) {
    use({"lua"}, kSiteScript);
    EXPECT_EQ(details(), std::vector<std::string>{"Please give a time limit with --time."});
    job.spec.request.edit().time_limit = minutes(60);
    EXPECT_EQ(details(),
              std::vector<std::string>{"You have to specify an account: sbatch --account=NAME"});
    job.spec.account = "physics";
    JobSubmit::Outcome outcome = submit();
    EXPECT_FALSE(outcome.refused);
    EXPECT_TRUE(job.spec.partition.empty());
    EXPECT_EQ(job.spec.qos, "normal");

    job.spec.request.edit().gpus_per_node = {{"gpu", "a100", 2}};
    job.spec.request.edit().time_limit = minutes(10'000);
    outcome = submit();
    EXPECT_FALSE(outcome.refused);
    EXPECT_EQ(job.spec.partition, "main");
    EXPECT_TRUE(job.spec.request->time_limit == minutes(2880));
    EXPECT_EQ(outcome.messages,
              (std::vector<std::string>{"2 GPUs per node: the job goes to partition main.",
                                        "The time limit is lowered to 48 hours."}));
    EXPECT_TRUE(log.has("info job_submit: job_submit: ann account=physics partition=main"));

    job.spec.account = "guests";
    EXPECT_FALSE(submit().refused);
    EXPECT_EQ(job.spec.qos, "low");
    job.spec.request.edit().gpus_per_node = {{"gpu", "", 9}};
    EXPECT_EQ(submit().refused->slurm, "Invalid generic resource (gres) specification");
}

}  // namespace
}  // namespace berth
