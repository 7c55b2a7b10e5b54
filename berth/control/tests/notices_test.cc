// Which notices a job causes, and how often. The texts are those that Debian's Slurm gave its
// MailProg for the same jobs.
#include "berth/control/tests/control_rig.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/mail.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

std::uint32_t bits(const char* words) { return parse_mail_types(words).value().bits; }

JobSpec mailed_job(const char* types, std::int64_t gpus = 1) {
    JobSpec spec = testing::make_job({.name = "train", .gpus = gpus});
    spec.command.edit().mail_types = bits(types);
    return spec;
}

ClusterSpec with_mail(std::uint32_t nodes = 2) {
    ClusterSpec spec = testing::make_cluster(nodes);
    spec.notifications.mail_program = "/usr/bin/mail";
    spec.notifications.mail_domain = "example.org";
    return spec;
}

class NoticesTest : public ::testing::Test {
protected:
    explicit NoticesTest(const ClusterSpec& spec = with_mail()) : rig(spec) { rig.connect_all(); }

    // ---- What the last turn sent.
    std::vector<std::string> mails() {
        std::vector<std::string> subjects;
        for (const Notice& notice : rig.last.notices) {
            if (notice.mail) subjects.push_back(notice.mail->subject);
        }
        return subjects;
    }
    std::vector<std::string> news() {
        std::vector<std::string> events;
        for (const Notice& notice : rig.last.notices) {
            if (notice.news) events.push_back(notice.news->event);
        }
        return events;
    }
    std::string only_mail() {
        const auto all = mails();
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? "" : all.front();
    }
    void end(std::uint32_t id, ExitStatus exit = {}) {
        const Job& job = rig.job(id);
        const std::uint32_t node = job.nodes.front().value();
        const std::uint32_t attempt = job.attempt.value();
        rig.started(node, id, attempt);
        rig.report(node, end_report(id, attempt, exit));
    }

    ControlRig rig;
};

TEST_F(NoticesTest, TellsBeginAndEndInSlurmsWords) {
    const std::uint32_t id = rig.submit(mailed_job("ALL"));
    EXPECT_EQ(only_mail(), "Slurm Job_id=1 Name=train Began, Queued time 00:00:00");
    const Mail& began = *rig.last.notices.at(0).mail;
    EXPECT_EQ(began.to, "ann@example.org");
    EXPECT_EQ(began.program, "/usr/bin/mail");
    rig.now += 62s;
    end(id);
    EXPECT_EQ(only_mail(),
              "Slurm Job_id=1 Name=train Ended, Run time 00:01:02, COMPLETED, ExitCode 0");
    const std::vector<std::string>& told = rig.last.notices.at(0).mail->environment;
    for (const char* one : {"SLURM_JOB_ID=1", "SLURM_JOB_MAIL_TYPE=Ended", "SLURM_JOB_USER=ann",
                            "SLURM_JOB_STATE=COMPLETED", "SLURM_JOB_EXIT_CODE=0",
                            "SLURM_JOB_RUN_TIME=00:01:02", "SLURM_JOB_NODELIST=node1"}) {
        EXPECT_NE(std::ranges::find(told, one), told.end()) << one;
    }
    rig.wait(1s);
    EXPECT_TRUE(rig.last.notices.empty());
}

TEST_F(NoticesTest, TellsOfAFailureWhoeverAskedForFailures) {
    end(rig.submit(mailed_job("ALL")), {.code = 3});
    EXPECT_EQ(only_mail(),
              "Slurm Job_id=1 Name=train Failed, Run time 00:00:00, FAILED, ExitCode 3");
    end(rig.submit(mailed_job("END")), {.code = 3});
    EXPECT_TRUE(mails().empty());
    end(rig.submit(mailed_job("FAIL")));
    EXPECT_TRUE(mails().empty());
    end(rig.submit(mailed_job("FAIL")), {.code = 0, .signal = 9});
    EXPECT_EQ(only_mail(), "Slurm Job_id=4 Name=train Failed, Run time 00:00:00, FAILED");
    end(rig.submit(mailed_job("NONE")));
    EXPECT_TRUE(mails().empty());
}

