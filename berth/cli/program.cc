#include "berth/cli/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <optional>

#include "berth/cli/sim_compare.h"
#include "berth/cli/sim_openb.h"
#include "berth/cli/sim_run.h"
#include "berth/cli/sim_table.h"
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
        app_.set_help_all_flag("--help-all", "Help of every subcommand");
        add_cluster();
        add_work();
        add_watch();
        add_usage();
        add_config();
        add_proof();
    }

    int run(int argc, char** argv) {
        if (const auto code = refuse_unknown_command(argc, argv)) return *code;
        try {  // CLI11 speaks in exceptions; they end here.
            app_.parse(argc, argv);
        } catch (const CLI::ExtrasError& wrong) {
            return refuse_extras(wrong);
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

    // The first word that is left over: an option that its command does not have, mostly.
    int refuse_extras(const CLI::ExtrasError& wrong) {
        const std::vector<std::string> left = app_.remaining(true);
        CLI::App* at = &app_;
        std::string path;
        while (!at->get_subcommands().empty()) {
            at = at->get_subcommands().front();
            path += (path.empty() ? "" : " ") + at->get_name();
        }
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
        CLI::App* command = add("up", "Start a cluster on this machine, or what has died of it",
                                [this] { return up(up_, output_); });
        command->add_option("--state", up_.state, "Where its state, logs and pid files are");
        command->add_option("--simulate-gpus", up_.simulate_gpus, "TYPE:N, like a100:8");
        command->add_option("--nodes", up_.nodes, "How many nodes; more than one are emulated")
            ->check(CLI::Range(1, 1000));
        command->add_option("--cpus", up_.cpus, "CPUs of each node")->check(CLI::Range(1, 4096));
        command->add_option("--slurm-conf", up_.slurm_conf,
                            "Your own slurm.conf; the other files lie beside it");
        command->add_flag("--replace-config", up_.replace_config,
                          "Replace the configuration of a stopped cluster by what the other "
                          "options say");
        command->add_flag("--lenient", up_.lenient,
                          "Go on in spite of errors in the configuration");
        command->add_flag("--accept-loss", up_.accept_loss,
                          "Start although records are missing at the end of the state: what they "
                          "held is lost");
        command = add("down", "Stop the cluster", [this] { return down(down_, output_); });
        command->add_option("--state", down_.state, "The cluster's state directory");
        command->add_flag("--kill", down_.kill, "Cancel running jobs first");
        command =
            add("status", "Which daemons run", [this] { return status(state_, json_, output_); });
        command->add_option("--state", state_, "The cluster's state directory");
        add_json(command);
        add("detect", "This machine's lines for slurm.conf, gres.conf and berth.yaml",
            [this] { return detect(output_); });
    }

    void add_job_options(CLI::App* command) {
        command->add_option("-J,--name", submit_.name, "The job's name");
        command->add_option("-p,--partition", submit_.partition, "Partition");
        command->add_option("-t,--time", submit_.time, "Time limit: minutes, h:m:s or d-h:m");
        command->add_option("-G,--gpus", submit_.gpus, "GPUs: 2, or a100:2");
        command->add_option("-C,--constraint", submit_.constraint, "Node features");
        command->add_option("-N,--nodes", submit_.nodes, "Nodes");
        command->add_option("-n,--tasks", submit_.tasks, "Tasks");
        command->add_option("-c,--cpus", submit_.cpus, "CPUs per task");
        command->add_option("--mem", submit_.memory, "Memory per node: 4G");
        command->add_option("-o,--output", submit_.out, "Output file, with % patterns");
        command->add_flag("--pack", submit_.pack,
                          "All GPUs on one node and linked to each other, or wait");
        command->add_flag("--compact", submit_.compact, "In as few switches as can be");
        command->add_option("--switches", submit_.switches,
                            "At most so many leaf switches; 1@10 waits 10 minutes for that");
        command->add_option("--affinity", submit_.affinity,
                            "Beside: node:JOB, gpu:JOB, feature:NAME; ? after it: preferred");
        command->add_option("--anti-affinity", submit_.anti_affinity, "Apart from, likewise");
        command->add_option("--gpu-memory", submit_.gpu_memory, "Of each GPU at least: 40G");
        command->add_option("--compute-capability", submit_.compute_capability,
                            "Of each GPU at least: 8.0");
    }

    void add_work() {
        CLI::App* command = add("submit", "Submit a batch script (#SBATCH lines count)",
                                [this] { return submit(submit_, output_); });
        add_job_options(command);
        command->add_option("--wrap", submit_.wrap, "A command instead of a script");
        command->add_option("script", submit_.script,
                            "The script; standard input if none is given");
        command->add_option("arguments", submit_.arguments, "Its arguments");
        command->add_flag("--json", submit_.json, "Print JSON");
        command = add("run", "Run a command as a job, show its output, return its exit code",
                      [this] { return cli::run(submit_, output_); });
        add_job_options(command);
        command->add_option("command", submit_.arguments, "The command and its arguments")
            ->required();
        command->positionals_at_end();
        command =
            add("logs", "Show a job's output", [this] { return logs(job_, follow_, output_); });
        command->add_option("job", job_, "Job")->required();
        command->add_flag("-f,--follow", follow_, "Until the job is over");
        command = add("cancel", "Cancel jobs", [this] { return cancel(jobs_, output_); });
        command->add_option("jobs", jobs_, "Jobs: 12, 12_3, 12_[1-3]")->required();
    }

    void add_watch() {
        CLI::App* command = add("queue", "What runs and what waits",
                                [this] { return queue(all_, json_, output_); });
        command->add_flag("-a,--all", all_, "What has ended, too");
        add_json(command);
        command = add("why", "Why a job waits, in numbers, and when it will start",
                      [this] { return why(job_, json_, output_); });
        command->add_option("job", job_, "Job")->required();
        add_json(command);
        command = add("nodes", "The nodes and what is free on them",
                      [this] { return nodes(json_, output_); });
        add_json(command);
    }

    void add_usage() {
        CLI::App* usage = app_.add_subcommand("usage", "What users have used, for fair share");
        usage->require_subcommand(1);
        CLI::App* import = usage->add_subcommand(
            "import", "Take over RawUsage from Slurm: sshare -a -P -o Account,User,RawUsage");
        import->add_option("file", directory_, "The file; standard input if none is given");
        import->callback(
            [this] { action_ = [this] { return usage_import(directory_, output_); }; });
        CLI::App* clear = usage->add_subcommand("clear", "Forget what has been used");
        clear->add_option("users", jobs_, "These users alone");
        clear->callback([this] { action_ = [this] { return usage_clear(jobs_, output_); }; });
    }

    void add_config() {
        CLI::App* config = app_.add_subcommand("config", "The configuration files");
        config->require_subcommand(1);
        CLI::App* check = config->add_subcommand(
            "check", "What is wrong in a directory with slurm.conf, at file and line");
        check->add_option("directory", directory_, "The directory, or a slurm.conf")->required();
        check->add_flag("--lenient", lenient_, "Exit 0 in spite of errors");
        add_json(check);
        check->callback([this] {
            action_ = [this] { return config_check(directory_, lenient_, json_, output_); };
        });
        CLI::App* doctor = add("doctor", "What is wrong with this installation, and how to mend it",
                               [this] { return cli::doctor(doctor_, output_); });
        doctor->add_option("--config", doctor_.config, "Directory with slurm.conf");
        doctor->add_option("--state", doctor_.state, "Directory of the controller's database");
        doctor->add_flag("--json", doctor_.json, "Print JSON");
        CLI::App* backup = add("backup", "Copy the controller's whole state, while it runs",
                               [this] { return cli::backup(backup_, output_); });
        CLI::App* restore = add("restore", "Make a controller's state from a copy",
                                [this] { return cli::restore(backup_, output_); });
        for (CLI::App* command : {backup, restore}) {
            command->add_option("file", backup_.file, "The copy")->required();
            command->add_option("--state", backup_.state,
                                "The cluster's state directory, as for up; or that of berthd");
        }
        restore->add_option("--skip-jobs", backup_.skip_jobs,
                            "Give no job one of so many ids after the last one in the copy");
        CLI::App* token = app_.add_subcommand("token", "What lets machines join the cluster");
        token->require_subcommand(1);
        CLI::App* create = token->add_subcommand("create", "Print one; each node may use it once");
        create->callback([this] { action_ = [this] { return token_create(token_, output_); }; });
        create->add_option("--node", token_.nodes, "The nodes, like gpu[1-3]")->required();
        create->add_option("--ttl", token_.lifetime, "How long it is good: 90s, 30m, up to 24h");
        create->add_flag("--json", token_.json, "Print JSON");
        CLI::App* cert = app_.add_subcommand("cert", "The certificates of nodes");
        cert->require_subcommand(1);
        CLI::App* revoke = cert->add_subcommand(
            "revoke", "Believe none of these nodes' certificates, and cut their links");
        revoke->callback(
            [this] { action_ = [this] { return cert_revoke(token_.nodes, output_); }; });
        revoke->add_option("nodes", token_.nodes, "The nodes, like gpu[1-3]")->required();
        CLI::App* policy = app_.add_subcommand("policy", "The rules that a site can choose");
        policy->require_subcommand(1);
        policy->add_subcommand("list", "Their names, what they do, and their settings")
            ->callback([this] { action_ = [this] { return policy_list(output_); }; });
    }

    void add_proof() {
        CLI::App* command = add("replay", "The state that the journal gives, beside the daemon's",
                                [this] { return cli::replay(replay_, output_); });
        command->add_option("--state", replay_.state, "The cluster's state directory");
        command->add_flag("--verify", replay_.verify, "From the oldest snapshot too");
        command->add_flag("--decide", replay_.decide,
                          "Decide everything again, and name the first record that differs");
        CLI::App* sim = app_.add_subcommand("sim", "Simulations in virtual time");
        sim->require_subcommand(1);
        CLI::App* world = sim->add_subcommand(
            "world",
            "The controller and the agents under faults; exits 1 if an invariant is broken");
        world->add_option("--seeds", sim_.seeds, "How many worlds")
            ->check(CLI::Range(1, 1'000'000));
        world->add_option("--first", sim_.first, "The first seed");
        world->add_flag("--hashes", sim_.hashes, "Print the hash of each world's decisions");
        world->callback([this] { action_ = [this] { return sim_world(sim_, output_); }; });
        add_sim_run(sim);
        add_sim_table(sim);
        add_sim_compare(sim);
    }

    void add_sim_compare(CLI::App* sim) {
        CLI::App* compare = sim->add_subcommand(
            "compare", "What another configuration would have changed, and for whom");
        compare->add_option("--a", sim_compare_.a, "A configuration, or current");
        compare->add_option("--b", sim_compare_.b, "The other one")->required();
        compare->add_flag("--from-history", sim_compare_.from_history,
                          "The jobs that this cluster's accounting knows");
        compare->add_option("--trace", sim_compare_.trace, "Or FORMAT:FILE, or generate:MIX:JOBS");
        compare->add_option("--state", sim_compare_.state, "The cluster's state directory");
        compare->add_option("--seed", sim_compare_.seed, "Of a generated workload");
        compare->add_option("--json", sim_compare_.json, "Write the results to this file");
        compare->callback(
            [this] { action_ = [this] { return sim_compare(sim_compare_, output_); }; });
    }

    void add_sim_table(CLI::App* sim) {
        CLI::App* table = sim->add_subcommand("table", "Papers' tables, made again");
        table->require_subcommand(1);
        CLI::App* muri = table->add_subcommand(
            "muri", "Muri's Figures 9 and 10: by its own event loop, and by our engine");
        muri->add_option("--traces", sim_table_.traces, "The folder that holds muri/")->required();
        muri->add_option("--json", sim_table_.json, "Write the rows to this file");
        muri->callback(
            [this] { action_ = [this] { return sim_table_muri(sim_table_, output_); }; });
        add_sim_openb(table);
        CLI::App* backfill =
            table->add_subcommand("backfill", "What planning is worth on generated workloads");
        backfill->add_option("--jobs", sim_table_.jobs, "Of each mix");
        backfill->add_option("--nodes", sim_table_.nodes, "Of 8 GPUs")
            ->check(CLI::Range(16, 100'000));
        backfill->add_option("--seed", sim_table_.seed, "Of the workloads");
        backfill->callback(
            [this] { action_ = [this] { return sim_table_backfill(sim_table_, output_); }; });
    }

    void add_sim_openb(CLI::App* table) {
        CLI::App* openb = table->add_subcommand(
            "openb", "What placement policies get to use of Alibaba's shared GPUs (ATC '23)");
        openb->add_option("--traces", sim_openb_.traces, "The folder that holds openb/")
            ->required();
        openb->add_option("--only", sim_openb_.only, "One policy");
        openb->add_option("--orders", sim_openb_.orders, "Of pods and nodes: published, or ours")
            ->check(CLI::IsMember({"published", "ours"}));
        openb->add_option("--runs", sim_openb_.runs, "Orders of each")->check(CLI::Range(1, 1000));
        openb->add_option("--first-seed", sim_openb_.first_seed, "Of the first order");
        openb->add_option("--threads", sim_openb_.threads, "Runs at a time");
        openb->add_option("--json", sim_openb_.json, "Write the rows to this file");
        openb->callback(
            [this] { action_ = [this] { return sim_table_openb(sim_openb_, output_); }; });
    }

    void add_sim_run(CLI::App* sim) {
        CLI::App* run = sim->add_subcommand(
            "run", "A trace on a cluster, through the scheduler itself, in virtual time");
        run->add_option(
               "--trace", sim_run_.trace,
               "FORMAT:FILE, as philly:philly.csv; philly alone is a sample of 600 jobs; or "
               "generate:MIX:JOBS")
            ->required();
        run->add_option("--cluster", sim_run_.cluster,
                        "berth.yaml, slurm.conf, or a directory with them")
            ->required();
        run->add_option("--policy", sim_run_.policies,
                        "One or more: own, fifo, multifactor, sjf, qssf, las, las12, gittins, "
                        "round_robin, drf; or a FILE with keys of slurm.conf or berth.yaml; each "
                        "perhaps with :none, :easy or :conservative")
            ->delimiter(',');
        run->add_option("--scale-load", sim_run_.load,
                        "Stretch the time between submissions to this offered load")
            ->check(CLI::Range(0.01, 100.0));
        run->add_option("--limits", sim_run_.limits,
                        "Time limits the trace does not tell: rounded, exact, none or a factor");
        run->add_option("--moves", sim_run_.moves,
                        "How often a cycle looks for a start earlier than the planned one; 4; "
                        "0: until nobody can move");
        run->add_option("--seed", sim_run_.seed, "Of a generated workload");
        run->add_option("--first", sim_run_.first, "Only so many jobs of the trace");
        run->add_option("--agent-latency", sim_run_.agent_latency_ms, "Milliseconds");
        run->add_option("--threads", sim_run_.threads, "Simulations at a time");
        run->add_option("--json", sim_run_.json, "Write the results to this file");
        run->add_option("--node-mtbf", sim_run_.node_mtbf,
                        "Each node is lost once in this time on average, as 30-0 (days)");
        run->add_option("--node-repair", sim_run_.node_repair, "Until it is back; 4:00:00");
        run->add_option("--restart-cost", sim_run_.restart_cost,
                        "Of each run of a job but its first, as 2 (minutes)");
        run->add_option("--checkpoint", sim_run_.checkpoint,
                        "What a run that is cut short has done is kept in steps of this");
        run->add_option("--time-slice", sim_run_.time_slice,
                        "Interval at which jobs with far more GPU time than others are "
                        "requeued; needs --checkpoint");
        run->add_option("--report", sim_run_.report, "Write one HTML page with plots");
        run->add_option("--csv", sim_run_.csv, "Write every job's record to this file");
        run->add_flag("!--no-timings", sim_run_.timings,
                      "Nothing in the JSON that depends on this machine");
        run->callback([this] { action_ = [this] { return sim_run(sim_run_, output_); }; });
    }

    Output& output_;
    CLI::App app_{"Berth: a GPU cluster scheduler"};
    std::function<int()> action_;
    UpOptions up_;
    DownOptions down_;
    SubmitOptions submit_;
    ReplayOptions replay_;
    DoctorOptions doctor_;
    BackupOptions backup_;
    TokenOptions token_;
    SimOptions sim_;
    SimRunOptions sim_run_;
    SimTableOptions sim_table_;
    SimOpenbOptions sim_openb_;
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
