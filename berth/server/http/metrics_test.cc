#include "berth/server/metrics/metrics.h"

#include <gtest/gtest.h>

#include <netinet/in.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "berth/server/http/metrics_listener.h"
#include "berth/server/http/server_rig.h"

namespace berth {
namespace {

class Metrics : public ::testing::Test {
protected:
    // Applies the facts as one record, counts them, and publishes.
    void record(const std::vector<Fact>& facts) {
        for (const Fact& fact : facts) cluster.apply(fact);
        counts.recorded({.now = cluster.now, .facts = facts}, cluster.state());
        snapshot = cluster.publish(read_model);
    }
    std::string berth() const {
        MetricPage page;
        put_berth_metrics(page, *snapshot, cluster.now);
        counts.put_on(page);
        return page.text();
    }
    template <class Put>
    std::string page_of(Put put) const {
        MetricPage page;
        put(page, *snapshot);
        return page.text();
    }
    static void has(const std::string& page, const std::string& line) {
        EXPECT_NE(page.find("\n" + line + "\n"), std::string::npos) << line << "\nin\n" << page;
    }

    static Job gang(std::uint32_t id) {
        Job job = SampleCluster::job(id);
        job.spec.request.edit().nodes_min = 2;
        return job;
    }
    StartJob start(std::uint32_t id, std::uint32_t node = 0) {
        return {
            .job = JobId(id), .attempt = Attempt(1), .allocation = SampleCluster::allocation(node)};
    }
    static AttemptEnded ended(std::uint32_t id, std::uint32_t node = 0) {
        return {.job = JobId(id),
                .attempt = Attempt(1),
                .node = NodeId(node),
                .batch_exit = ExitStatus{}};
    }