TEST_F(NoticesTest, TellsOfTheEndOfAJobThatNeverStarted) {
    JobSpec spec = mailed_job("END");
    spec.hold = true;
    const std::uint32_t id = rig.submit(spec);
    rig.ask(kAnn, CancelJob{.job = {JobId(id), {}}});
    EXPECT_EQ(only_mail(),
              "Slurm Job_id=1 Name=train Ended, Run time 00:00:00, CANCELLED, ExitCode 0");
}

TEST_F(NoticesTest, TellsOfARequeueAndOfTheNextBegin) {
    const std::uint32_t id = rig.submit(mailed_job("BEGIN,REQUEUE"));
    const std::uint32_t node = rig.job(id).nodes.front().value();
    rig.started(node, id);
    rig.ask(kAnn, RequeueJob{.job = {JobId(id), {}}});
    EXPECT_EQ(only_mail(), "Slurm Job_id=1 Name=train Requeued, Run time 00:00:00");
    rig.report(node, end_report(id));
    EXPECT_EQ(only_mail(), "Slurm Job_id=1 Name=train Began, Queued time 00:00:00");
}

ClusterSpec with_tiers(PreemptMode mode) {
    ClusterSpec spec = with_mail(1);
    spec.partitions.push_back({.name = "top", .nodes = {NodeId(0)}, .priority_tier = 9});
    spec.scheduling.preemption.by = PreemptBy::partition;
    spec.scheduling.preemption.mode = mode;
    return spec;
}

class PreemptionNotices : public NoticesTest, public ::testing::WithParamInterface<PreemptMode> {
protected:
    PreemptionNotices() : NoticesTest(with_tiers(GetParam())) {}
};

// In Slurm's words: a run that is cancelled for another has failed.
TEST_P(PreemptionNotices, TellWhatBecomesOfTheRun) {
    JobSpec spec = mailed_job("END,FAIL,REQUEUE");
    spec.request.edit().exclusive = true;
    const std::uint32_t id = rig.submit(spec);
    rig.started(0, id);
    rig.now += 62s;
    JobSpec ahead = spec;
    ahead.partition = "top";
    ahead.command.edit().mail_types = 0;
    rig.submit(ahead);
    std::vector<std::string> told = mails();
    rig.report(0, end_report(id, 1, ExitStatus{.code = 0, .signal = 15}));
    for (const std::string& one : mails()) told.push_back(one);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.front(), GetParam() == PreemptMode::requeue
                                ? "Slurm Job_id=1 Name=train Requeued, Run time 00:01:02"
                                : "Slurm Job_id=1 Name=train Failed, Run time 00:01:02, "
                                  "PREEMPTED, ExitCode 0");
}
INSTANTIATE_TEST_SUITE_P(Modes, PreemptionNotices,
                         ::testing::Values(PreemptMode::cancel, PreemptMode::requeue));

TEST_F(NoticesTest, TellsOfATimeLimitThatComesNearOnceAlsoOverARestart) {
    JobSpec spec = mailed_job("TIME_LIMIT,TIME_LIMIT_90,TIME_LIMIT_50");
    spec.request.edit().time_limit = 100min;
    const std::uint32_t id = rig.submit(spec);
    const std::uint32_t node = rig.job(id).nodes.front().value();
    rig.started(node, id);
    EXPECT_LE(rig.last.wake_at, *rig.job(id).started_at + 50min);
    rig.wait(50min);
    EXPECT_EQ(only_mail(),
              "Slurm Job_id=1 Name=train Reached 50% of time limit, Run time 00:50:00");
    rig.restart();
    EXPECT_TRUE(rig.last.notices.empty());
    rig.now += 45min;  // 90 % passed while no controller ran.
    rig.turn();
    EXPECT_EQ(only_mail(),
              "Slurm Job_id=1 Name=train Reached 90% of time limit, Run time 01:35:00");
    rig.wait(5min);
    EXPECT_EQ(only_mail(), "Slurm Job_id=1 Name=train Reached time limit, Run time 01:40:00");
    EXPECT_EQ(rig.job(id).outcome, JobState::timeout);
}

