#include "berth/cli/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <optional>

#include "berth/cli/program_import.h"
#include "berth/cli/sim_compare.h"
#include "berth/cli/sim_run.h"
#include "berth/cli/sim_tables.h"
#include "berth/cli/subcommands.h"
#include "berth/cli/suggestion.h"
#include "berth/client/patience.h"

namespace berth::cli {
namespace {

// All options of all subcommands, and what is to be done once they are read.
class Program {
public:
    explicit Program(Output& output) : output_(output) {
        app_.require_subcommand(1);
        app_.set_version_flag("--version", std::string("berth ") + BERTH_VERSION);
        app_.set_help_all_flag("--help-all", "Print the help of every subcommand");
        add_cluster();
        add_work();
        add_watch();
        add_queues();
        add_usage();
        add_import(app_, import_slurm_,
                   [this] { action_ = [this] { return import_slurm(import_slurm_, output_); }; });
        add_config();
        add_proof();
    }

    int run(int argc, char** argv) {
        if (const auto code = refuse_unknown_command(argc, argv)) return *code;
        try {  // CLI11 speaks in exceptions; they end here.
            app_.parse(argc, argv);
        } catch (const CLI::ExtrasError& wrong) {
            return refuse_extras(wrong);
        } catch (const CLI::ArgumentMismatch& wrong) {
            return refuse_without_value(wrong);
        } catch (const CLI::ParseError& wrong) {
            return app_.exit(wrong);
        }
        return action_();
    }

private:
    // The commands, and their commands, up to the first word that is none.
    std::optional<int> refuse_unknown_command(int argc, char** argv) {
        CLI::App* at = &app_;
        std::string path;
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            const auto commands = at->get_subcommands([](const CLI::App*) { return true; });
            if (commands.empty() || word.starts_with('-')) return std::nullopt;
            std::vector<std::string> names;
            CLI::App* next = nullptr;
            for (CLI::App* const command : commands) {
                names.push_back(command->get_name());
                if (command->get_name() == word) next = command;
            }
            if (next == nullptr) {
                output_.note(("there is no command '" + path).append(word) + "'" +
                             did_you_mean(word, names));
                output_.note("`berth " + path + "--help` lists the commands");
                return static_cast<int>(CLI::ExitCodes::RequiredError);
            }
            at = next;
            path += word + " ";
        }
        return std::nullopt;
    }

    struct CommandGiven {
        CLI::App* command;
        std::string path;  // "sim run"; empty: none was given.
    };
    CommandGiven command_given() {
        CommandGiven given{.command = &app_, .path = {}};
        while (!given.command->get_subcommands().empty()) {
            given.command = given.command->get_subcommands().front();
            given.path += (given.path.empty() ? "" : " ") + given.command->get_name();
        }
        return given;
    }

    // An option that lacks its value, as a required option that is missing.
    int refuse_without_value(const CLI::ArgumentMismatch& wrong) {
        const std::string what = wrong.what();  // "--gpus: 1 required TEXT missing"
        const std::string name = what.substr(0, what.find(':'));
        const auto [at, path] = command_given();
        const CLI::Option* const option = at->get_option_no_throw(name);
        if (path.empty() || option == nullptr || !what.ends_with("missing"))
            return app_.exit(wrong);
        output_.note(path + " " + name + " needs a value: " + option->get_description());
        output_.note("`berth " + path + " --help` lists the options");
        return static_cast<int>(CLI::ExitCodes::RequiredError);
    }

    // The first word that is left over: an option that its command does not have, mostly.
    int refuse_extras(const CLI::ExtrasError& wrong) {
        const std::vector<std::string> left = app_.remaining(true);
        const auto [at, path] = command_given();
        if (left.empty() || path.empty()) return app_.exit(wrong);
        const std::string word = left.front().substr(0, left.front().find('='));
        std::vector<std::string> names;
        for (const CLI::Option* const one : at->get_options()) {
            for (const std::string& name : one->get_lnames()) names.push_back("--" + name);
        }
        if (word.starts_with('-')) {
            output_.note(path + " has no option " + word + did_you_mean(word, names));
        } else {
            output_.note(path + " takes no argument '" + word + "'");
        }
        output_.note("`berth " + path + " --help` lists the options");
        return wrong.get_exit_code();
    }

