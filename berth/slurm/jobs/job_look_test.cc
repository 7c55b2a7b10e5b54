// That a look at a job which comes to nothing is not taken for the job's end.
#include "berth/slurm/step/job_look.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "berth/client/toy_server.h"
#include "berth/slurm/jobs/interactive_job.h"

namespace berth::slurm {
namespace {

constexpr StepId kStep{3};

CallResult<std::vector<api::JobRow>> refused(int status, const char* code) {
    return api::Problem{.status = status, .code = code};
}
CallResult<std::vector<api::JobRow>> job_with(StepId step, const char* state) {
    api::JobRow job{.id = JobId(7)};
    job.steps.push_back({.id = step, .state = state});
    return std::vector{job};
}

TEST(JobLook, OnlyWhoIsKnownToBeOverIsOver) {
    for (const char* code : {"unavailable", "timed_out", "connection_lost", "malformed_answer",
                             "unauthenticated", "too_many_requests", "not_allowed"})
        EXPECT_TRUE(may_run_still(refused(401, code), kStep)) << code;
    EXPECT_FALSE(may_run_still(refused(404, "unknown_job"), kStep));
    EXPECT_FALSE(may_run_still(refused(404, "unknown_step"), kStep));
    EXPECT_TRUE(may_run_still(job_with(kStep, "RUNNING"), kStep));
    EXPECT_FALSE(may_run_still(job_with(kStep, "COMPLETED"), kStep));
    EXPECT_FALSE(may_run_still(job_with(StepId(4), "RUNNING"), kStep));
}

class Looking : public ::testing::Test {
protected:
    std::optional<std::string> ended_as(int status, const std::string& body) {
        ToyServer server([&](int fd, int) {
            while (!ToyServer::read_request(fd).empty()) ToyServer::respond(fd, status, body);
        });
        const Invocation call{
            .name = "salloc", .arguments = {}, .environment = {{"BERTH_SOCKET", server.path()}}};
        Client client({.socket = server.path()});
        Streams streams{in, out, err};
        return InteractiveJob(call, client, streams).ended_as();
    }
    std::istringstream in;
    std::ostringstream out, err;
};

TEST_F(Looking, AnAllocationOutlivesATokenAndALimitOfCalls) {
    EXPECT_EQ(ended_as(401, R"({"status":401,"code":"unauthenticated"})"), std::nullopt);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(ended_as(429, R"({"status":429,"code":"too_many_requests"})"), std::nullopt);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
    EXPECT_EQ(ended_as(404, R"({"status":404,"code":"unknown_job"})"), "gone");
}

}  // namespace
}  // namespace berth::slurm