TEST_F(NoticesTest, ARestartRepeatsNothing) {
    const std::uint32_t ran = rig.submit(mailed_job("ALL"));
    end(ran);
    rig.submit(mailed_job("ALL"));
    JobSpec held = mailed_job("ALL");
    held.hold = true;
    rig.submit(held);
    rig.restart();
    EXPECT_TRUE(rig.last.notices.empty());
    rig.connect_all();
    EXPECT_TRUE(rig.last.notices.empty());
}

TEST_F(NoticesTest, TellsOfADependencyThatCanNoMoreBeSatisfied) {
    const std::uint32_t first = rig.submit(testing::make_job({}));
    JobSpec spec = mailed_job("INVALID_DEPEND");
    spec.dependencies = {{.kind = DependencyKind::afterok, .job = JobId(first)}};
    rig.submit(spec);
    end(first, {.code = 1});
    EXPECT_EQ(only_mail(), "Slurm Job_id=2 Name=train Invalid dependency");
}

TEST_F(NoticesTest, SumsUpAnArray) {
    JobSpec spec = mailed_job("ALL", 0);
    spec.array = ArraySpec{.tasks = {0, 1, 2}, .max_running = 1};
    rig.submit(spec);
    EXPECT_EQ(only_mail(), "Slurm Array Summary Job_id=1_* (1) Name=train Began");
    std::vector<std::string> all;
    for (const std::int16_t code : {std::int16_t{0}, std::int16_t{7}, std::int16_t{0}}) {
        for (const JobId id : array_members(rig.state(), JobId(1))) {
            if (rig.job(id.value()).state != JobState::running) continue;
            end(id.value(), {.code = code});
            break;
        }
        for (std::string& one : mails()) all.push_back(std::move(one));
    }
    EXPECT_EQ(all, std::vector<std::string>{
                       "Slurm Array Summary Job_id=1_* (1) Name=train Failed, Mixed, ExitCode "
                       "[0-7]"});
}

TEST_F(NoticesTest, SumsUpAnArrayWhoseTasksEndInOneTurn) {
    JobSpec spec = mailed_job("ALL", 0);
    spec.array = ArraySpec{.tasks = {0, 1, 2}, .max_running = 0};
    rig.submit(spec);
    std::vector<Input> ends;
    for (const JobId id : array_members(rig.state(), JobId(1))) {
        const Job& task = rig.job(id.value());
        const std::uint32_t node = task.nodes.front().value();
        rig.started(node, id.value(), task.attempt.value());
        const auto code = static_cast<std::int16_t>(*task.array_task);
        ends.push_back(rig.report_of(
            node, end_report(id.value(), task.attempt.value(), ExitStatus{.code = code})));
    }
    ASSERT_EQ(ends.size(), 3U);
    rig.turn(std::move(ends));
    EXPECT_EQ(only_mail(),
              "Slurm Array Summary Job_id=1_* (1) Name=train Failed, Mixed, ExitCode [0-2]");
}

TEST_F(NoticesTest, TellsOfEachTaskOfAnArrayIfAskedSo) {
    JobSpec spec = mailed_job("END,ARRAY_TASKS", 0);
    spec.array = ArraySpec{.tasks = {4}, .max_running = 0};
    const std::uint32_t id = rig.submit(spec);
    end(id);
    EXPECT_EQ(only_mail(),
              "Slurm Array Task Job_id=1_4 (1) Name=train Ended, Run time 00:00:00, COMPLETED, "
              "ExitCode 0");
}