    CLI::App* add(const char* name, const char* summary, std::function<int()> action) {
        CLI::App* command = app_.add_subcommand(name, summary);
        command->callback([this, action = std::move(action)] { action_ = action; });
        return command;
    }
    void add_json(CLI::App* command) { command->add_flag("--json", json_, "Print JSON"); }

    void add_cluster() {
        CLI::App* command =
            add("up", "Start a cluster on this machine, or restart the parts of it that have died",
                [this] { return up(up_, output_); });
        command->add_option("--state", up_.state,
                            "Keep state, logs and pid files in this directory ($BERTH_STATE; else "
                            "/var/lib/berth for root, ~/.local/state/berth for other users)");
        command->add_option(
            "--simulate-gpus", up_.simulate_gpus,
            "Simulate GPUs on each node [TYPE:COUNT, like a100:8] (the GPUs of this machine)");
        command
            ->add_option("--nodes", up_.nodes,
                         "Number of nodes; if more than one, all are emulated (1)")
            ->check(CLI::Range(1, 1000));
        command->add_option("--cpus", up_.cpus, "CPUs of each node (those of this machine)")
            ->check(CLI::Range(1, 4096));
        command->add_option("--slurm-conf", up_.slurm_conf,
                            "Use this slurm.conf and the other configuration files beside it");
        command->add_flag(
            "--replace-config", up_.replace_config,
            "Replace the configuration of a stopped cluster, or other files in its etc/, by that "
            "of the other options");
        command->add_flag("--lenient", up_.lenient,
                          "Start in spite of errors in the configuration");
        command->add_flag(
            "--accept-loss", up_.accept_loss,
            "Start although the newest records of the state are missing, and lose what they held");
        command = add("down", "Stop the cluster", [this] { return down(down_, output_); });
        command->add_option("--state", down_.state,
                            "State directory of the cluster (as for berth up)");
        command->add_flag("--kill", down_.kill, "Cancel running jobs first");
        command = add("status", "Show which daemons run",
                      [this] { return status(state_, json_, output_); });
        command->add_option("--state", state_, "State directory of the cluster (as for berth up)");
        add_json(command);
        add("detect", "Print this machine's lines for slurm.conf, gres.conf and berth.yaml",
            [this] { return detect(output_); });
    }

    void add_job_options(CLI::App* command) {
        command->add_option("-J,--name", submit_.name, "Name of the job");
        command->add_option("-p,--partition", submit_.partition,
                            "Partition (the cluster's default)");
        command->add_option("-A,--account", submit_.account, "Account, or queue, that is charged");
        command->add_option("-q,--qos", submit_.qos, "QOS (the account's default)");
        command->add_option("-t,--time", submit_.time,
                            "Time limit [MINUTES, H:M:S or D-H:M] (the partition's default)");
        command->add_option("-G,--gpus", submit_.gpus,
                            "GPUs in all [COUNT or TYPE:COUNT, like a100:2]");
        command->add_option("-C,--constraint", submit_.constraint,
                            "Run on nodes with these features");
        command->add_option("-N,--nodes", submit_.nodes, "Number of nodes");
        command->add_option("-n,--tasks", submit_.tasks, "Number of tasks");
        command->add_option("-c,--cpus", submit_.cpus, "CPUs of each task");
        command->add_option("--mem", submit_.memory, "Memory of each node [like 4G]");
        command->add_option("-o,--output", submit_.out,
                            "Write the output to this file [% patterns as in sbatch]");
        command->add_flag("--pack", submit_.place.pack,
                          "Wait for GPUs that are on one node and linked to each other");
        command->add_flag("--compact", submit_.place.compact, "Use as few switches as possible");
        command->add_option("--switches", submit_.place.switches,
                            "Use at most this many leaf switches [COUNT, or COUNT@MINUTES: wait "
                            "this long for them]");
        command->add_option(
            "--affinity", submit_.place.affinity,
            "Run beside [node:JOB, gpu:JOB or feature:NAME; a trailing ? makes it a preference]");
        command->add_option("--anti-affinity", submit_.place.anti_affinity,
                            "Run apart from [as for --affinity]");
        command->add_option("--gpu-memory", submit_.place.gpu_memory,
                            "Memory of each GPU, at least [like 40G]");
        command->add_option("--compute-capability", submit_.place.compute_capability,
                            "Compute capability of each GPU, at least [like 8.0]");
        command->add_option("--priority-class", submit_.terms.priority_class,
                            "Take the priority of this class");
        command->add_option("--max-wait", submit_.terms.max_wait,
                            "Give up if the job has not started by then [as for --time]");
        command->add_option("--checkpoint", submit_.terms.checkpoint,
                            "Save this file when the job is warned that it is preempted [% "
                            "patterns as in sbatch]");
        command->add_option("--restart-cost", submit_.terms.restart_cost,
                            "What it takes to be where it was when it runs again [as for --time]");
    }

