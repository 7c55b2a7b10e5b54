// Input variables over a real socket, each by its effect: the command does something else with it
// than without.
#include <gtest/gtest.h>

#include "berth/server/views/job_filter.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/job_options.h"
#include "command_rig.h"

namespace berth {
namespace {

class InputVariables : public CommandRig {
protected:
    // 1 runs on gpu1, of uid 0, named "one"; 2 waits in "debug", of uid 1, for 2 GiB a node.
    void SetUp() override {
        Job one = SampleCluster::job(1, 0);
        one.spec.name = "one";
        one.qos = QosId(0);
        cluster.submit(one);
        cluster.start(1, 0);
        Job two = SampleCluster::job(2, 1);
        two.partition = PartitionId(1);
        two.spec.account = "chemistry";
        two.spec.request.edit().memory_per_node = mib(2048);
        two.spec.request.edit().licenses.edit().counts = {{"matlab", 1}};
        cluster.submit(two);
        Job array = SampleCluster::job(3, 1);
        array.spec.array = ArraySpec{.tasks = {0, 1}};
        cluster.submit(array);
        archive.records.push_back({.job = JobId(1),
                                   .owner = Owner{0, 0, "root", "root"},
                                   .name = "one",
                                   .partition = "main",
                                   .submitted_at = from_seconds(1000)});
        archive.records.back().eligible_at = archive.records.back().started_at = from_seconds(1000);
        start();
    }
    std::string squeue(Environment environment, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"-h", "-o", "%i"});
        const Said said = run("squeue", std::move(more), std::move(environment));
        return said.out + said.err;
    }
    SubmitJob submitted(Environment environment, std::vector<std::string> arguments = {}) {
        controller.inputs.clear();
        controller.answer = Submitted{JobId(9), {}};
        arguments.insert(arguments.end(), {"--wrap", "true"});
        const Said said = run("sbatch", std::move(arguments), std::move(environment));
        EXPECT_EQ(said.err, "");
        if (controller.inputs.empty()) return {};
        return std::get<SubmitJob>(controller.last().command);
    }
};

TEST_F(InputVariables, ChooseSqueuesJobs) {
    const std::string all = "2\n3_[0-1]\n1\n";
    EXPECT_EQ(squeue({}), all);
    EXPECT_EQ(squeue({{"SQUEUE_USERS", "0"}}), "1\n");
    EXPECT_EQ(squeue({{"SQUEUE_USERS", "0"}}, {"-u", "1"}), "2\n3_[0-1]\n");  // The option wins.
    EXPECT_EQ(squeue({{"SQUEUE_PARTITION", "debug"}}), "2\n");
    EXPECT_EQ(squeue({{"SQUEUE_ACCOUNT", "chemistry"}}), "2\n");
    EXPECT_EQ(squeue({{"SQUEUE_NAMES", "one"}}), "1\n");
    EXPECT_EQ(squeue({{"SQUEUE_STATES", "RUNNING"}}), "1\n");
    EXPECT_EQ(squeue({{"SQUEUE_STATES", "RUNNING"}}, {"-t", "all"}), all);
    EXPECT_EQ(squeue({{"SQUEUE_LICENSES", "matlab"}}), "2\n");
    EXPECT_EQ(squeue({{"SQUEUE_QOS", "nosuch"}}), "");
    EXPECT_EQ(squeue({{"SQUEUE_ARRAY", "1"}}), "2\n3_0\n3_1\n1\n");
    EXPECT_EQ(squeue({{"SQUEUE_ARRAY", "0"}}), all);
    EXPECT_EQ(squeue({{"SQUEUE_SORT", "i"}}), "1\n2\n3_[0-1]\n");
    EXPECT_EQ(squeue({{"SLURM_CLUSTERS", "sample"}}), all);
    EXPECT_NE(squeue({{"SLURM_CLUSTERS", "other"}}).find("No cluster 'other'"), std::string::npos);
    EXPECT_EQ(squeue({{"SQUEUE_STATES", "nosuch"}}).substr(0, 52),
              "squeue: error: SQUEUE_STATES: Invalid job state spec");
}

