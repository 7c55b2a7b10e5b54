#include <gtest/gtest.h>

#include "berth/server/snapshot/sample_cluster.h"
#include "berth/server/views/accounting_rows.h"
#include "berth/server/views/cluster_rows.h"
#include "berth/server/views/job_rows.h"
#include "berth/server/views/job_text.h"
#include "berth/server/views/tres_text.h"

namespace berth {
namespace {

using Strings = std::vector<std::string>;

class Rows : public ::testing::Test {
protected:
    api::JobRow row(std::uint32_t id) {
        snapshot = cluster.publish(read_model);
        return job_row(*snapshot, *snapshot->jobs.find(id));
    }
    api::NodeRow node(const char* name) {
        snapshot = cluster.publish(read_model);
        return *node_row(*snapshot, name);
    }
    void end(std::uint32_t id, ExitStatus exit) {
        cluster.apply(AttemptEnded{
            .job = JobId(id), .attempt = Attempt(1), .node = NodeId(0), .batch_exit = exit});
    }
    SampleCluster cluster;
    ReadModel read_model;
    std::shared_ptr<const Snapshot> snapshot;
};

TEST_F(Rows, OfAJobThatWaitsShowWhatItAsksFor) {
    Job job = SampleCluster::job(1);
    job.spec.request.edit().nodes_min = 2;
    job.spec.request.edit().nodes_given = true;
    cluster.submit(job);
    cluster.state().set_reason(JobId(1), PendingReason::req_node_not_avail,
                               "UnavailableNodes:gpu[1-2]");
    const api::JobRow shown = row(1);
    EXPECT_EQ(shown.state, "PENDING");
    EXPECT_EQ(shown.reason, "ReqNodeNotAvail, UnavailableNodes:gpu[1-2]");
    EXPECT_EQ(shown.priority, 1) << "no cycle has ranked it; 0 would say that it is held";
    EXPECT_EQ(shown.partition, "main");
    EXPECT_EQ(shown.qos, "normal");
    EXPECT_EQ(shown.node_count, 2U);
    EXPECT_EQ(shown.tasks, 2U);
    EXPECT_EQ(shown.cpus, 8U);
    EXPECT_EQ(shown.requested_tres, "cpu=8,mem=16000M,node=2,billing=8,gres/gpu=4,gres/gpu:a100=4");
    EXPECT_EQ(shown.allocated_tres, "");
    EXPECT_EQ(shown.tres_per_node, "gres/gpu:a100:2");
    EXPECT_EQ(shown.request.memory_per_cpu, mib(2000)) << "the partition's default";
    EXPECT_EQ(shown.time_limit, std::chrono::minutes(30));
    EXPECT_EQ(shown.std_out, "/home/user/slurm-1.out");
    EXPECT_EQ(shown.std_err, shown.std_out);
    EXPECT_EQ(shown.std_in, "/dev/null");
    EXPECT_TRUE(shown.nodes.empty());
    EXPECT_TRUE(shown.requeue);
}

TEST_F(Rows, OfAJobThatNoCycleHasSeenSayWhatItAskedToWaitFor) {
    Job held = SampleCluster::job(1), later = SampleCluster::job(2), after = SampleCluster::job(3);
    held.hold = Hold::user;
    later.spec.begin = later.submitted_at + std::chrono::hours(1);
    after.spec.dependencies.edit() = {{.kind = DependencyKind::afterok, .job = JobId(1)}};
    for (const Job& job : {held, later, after, SampleCluster::job(4)}) cluster.submit(job);
    EXPECT_EQ(row(1).reason, "JobHeldUser");
    EXPECT_EQ(row(1).priority, 0);
    EXPECT_EQ(row(2).reason, "BeginTime");
    EXPECT_EQ(row(3).reason, "Dependency");
    EXPECT_EQ(row(4).reason, "None");
    cluster.apply(JobCancelled{.job = JobId(1)});
    EXPECT_EQ(row(1).priority, 0) << "it was never ranked, and waits for nothing now";
}

TEST_F(Rows, OfAJobThatRunsShowWhatItHolds) {
    cluster.submit(SampleCluster::job(1));
    cluster.start(1, 0);
    Step step{.id = StepId(0), .name = "train", .tasks = 2, .cpus = 8, .nodes = {NodeId(0)}};
    step.allocated = SampleCluster::allocation(0).shares[0].amount;
    step.shares = {{.node = NodeId(0)}};
    cluster.apply(StepCreated{JobId(1), Attempt(1), step});
    const api::JobRow shown = row(1);
    EXPECT_EQ(shown.state, "RUNNING");
    EXPECT_EQ(shown.reason, "None");
    EXPECT_EQ(shown.nodes, Strings{"gpu1"});
    EXPECT_EQ(shown.batch_host, "gpu1");
    EXPECT_EQ(shown.allocated_tres, "cpu=8,mem=16000M,node=1,billing=8,gres/gpu=2,gres/gpu:a100=2");
    ASSERT_EQ(shown.shares.size(), 1U);
    EXPECT_EQ(shown.shares[0].cpu_ids, "0-7");
    EXPECT_EQ(shown.shares[0].gres, "gpu:a100:2(IDX:0-1)");
    EXPECT_EQ(shown.shares[0].memory, mib(16000).count());
    EXPECT_EQ(shown.started_at, cluster.now);
    EXPECT_EQ(shown.ended_at, cluster.now + std::chrono::minutes(30)) << "when its limit ends it";
    ASSERT_EQ(shown.steps.size(), 1U);
    EXPECT_EQ(shown.steps[0].tres, "cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=16000M,node=1");
}

// OverSubscribe=FORCE:1.
TEST_F(Rows, OfAJobShowWhetherItIsAloneThere) {
    for (const char* const sharing : {"NO", PartitionSpec::kForceOne}) {
        ClusterSpec spec = sample_spec();
        spec.partitions[0].oversubscribe = sharing;
        SampleCluster other(spec);
        ReadModel model;
        Job job = SampleCluster::job(1);
        job.spec.request.edit().exclusive = true;
        other.submit(job);
        const auto seen = other.publish(model);
        EXPECT_EQ(job_row(*seen, *seen->jobs.find(1)).request.exclusive,
                  std::string(sharing) == "NO");
    }
}

// Derived from the state alone.
TEST_F(Rows, HaveThePhaseAndTheConditionsOfPodGroups) {
    Job job = SampleCluster::job(2);
    job.spec.request.edit().max_wait = std::chrono::minutes(10);
    job.submitted_at = cluster.now;
    cluster.submit(SampleCluster::job(1));
    cluster.submit(job);
    EXPECT_EQ(row(1).phase, "Pending");
    EXPECT_TRUE(row(1).conditions.empty());
    cluster.start(1, 0);
    EXPECT_EQ(row(1).phase, "Running");
    ASSERT_EQ(row(1).conditions.size(), 1U);
    EXPECT_EQ(row(1).conditions[0].type, "Scheduled");
    EXPECT_EQ(row(1).conditions[0].status, "True");
    EXPECT_EQ(row(1).conditions[0].reason, "AllMembersScheduled");
    EXPECT_EQ(row(1).conditions[0].message, "All pod group members have been scheduled");
    EXPECT_EQ(row(1).conditions[0].changed_at, cluster.now);
    end(1, {});
    EXPECT_EQ(row(1).phase, "Succeeded");
    EXPECT_EQ(row(1).conditions.size(), 1U);
    cluster.now += std::chrono::minutes(10);
    cluster.apply(DeadlineMissed{JobId(2)});
    EXPECT_EQ(row(2).state, "DEADLINE");
    EXPECT_EQ(row(2).phase, "Timeout");
    ASSERT_EQ(row(2).conditions.size(), 1U);
    EXPECT_EQ(row(2).conditions[0].type, "SchedulingTimeout");
    EXPECT_EQ(row(2).conditions[0].status, "True");
    EXPECT_EQ(row(2).conditions[0].reason, "Timeout");
    EXPECT_EQ(row(2).conditions[0].message, "Failed to schedule within 10m0s");
    EXPECT_EQ(row(2).conditions[0].changed_at, cluster.now);
}

TEST_F(Rows, OfAJobThatUsesOneThreadOfEachCoreCountTheCpusOfItsTasks) {
    ClusterSpec spec = sample_spec();
    for (const std::size_t node : {0UL, 1UL}) spec.nodes.edit(node).threads_per_core = 2;
    SampleCluster threaded(std::move(spec));
    Job job = SampleCluster::job(1);
    threaded.submit(job);
    threaded.start(1, 0);
    job = SampleCluster::job(2);
    job.spec.request.edit().nearness.edit().node.threads_per_core = 1;
    threaded.submit(std::move(job));
    threaded.start(2, 1);
    snapshot = threaded.publish(read_model);
    EXPECT_EQ(job_row(*snapshot, *snapshot->jobs.find(1)).shares.at(0).usable_cpus, 16U);
    const api::NodeShareRow share = job_row(*snapshot, *snapshot->jobs.find(2)).shares.at(0);
    EXPECT_EQ(share.cpu_ids, "0-15");
    EXPECT_EQ(share.usable_cpus, 8U);
}

TEST_F(Rows, OfAJobThatEndedShowHow) {
    cluster.submit(SampleCluster::job(1));
    cluster.start(1, 0);
    end(1, {.code = 3});
    const api::JobRow shown = row(1);
    EXPECT_EQ(shown.state, "FAILED");
    EXPECT_EQ(shown.outcome, "FAILED");
    EXPECT_EQ(shown.reason, "NonZeroExitCode");
    EXPECT_EQ(shown.exit.code, 3);
    EXPECT_EQ(shown.nodes, Strings{"gpu1"});
    EXPECT_EQ(shown.cpus, 8U);
    EXPECT_EQ(shown.ended_at, cluster.now);
}

TEST_F(Rows, OfAJobThatASignalEndedNameIt) {
    cluster.submit(SampleCluster::job(1));
    cluster.start(1, 0);
    end(1, {.signal = 9});
    EXPECT_EQ(row(1).reason, "RaisedSignal:9(Killed)");
}

TEST_F(Rows, OfAJobThatCompletesTellWhatItWillBe) {
    cluster.submit(SampleCluster::job(1));
    cluster.start(1, 0);
    cluster.apply(EndJob{.job = JobId(1), .outcome = JobState::timeout});
    const api::JobRow shown = row(1);
    EXPECT_EQ(shown.state, "COMPLETING");
    EXPECT_EQ(shown.outcome, "TIMEOUT");
    EXPECT_EQ(node("gpu1").flags, Strings{"COMPLETING"});
}

ClusterSpec preempting_spec(PreemptBy by) {
    ClusterSpec spec = sample_spec();
    spec.scheduling.preemption.by = by;
    spec.scheduling.preemption.mode = PreemptMode::cancel;
    spec.scheduling.preemption.exempt = std::chrono::minutes(1);
    spec.partitions[1].preempt_mode = PreemptMode::requeue;
    spec.partitions[1].grace_time = std::chrono::seconds(20);
    return spec;
}

TEST_F(Rows, OfAPreemptedJobTellWhenAndByWhom) {
    cluster.apply(SpecInstalled{preempting_spec(PreemptBy::partition)});
    for (const std::uint32_t id : {1U, 2U}) cluster.submit(SampleCluster::job(id));
    EXPECT_EQ(row(1).preemptible_at, std::nullopt) << "it has not started";
    cluster.start(1, 0);
    EXPECT_EQ(row(1).preemptible_at, cluster.now + std::chrono::minutes(1));
    EXPECT_EQ(row(1).preempted_at, std::nullopt);
    const Time decided_at = cluster.now, ends_at = cluster.now + std::chrono::seconds(20);
    cluster.apply(JobsPreempted{.preemptor = JobId(2),
                                .victims = {{JobId(1), Attempt(1), PreemptMode::cancel, ends_at}},
                                .array = {}});
    EXPECT_EQ(row(1).preempted_at, decided_at);
    EXPECT_EQ(row(1).preempted_by, JobId(2));
    EXPECT_EQ(row(1).ended_at, ends_at) << "when its grace time is over";
    cluster.now = ends_at;
    cluster.apply(EndJob{.job = JobId(1),
                         .outcome = JobState::preempted,
                         .reason = "Preempted by job 2",
                         .preempted_by = JobId(2)});
    end(1, {.signal = 15});
    const api::JobRow shown = row(1);
    EXPECT_EQ(shown.state, "PREEMPTED");
    EXPECT_EQ(shown.reason, "None");
    EXPECT_EQ(shown.preempted_at, ends_at) << "as Slurm's, from then on";
    EXPECT_EQ(shown.preempted_by, JobId(2));
    EXPECT_EQ(shown.exit, ExitStatus{});
    const api::PartitionRow main = partition_rows(*snapshot).at(0);
    EXPECT_EQ(main.preempt_mode, "CANCEL") << "the cluster's";
    EXPECT_EQ(partition_rows(*snapshot).at(1).preempt_mode, "REQUEUE");
    EXPECT_EQ(partition_rows(*snapshot).at(1).grace_time, 20);
}

TEST_F(Rows, TellOfTheLastCheckpoint) {
    Job job = SampleCluster::job(1);
    job.spec.command.edit().checkpoint = "model.pt";
    cluster.submit(job);
    cluster.start(1, 0);
    EXPECT_EQ(row(1).checkpoint_at, std::nullopt);
    cluster.now += std::chrono::minutes(2);
    cluster.apply(CheckpointSeen{JobId(1), Attempt(1)});
    EXPECT_EQ(row(1).command.checkpoint, "model.pt");
    EXPECT_EQ(row(1).checkpoint_at, cluster.now);
}

TEST_F(Rows, OfJobsThatNoRuleExemptsTellNoTime) {
    ClusterSpec spec = preempting_spec(PreemptBy::qos);
    spec.qos[0].preempt_exempt = std::chrono::minutes(9);
    cluster.apply(SpecInstalled{spec});
    cluster.submit(SampleCluster::job(1));
    cluster.start(1, 0);
    EXPECT_EQ(row(1).preemptible_at, cluster.now + std::chrono::minutes(9)) << "its QOS's";
    spec.scheduling.preemption.exempt_priority = -1;
    cluster.apply(SpecInstalled{spec});
    EXPECT_EQ(row(1).preemptible_at, std::nullopt) << "never";
    spec.scheduling.preemption = {};
    cluster.apply(SpecInstalled{spec});
    EXPECT_EQ(row(1).preemptible_at, std::nullopt) << "preemption is off";
}

TEST_F(Rows, OfArraysTellTheTasksThatWait) {
    Job array = SampleCluster::job(10);
    array.spec.array = ArraySpec{.tasks = {0, 1, 2, 5, 7, 8}, .max_running = 2};
    array.spec.command.edit().std_out = "%x.%A_%3a-%j.%u.%N%%.out";
    cluster.submit(array);
    cluster.apply(StartJob{.job = JobId(10),
                           .array_task = 1,
                           .task_job = JobId(11),
                           .attempt = Attempt(1),
                           .allocation = SampleCluster::allocation(0)});
    const api::JobRow record = row(10);
    EXPECT_EQ(record.array_pending, "0,2,5,7-8%2");
    EXPECT_EQ(record.array_job, JobId(10));
    EXPECT_EQ(record.array_task, std::nullopt);
    const api::JobRow task = row(11);
    EXPECT_EQ(task.array_job, JobId(10));
    EXPECT_EQ(task.array_task, 1U);
    EXPECT_EQ(task.array_pending, "");
    EXPECT_EQ(task.std_out, "/home/user/job10.10_001-11.user1000.%N%.out");
    EXPECT_EQ(record.std_out, "/home/user/job10.10_4294967294-10.user1000.%N%.out");
}

TEST_F(Rows, TellOnlyTheDependenciesThatAreStillOpen) {
    cluster.submit(SampleCluster::job(1));
    cluster.submit(SampleCluster::job(2));
    Job array = SampleCluster::job(3);
    array.spec.array = ArraySpec{.tasks = {0, 1}};
    cluster.submit(array);
    Job job = SampleCluster::job(4);
    job.spec.dependencies = {
        {.kind = DependencyKind::afterok, .job = JobId(1)},
        {.kind = DependencyKind::after, .job = JobId(2), .delay = std::chrono::minutes(5)},
        {.kind = DependencyKind::afterany, .job = JobId(3)},
        {.kind = DependencyKind::aftercorr, .job = JobId(3), .array_task = 1},
        {.kind = DependencyKind::afterok, .job = JobId(77)},
        {.kind = DependencyKind::singleton}};
    cluster.submit(job);
    EXPECT_EQ(row(4).dependency,
              "afterok:1(unfulfilled),after:2+5(unfulfilled),afterany:3_*(unfulfilled),"
              "aftercorr:3_1(unfulfilled),singleton(unfulfilled)");
    cluster.start(1, 0);
    end(1, {.code = 1});
    cluster.apply(JobCancelled{.job = JobId(2)});
    cluster.now += std::chrono::minutes(5);
    EXPECT_TRUE(row(4).dependency.starts_with("afterok:1(failed),afterany:3_*(unfulfilled),"))
        << row(4).dependency;
}

TEST_F(Rows, JoinAlternativesByAQuestionMark) {
    cluster.submit(SampleCluster::job(1));
    cluster.submit(SampleCluster::job(2));
    Job job = SampleCluster::job(4);
    job.spec.any_dependency = true;
    job.spec.dependencies = {{.kind = DependencyKind::afterok, .job = JobId(1)},
                             {.kind = DependencyKind::afterany, .job = JobId(2)}};
    cluster.submit(job);
    EXPECT_EQ(row(4).dependency, "afterok:1(unfulfilled)?afterany:2(unfulfilled)");
    cluster.apply(JobCancelled{.job = JobId(2)});
    EXPECT_EQ(row(4).dependency, "") << "one is enough";
}

TEST_F(Rows, ShowThePlanOnJobAndNode) {
    cluster.submit(SampleCluster::job(1));
    const PlannedStart plan{.start = from_seconds(5000),
                            .end = from_seconds(6800),
                            .amounts = NodeAmounts{{NodeId(1), {}}, {NodeId(3), {}}}};
    cluster.apply(PlanJob{JobId(1), plan});
    const api::JobRow shown = row(1);
    EXPECT_EQ(shown.planned_start, from_seconds(5000));
    EXPECT_EQ(shown.planned_nodes, (Strings{"gpu2", "gpu4"}));
    EXPECT_EQ(node("gpu2").flags, Strings{"PLANNED"});
    EXPECT_EQ(node("gpu1").flags, Strings{});
    cluster.apply(PlanJob{JobId(1), std::nullopt});
    EXPECT_EQ(node("gpu2").flags, Strings{});
}

TEST_F(Rows, OfNodesShowWhatIsHeldDeviceByDevice) {
    api::NodeRow idle = node("gpu4");
    EXPECT_EQ(idle.state, "IDLE");
    EXPECT_EQ(idle.gres, "gpu:a100:8,fpga:2");
    EXPECT_EQ(idle.gres_used, "gpu:a100:0(IDX:N/A),fpga:0(CNT:0)");
    EXPECT_EQ(idle.configured_tres,
              "cpu=32,mem=250G,billing=32,gres/gpu=8,gres/gpu:a100=8,gres/fpga=2");
    EXPECT_EQ(idle.allocated_tres, "");
    EXPECT_EQ(idle.partitions, (Strings{"main", "debug"}));
    cluster.submit(SampleCluster::job(1));
    cluster.submit(SampleCluster::job(2));
    cluster.start(1, 0);
    cluster.start(2, 0, 6);
    api::NodeRow mixed = node("gpu1");
    EXPECT_EQ(mixed.state, "MIXED");
    EXPECT_EQ(mixed.allocated_cpus, 16U);
    EXPECT_EQ(mixed.gres_used, "gpu:a100:4(IDX:0-1,6-7),fpga:0(CNT:0)");
    EXPECT_EQ(mixed.allocated_tres, "cpu=16,mem=32000M,gres/gpu=4,gres/gpu:a100=4");
    EXPECT_EQ(mixed.running_jobs, 2U);
}

TEST_F(Rows, OfNodesTellStatesAsSlurmDoes) {
    cluster.apply(NodeUpdated{.node = NodeId(0), .drained = true, .reason = "fan", .by = "root"});
    EXPECT_EQ(node("gpu1").state, "IDLE");
    EXPECT_EQ(node("gpu1").flags, Strings{"DRAIN"});
    EXPECT_EQ(node("gpu1").reason, "fan");
    EXPECT_EQ(node("gpu1").reason_by, "root");
    cluster.apply(NodeUpdated{.node = NodeId(1), .down = true, .reason = "gone", .by = "root"});
    EXPECT_EQ(node("gpu2").state, "DOWN");
    cluster.apply(NodeNotResponding{NodeId(2)});
    EXPECT_EQ(node("gpu3").state, "DOWN");
    EXPECT_EQ(node("gpu3").flags, Strings{"NOT_RESPONDING"});
    EXPECT_EQ(node("gpu3").reason, "Not responding");
}

TEST_F(Rows, OfNodesTellReservationsOfWholeNodesWhileTheyLast) {
    const auto reserve = [&](const char* name, std::uint32_t node, bool maint, Duration from) {
        Reservation one{.name = name};
        one.start = cluster.now + from;
        one.end = one.start + std::chrono::hours(1);
        one.maint = maint;
        one.whole_nodes = node != 3;
        one.amounts = {{NodeId(node), cluster.state().spec().node(NodeId(node)).capacity}};
        cluster.apply(ReservationSet{std::move(one)});
    };
    reserve("a", 0, true, Duration{});
    reserve("b", 1, false, Duration{});
    reserve("later", 2, true, std::chrono::hours(1));
    reserve("gpus", 3, false, Duration{});
    using Flags = std::vector<std::string>;
    EXPECT_EQ(node("gpu1").flags, Flags{"MAINTENANCE"});
    EXPECT_EQ(node("gpu2").flags, Flags{"RESERVED"});
    EXPECT_EQ(node("gpu3").flags, Flags{});
    EXPECT_EQ(node("gpu4").flags, Flags{});
    cluster.now += std::chrono::hours(1);
    EXPECT_EQ(node("gpu1").flags, Flags{});
    EXPECT_EQ(node("gpu3").flags, Flags{"MAINTENANCE"});
}

TEST_F(Rows, OfPartitionsAddUpTheirNodes) {
    snapshot = cluster.publish(read_model);
    const auto rows = partition_rows(*snapshot);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].tres,
              "cpu=128,mem=1000G,node=4,billing=128,gres/gpu=32,gres/gpu:a100=32,gres/fpga=8");
    EXPECT_EQ(rows[0].total_cpus, 128U);
    EXPECT_TRUE(rows[0].is_default);
    EXPECT_EQ(rows[0].default_memory_per_cpu, mib(2000).count());
    EXPECT_EQ(rows[1].nodes, Strings{"gpu4"});
}