    void add_work() {
        CLI::App* command = add("submit", "Submit a batch script; its #SBATCH lines count",
                                [this] { return submit(submit_, output_); });
        add_job_options(command);
        command->add_option("--wrap", submit_.wrap, "Run this command instead of a script");
        command->add_option("script", submit_.script, "Batch script (standard input)");
        command->add_option("arguments", submit_.arguments, "Arguments of the script");
        command->add_flag("--json", submit_.json, "Print JSON");
        command = add("run", "Run a command as a job, show its output and return its exit code",
                      [this] { return cli::run(submit_, output_); });
        add_job_options(command);
        command->add_option("command", submit_.arguments, "Command and its arguments")->required();
        command->positionals_at_end();
        command =
            add("logs", "Show a job's output", [this] { return logs(job_, follow_, output_); });
        command->add_option("job", job_, "Job id")->required();
        command->add_flag("-f,--follow", follow_, "Follow the output until the job ends");
        command = add("cancel", "Cancel jobs", [this] { return cancel(jobs_, output_); });
        command->add_option("jobs", jobs_, "Job ids [12, 12_3, 12_[1-3]]")->required();
        command = app_.add_subcommand("checkpoint", "Tell of a checkpoint, from within a job");
        command->require_subcommand(1);
        command = command->add_subcommand(
            "done", "Say that a checkpoint is saved; a job that is preempted ends then");
        command->add_option("job", job_, "Job id (the one that this runs in)");
        command->callback([this] { action_ = [this] { return checkpoint_done(job_, output_); }; });
    }

    void add_watch() {
        CLI::App* command = add("queue", "Show the jobs that run or wait",
                                [this] { return queue(all_, json_, output_); });
        command->add_flag("-a,--all", all_, "Show jobs that have ended, too");
        add_json(command);
        command = add("why", "Explain why a job waits, in numbers, and when it will start",
                      [this] { return why(job_, json_, output_); });
        command->add_option("job", job_, "Job id")->required();
        add_json(command);
        command = add("nodes", "Show the nodes and what is free on them",
                      [this] { return nodes(json_, output_); });
        add_json(command);
    }