TEST_F(NoticesTest, WhoAsksLaterIsToldWhatComes) {
    const std::uint32_t id = rig.submit(testing::make_job({.name = "train"}));
    rig.ask(kAnn, UpdateJob{.job = {JobId(id), {}}, .change = {.mail_types = bits("ALL")}});
    EXPECT_TRUE(mails().empty());
    EXPECT_EQ(rig.job(id).spec.command->mail_user, "ann@example.org");
    end(id);
    EXPECT_EQ(only_mail(),
              "Slurm Job_id=1 Name=train Ended, Run time 00:00:00, COMPLETED, ExitCode 0");
}

TEST_F(NoticesTest, AMailProgramIsGivenNoOptionsFilesOrLineEnds) {
    for (const char* address : {"-a/etc/shadow", "/etc/cron.d/x", "|sh", "+folder", "a b", "a\nb",
                                "a@example.org,-x", "", "a,"}) {
        EXPECT_NE(objection_to_address(address), "") << address;
    }
    for (const char* address : {"ann", "ann@example.org", "a.b+c@x.de,_d%e@f"}) {
        EXPECT_EQ(objection_to_address(address), "") << address;
    }
    JobSpec spec = mailed_job("END");
    spec.command.edit().mail_user = "-X";
    EXPECT_EQ(why(rig.ask(kAnn, SubmitJob{spec, {"#!/bin/sh\n", {}}, {}})),
              Refusal::invalid_request);
    spec = mailed_job("BEGIN");
    spec.name = "a\nBcc: everyone";
    rig.submit(spec);
    EXPECT_EQ(only_mail(), "Slurm Job_id=1 Name=a?Bcc: everyone Began, Queued time 00:00:00");
}

ClusterSpec with_webhook() {
    ClusterSpec spec = with_mail();
    spec.notifications.webhook = "https://hooks.example.org/";
    spec.notifications.webhook_events = bits("BEGIN,END,FAIL");
    return spec;
}

class WebhookNotices : public NoticesTest {
protected:
    WebhookNotices() : NoticesTest(with_webhook()) {}
};

TEST_F(WebhookNotices, AreOfEveryJobAndOfWhatTheSiteNames) {
    const std::uint32_t id = rig.submit(testing::make_job({.name = "train"}));
    EXPECT_EQ(news(), std::vector<std::string>{"BEGIN"});
    EXPECT_TRUE(mails().empty());
    const JobNews& began = *rig.last.notices.at(0).news;
    EXPECT_EQ(began.state, "RUNNING");
    EXPECT_EQ(began.nodes, std::vector<std::string>{"node1"});
    EXPECT_EQ(began.user, "ann");
    end(id, {.code = 2});
    EXPECT_EQ(news(), std::vector<std::string>{"FAIL"});
    EXPECT_EQ(rig.last.notices.at(0).news->exit, ExitStatus{.code = 2});
    rig.restart();
    EXPECT_TRUE(rig.last.notices.empty());
}

TEST(MailTypesTest, AreReadAndPrintedAsSlurmDoes) {
    EXPECT_EQ(to_text(*parse_mail_types("end,Begin")), "BEGIN,END");
    EXPECT_EQ(to_text(*parse_mail_types("ALL")), "INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT");
    EXPECT_EQ(to_text(*parse_mail_types("TIME_LIMIT,TIME_LIMIT_50,ARRAY_TASKS")),
              "ARRAY_TASKS,TIME_LIMIT_50,TIME_LIMIT");
    EXPECT_EQ(to_text(*parse_mail_types("BEGIN,NONE")), "NONE");
    EXPECT_EQ(parse_mail_types("SOMETIMES"), std::nullopt);
    EXPECT_EQ(parse_mail_types(""), std::nullopt);
}

}  // namespace
}  // namespace berth
