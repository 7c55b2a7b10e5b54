// Client and server together: every typed call over a real socket, and a server that restarts.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "berth/client/client.h"
#include "berth/server/http/server_rig.h"

namespace berth {
namespace {

class ClientAndServer : public ServerRig {
protected:
    Client client() {
        return Client({options.socket},
                      {.timeout = std::chrono::seconds(10), .retry_for = std::chrono::seconds(10)});
    }
};

TEST_F(ClientAndServer, UnderstandEachOtherInEveryCall) {
    cluster.submit(SampleCluster::job(1));
    cluster.start(1, 0);
    cluster.submit(SampleCluster::job(2));
    archive.records.push_back({.job = JobId(5), .partition = "main"});
    start();
    Client one = client();
    EXPECT_EQ(one.ping()->cluster, "sample");
    EXPECT_EQ(one.jobs()->at(0).shares.at(0).gres, "gpu:a100:2(IDX:0-1)");
    EXPECT_EQ(one.job("1")->size(), 1U);
    EXPECT_EQ(one.job("99").problem().code, "unknown_job");
    EXPECT_EQ(one.script("1").value(), "#!/bin/sh\necho 1\n");
    EXPECT_EQ(one.nodes()->size(), 4U);
    EXPECT_EQ(one.node("gpu1")->allocated_cpus, 8U);
    EXPECT_EQ(one.partitions()->at(0).name, "main");
    EXPECT_EQ(one.config()->gres_names, (std::vector<std::string>{"gpu", "fpga"}));
    EXPECT_EQ(one.accounting({})->at(0).job, JobId(5));
    EXPECT_TRUE(one.cancel("1", {.step = kBatchStep, .signal = 10}));
    EXPECT_EQ(std::get<CancelJob>(controller.last().command).step, kBatchStep);
    EXPECT_TRUE(one.hold("1"));
    EXPECT_TRUE(one.release("1_[1-3]"));
    EXPECT_TRUE(one.requeue("1", {.hold = true}));
    EXPECT_TRUE(one.update("1", {.comment = "caf\xe9"})->messages.empty());
    EXPECT_EQ(std::get<UpdateJob>(controller.last().command).change.comment, "caf\xe9");
    EXPECT_TRUE(one.update_node("gpu1", {.state = "DRAIN", .reason = "fan"}));
    controller.answer = Submitted{JobId(9), {}};
    EXPECT_EQ(one.submit({})->job, JobId(9));
    controller.answer = StateHashed{255, 1};
    EXPECT_EQ(one.state_hash()->hash, "00000000000000ff");
    controller.answer = Explanation{.job = JobId(2), .reason = PendingReason::resources};
    EXPECT_EQ(one.explain("2")->reason, PendingReason::resources);
    EXPECT_FALSE(one.explain("5")->outcome.empty()) << "of what waits no more accounting knows";
    controller.answer = StepPlaced{JobId(1), {.id = StepId(2)}, {"gpu1"}};
    EXPECT_EQ(one.steps().create("1", {})->step.id, StepId(2));
}

TEST_F(ClientAndServer, PassAHundredThousandJobsOneByOne) {
    constexpr std::uint32_t kJobs = 100'000;
    for (std::uint32_t id = 1; id <= kJobs; ++id) cluster.submit(SampleCluster::job(id));
    start();
    std::uint32_t next = 1;
    const auto read = client().each_job({}, [&](api::JobRow&& row) {
        return row.id == JobId(next++) && row.requested_tres.starts_with("cpu=8");
    });
    EXPECT_TRUE(read);
    EXPECT_EQ(next, kJobs + 1);
}

// Sixteen submit without a pause while the server is taken away and comes back.
TEST_F(ClientAndServer, SubmitAcrossRestarts) {
    controller.answer = Submitted{JobId(1), {}};
    start();
    std::atomic<bool> stop{false};
    std::atomic<int> done{0}, failed{0};
    std::vector<std::thread> submitters;
    submitters.reserve(16);
    for (int i = 0; i < 16; ++i) {
        submitters.emplace_back([&] {
            Client own = client();
            while (!stop) {
                const auto reply = own.submit({});
                (reply ? done : failed)++;
                if (!reply) ADD_FAILURE() << reply.problem().code << reply.problem().detail;
            }
        });
    }
    // Every life of the server takes submissions, however slow the machine.
    const auto wait_for_more = [&] {
        const int enough = done + 20;
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (done < enough && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_GE(done, enough);
    };
    for (int round = 0; round < 5; ++round) {
        wait_for_more();
        {
            const std::lock_guard lock(controller.mutex);
            controller.server = nullptr;
        }
        server.reset();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        // What it is asked at once waits, as only the server that is named can be answered through.
        const std::lock_guard lock(controller.mutex);
        auto again = HttpServer::start(options, controller, read_model, archive, log);
        ASSERT_TRUE(again.ok());
        server = *std::move(again);
        controller.server = server.get();
    }
    wait_for_more();
    stop = true;
    for (std::thread& submitter : submitters) submitter.join();
    EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace berth