    void add_queues() {
        CLI::App* queues = app_.add_subcommand("queues", "Show and change the quotas of queues");
        queues->require_subcommand(1);
        CLI::App* show = queues->add_subcommand(
            "show", "Show the quotas of queues, and what they use, borrow and lend");
        show->add_option("names", jobs_, "Queues (all)");
        add_json(show);
        show->callback([this] { action_ = [this] { return queues_show(jobs_, json_, output_); }; });
        const auto add_edit = [&](const char* name, const char* summary, bool is_new) {
            CLI::App* edit = queues->add_subcommand(name, summary);
            edit->add_option("name", queue_set_.name, "Account that the queue is")->required();
            edit->add_option("options", queue_set_.words,
                             "OPTION=VALUE [nominal=gres/gpu=8 limit=gres/gpu=16]; the options "
                             "are those of queues in berth.yaml")
                ->required();
            edit->callback([this, is_new] {
                queue_set_.is_new = is_new;
                action_ = [this] { return queues_set(queue_set_, output_); };
            });
        };
        add_edit("add", "Give an account quotas", true);
        add_edit("set", "Change options of a queue; OPTION= takes one away", false);
        CLI::App* remove = queues->add_subcommand("remove", "Take the quotas of queues away");
        remove->add_option("names", jobs_, "Queues")->required();
        remove->callback([this] { action_ = [this] { return queues_remove(jobs_, output_); }; });
        CLI::App* what_if = queues->add_subcommand(
            "what-if", "Say what other quotas would do to the jobs that wait; changes nothing");
        what_if->add_option("words", what_if_.words,
                            "QUEUE OPTION=VALUE ..., then other queues likewise");
        what_if->add_option("--remove", what_if_.removed, "A queue that would lose its quotas");
        what_if->add_option("--state", what_if_.state,
                            "State directory of the cluster (as for berth up)");
        what_if->add_flag("--json", what_if_.json, "Print JSON");
        what_if->callback(
            [this] { action_ = [this] { return queues_what_if(what_if_, output_); }; });
        CLI::App* foreign = queues->add_subcommand(
            "import", "Print queues of Volcano and Kueue, and priority classes, for berth.yaml");
        foreign->add_option("files", import_queues_.files, "YAML files; -: standard input")
            ->required();
        foreign->add_flag("--apply", import_queues_.apply,
                          "Give the running cluster these queues instead of printing them");
        foreign->callback(
            [this] { action_ = [this] { return queues_import(import_queues_, output_); }; });
    }

    void add_usage() {
        CLI::App* usage =
            app_.add_subcommand("usage", "Import or clear the usage that fair share counts");
        usage->require_subcommand(1);
        CLI::App* import = usage->add_subcommand(
            "import", "Import users' RawUsage from Slurm [sshare -a -P -o Account,User,RawUsage]");
        import->add_option("file", directory_, "Output of sshare (standard input)");
        import->callback(
            [this] { action_ = [this] { return usage_import(directory_, output_); }; });
        CLI::App* clear = usage->add_subcommand("clear", "Set the usage of users to zero");
        clear->add_option("users", jobs_, "Users (all)");
        clear->callback([this] { action_ = [this] { return usage_clear(jobs_, output_); }; });
    }

    void add_config() {
        CLI::App* config = app_.add_subcommand("config", "Check configuration files");
        config->require_subcommand(1);
        CLI::App* check = config->add_subcommand(
            "check", "Report what is wrong in the configuration files, at file and line");
        check->add_option("directory", directory_, "Directory with slurm.conf, or a slurm.conf")
            ->required();
        check->add_flag("--lenient", lenient_, "Exit 0 in spite of errors");
        add_json(check);
        check->callback([this] {
            action_ = [this] { return config_check(directory_, lenient_, json_, output_); };
        });
        CLI::App* doctor =
            add("doctor", "Report what is wrong with this installation and how to mend it",
                [this] { return cli::doctor(doctor_, output_); });
        doctor->add_option("--config", doctor_.config, "Directory with slurm.conf");
        doctor->add_option("--state", doctor_.state, "Directory of the controller's database");
        doctor->add_flag("--json", doctor_.json, "Print JSON");
        CLI::App* backup = add("backup", "Copy the controller's whole state while it runs",
                               [this] { return cli::backup(backup_, output_); });
        CLI::App* restore = add("restore", "Make a controller's state from a copy",
                                [this] { return cli::restore(backup_, output_); });
        for (CLI::App* command : {backup, restore}) {
            command->add_option("file", backup_.file, "File of the copy")->required();
            command->add_option("--state", backup_.state,
                                "State directory of the cluster (as for berth up), or of berthd");
        }
        restore->add_option(
            "--skip-jobs", backup_.skip_jobs,
            "Leave this many job ids unused after the last one in the copy (100000)");
        CLI::App* token =
            app_.add_subcommand("token", "Manage the tokens by which machines join the cluster");
        token->require_subcommand(1);
        CLI::App* create = token->add_subcommand(
            "create", "Create and print a join token; each of its nodes may use it once");
        create->callback([this] { action_ = [this] { return token_create(token_, output_); }; });
        create->add_option("--node", token_.nodes, "Nodes that may join [like gpu[1-3]]")
            ->required();
        create->add_option("--ttl", token_.lifetime,
                           "Lifetime of the token [90s, 30m, up to 24h] (30m)");
        create->add_flag("--json", token_.json, "Print JSON");
        CLI::App* cert = app_.add_subcommand("cert", "Manage the certificates of nodes");
        cert->require_subcommand(1);
        CLI::App* revoke = cert->add_subcommand(
            "revoke", "Revoke the nodes' certificates and close their connections");
        revoke->callback(
            [this] { action_ = [this] { return cert_revoke(token_.nodes, output_); }; });
        revoke->add_option("nodes", token_.nodes, "Nodes [like gpu[1-3]]")->required();
        CLI::App* policy =
            app_.add_subcommand("policy", "Show the scheduling rules that a site can choose");
        policy->require_subcommand(1);
        policy->add_subcommand("list", "List the rules, what they do, and their settings")
            ->callback([this] { action_ = [this] { return policy_list(output_); }; });
    }

