// What is admitted and what is refused, on the cluster from which the oracle's answers come: four
// nodes of 32 cores, 256000 MiB and 8 A100.
#include "berth/engine/admission/admission.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes;

ClusterSpec oracle_cluster() {
    ClusterSpec spec = testing::make_cluster(0);
    for (int i = 1; i <= 4; ++i) {
        testing::add_node(spec, "gpu" + std::to_string(i),
                          {.cores_per_socket = 16,
                           .memory = mib(256'000),
                           .features = {"a100", i <= 2 ? "r1" : "r2"}});
    }
    PartitionSpec& main = spec.partitions[0];
    main.max_time = hours(48);
    main.default_time = hours(1);
    main.default_memory_per_cpu = mib(2000);
    spec.partitions.push_back({.name = "debug", .nodes = {NodeId(3)}, .max_time = minutes(30)});
    spec.qos.push_back({.name = "high", .priority = 100, .max_wall = minutes(20)});
    spec.accounts = {{.name = "physics", .parent = "root"}, {.name = "bio", .parent = "root"}};
    spec.associations = {{.account = "physics", .user = "games", .qos = {"normal", "high"}},
                         {.account = "bio", .user = "news", .is_default = true, .qos = {"normal"}},
                         {.account = "physics", .user = "news"}};
    spec.scheduling.enforce_accounts = true;
    return spec;
}

class Admission : public ::testing::Test {
protected:
    void install(ClusterSpec spec) {
        state_ = ClusterState();
        state_.apply(kNow, SpecInstalled{std::move(spec)});
    }
    Admission() { install(oracle_cluster()); }

    std::variant<Job, Refusing> ask(const JobSpec& spec) const {
        return admit(state_, kNow, owner_, spec);
    }
    Job admitted(const JobSpec& spec) const {
        auto job = ask(spec);
        if (const auto* no = std::get_if<Refusing>(&job)) {
            ADD_FAILURE() << no->message;
            return {};
        }
        return std::get<Job>(job);
    }
    Refusing refused(const JobSpec& spec) const {
        auto job = ask(spec);
        if (std::holds_alternative<Job>(job)) {
            ADD_FAILURE() << "it was admitted";
            return {};
        }
        EXPECT_FALSE(std::get<Refusing>(job).message.empty());
        return std::get<Refusing>(job);
    }
    Refusal why(const JobSpec& spec) const { return refused(spec).why; }
    JobId submit(const JobSpec& spec) {
        const Job job = admitted(spec);
        state_.apply(kNow, JobSubmitted{job});
        return job.id;
    }

    ClusterState state_;
    Principal owner_{.uid = 9, .gid = 9, .user = "news", .group = "news", .role = Role::user};
};

GresRequest gpus(std::int64_t count) { return {"gpu", "", count}; }

TEST_F(Admission, FillsInWhatWasNotSaid) {
    const Job job = admitted({.name = "x"});
    EXPECT_EQ(job.id, JobId(1));
    EXPECT_EQ(job.spec.partition, "main");
    EXPECT_EQ(job.spec.account, "bio");
    EXPECT_EQ(job.spec.qos, "normal");
    EXPECT_EQ(job.time_limit, hours(1));
    EXPECT_FALSE(job.spec.request->time_limit.has_value());
    EXPECT_EQ(job.owner->user, "news");
    EXPECT_EQ(job.submitted_at, kNow);
    EXPECT_EQ(job.state, JobState::pending);
    EXPECT_EQ(job.hold, Hold::none);
}

struct OracleAnswer {
    std::string command;
    JobSpec spec;
    std::optional<Refusal> why;
    std::vector<std::string> details;
    std::string slurm;
};
const std::string kUnavailable = "Requested node configuration is not available";
const std::vector<OracleAnswer> kOracleAnswers = {
    {"--gres=gpu:16",
     {.request = JobRequest{.gres_per_node = {gpus(16)}}},
     Refusal::node_configuration_unavailable,
     {},
     kUnavailable},
    {"-N5 --gres=gpu:8",
     {.request = JobRequest{.nodes_min = 5, .nodes_given = true, .gres_per_node = {gpus(8)}}}},
    {"-p nosuch",
     {.partition = "nosuch"},
     Refusal::unknown_partition,
     {"invalid partition specified: nosuch"},
     "Invalid partition name specified"},
    {"-t 5-00:00:00", {.request = JobRequest{.time_limit = hours(120)}}},
    {"-A nosuch",
     {.account = "nosuch"},
     Refusal::unknown_account,
     {},
     "Invalid account or account/partition combination specified"},
    {"--qos=high -A bio",
     {.account = "bio", .qos = "high"},
     Refusal::unknown_qos,
     {},
     "Invalid qos specification"},
    {"--gres=tpu:1",
     {.request = JobRequest{.gres_per_node = {{"tpu", "", 1}}}},
     Refusal::unknown_gres,
     {},
     "Invalid generic resource (gres) specification"},
    {"--gres=gpu:h100:1",
     {.request = JobRequest{.gres_per_node = {{"gpu", "h100", 1}}}},
     Refusal::node_configuration_unavailable,
     {},
     kUnavailable},
    {"--mem=999G",
     {.request = JobRequest{.memory_per_node = gib(999)}},
     Refusal::memory_unavailable,
     {"Memory specification can not be satisfied"},
     kUnavailable},
    {"-c 64",
     {.request = JobRequest{.cpus_per_task = 64}},
     Refusal::cpus_unavailable,
     {"CPU count per node can not be satisfied"},
     kUnavailable},
    {"-p debug -t 60", {.partition = "debug", .request = JobRequest{.time_limit = hours(1)}}},
    {"--dependency=afterany:99999", {.dependencies = {{.job = JobId(99999)}}}},
    {"--dependency=afterok:99999",  // Slurm 22.05 accepts it; 25.11 does not.
     {.dependencies = {{.kind = DependencyKind::afterok, .job = JobId(99999)}}},
     Refusal::invalid_dependency,
     {},
     "Job dependency problem"},
};

TEST_F(Admission, AnswersAsTheOracleDoes) {
    for (const OracleAnswer& row : kOracleAnswers) {
        const auto answer = ask(row.spec);
        const auto* no = std::get_if<Refusing>(&answer);
        ASSERT_EQ(no != nullptr, row.why.has_value()) << row.command;
        if (no == nullptr) continue;
        EXPECT_EQ(no->why, row.why) << row.command << ": " << no->message;
        EXPECT_EQ(no->details, row.details) << row.command;
        EXPECT_EQ(slurm_text(no->why), row.slurm) << row.command;
    }
}

TEST_F(Admission, RefusesWhatTheEmptyPartitionCouldNotServe) {
    const auto unavailable = Refusal::node_configuration_unavailable;
    EXPECT_EQ(why({.request = JobRequest{.gpus = {gpus(33)}}}), unavailable);
    EXPECT_EQ(
        why({.request =
                 JobRequest{
                     .nodes_min = 1, .nodes_max = 1, .nodes_given = true, .gpus = {gpus(9)}}}),
        unavailable);
    admitted({.request = JobRequest{.gpus = {gpus(32)}}});
    EXPECT_EQ(why({.request = JobRequest{.nodes_min = 2,
                                         .nodes_given = true,
                                         .tasks_per_node = 9,
                                         .gpus_per_task = {gpus(1)}}}),
              unavailable);
    EXPECT_EQ(why({.partition = "debug", .request = JobRequest{.nodelist = {"gpu1"}}}),
              unavailable);
    EXPECT_EQ(why({.partition = "debug", .request = JobRequest{.constraint = "r1"}}), unavailable);
    EXPECT_EQ(why({.request = JobRequest{.exclude = {"gpu[1-4]"}}}), unavailable);
    EXPECT_EQ(
        why({.request = JobRequest{.nodes_min = 3, .nodes_given = true, .constraint = "[r1|r2]"}}),
        unavailable);
    admitted({.request = JobRequest{.nodes_min = 3, .nodes_given = true, .constraint = "r1|r2"}});
    EXPECT_EQ(why({.request = JobRequest{.cpus_per_task = 32, .memory_per_cpu = gib(10)}}),
              Refusal::memory_unavailable);
    EXPECT_EQ(
        why({.request =
                 JobRequest{.nodes_min = 1, .nodes_max = 1, .nodes_given = true, .tasks = 33}}),
        Refusal::cpus_unavailable);
    admitted({.request = JobRequest{.tasks = 33}});
}

TEST_F(Admission, PutsARequestInOrder) {
    const JobRequest more_nodes =
        admitted({.request = JobRequest{.nodes_min = 4, .nodes_given = true, .tasks = 2}})
            .spec.request;
    EXPECT_EQ(more_nodes.nodes_min, 2U);
    EXPECT_EQ(more_nodes.nodes_max, 2U);
    const JobRequest listed = admitted({.request = JobRequest{.nodes_min = 2,
                                                              .nodes_given = true,
                                                              .nodelist = {"gpu[2-4]"},
                                                              .exclude = {"gpu1,gpu1"}}})
                                  .spec.request;
    EXPECT_EQ(listed.nodelist, (std::vector<std::string>{"gpu2", "gpu3"}));
    EXPECT_EQ(listed.exclude, std::vector<std::string>{"gpu1"});
    const Job array = admitted({.array = ArraySpec{.tasks = {8, 4, 0, 4}, .max_running = 2}});
    EXPECT_EQ(array.spec.array->tasks, (std::vector<std::uint32_t>{0, 4, 8}));
    EXPECT_EQ(array.array_bounds, (std::vector<std::uint32_t>{3, 0, 8, 4}));
    EXPECT_EQ(array.array_max_running, 2U);
}

TEST_F(Admission, TimeLimitsComeFromTheJobThePartitionOrTheQos) {
    owner_.user = "games";
    EXPECT_EQ(admitted({.request = JobRequest{.time_limit = std::chrono::seconds(61)}}).time_limit,
              minutes(2));
    EXPECT_EQ(admitted({.request = JobRequest{.time_limit = Duration::zero()}}).time_limit,
              Duration::max());
    EXPECT_EQ(admitted({.request = JobRequest{.time_limit = Duration::max()}}).time_limit,
              Duration::max());
    EXPECT_EQ(admitted({.partition = "debug"}).time_limit, minutes(30));
    EXPECT_EQ(admitted({.qos = "high"}).time_limit, minutes(20));
    ClusterSpec spec = oracle_cluster();
    spec.partitions[0].max_time.reset();
    spec.partitions[0].default_time.reset();
    install(spec);
    EXPECT_EQ(admitted({}).time_limit, Duration::max());
}

TEST_F(Admission, PartitionLimitsRefuseOnlyWhereTheSiteEnforcesThem) {
    ClusterSpec spec = oracle_cluster();
    spec.scheduling.enforce_part_limits = "ALL";
    spec.partitions[0].max_nodes = 2;
    install(spec);
    EXPECT_EQ(why({.request = JobRequest{.time_limit = hours(49)}}), Refusal::time_limit_too_long);
    EXPECT_EQ(why({.request = JobRequest{.nodes_min = 3, .nodes_given = true}}),
              Refusal::too_many_nodes);
    admitted({.request = JobRequest{.nodes_min = 2, .nodes_given = true, .time_limit = hours(48)}});
}

TEST_F(Admission, PartitionsThatAreShutOrNotForOneAreRefused) {
    struct Row {
        std::string what;
        void (*change)(PartitionSpec&);
        std::optional<Refusal> why;
    };
    for (const Row& row : std::vector<Row>{
             {"down", [](PartitionSpec& p) { p.state = PartitionState::down; }, {}},
             {"drain", [](PartitionSpec& p) { p.state = PartitionState::drain; },
              Refusal::partition_unavailable},
             {"inactive", [](PartitionSpec& p) { p.state = PartitionState::inactive; },
              Refusal::partition_unavailable},
             {"root only", [](PartitionSpec& p) { p.root_only = true; }, Refusal::not_allowed},
             {"group", [](PartitionSpec& p) { p.allow_groups = {"staff"}; }, Refusal::not_allowed},
             {"own group", [](PartitionSpec& p) { p.allow_groups = {"news"}; }, {}},
             {"account", [](PartitionSpec& p) { p.deny_accounts = {"bio"}; },
              Refusal::unknown_account},
             {"qos", [](PartitionSpec& p) { p.allow_qos = {"high"}; }, Refusal::unknown_qos},
             {"no default", [](PartitionSpec& p) { p.is_default = false; },
              Refusal::no_default_partition},
         }) {
        ClusterSpec spec = oracle_cluster();
        row.change(spec.partitions[0]);
        install(spec);
        const auto answer = ask({});
        const auto* no = std::get_if<Refusing>(&answer);
        EXPECT_EQ(no == nullptr ? std::nullopt : std::optional(no->why), row.why) << row.what;
    }
}

TEST_F(Admission, AccountsMatterOnlyWhereTheyAreEnforced) {
    owner_.user = "stranger";
    EXPECT_EQ(why({}), Refusal::unknown_account);
    ClusterSpec spec = oracle_cluster();
    spec.scheduling.enforce_accounts = false;
    install(spec);
    EXPECT_EQ(admitted({}).spec.account, "");
    owner_.user = "games";  // The only account is the default one.
    EXPECT_EQ(admitted({}).spec.account, "physics");
}

TEST_F(Admission, NonsenseIsRefusedByName) {
    const auto numbers = [](JobRequest request) { return JobSpec{.request = std::move(request)}; };
    const auto invalid = Refusal::invalid_request;
    EXPECT_EQ(why(numbers({.nodes_min = 0})), invalid);
    EXPECT_EQ(why(numbers({.nodes_min = 3, .nodes_max = 2, .nodes_given = true})), invalid);
    EXPECT_EQ(why(numbers({.tasks = 0})), invalid);
    EXPECT_EQ(why(numbers({.cpus_per_task = 4'000'000'000})), invalid);
    EXPECT_EQ(why(numbers({.memory_per_node = Bytes(INT64_MAX)})), invalid);
    EXPECT_EQ(why(numbers({.memory_per_node = Bytes(-1)})), invalid);
    EXPECT_EQ(why(numbers({.memory_per_node = gib(1), .memory_per_cpu = gib(1)})), invalid);
    EXPECT_EQ(why(numbers({.gres_per_node = {gpus(1)}, .gpus_per_node = {gpus(1)}})), invalid);
    EXPECT_EQ(why(numbers({.gres_per_node = {gpus(-1)}})), Refusal::unknown_gres);
    EXPECT_EQ(why(numbers({.gres_per_node = {{"cpu", "", 1}}})), Refusal::unknown_gres);
    EXPECT_EQ(why(numbers({.nodes_min = 2, .nodes_given = true, .gpus = {gpus(1)}})),
              Refusal::unknown_gres);
    EXPECT_EQ(why(numbers({.constraint = "a100&"})), Refusal::invalid_feature);
    EXPECT_EQ(why(numbers({.constraint = "h100"})), Refusal::invalid_feature);
    EXPECT_EQ(why(numbers({.nodelist = {"gpu[1-"}})), Refusal::invalid_node_list);
    EXPECT_EQ(why(numbers({.nodelist = {"gpu1"}, .exclude = {"gpu1"}})),
              Refusal::invalid_node_list);
    const Refusing no_node = refused(numbers({.nodelist = {"gpu9"}}));
    EXPECT_EQ(no_node.details, std::vector<std::string>{"invalid node name specified: gpu9"});
    EXPECT_EQ(no_node.message, "there is no node 'gpu9'; there are: gpu[1-4]");
    EXPECT_EQ(refused(numbers({.constraint = "h100"})).message,
              "no node has the feature 'h100'; there are: a100, r1, r2");
    EXPECT_EQ(refused(numbers({.reservation = "course"})).message,
              "there is no reservation 'course'; open to this job: none");
    EXPECT_EQ(why({.begin = Time::max()}), Refusal::invalid_time);
    EXPECT_EQ(why({.name = std::string(2000, 'x')}), invalid);
    EXPECT_EQ(why({.array = ArraySpec{}}), Refusal::invalid_array);
    EXPECT_EQ(why({.array = ArraySpec{.tasks = {1001}}}), Refusal::invalid_array);
    admitted({.array = ArraySpec{.tasks = {1000}}});
}

TEST_F(Admission, OnlyOperatorsPassOthers) {
    EXPECT_EQ(why({.nice = -1}), Refusal::not_allowed);
    const JobSpec by_site{.nice = -1, .priority = 7U};
    EXPECT_TRUE(std::holds_alternative<Job>(admit(state_, kNow, owner_, by_site, PriorityBy::site)))
        << "the site's job_submit.lua may";
    EXPECT_EQ(why({.priority = 5U}), Refusal::not_allowed);
    EXPECT_EQ(admitted({.priority = 0U}).hold, Hold::user);
    EXPECT_EQ(admitted({.hold = true}).hold, Hold::user);
    owner_.role = Role::op;
    EXPECT_EQ(admitted({.nice = -1, .priority = 5U}).spec.priority, 5U);
}

TEST_F(Admission, JobsThatAreNotKnownAnyMoreAreNotWaitedFor) {
    const JobId array = submit({.array = ArraySpec{.tasks = {1, 2}}});
    const Dependency known{.job = array}, task{.job = array, .array_task = 2},
        no_task{.job = array, .array_task = 3}, gone{.job = JobId(4711)},
        alone{.kind = DependencyKind::singleton};
    EXPECT_EQ(admitted({.dependencies = {known, gone, task, no_task, alone}}).spec.dependencies,
              (std::vector{known, task, alone}));
    EXPECT_TRUE(admitted({.dependencies = {known, gone}, .any_dependency = true})
                    .spec.dependencies.empty());
    EXPECT_EQ(why({.dependencies = {{.job = state_.next_job_id()}}}), Refusal::invalid_dependency)
        << "itself";
}

TEST_F(Admission, TheNumberOfJobsIsLimited) {
    ClusterSpec spec = oracle_cluster();
    spec.scheduling.max_job_count = 3;
    install(spec);
    submit({});
    EXPECT_EQ(why({.array = ArraySpec{.tasks = {1, 2, 3}}}), Refusal::job_limit_reached);
    submit({.array = ArraySpec{.tasks = {1, 2}}});
    submit({});
    EXPECT_EQ(why({}), Refusal::job_limit_reached);
}

// ---- Updates.

class Update : public Admission {
protected:
    std::optional<Refusal> why_not(const JobUpdated& update, bool by_operator = false) const {
        const auto answer = admit_update(state_, kNow, update, by_operator);
        const auto* no = std::get_if<Refusing>(&answer);
        return no == nullptr ? std::nullopt : std::optional(no->why);
    }
    void start(JobId id) {
        const NodeShare share{.node = NodeId(0), .cores = BitSet(32), .amount = {}};
        state_.apply(kNow, StartJob{.job = id, .attempt = Attempt(1), .allocation = {{share}}});
    }
    static constexpr std::optional<Refusal> kFine = std::nullopt;
};

TEST_F(Update, UsersLowerWhatTheyWereGrantedAndOperatorsRaiseIt) {
    const JobId id = submit({});
    state_.set_priority(id, 100);
    EXPECT_EQ(why_not({.job = id, .time_limit = minutes(30)}), kFine);
    EXPECT_EQ(why_not({.job = id, .time_limit = hours(2)}), Refusal::not_allowed);
    EXPECT_EQ(why_not({.job = id, .time_limit = hours(2)}, true), kFine);
    EXPECT_EQ(why_not({.job = id, .priority = 0}), kFine);
    EXPECT_EQ(why_not({.job = id, .priority = 100}), kFine);
    EXPECT_EQ(why_not({.job = id, .priority = 101}), Refusal::not_allowed);
    EXPECT_EQ(why_not({.job = id, .priority = 101}, true), kFine);
    EXPECT_EQ(why_not({.job = id, .nice = 10}), kFine);
    EXPECT_EQ(why_not({.job = id, .nice = -10}), Refusal::not_allowed);
    EXPECT_EQ(why_not({.job = id, .nice = -10}, true), kFine);
}

TEST_F(Update, OfARunningJobChangesItsLimitAndNamesOnly) {
    const JobId id = submit({});
    start(id);
    EXPECT_EQ(why_not({.job = id, .time_limit = minutes(30)}), kFine);
    EXPECT_EQ(why_not({.job = id, .name = "new", .comment = "c"}), kFine);
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(1)}, true), Refusal::job_not_pending);
    EXPECT_EQ(why_not({.job = id, .nodelist = {{}}}, true), Refusal::job_not_pending);
    EXPECT_EQ(why_not({.job = id, .priority = 1}, true), Refusal::job_not_pending);
    state_.apply(kNow, EndJob{.job = id, .outcome = JobState::cancelled});
    EXPECT_EQ(why_not({.job = id, .name = "late"}, true), Refusal::job_finished);
    EXPECT_EQ(why_not({.job = JobId(99)}), Refusal::unknown_job);
}

TEST_F(Update, MustLeaveAJobThatCanRun) {
    const JobId id = submit({});
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(1)}), kFine);
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(9)}), Refusal::unknown_partition);
    EXPECT_EQ(why_not({.job = id, .nodelist = {{"gpu9"}}}), Refusal::invalid_node_list);
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(1), .nodelist = {{"gpu1"}}}),
              Refusal::node_configuration_unavailable);
    EXPECT_EQ(why_not({.job = id, .qos = QosId(1)}), Refusal::unknown_qos);
    EXPECT_EQ(why_not({.job = id, .array_max_running = 2}), Refusal::invalid_array);
    EXPECT_EQ(why_not({.job = id, .begin = Time::max()}), Refusal::invalid_time);
}