TEST_F(InputVariables, FormatTables) {
    EXPECT_EQ(run("squeue", {"-h", "-j", "1"}, {{"SQUEUE_FORMAT", "%j"}}).out, "one\n");
    EXPECT_EQ(run("squeue", {"-h", "-j", "1"}, {{"SQUEUE_FORMAT2", "name:5"}}).out, "one  \n");
    EXPECT_EQ(run("squeue", {"-j", "1"}, {{"SLURM_JSON", ""}}).out.front(), '{');
    EXPECT_EQ(run("sacct", {"-n", "-j", "1", "-P"}, {{"SACCT_FORMAT", "jobname"}}).out, "one\n");
    EXPECT_EQ(run("sinfo", {"-h"}, {{"SINFO_FORMAT", "%R"}}).out, "main\ndebug\n");
    EXPECT_EQ(run("sinfo", {"-h", "-o", "%R"}, {{"SINFO_PARTITION", "debug"}}).out, "debug\n");
    EXPECT_EQ(run("sinfo", {"-h", "-o", "%R", "-p", "main"}, {{"SINFO_PARTITION", "debug"}}).out,
              "main\n");
    EXPECT_EQ(run("sinfo", {"-h", "-o", "%R"}, {{"SINFO_SORT", "R"}}).out, "debug\nmain\n");
    EXPECT_EQ(run("sinfo", {"-h", "-o", "%R", "-S", "-R"}, {{"SINFO_SORT", "R"}}).out,
              "main\ndebug\n");
    EXPECT_NE(run("sinfo", {"-S", "R,?"}).err.find("Invalid sort specification: ?"),
              std::string::npos);
}

TEST_F(InputVariables, FormatTimes) {
    const auto start_in = [&](const char* format) {
        return run("squeue", {"-h", "-j", "1", "-o", "%V"}, {{"SLURM_TIME_FORMAT", format}}).out;
    };
    EXPECT_EQ(start_in("%Y|%%"), "1970|%\n");
    EXPECT_EQ(start_in("standard").substr(0, 5), "1970-");
    EXPECT_EQ(start_in("relative"), "1 Jan 1970\n");
    EXPECT_EQ(run("squeue", {"-h", "-j", "1", "-o", "%V"}).out.substr(0, 5), "1970-");
}