    void add_proof() {
        CLI::App* command =
            add("replay", "Compute the state from the journal and compare it with the daemon's",
                [this] { return cli::replay(replay_, output_); });
        command->add_option("--state", replay_.state,
                            "State directory of the cluster (as for berth up)");
        command->add_flag("--verify", replay_.verify, "Replay from the oldest snapshot, too");
        command->add_flag("--decide", replay_.decide,
                          "Make every decision again and report the first record that differs");
        CLI::App* sim = app_.add_subcommand("sim", "Simulate in virtual time");
        sim->require_subcommand(1);
        CLI::App* world = sim->add_subcommand(
            "world",
            "Run the controller and the agents under faults; exit 1 if an invariant is broken");
        world->add_option("--seeds", sim_.seeds, "Number of worlds (20)")
            ->check(CLI::Range(1, 1'000'000));
        world->add_option("--first", sim_.first, "First seed (1)");
        world->add_flag("--hashes", sim_.hashes, "Print the hash of each world's decisions");
        world->callback([this] { action_ = [this] { return sim_world(sim_, output_); }; });
        add_sim_run(sim);
        add_sim_tables(sim, sim_tables_, action_, output_);
        add_sim_compare(sim);
    }

    void add_sim_compare(CLI::App* sim) {
        CLI::App* compare = sim->add_subcommand(
            "compare", "Show what another configuration would have changed, and for whom");
        compare->add_option("--a", sim_compare_.a,
                            "First configuration [FILE, directory, or current] (current)");
        compare->add_option("--b", sim_compare_.b, "Second configuration [as for --a]")->required();
        compare->add_flag("--from-history", sim_compare_.from_history,
                          "Use the jobs of this cluster's accounting");
        compare->add_option("--trace", sim_compare_.trace,
                            "Use the jobs of a trace [FORMAT:FILE or generate:MIX:JOBS]");
        compare->add_option("--state", sim_compare_.state,
                            "State directory of the cluster (as for berth up)");
        compare->add_option("--seed", sim_compare_.seed, "Seed of a generated workload (1)");
        compare->add_option("--json", sim_compare_.json, "Write the results to this file");
        compare->callback(
            [this] { action_ = [this] { return sim_compare(sim_compare_, output_); }; });
    }

