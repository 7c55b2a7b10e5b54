// JobOptions: the one table of options that sbatch and srun share: long name, letter, which command
// takes it, and what it sets. Options of Slurm that are not built yet are in
// it too, so that they are refused by name and never ignored.
#pragma once

#include <getopt.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/slurm/command.h"

namespace berth::slurm {

// What the options of one command line, its environment and its script come to.
struct Draft {
    JobSpec spec;
    std::optional<std::string> wrap;
    std::string export_env = "ALL";
    bool export_given = false;
    bool parsable = false, quiet = false;
    int verbose = 0;
    bool in_a_job = false;  // srun's: most of SLURM_* tell of the job then.
    // srun's own.
    bool label = false, exact = false, overlap = false, unbuffered = false, pty = false;
    bool gres_given = false;  // --gres=none and gpu:0 mean something there.
    std::optional<std::string> job_id;
    bool time_given = false;
    bool cpus_per_task_given = false;  // And not taken over from the job that srun is in.
    bool kill_on_bad_exit = false;
    std::optional<std::chrono::seconds> wait_for_tasks;  // --wait, from the first task's end on.
    bool list_mpi = false;                               // --mpi=list
    std::string mpi;                                     // --mpi; empty: as MpiDefault says.
    bool wait = false;                                   // sbatch --wait
    std::string get_user_env;  // --get-user-env: "120L", as the node reads it.
    std::string export_file, clusters;
    bool tell_ends = true;            // Of each task that failed.
    std::vector<std::string> of_job;  // Options given that mean a job, and not a step in it.
    // Those of who waits for a job.
    std::optional<std::chrono::seconds> patience;  // --immediate
    bool no_shell = false;
    std::optional<std::int32_t> kill_command;  // --kill-command: this signal.
    std::string het_groups;                    // --het-group: "0", "0,2", "0-1".
};

enum CommandBits : unsigned {
    kSbatch = 1,
    kSrun = 2,
    kSalloc = 4,
    kBoth = kSbatch | kSrun,
    kJobs = kSbatch | kSalloc | kSrun,
    kNotStep = 8,  // Says nothing of a step within a job, so srun warns there.
    kOfJob = kJobs | kNotStep,
};

struct JobOption {
    const char* name;
    char letter = 0;             // 0: it has none.
    int argument = no_argument;  // As getopt_long has it.
    unsigned commands = kJobs;
    Status (*set)(Draft& draft, const char* value) = nullptr;  // nullptr: not built yet.
};

std::span<const JobOption> job_options();

// The rows for getopt_long of one command; `val` is 1000 plus the row's place in job_options().
inline constexpr int kFirstOptionValue = 1000;
std::vector<option> getopt_rows(CommandBits command);
std::string getopt_letters(CommandBits command);
const JobOption* option_of(CommandBits command, int letter_or_value);

// Sets one option; an unbuilt one is an error that names it.
Status apply_option(const JobOption& row, Draft& draft, const char* value);

// Sets what the command's input variables say.
Status apply_environment(const Invocation& call, CommandBits command, Draft& draft);

// What one option forbids beside another, once all are read.
Status check_together(const Draft& draft);

}  // namespace berth::slurm
