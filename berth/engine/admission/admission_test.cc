// What is admitted and what is refused, on the cluster of admission_rig.h.
#include "berth/engine/admission/admission.h"

#include "berth/engine/admission/admission_rig.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes;

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
    EXPECT_EQ(refused(numbers({.nodelist = {"gpu9"}})).details,
              std::vector<std::string>{"invalid node name specified: gpu9"});
    EXPECT_EQ(refused(numbers({.nodelist = {"gpu9"}})).message,
              "there is no node 'gpu9'; there are: gpu[1-4]");
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

}  // namespace
}  // namespace berth