    void add_sim_run(CLI::App* sim) {
        CLI::App* run = sim->add_subcommand(
            "run", "Run a trace through the real scheduler on a simulated cluster");
        run->add_option("--trace", sim_run_.trace,
                        "Jobs [FORMAT:FILE, like philly:philly.csv; philly alone: a sample of 600 "
                        "jobs; or generate:MIX:JOBS]")
            ->required();
        run->add_option("--cluster", sim_run_.cluster,
                        "Cluster [berth.yaml, slurm.conf, or a directory with them]")
            ->required();
        run->add_option("--policy", sim_run_.policies,
                        "Policies, separated by commas [own, fifo, multifactor, sjf, qssf, las, "
                        "las12, gittins, round_robin, drf, hdrf, weighted_fair, or a FILE with "
                        "keys of slurm.conf or berth.yaml; each may end in :none, :easy or "
                        ":conservative] (own)")
            ->delimiter(',');
        run->add_option("--scale-load", sim_run_.load,
                        "Stretch the times between submissions to this offered load")
            ->check(CLI::Range(0.01, 100.0));
        run->add_option("--limits", sim_run_.limits,
                        "Time limits of jobs whose trace has none [rounded, exact, none, a factor, "
                        "or a length of time] (rounded)");
        run->add_option(
            "--moves", sim_run_.moves,
            "Searches in each cycle for starts earlier than planned; 0: until no job can move (4)");
        run->add_option("--seed", sim_run_.seed, "Seed of a generated workload (1)");
        run->add_option("--first", sim_run_.first, "Use only this many jobs of the trace");
        run->add_option("--agent-latency", sim_run_.agent_latency_ms,
                        "Latency of agents, in milliseconds (0)");
        run->add_option("--threads", sim_run_.threads, "Simulations at a time (one per core)");
        run->add_option("--json", sim_run_.json, "Write the results to this file");
        run->add_option(
            "--node-mtbf", sim_run_.node_mtbf,
            "Mean time between failures of each node [like 30-0, which is 30 days] (none)");
        run->add_option("--node-repair", sim_run_.node_repair,
                        "Time until a failed node returns (4:00:00)");
        run->add_option(
            "--restart-cost", sim_run_.restart_cost,
            "Time lost in each run of a job after its first [like 2, which is 2 minutes]");
        run->add_option(
            "--checkpoint", sim_run_.checkpoint,
            "Interval of checkpoints, to which a job falls back when its run is cut short");
        run->add_option("--time-slice", sim_run_.time_slice,
                        "Interval at which jobs with far more GPU time than others are requeued; "
                        "needs --checkpoint");
        run->add_option("--report", sim_run_.report, "Write an HTML page with plots to this file");
        run->add_option("--csv", sim_run_.csv, "Write each job's record to this file");
        run->add_flag("!--no-timings", sim_run_.timings,
                      "Leave out of the JSON what depends on this machine");
        run->callback([this] { action_ = [this] { return sim_run(sim_run_, output_); }; });
    }

    Output& output_;
    CLI::App app_{"Berth: a GPU cluster scheduler"};
    Action action_;
    UpOptions up_;
    DownOptions down_;
    SubmitOptions submit_;
    ReplayOptions replay_;
    DoctorOptions doctor_;
    BackupOptions backup_;
    TokenOptions token_;
    QueueSetOptions queue_set_;
    WhatIfOptions what_if_;
    QueueImportOptions import_queues_;
    ImportOptions import_slurm_;
    SimOptions sim_;
    SimRunOptions sim_run_;
    SimTables sim_tables_;
    SimCompareOptions sim_compare_;
    std::string state_, job_, directory_;  // Or a file.
    std::vector<std::string> jobs_;        // Or users.
    bool json_ = false, all_ = false, follow_ = false, lenient_ = false;
};

}  // namespace

int run_program(int argc, char** argv) {
    Output output(std::cout, std::cerr, isatty(STDOUT_FILENO) != 0);
    set_silence_notice([&](const std::string& whom, std::chrono::milliseconds timeout) {
        output.note("waiting for " + whom + ", for " +
                    std::to_string(std::chrono::ceil<std::chrono::seconds>(timeout).count()) +
                    " s at most");
    });
    return Program(output).run(argc, argv);
}

}  // namespace berth::cli