TEST_F(Update, ComesBackReadyToRecord) {
    const JobId id = submit({});
    const auto answer = admit_update(state_, kNow,
                                     {.job = id,
                                      .time_limit = std::chrono::seconds(90),
                                      .nodelist = {{"gpu[1-2]"}},
                                      .dependencies = {{{.job = JobId(99)}}}},
                                     true);
    const auto& ready = std::get<JobUpdated>(answer);
    EXPECT_EQ(ready.time_limit, minutes(2));
    EXPECT_EQ(ready.nodelist, (std::vector<std::string>{"gpu1", "gpu2"}));
    EXPECT_TRUE(ready.dependencies->empty());
    EXPECT_TRUE(ready.by_operator);
    state_.apply(kNow, ready);
    EXPECT_EQ(state_.find_job(id)->time_limit, minutes(2));
    state_.check_invariants();
}

TEST_F(Update, ChangesWhatAWaitingJobAsksForAsIfItWereSubmittedThatWay) {
    const JobId id = submit({});
    const auto with = [&](auto change) {
        JobUpdated update{.job = id};
        update.request = state_.find_job(id)->spec.request;
        change(*update.request);
        return update;
    };
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.constraint = "nosuchthing"; })),
              Refusal::invalid_feature);
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.licenses.edit().counts = {{"nosuch", 1}}; })),
              Refusal::invalid_license);
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.reservation = "nosuch"; })),
              Refusal::unknown_reservation);
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.tasks = 100'000; })),
              Refusal::node_configuration_unavailable);
    for (const int seconds : {0, -1}) {
        EXPECT_EQ(why_not(with([&](JobRequest& r) { r.max_wait = std::chrono::seconds(seconds); })),
                  Refusal::invalid_request);
    }
    EXPECT_EQ(why_not({.job = id, .deadline = kNow}), Refusal::deadline_too_soon);
    EXPECT_EQ(why_not({.job = id, .deadline = kNow + minutes(500)}), kFine);
    EXPECT_EQ(why_not({.job = id, .time_min = std::chrono::hours(24 * 400)}),
              Refusal::invalid_time_min);
    const auto answer =
        admit_update(state_, kNow, with([](JobRequest& r) { r.exclude = {"gpu[1-2]"}; }), false);
    const auto& ready = std::get<JobUpdated>(answer);
    EXPECT_EQ(ready.request->exclude, (std::vector<std::string>{"gpu1", "gpu2"}));
    state_.apply(kNow, ready);
    EXPECT_EQ(state_.find_job(id)->spec.request->exclude.size(), 2U);
    state_.check_invariants();
}

