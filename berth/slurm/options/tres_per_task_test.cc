#include "berth/slurm/options/tres_per_task.h"

#include <gtest/gtest.h>

#include "berth/slurm/options/job_options.h"

namespace berth::slurm {
namespace {

using From = OfCpus::From;

TEST(TresPerTaskOption, NamesCpusGpusAndLicenses) {
    for (const char* const text :
         {"cpu=4,gres/gpu:a100=2,license/matlab=3", "license/matlab:3,gres/gpu:a100:2,cpu:4"}) {
        const auto tres = parse_tres_per_task(text);
        ASSERT_TRUE(tres.ok()) << tres.error().message;
        EXPECT_EQ(tres->cpus, 4U);
        EXPECT_EQ(tres->gpus, (std::vector<GresRequest>{{"gpu", "a100", 2}}));
        EXPECT_EQ(tres->licenses, (std::vector<LicenseCount>{{"matlab", 3}}));
    }
    EXPECT_EQ(parse_tres_per_task("gres/gpu")->gpus.front().count, 1);
    EXPECT_EQ(parse_tres_per_task("gres/gpu:a100")->gpus.front().type, "a100");
    EXPECT_EQ(parse_tres_per_task("license/matlab")->licenses.front().count, 1);
}

TEST(TresPerTaskOption, SaysWhatIsWrongAndWhatWouldBeRight) {
    struct Case {
        const char *text, *said;
    };
    const Case cases[] = {
        {"", "a task may have cpu=N"},
        {"cpu", "write cpu=4"},
        {"cpu=0", "write cpu=4"},
        {"cpu::3", "write cpu=4"},
        {"mem=4G", "mem=4G: a task may have cpu=N, gres/gpu=N and license/NAME=N"},
        {"gres//gpu", "of GRES only gpu is by task"},
        {"gres/shard=2", "of GRES only gpu is by task; use --gres for shard"},
        {"gres/gpu::1", "write gres/gpu=2"},
        {"license/", "write license/NAME=2"},
        {"cpu=3cpu=3", "write cpu=4"},
    };
    for (const Case& one : cases) {
        const auto tres = parse_tres_per_task(one.text);
        ASSERT_FALSE(tres.ok()) << one.text;
        EXPECT_NE(tres.error().message.find(one.said), std::string::npos) << tres.error().message;
    }
}

JobDraft draft_of(const char* text, From from = From::command_line) {
    JobDraft draft;
    draft.per_gpu.of_task = parse_tres_per_task(text).value();
    draft.per_gpu.of_task->from = from;
    return draft;
}

TEST(TresPerTaskOption, IsWhatTheOptionsOfEachSay) {
    JobDraft draft = draft_of("cpu=4,gres/gpu=2,license/matlab=7");
    JobRequest& request = draft.spec.request.edit();
    request.tasks = 2U;
    request.licenses = LicenseRequest{{{"matlab", 7}, {"ansys", 1}}, false};
    for (int i = 0; i < 2; ++i) {  // Twice is as once.
        ASSERT_TRUE(check_together(draft).ok());
        EXPECT_EQ(draft.spec.request->cpus_per_task, 4U);
        EXPECT_EQ(draft.spec.request->gpus_per_task->front().count, 2);
        EXPECT_EQ(to_text(draft.spec.request->licenses), "matlab:21,ansys:1");
    }
}

TEST(TresPerTaskOption, ExcludesThemOnTheCommandLineAndGivesWayInTheEnvironment) {
    for (const From from : {From::command_line, From::environment}) {
        JobDraft cpus = draft_of("cpu=4", from), gpus = draft_of("gres/gpu=2", from);
        cpus.spec.request.edit().cpus_per_task = 8U;
        cpus.cpus_per_task_given = true;
        gpus.spec.request.edit().gpus_per_task = std::vector<GresRequest>{{"gpu", "", 1}};
        const Status of_cpus = take_tres_per_task(cpus), of_gpus = take_tres_per_task(gpus);
        if (from == From::environment) {
            EXPECT_TRUE(of_cpus.ok() && of_gpus.ok());
            EXPECT_EQ(cpus.spec.request->cpus_per_task, 8U);
            EXPECT_EQ(gpus.spec.request->gpus_per_task->front().count, 1);
        } else {
            ASSERT_FALSE(of_cpus.ok() || of_gpus.ok());
            EXPECT_EQ(of_cpus.error().message,
                      "You can not have --tres-per-task=cpu= and --cpus-per-task please use one or "
                      "the other");
        }
    }
}

}  // namespace
}  // namespace berth::slurm
