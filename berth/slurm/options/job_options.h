// JobOptions: the one table of options that sbatch and srun share: long name, letter, which command
// takes it, and what it sets. Options of Slurm that are not built yet are in
// it too, so that they are refused by name and never ignored.
#pragma once

#include <getopt.h>

#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

enum CommandBits : unsigned {
    kSbatch = 1,
    kSrun = 2,
    kSalloc = 4,
    kBoth = kSbatch | kSrun,
    kJobs = kSbatch | kSalloc | kSrun,
    kNotStep = 8,  // Has no effect on a step within a job, so srun warns there.
    kOfJob = kJobs | kNotStep,
};

struct JobOption {
    const char* name;
    char letter = 0;             // 0: none.
    int argument = no_argument;  // As getopt_long has it.
    unsigned commands = kJobs;
    Status (*set)(JobDraft& draft, const char* value) = nullptr;  // nullptr: not built yet.
};

std::span<const JobOption> job_options();

// The rows for getopt_long of one command; `val` is 1000 plus the row's place in job_options().
inline constexpr int kFirstOptionValue = 1000;
std::vector<option> getopt_rows(CommandBits command);
std::string getopt_letters(CommandBits command);
const JobOption* option_of(CommandBits command, int letter_or_value);

// Sets one option; an unbuilt one is an error that names it.
Status apply_option(const JobOption& row, JobDraft& draft, const char* value,
                    OfCpus::From from = OfCpus::From::command_line);

// Sets what the command's input variables say.
Status apply_environment(const Invocation& call, CommandBits command, JobDraft& draft);

// What one option forbids beside another, once all are read.
Status check_together(JobDraft& draft);
// The same, and prints which options have no effect beside others.
Status check_together(JobDraft& draft, const Invocation& call, Streams& streams);
// Of a job that sbatch or salloc submits: who has the GPUs of --gpus-per-task?
Status check_gpus_of_tasks(const JobDraft& draft);

}  // namespace berth::slurm