TEST_F(Update, CannotLetAJobBeginTooLateForItsDeadline) {
    JobSpec spec{.deadline = kNow + minutes(60)};
    spec.request.edit().time_limit = minutes(30);
    const JobId id = submit(spec);
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(30)}), kFine);
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(31)}), Refusal::time_limit_too_long);
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(300)}), Refusal::deadline_too_soon);
    EXPECT_EQ(why_not({.job = id, .time_limit = minutes(10), .begin = kNow + minutes(50)}), kFine)
        << "terms that change together are judged together";
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(300), .deadline = kNow + minutes(330)}),
              kFine);
}

TEST_F(Update, CannotMakeJobsWaitForEachOther) {
    const JobId first = submit({});
    const JobId second = submit({.dependencies = {{.job = first}}});
    const JobId third = submit({.dependencies = {{.job = second}}});
    EXPECT_EQ(why_not({.job = first, .dependencies = {{{.job = third}}}}),
              Refusal::circular_dependency);
    EXPECT_EQ(why_not({.job = first, .dependencies = {{{.job = first}}}}),
              Refusal::invalid_dependency);
    EXPECT_EQ(why_not({.job = third, .dependencies = {{{.job = first}}}}), kFine);
}

TEST_F(Update, APriorityOfZeroHoldsAndAnyOtherReleases) {
    const JobId id = submit({});
    state_.apply(kNow, JobUpdated{.job = id, .priority = 0, .by_operator = true});
    EXPECT_EQ(state_.find_job(id)->hold, Hold::admin);
    EXPECT_EQ(why_not({.job = id, .priority = 1}), Refusal::not_allowed);
    state_.apply(kNow, JobUpdated{.job = id, .priority = 7, .by_operator = true});
    EXPECT_EQ(state_.find_job(id)->hold, Hold::none);
    EXPECT_EQ(state_.find_job(id)->spec.priority, 7U);
    state_.apply(kNow, JobUpdated{.job = id, .priority = 0});
    EXPECT_EQ(state_.find_job(id)->hold, Hold::user);
    state_.apply(kNow, JobHeld{.job = id, .hold = Hold::none});
    EXPECT_FALSE(state_.find_job(id)->spec.priority.has_value());
}

}  // namespace
}  // namespace berth