TEST_F(Rows, OfPartitionsHaveTheirConfiguration) {
    ClusterSpec spec = sample_spec();
    PartitionSpec& debug = spec.partitions[1];
    debug.state = PartitionState::drain;
    debug.max_time = std::chrono::hours(2);
    debug.max_nodes = 3;
    debug.priority_tier = 7;
    debug.max_memory_per_node = gib(8);
    debug.deny_accounts = {"bio"};
    debug.oversubscribe = "EXCLUSIVE";
    debug.root_only = true;
    cluster.apply(SpecInstalled{std::move(spec)});
    snapshot = cluster.publish(read_model);
    const api::PartitionRow row = partition_rows(*snapshot).at(1);
    EXPECT_EQ(row.name, "debug");
    EXPECT_EQ(row.state, "DRAIN");
    EXPECT_EQ(row.max_time, Duration(std::chrono::hours(2)));
    EXPECT_EQ(row.max_nodes, 3U);
    EXPECT_EQ(row.priority_tier, 7);
    EXPECT_EQ(row.max_memory_per_node, gib(8).count());
    EXPECT_EQ(row.deny_accounts, Strings{"bio"});
    EXPECT_EQ(row.oversubscribe, "EXCLUSIVE");
    EXPECT_TRUE(row.root_only);
    EXPECT_FALSE(row.hidden);
}