    SampleCluster cluster;
    ReadModel read_model;
    MetricCounts counts;
    std::shared_ptr<const Snapshot> snapshot = cluster.publish(read_model);
};

// Names, labels and buckets of seed 002 §6.1, letter by letter.
TEST_F(Metrics, OfTheSeedHaveItsNamesLabelsAndBuckets) {
    record({JobSubmitted{gang(1)}, JobSubmitted{SampleCluster::job(2)}});
    cluster.now = from_seconds(2060);  // Submitted at 1000.
    record({start(1)});
    cluster.now = from_seconds(3060);
    record({ended(1)});
    const std::string page = berth();
    const std::string labels = R"({job_type="gang",queue="physics",result="success")";
    has(page, "# TYPE training_job_scheduling_duration_seconds histogram");
    has(page, "training_job_scheduling_duration_seconds_bucket" + labels + R"(,le="0.1"} 0)");
    has(page, "training_job_scheduling_duration_seconds_bucket" + labels + R"(,le="819.2"} 0)");
    has(page, "training_job_scheduling_duration_seconds_bucket" + labels + R"(,le="1638.4"} 1)");
    has(page, "training_job_scheduling_duration_seconds_sum" + labels + "} 1060");
    has(page, R"(training_job_completion_seconds_bucket{job_type="gang",queue="physics",)"
              R"(status="completed",le="1920"} 0)");
    has(page, R"(training_job_completion_seconds_bucket{job_type="gang",queue="physics",)"
              R"(status="completed",le="3840"} 1)");
    has(page, R"(training_job_completion_seconds_bucket{job_type="gang",queue="physics",)"
              R"(status="completed",le="983040"} 1)");
    has(page, R"(training_gang_scheduling_total{result="success",timeout="false"} 1)");
    has(page, R"(training_job_queue_length{queue="physics",priority="0"} 1)");
    has(page, "# TYPE training_cluster_resource_utilization gauge");
    has(page, "# TYPE training_queue_fairshare_deviation gauge");
    has(page, "# TYPE training_job_preemptions_total counter");
    has(page, "# TYPE training_checkpoint_saves_total counter");
}

TEST_F(Metrics, OfResourcesSayWhatEachQueueHolds) {
    record({JobSubmitted{SampleCluster::job(1)}});
    record({start(1)});
    const std::string page = berth();
    has(page,
        R"(training_cluster_resource_utilization{resource_type="gpu",queue="physics"} 0.0625)");
    has(page,
        R"(training_cluster_resource_utilization{resource_type="cpu",queue="physics"} 0.0625)");
    has(page, R"(berth_resources{resource_type="gpu"} 32)");
    has(page, R"(berth_resources_allocated{resource_type="gpu"} 2)");
    has(page, R"(berth_jobs{queue="physics",state="RUNNING"} 1)");
    has(page, R"(berth_job_starts_total{queue="physics"} 1)");
}

TEST_F(Metrics, OfQueuesSayWhatTheyLend) {
    ClusterSpec spec = sample_spec();
    spec.accounts = {{.name = "physics", .parent = "root"}, {.name = "art", .parent = "root"}};
    spec.flavors = {{.name = "all", .nodes = {spec.nodes[0].name}}};
    spec.queues = {{.name = "physics",
                    .nominal = {{"mem", 1000}},
                    .limit = {{"mem", 20000}, {"mem:all", 30000}}},
                   {.name = "art", .nominal = {{"mem", 200000}}}};
    record({SpecInstalled{spec}, JobSubmitted{SampleCluster::job(1)}, start(1)});
    const std::string page = berth();
    const auto line = [](const std::string& name, const std::string& queue, std::int64_t mib) {
        return "berth_queue_" + name + "{queue=\"" + queue + "\",tres=\"mem\"} " +
               std::to_string(mib << 20);
    };
    has(page, line("nominal", "physics", 1000));
    has(page, line("limit", "physics", 20000));
    has(page, line("used", "physics", 16000));
    has(page, "berth_queue_limit{queue=\"physics\",tres=\"mem:all\"} " +
                  std::to_string(std::int64_t{30000} << 20));
    has(page, line("borrowed", "physics", 15000));
    has(page, line("lent", "art", 15000));
    has(page, line("lent", "physics", 0));
    EXPECT_EQ(page.find("berth_queue_limit{queue=\"art\""), std::string::npos);
}

TEST_F(Metrics, CountEndsFailuresAndRetriesByReason) {
    record({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{SampleCluster::job(2)},
            JobSubmitted{gang(3)}, JobSubmitted{SampleCluster::job(4)}});
    record({start(1), start(2, 1)});
    AttemptEnded no_memory = ended(1);
    no_memory.batch_exit = ExitStatus{.code = 0, .signal = 9};
    no_memory.out_of_memory = true;
    AttemptEnded lost = ended(2, 1);
    lost.batch_exit.reset();
    lost.lost = true;
    record({no_memory, lost, JobCancelled{JobId(3), {}, 1000}});
    const std::string page = berth();
    has(page, R"(berth_attempt_failures_total{reason="out_of_memory"} 1)");
    has(page, R"(berth_attempt_failures_total{reason="node_lost"} 1)");
    has(page, R"(berth_job_retries_total{queue="physics",reason="node_lost"} 1)");
    has(page, R"(berth_jobs_ended_total{queue="physics",state="out_of_memory"} 1)");
    has(page, R"(berth_jobs_ended_total{queue="physics",state="cancelled"} 1)");
    has(page, R"(training_gang_scheduling_total{result="failure",timeout="false"} 1)");
    has(page, R"(berth_jobs_submitted_total{queue="physics"} 4)");
}

TEST_F(Metrics, OfPreemptionNameBothQueuesAndTheRule) {
    record({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{SampleCluster::job(2)}});
    record({start(1)});
    record({JobsPreempted{.preemptor = JobId(2),
                          .victims = {{JobId(1), Attempt(1), PreemptMode::requeue, cluster.now}},
                          .array = {}},
            EndJob{.job = JobId(1),
                   .outcome = JobState::pending,
                   .reason = "Preempted by job 2",
                   .preempted_by = JobId(2)}});
    AttemptEnded gone = ended(1);
    gone.batch_exit.reset();
    record({gone});
    const std::string page = berth();
    has(page, R"(training_job_preemptions_total{preemptor_queue="physics",)"
              R"(reason="partition_prio",victim_queue="physics"} 1)");
    has(page, R"(berth_job_retries_total{queue="physics",reason="preempted"} 1)");
}

TEST_F(Metrics, OfCheckpointsTellThoseOfPreemptionApart) {
    record({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{SampleCluster::job(2)}});
    record({start(1)});
    record({CheckpointSeen{JobId(1), Attempt(1)}});
    record({JobsPreempted{.preemptor = JobId(2),
                          .victims = {{JobId(1), Attempt(1), PreemptMode::checkpoint, cluster.now}},
                          .array = {}}});
    record({EndJob{.job = JobId(1),
                   .outcome = JobState::pending,
                   .reason = "Preempted by job 2: checkpoint timeout",
                   .preempted_by = JobId(2)}});
    const std::string page = berth();
    has(page, R"(training_checkpoint_saves_total{job="",reason="requested",status="success"} 1)");
    has(page, R"(training_checkpoint_saves_total{job="",reason="preemption",status="timeout"} 1)");
}

// A script that saves and ends is over in the record that tells of it.
TEST_F(Metrics, CountACheckpointOfARunThatHasEndedWithIt) {
    record({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{SampleCluster::job(2)}});
    record({start(1)});
    record({JobsPreempted{.preemptor = JobId(2),
                          .victims = {{JobId(1), Attempt(1), PreemptMode::checkpoint, cluster.now}},
                          .array = {}}});
    record({CheckpointSeen{JobId(1), Attempt(1)},
            EndJob{.job = JobId(1),
                   .outcome = JobState::pending,
                   .reason = "Preempted by job 2",
                   .preempted_by = JobId(2)},
            AttemptEnded{JobId(1), Attempt(1), NodeId(0), ExitStatus{}}});
    has(berth(),
        R"(training_checkpoint_saves_total{job="",reason="preemption",status="success"} 1)");
}

// A run that lends its cores is not waited for.
TEST_F(Metrics, CountACheckpointOfARunThatLendsItsCoresAsRequested) {
    record({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{SampleCluster::job(2)}});
    record({start(1)});
    record({JobsPreempted{.preemptor = JobId(2),
                          .victims = {{JobId(1), Attempt(1), PreemptMode::suspend, cluster.now}},
                          .array = {}}});
    record({CheckpointSeen{JobId(1), Attempt(1)}});
    has(berth(),
        R"(training_checkpoint_saves_total{job="",reason="requested",status="success"} 1)");
}

TEST_F(Metrics, OfPreemptionCountARunThatLendsMoreOfItsCoresOnce) {
    record({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{SampleCluster::job(2)},
            JobSubmitted{SampleCluster::job(3)}});
    record({start(1)});
    for (const std::uint32_t preemptor : {2U, 3U}) {
        JobsPreempted fact{.preemptor = JobId(preemptor)};
        fact.victims.push_back({JobId(1), Attempt(1), PreemptMode::suspend, cluster.now});
        record({fact});
        cluster.now += std::chrono::seconds(1);
    }
    has(berth(), R"(training_job_preemptions_total{preemptor_queue="physics",)"
                 R"(reason="partition_prio",victim_queue="physics"} 1)");
}

TEST_F(Metrics, CountTheTurnsOfARun) {
    record({JobSubmitted{SampleCluster::job(1)}});
    StartJob begins = start(1);
    begins.in_turns = true;
    record({begins});
    record({JobSuspended{.job = JobId(1), .attempt = Attempt(1), .in_force = false, .turn = true}});
    record({JobSuspended{.job = JobId(1), .attempt = Attempt(1), .turn = true}});
    has(berth(), R"(berth_job_turns_total{queue="physics"} 1)");
}

TEST_F(Metrics, TakeBindTimesAndReadingsFromWhatAgentsReport) {
    record({JobSubmitted{SampleCluster::job(1)}});
    record({start(1)});
    const auto report = [](ReportBody body) {
        return Input{AgentInput{Link{1}, "gpu1", Report{"b", 1, std::move(body)}}};
    };
    const Time now = cluster.now + std::chrono::milliseconds(30);
    counts.heard(report(AttemptStarted{JobId(1), Attempt(1)}), *snapshot, now);
    counts.heard(report(AttemptStarted{JobId(1), Attempt(2)}), *snapshot, now);
    counts.heard(report(AttemptStarted{JobId(9), Attempt(1)}), *snapshot, now);
    counts.heard(report(Heartbeat{{{.gpu = 3, .utilisation = 85, .temperature = 61}}}), *snapshot,
                 now);
    const std::string page = berth();
    has(page, "berth_bind_seconds_count 1");
    has(page, R"(berth_bind_seconds_bucket{le="0.02"} 0)");
    has(page, R"(berth_bind_seconds_bucket{le="0.04"} 1)");
    has(page, "berth_total_scheduling_seconds_sum 1000.03");
    has(page, R"(berth_gpu_utilization_ratio{node="gpu1",gpu="3"} 0.85)");
    has(page, R"(berth_gpu_temperature_celsius{node="gpu1",gpu="3"} 61)");
    EXPECT_EQ(page.find("berth_gpu_power_ratio{"), std::string::npos) << "it was not read";
}

TEST_F(Metrics, OfSlurmHaveItsNames) {
    Job held = SampleCluster::job(2);
    held.hold = Hold::user;
    Job array = SampleCluster::job(3);
    array.spec.array = ArraySpec{.tasks = {1, 2, 3}};
    record({JobSubmitted{SampleCluster::job(1)}, JobSubmitted{held}, JobSubmitted{array}});
    record({start(1)});
    const std::string jobs = page_of(put_slurm_jobs);
    has(jobs, "slurm_jobs 5");
    has(jobs, "slurm_jobs_pending 4");
    has(jobs, "slurm_jobs_hold 1");
    has(jobs, "slurm_jobs_running 1");
    has(jobs, "slurm_jobs_cpus_alloc 8");
    has(jobs, "slurm_jobs_gpus_alloc 2");
    const std::string nodes = page_of(put_slurm_nodes);
    has(nodes, "slurm_nodes 4");
    has(nodes, "slurm_nodes_mixed 1");
    has(nodes, R"(slurm_node_cpus_alloc{node="gpu1"} 8)");
    has(nodes, R"(slurm_node_gpus_alloc{node="gpu1"} 2)");
    has(nodes, R"(slurm_node_gpus{node="gpu2"} 8)");
    const std::string partitions = page_of(put_slurm_partitions);
    has(partitions, R"(slurm_partition_jobs_pending{partition="main"} 4)");
    has(partitions, R"(slurm_partition_nodes{partition="debug"} 1)");
    has(partitions, R"(slurm_partition_gpus{partition="main"} 32)");
    MetricPage scheduler;
    put_slurm_scheduler(scheduler, {.jobs_pending = 7, .cycles = {.cycles = 2, .total = 50}});
    has(scheduler.text(), "slurm_sched_mean_cycle 25");
    has(scheduler.text(), "slurm_schedule_cycle_cnt 2");
    has(scheduler.text(), "slurm_sdiag_jobs_pending 7");
}

TEST_F(Metrics, OfFairnessCompareUsageWithShares) {
    ClusterSpec spec = sample_spec();
    spec.accounts.push_back({.name = "physics", .shares = 1});
    spec.accounts.push_back({.name = "biology", .shares = 3});
    SampleCluster other(spec);
    ReadModel here;
    other.apply(UsageSet{{{"physics", "user1000", 3000}, {"biology", "user1", 1000}}, 0});
    MetricPage page;
    put_berth_metrics(page, *other.publish(here), other.now);
    const std::string text = page.text();
    // 3/4 of the usage with 1/5 of the shares: user root has one more beside the accounts.
    has(text, R"(berth_queue_usage_ratio{queue="physics"} 0.75)");
    has(text, R"(berth_queue_share_ratio{queue="physics"} 0.199999999)");
    EXPECT_NE(text.find(R"(training_queue_fairshare_deviation{queue="physics"} 0.55)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\nberth_fairness_jain_index 0.60"), std::string::npos) << text;
}

// ---- What Prometheus' own tool says of the pages.

TEST_F(Metrics, PassPromtool) {
    if (std::system("command -v promtool >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "SKIPPED: there is no promtool; it comes with Debian's package prometheus";
    record({JobSubmitted{gang(1)}, JobSubmitted{SampleCluster::job(2)}});
    record({start(1)});
    record({ended(1)});
    counts.cycle_begins();
    counts.cycle_ended({.ran = true});
    MetricPage scheduler;
    put_slurm_scheduler(scheduler, {});
    const std::string file = ::testing::TempDir() + "/berth-metrics-" + std::to_string(getpid());
    for (const std::string& page : {berth(), page_of(put_slurm_jobs), page_of(put_slurm_nodes),
                                    page_of(put_slurm_partitions), scheduler.text()}) {
        std::ofstream(file) << page;
        EXPECT_EQ(std::system(("promtool check metrics <" + file).c_str()), 0) << page;
    }
    std::filesystem::remove(file);
}

// ---- Over HTTP.

TEST(MetricsAddress, IsOfTheLoopbackInterfaceAlone) {
    const auto of = [](const char* text) {
        const auto address = parse_metrics_address(text);
        return address.ok() ? address->host + " " + std::to_string(address->port)
                            : address.error().message;
    };
    EXPECT_EQ(of("127.0.0.1:9817"), "127.0.0.1 9817");
    EXPECT_EQ(of("localhost:1"), "127.0.0.1 1");
    EXPECT_EQ(of("[::1]:9817"), "::1 9817");
    EXPECT_EQ(of("9817"),
              "'9817' is no address for metrics: there is no port; 127.0.0.1:9817 "
              "would be right");
    EXPECT_NE(of("127.0.0.1:99999").find("no number up to 65535"), std::string::npos);
    EXPECT_NE(of("127.0.0.1:x").find("no number"), std::string::npos);
    EXPECT_NE(of("head:9817").find("no IP address"), std::string::npos);
    EXPECT_NE(of("0.0.0.0:9817").find("others could reach it"), std::string::npos);
    EXPECT_NE(of("10.0.0.1:9817").find("others could reach it"), std::string::npos);
}

class OverTcp : public Metrics {
protected:
    OverTcp() : service({}, read_model, archive) {
        auto started =
            MetricsListener::start({"127.0.0.1", 0}, service, std::chrono::milliseconds(200));
        EXPECT_TRUE(started.ok());
        listener = *std::move(started);
    }
    // All that comes back.
    std::string ask(const std::string& request) const {
        const int fd = connect();
        EXPECT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(request.size()));
        std::string answer;
        std::array<char, 4096> part{};
        for (ssize_t n = 0; (n = ::recv(fd, part.data(), part.size(), 0)) > 0;)
            answer.append(part.data(), static_cast<std::size_t>(n));
        ::close(fd);
        return answer;
    }
    std::string get(const std::string& path) const {
        return ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    int connect() const {
        const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(listener->port());
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        return fd;
    }
    PlayedArchive archive;
    Service service;
    std::unique_ptr<MetricsListener> listener;
};

TEST_F(OverTcp, PagesAreThereAndNothingElseIs) {
    record({JobSubmitted{SampleCluster::job(1)}});
    EXPECT_NE(get("/metrics").find("training_job_queue_length"), std::string::npos);
    EXPECT_NE(get("/metrics").find("text/plain; version=0.0.4"), std::string::npos);
    for (const char* page : {"jobs", "nodes", "partitions", "scheduler"}) {
        EXPECT_NE(get(std::string("/metrics/") + page).find("# TYPE slurm_"), std::string::npos);
    }
    EXPECT_EQ(get("/healthz").substr(0, 15), "HTTP/1.1 200 OK");
    EXPECT_EQ(get("/v1/jobs").substr(0, 22), "HTTP/1.1 404 Not Found");
    EXPECT_EQ(get("/metrics/other").substr(0, 22), "HTTP/1.1 404 Not Found");
    EXPECT_EQ(ask("POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n").substr(0, 12), "HTTP/1.1 405");
    EXPECT_EQ(ask("rubbish\r\n\r\n"), "");
}

TEST_F(OverTcp, WhoeverSaysNothingIsNotWaitedForLong) {
    const int silent = connect();
    EXPECT_NE(get("/healthz"), "") << "after the other's 200 ms";
    ::close(silent);
}

}  // namespace
}  // namespace berth
