// sstat's and sbcast's own words, with a controller that only says what they need to hear.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "berth/api/json.h"
#include "berth/client/toy_server.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/tables/sacct_fields.h"
#include "berth/slurm/tables/table_commands.h"

namespace berth::slurm {
namespace {

TEST(AccountingColumns, AreAsWideAsTheyAreAskedToBe) {
    const auto columns = accounting_columns("JobID%20,state%-7,MaxRSS");
    ASSERT_TRUE(columns.ok()) << columns.error().message;
    ASSERT_EQ(columns->size(), 3U);
    EXPECT_EQ(columns->at(0).width, 20U);
    EXPECT_TRUE(columns->at(0).right);
    EXPECT_EQ(columns->at(1).width, 7U);
    EXPECT_FALSE(columns->at(1).right);
    EXPECT_EQ(columns->at(2).width, 10U);
    for (const char* wrong :
         {"JobID%0", "JobID%wide", "JobID%9999", "JobID%-9223372036854775808", "Colour"})
        EXPECT_FALSE(accounting_columns(wrong).ok()) << wrong;
}

// A controller with one running job, 12 on two nodes, and its step 0 on the second.
class OneJob : public ::testing::Test {
protected:
    OneJob() {
        job_.id = JobId(12);
        job_.state = "RUNNING";
        job_.nodes = {"n1", "n2"};
        job_.node_count = 2;
        job_.steps.push_back({.job = JobId(12),
                              .id = StepId(0),
                              .name = "work",
                              .state = "RUNNING",
                              .nodes = {"n2"}});
        job_.usage.push_back({.step = StepId(0), .used = {.rss_max = 2048, .tasks = 1}});
    }
    int run(Command command, std::vector<std::string> arguments,
            std::map<std::string, std::string> environment = {}) {
        environment["BERTH_SOCKET"] = server_.path();
        Streams streams{in_, out_, err_};
        return command({.name = "test",
                        .arguments = std::move(arguments),
                        .environment = std::move(environment)},
                       streams);
    }
    void answer(int fd) {
        for (std::string asked; !(asked = ToyServer::read_request(fd)).empty();) {
            if (asked.starts_with("GET /v1/jobs/12 ")) {
                ToyServer::respond(fd, 200, "{\"jobs\":[" + api::to_json(job_) + "]}");
            } else if (asked.starts_with("POST /v1/jobs/12/steps ")) {
                step_ = asked.substr(asked.find("\r\n\r\n") + 4);
                ToyServer::respond(fd, 409, R"({"status":409,"code":"job_finished"})");
            } else {
                ToyServer::respond(fd, 404, R"({"status":404,"code":"unknown_job"})");
            }
        }
    }
    api::JobRow job_;
    std::string step_;  // What was asked of the step, as JSON.
    std::istringstream in_;
    std::ostringstream out_, err_;
    ToyServer server_{[this](int fd, int) { answer(fd); }};
};

TEST_F(OneJob, SstatHonoursTheWidthOfAColumn) {
    EXPECT_EQ(run(run_sstat, {"-j", "12", "-o", "JobID%20,MaxRSS%-4"}), 0) << err_.str();
    EXPECT_EQ(out_.str(),
              "               JobID Max+ \n"
              "-------------------- ---- \n"
              "                12.0 2K   \n");
}

// One for each process: ctest runs these tests beside each other.
std::string source_file() {
    return std::filesystem::temp_directory_path() /
           ("berth-sbcast-test." + std::to_string(getpid()));
}

class Broadcast : public OneJob {
protected:
    // sbcast makes the file its standard input; the tests that come after have their own again.
    Broadcast() : input_(dup(STDIN_FILENO)) {}
    ~Broadcast() override {
        dup2(input_, STDIN_FILENO);
        close(input_);
    }
    // The step that sbcast asks for; its last arguments say how the file is to be written.
    api::StepCall step_of(std::vector<std::string> options,
                          std::map<std::string, std::string> environment = {}) {
        const std::string source = source_file();
        std::ofstream(source) << "bytes";
        options.insert(options.end(), {source, "/there"});
        EXPECT_EQ(run(run_sbcast, options, std::move(environment)), 1);
        std::filesystem::remove(source);
        server_.stop();
        auto call = api::from_json<api::StepCall>(step_);
        EXPECT_TRUE(call.ok()) << step_ << err_.str();
        return call.ok() ? *std::move(call) : api::StepCall{};
    }
    static std::string forced(const api::StepCall& call) { return call.arguments.at(7); }
    static bool preserved(const api::StepCall& call) { return !call.arguments.at(8).empty(); }

private:
    const int input_;
};

TEST_F(Broadcast, GoesToAllNodesOfAJob) {
    const api::StepCall call = step_of({"-j", "12"});
    EXPECT_EQ(call.request.nodes, 2U);
    EXPECT_TRUE(call.request.nodelist.empty());
    EXPECT_EQ(forced(call), "0");
    EXPECT_FALSE(preserved(call));
}

TEST_F(Broadcast, GoesToTheNodesOfAStepThatIsNamed) {
    const api::StepCall call = step_of({"-j", "12.0"});
    EXPECT_EQ(call.request.nodes, 1U);
    EXPECT_EQ(call.request.nodelist, std::vector<std::string>{"n2"});
}

TEST_F(Broadcast, TakesForceAndPreserveFromTheEnvironment) {
    const api::StepCall call =
        step_of({}, {{"SLURM_JOB_ID", "12"}, {"SBCAST_FORCE", ""}, {"SBCAST_PRESERVE", "1"}});
    EXPECT_EQ(forced(call), "1");
    EXPECT_TRUE(preserved(call));
}

TEST_F(Broadcast, RefusesAStepThatDoesNotRun) {
    const std::string source = source_file();
    std::ofstream(source) << "bytes";
    EXPECT_EQ(run(run_sbcast, {"-j", "12.7", source, "/there"}), 1);
    std::filesystem::remove(source);
    EXPECT_EQ(err_.str(), "sbcast: error: Slurm job 12 has no running step 7\n");
    EXPECT_EQ(step_, "");
}

}  // namespace
}  // namespace berth::slurm