TEST(Tres, TellsOnlyWhatAccountingIsToldToTrack) {
    ClusterSpec spec = sample_spec();
    const Tres tres{.cpus = 4, .memory = gib(16), .nodes = 1, .gres = spec.nodes[0].capacity};
    spec.settings = {{"AccountingStorageTRES", "gres/gpu"}};
    EXPECT_EQ(tres_text(spec, tres, TresOrder::slurm), "cpu=4,mem=16G,node=1,billing=4,gres/gpu=8");
    spec.settings = {{"AccountingStorageTRES", "gres/fpga,gres/gpu:a100"}};
    EXPECT_EQ(tres_text(spec, tres, TresOrder::by_name),
              "billing=4,cpu=4,gres/fpga=2,gres/gpu:a100=8,mem=16G,node=1");
}

TEST(AccountingRows, AreByNameAndInTheOrderOfSacct) {
    const ClusterSpec spec = sample_spec();
    AccountingRecord record{.job = JobId(5), .attempt = Attempt(2), .partition = "main"};
    record.request = SampleCluster::job(5).spec.request;
    record.cpus = 8;
    record.allocated = SampleCluster::allocation(0).shares[0].amount;
    record.nodes = {"gpu1"};
    record.state = JobState::pending;
    record.requeued = true;
    record.steps.push_back({.id = kBatchStep, .name = "batch", .state = StepState::failed});
    const api::AccountingRow row = accounting_row(spec, record);
    EXPECT_EQ(row.state, "REQUEUED");
    EXPECT_EQ(row.attempt, 2U);
    EXPECT_EQ(row.allocated_tres, "billing=8,cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=16000M,node=1");
    EXPECT_EQ(row.requested_tres, row.allocated_tres);
    EXPECT_EQ(row.requested_cpus, 8U);
    EXPECT_EQ(row.steps.at(0).state, "FAILED");
    record.partition = "closed";
    EXPECT_EQ(accounting_row(spec, record).requested_tres,
              "billing=8,cpu=8,gres/gpu=2,gres/gpu:a100=2,node=1");
}

}  // namespace
}  // namespace berth