TEST_F(InputVariables, ChooseWhatScancelEnds) {
    const auto ended = [&](Environment environment, std::vector<std::string> arguments) {
        controller.inputs.clear();
        (void)run("scancel", std::move(arguments), std::move(environment), "n\n");
        return controller.inputs.size();
    };
    EXPECT_EQ(ended({}, {"1"}), 1U);
    EXPECT_EQ(ended({{"SCANCEL_USER", "1"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_ACCOUNT", "chemistry"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_NAME", "other"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_PARTITION", "debug"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_QOS", "other"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_STATE", "PENDING"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_WCKEY", "other"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_INTERACTIVE", "true"}}, {"1"}), 0U);
    EXPECT_EQ(ended({{"SCANCEL_INTERACTIVE", "no"}}, {"1"}), 1U);
    EXPECT_EQ(ended({{"SCANCEL_USER", "0"}}, {"-u", "1", "1"}), 0U);  // The option wins.
    EXPECT_EQ(ended({{"SCANCEL_BATCH", "1"}}, {"1"}), 1U);
    EXPECT_TRUE(std::get<CancelJob>(controller.last().command).batch_only);
    EXPECT_EQ(ended({{"SCANCEL_FULL", "1"}}, {"1"}), 1U);
    EXPECT_TRUE(std::get<CancelJob>(controller.last().command).whole_job);
    EXPECT_NE(run("scancel", {"1"}, {{"SCANCEL_VERBOSE", "1"}}).err, "");
}

TEST_F(InputVariables, AreSbatchsOptions) {
    const auto request = [&](const char* name, const char* value) {
        return submitted({{name, value}}).spec;
    };
    EXPECT_EQ(request("SBATCH_ACCOUNT", "x").account, "x");
    EXPECT_EQ(request("SBATCH_ARRAY_INX", "0-3").array->tasks.size(), 4U);
    EXPECT_EQ(request("SBATCH_CONSTRAINT", "ib").request->constraint, "ib");
    EXPECT_EQ(request("SBATCH_GPUS", "2").request->gpus->at(0).count, 2);
    EXPECT_EQ(request("SBATCH_GRES", "gpu:3").request->gres_per_node->at(0).count, 3);
    EXPECT_EQ(request("SBATCH_TIMELIMIT", "7").request->time_limit, std::chrono::minutes(7));
    EXPECT_TRUE(request("SBATCH_EXCLUSIVE", "1").request->exclusive);
    EXPECT_FALSE(request("SBATCH_EXCLUSIVE", "no").request->exclusive);
    EXPECT_EQ(request("SBATCH_REQUEUE", "1").requeue, true);
    EXPECT_EQ(request("SBATCH_NO_REQUEUE", "1").requeue, false);
    EXPECT_EQ(request("SBATCH_OUTPUT", "f").command->std_out, "f");
    EXPECT_EQ(request("SBATCH_JOB_NAME", "n").name, "n");
    EXPECT_EQ(request("SBATCH_WCKEY", "k").command->wckey, "k");
    EXPECT_EQ(request("SBATCH_BERTH_CHECKPOINT", "c").command->checkpoint, "c");
    EXPECT_EQ(request("SBATCH_BERTH_RESTART_COST", "7").command->restart_cost,
              std::chrono::minutes(7));
    EXPECT_EQ(request("SBATCH_WAIT4SWITCH", "10").request->nearness->switches_wait,
              std::chrono::minutes(10));
    EXPECT_EQ(submitted({{"SBATCH_TIMELIMIT", "7"}}, {"-t", "3"}).spec.request->time_limit,
              std::chrono::minutes(3));
    EXPECT_FALSE(request("SBATCH_NTASKS", "4").request->tasks);  // No variable of Slurm's.
    const auto threads = [&](const char* hint, const char* number, std::vector<std::string> given) {
        return submitted({{"SBATCH_HINT", hint}, {"SBATCH_THREADS_PER_CORE", number}},
                         std::move(given))
            .spec.request->nearness->node.threads_per_core;
    };
    EXPECT_EQ(threads("nomultithread", "2", {"-Q"}), 2U);
    EXPECT_EQ(threads("multithread", "2", {"--hint=nomultithread"}), 1U);
    EXPECT_EQ(threads("nomultithread", "1", {"--threads-per-core=2"}), 2U);
    EXPECT_EQ(run("sbatch", {"--hint=multithread", "-B", "*:*:2", "--wrap", "true"}).err, "");
    EXPECT_NE(run("sbatch", {"-v", "--hint=multithread", "-B", "*:*:2", "--wrap", "true"})
                  .err.find("sbatch: Following options are mutually exclusive with --hint: "
                            "--ntasks-per-core, --threads-per-core, -B and --cpu-bind (other than "
                            "--cpu-bind=verbose). Ignoring --hint.\n"),
              std::string::npos);
    const auto of_job = submitted({}, {"--hint=Compute_Bound"}).payload.environment;
    EXPECT_EQ(std::ranges::count(of_job, "SLURM_HINT=Compute_Bound"), 1);
    const auto most = request("SBATCH_HINT", "memory_bound").request->nearness->layout.per_socket;
    EXPECT_EQ(most, 1U);
    const Said said = run("sbatch", {"--wrap", "true"}, {{"SBATCH_HINT", "fast"}});
    EXPECT_EQ(said.err,
              "sbatch: error: SBATCH_HINT=fast: unrecognized --hint argument \"fast\", see "
              "--hint=help\n");
    EXPECT_EQ(run("sbatch", {"--nosuch"}, {{"SLURM_EXIT_ERROR", "42"}}).code, 255);
    EXPECT_EQ(run("sbatch", {"-N", "x", "--wrap", "true"}, {{"SLURM_EXIT_ERROR", "42"}}).code, 42);
}

// A row that names no option of its command would be read by nobody.
TEST(InputVariableTables, NameOptionsThatTheirCommandsHave) {
    for (const auto& [command, bits] :
         {std::pair("sbatch", slurm::kSbatch), std::pair("salloc", slurm::kSalloc),
          std::pair("srun", slurm::kSrun)}) {
        const auto rows = slurm::getopt_rows(bits);
        for (const slurm::InputVariable& one : slurm::input_variables(command)) {
            EXPECT_TRUE(std::ranges::any_of(rows, [&](const option& row) {
                return row.name != nullptr && std::string_view(row.name) == one.option;
            })) << one.name;
        }
    }
}

// The default of those who are no operators, as the controller's side of it.
TEST(HiddenPartitions, AreLeftOutUnlessTheQueryNamesThem) {
    ClusterSpec spec = sample_spec();
    spec.partitions[1].hidden = true;
    SampleCluster cluster(std::move(spec));
    ReadModel read_model;
    Job job = SampleCluster::job(1);
    job.partition = PartitionId(1);
    cluster.submit(job);
    const auto snapshot = cluster.publish(read_model);
    const auto sees = [&](const api::JobQuery& query, bool sees_hidden) {
        return JobFilter::make(*snapshot, query, sees_hidden)->first_from(*snapshot, 0) != nullptr;
    };
    EXPECT_FALSE(sees({}, false));
    EXPECT_TRUE(sees({}, true));
    EXPECT_TRUE(sees({.partitions = {"*"}}, false));
    EXPECT_TRUE(sees({.partitions = {"debug"}}, false));
    EXPECT_TRUE(sees({.jobs = {JobId(1)}}, false));
    EXPECT_FALSE(sees({.users = {"user1000"}}, false));
}

class ShownByOptions : public InputVariables {};

TEST_F(ShownByOptions, NoconvertPrintsMebibytes) {
    EXPECT_EQ(run("squeue", {"-h", "-j", "2", "-o", "%m"}).out, "2G\n");
    EXPECT_EQ(run("squeue", {"-h", "-j", "2", "-o", "%m", "--noconvert"}).out, "2048M\n");
}

TEST_F(ShownByOptions, VerboseNamesTheOptionsInForce) {
    const std::string rule = "-------------------- --------------------";
    EXPECT_EQ(run("squeue", {"-v", "-h", "-p", "debug"}).err,
              "squeue: defined options\nsqueue: " + rule +
                  "\nsqueue: noheader            : set\nsqueue: partition           : debug\n"
                  "squeue: verbose             : 1\nsqueue: " +
                  rule + "\nsqueue: end of defined options\n");
    for (const char* command : {"squeue", "sinfo", "sacct", "sprio", "sshare", "sdiag"}) {
        EXPECT_NE(run(command, {"-v"}).err.find("verbose             : 1"), std::string::npos)
            << command;
        EXPECT_EQ(run(command, {}).err.find("verbose"), std::string::npos) << command;
    }
    const std::string said = run("sbatch", {"-v", "-N2", "--wrap", "true"}).err;
    EXPECT_NE(said.find("sbatch: nodes               : 2\n"), std::string::npos) << said;
}

TEST_F(ShownByOptions, UnknownNodesAreAnError) {
    const Said said = run("squeue", {"-w", "nosuch"});
    EXPECT_EQ(said.err, "squeue: error: Invalid node name nosuch\n");
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(run("squeue", {"-h", "-w", "gpu1", "-o", "%i"}).out, "1\n");
    for (const char* option : {"-p", "-q", "-A"}) {  // As in Slurm: nothing is chosen.
        EXPECT_EQ(run("squeue", {"-h", option, "nosuch"}).out, "") << option;
        EXPECT_EQ(run("squeue", {"-h", option, "nosuch"}).code, 0) << option;
    }
    EXPECT_EQ(run("squeue", {"-h", "-u", "nosuchuser"}).err,
              "squeue: error: Invalid user: nosuchuser\n");
    EXPECT_EQ(run("squeue", {"-i", "0"}).err,
              "squeue: error: invalid entry for --iterate=0: it takes seconds, 1 or more\n");
}

TEST_F(ShownByOptions, GpuBindIsReadBeforeAnythingIsSubmitted) {
    for (const char* wrong :
         {"blah", "single", "single:0", "map_gpu:x", "mask_gpu:", "per_task:"}) {
        controller.inputs.clear();
        const Said said = run("sbatch", {std::string("--gpu-bind=") + wrong, "--wrap", "true"});
        EXPECT_EQ(said.err.find("sbatch: error: Invalid --gpu-bind argument: "), 0U) << said.err;
        EXPECT_EQ(said.code, 255);
        EXPECT_EQ(controller.asked(), 0U);
    }
    for (const char* right :
         {"none", "closest", "verbose,single:2", "map_gpu:0*2,1", "mask_gpu:0x3"}) {
        EXPECT_EQ(submitted({}, {std::string("--gpu-bind=") + right}).spec.command->gpu_bind,
                  right);
    }
}

}  // namespace
}  // namespace berth
