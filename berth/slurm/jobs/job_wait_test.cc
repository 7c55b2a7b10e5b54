#include "berth/slurm/jobs/job_wait.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

TEST(JobWait, GivesTheExitCodeOfTheJob) {
    struct Case {
        const char* state;
        ExitStatus exit;
        int code;
    };
    for (const Case& one : {Case{"COMPLETED", {0, 0}, 0}, Case{"FAILED", {3, 0}, 3},
                            Case{"FAILED", {0, 9}, 1}, Case{"CANCELLED", {0, 0}, 1},
                            Case{"TIMEOUT", {0, 0}, 1}, Case{"OUT_OF_MEMORY", {0, 125}, 1}}) {
        api::AccountingRow row;
        row.state = one.state, row.exit = one.exit;
        EXPECT_EQ(exit_code_of(row), one.code) << one.state;
    }
}

}  // namespace
}  // namespace berth::slurm
