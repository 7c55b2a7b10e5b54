#include "berth/slurm/options/command_help.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "berth/base/text.h"
#include "berth/slurm/options/other_options.h"

namespace berth::slurm {
namespace {

struct CommandHelp {
    std::string_view command, name;  // Command "*": of all that take it, unless they have a row.
    OptionWords words;
};

// clang-format off
constexpr auto kCommandHelp = std::to_array<CommandHelp>({
    {"*", "array", {"", "each task of an array on a line of its own"}},
    {"*", "clusters", {"NAMES", "the cluster; there is one"}},
    {"*", "cluster", {"NAMES", "the cluster; there is one"}},
    {"*", "json", {"[=VERSION]", "print JSON, in the shape of Slurm's data_parser: v0.0.44 or v0.0.43"}},
    {"*", "yaml", {"[=VERSION]", "print YAML, as --json prints JSON"}},
    {"*", "noheader", {"", "without the line of column names"}},
    {"*", "hide", {"", "leave hidden partitions out"}},
    {"*", "iterate", {"SECONDS", "show it again and again, at this interval"}},
    {"*", "noconvert", {"", "memory in MB, whatever its size"}},
    {"*", "parsable", {"", "a bar after each field"}},
    {"*", "parsable2", {"", "bars between the fields"}},
    {"*", "verbose", {"", "say more; may be given again"}},
    {"*", "quiet", {"", "no words but errors"}},
    {"sacct", "accounts", {"NAMES", "of these accounts"}},
    {"sacct", "allclusters", {"", "all clusters; there is one"}},
    {"sacct", "allocations", {"", "jobs without their steps"}},
    {"sacct", "allusers", {"", "jobs of all users"}},
    {"sacct", "associations", {"IDS", "of these associations, as scontrol show assoc_mgr numbers them"}},
    {"sacct", "batch-script", {"", "the scripts of the jobs that -j names"}},
    {"sacct", "brief", {"", "job, state and exit code"}},
    {"sacct", "completion", {"", "refused, as in Slurm without JobCompType"}},
    {"sacct", "constraints", {"FEATURES", "jobs that asked for all of these features"}},
    {"sacct", "delimiter", {"TEXT", "this instead of a bar, with -p and -P"}},
    {"sacct", "duplicates", {"", "every run of a job that was requeued"}},
    {"sacct", "endtime", {"TIME", "jobs that were there before: now-1hour, 16:00, 2026-12-24T18:00 (now)"}},
    {"sacct", "env-vars", {"", "NONE: the environment of jobs is not kept"}},
    {"sacct", "expand-patterns", {"", "StdOut, StdErr and StdIn with their patterns filled in"}},
    {"sacct", "file", {"FILE", "refused, as --completion"}},
    {"sacct", "flags", {"FLAGS", "jobs that have started (SchedMain), or have not (None)"}},
    {"sacct", "format", {"FIELDS", "these fields: JobID,State%12; --helpformat lists all"}},
    {"sacct", "gid", {"NAMES", "of these groups"}},
    {"sacct", "group", {"NAMES", "of these groups"}},
    {"sacct", "helpformat", {"", "list the fields"}},
    {"sacct", "jobs", {"IDS", "these jobs, tasks or steps: 12,13_4,14.0,15.batch"}},
    {"sacct", "long", {"", "more fields"}},
    {"sacct", "name", {"NAMES", "jobs of these names"}},
    {"sacct", "ncpus", {"N[-M]", "jobs that were given so many CPUs"}},
    {"sacct", "nnodes", {"N[-M]", "jobs that were given so many nodes"}},
    {"sacct", "nodelist", {"NODES", "jobs that ran on any of these nodes"}},
    {"sacct", "partition", {"NAMES", "in these partitions"}},
    {"sacct", "qos", {"NAMES", "of these QOS"}},
    {"sacct", "reason", {"REASONS", "jobs with one of these reasons: Priority,NonZeroExitCode"}},
    {"sacct", "starttime", {"TIME", "jobs that were there since then (today, or always with -j)"}},
    {"sacct", "state", {"STATES", "jobs in these states: CD,F or completed,failed"}},
    {"sacct", "timelimit-max", {"TIME", "with -k: of time limits up to this one"}},
    {"sacct", "timelimit-min", {"TIME", "of exactly this time limit, or with -K from it on"}},
    {"sacct", "truncate", {"", "only what lies between -S and -E counts as run"}},
    {"sacct", "uid", {"NAMES", "as --user"}},
    {"sacct", "units", {"UNIT", "memory in K, M, G, T or P"}},
    {"sacct", "user", {"NAMES", "jobs of these users (your own; of all for root)"}},
    {"sacct", "wckeys", {"KEYS", "jobs with one of these keys"}},
    {"sacct", "whole-hetjob", {"[=yes|no]", "with -j: all components of the job, or those named alone"}},
    {"sacctmgr", "associations", {"", "with the associations of each account or user"}},
    {"sacctmgr", "immediate", {"", "change without asking"}},
    {"sacctmgr", "readonly", {"", "refuse all changes"}},
    {"sattach", "error-filter", {"TASK", "standard error of this task alone"}},
    {"sattach", "input-filter", {"TASK", "send input to this task alone"}},
    {"sattach", "label", {"", "write the task's number before each line"}},
    {"sattach", "layout", {"", "print where the tasks run, and exit"}},
    {"sattach", "output-filter", {"TASK", "standard output of this task alone"}},
    {"sattach", "pty", {"", "a terminal for task 0"}},
    {"sbcast", "compress", {"[=KIND]", "no effect: the file is sent as it is"}},
    {"sbcast", "exclude", {"FOLDERS", "--send-libs leaves out what lies there; NONE: nothing"}},
    {"sbcast", "fanout", {"N", "no effect: the file goes to all nodes at once"}},
    {"sbcast", "force", {"", "replace a file that is there"}},
    {"sbcast", "jobid", {"ID", "to the nodes of this job, or of this step: 12, 12.0 (the job that runs this)"}},
    {"sbcast", "preserve", {"", "keep times and mode"}},
    {"sbcast", "send-libs", {"[=yes|no]", "the libraries of a program too, into a folder beside it"}},
    {"sbcast", "size", {"BYTES", "no effect: the file is sent in one piece"}},
    {"scancel", "account", {"NAME", "jobs of this account"}},
    {"scancel", "admin-comment", {"TEXT", "what an operator says of the jobs, shown by sacct"}},
    {"scancel", "batch", {"", "signal the batch script alone"}},
    {"scancel", "ctld", {"", "the controller is always asked"}},
    {"scancel", "full", {"", "signal the script and all of its steps"}},
    {"scancel", "interactive", {"", "ask for each job"}},
    {"scancel", "jobname", {"NAME", "as --name"}},
    {"scancel", "me", {"", "your own jobs"}},
    {"scancel", "name", {"NAME", "jobs of this name"}},
    {"scancel", "nodelist", {"NODES", "jobs on any of these nodes"}},
    {"scancel", "partition", {"NAME", "jobs in this partition"}},
    {"scancel", "qos", {"NAME", "jobs of this QOS"}},
    {"scancel", "quiet", {"", "say nothing of a job that cannot be cancelled"}},
    {"scancel", "reservation", {"NAME", "jobs in this reservation"}},
    {"scancel", "sibling", {"NAME", "refused: no job belongs to a federation"}},
    {"scancel", "signal", {"SIGNAL", "send this instead of ending the jobs: USR1, TERM, 10"}},
    {"scancel", "state", {"STATE", "jobs in this state: PENDING, RUNNING, SUSPENDED"}},
    {"scancel", "user", {"NAME", "jobs of this user"}},
    {"scancel", "wckey", {"KEY", "jobs with this key"}},
    {"scontrol", "all", {"", "hidden partitions too"}},
    {"scontrol", "details", {"", "more of each record: cores and GPUs of each node"}},
    {"scontrol", "oneliner", {"", "each record on a line of its own"}},
    {"sdiag", "all", {"", "all counters"}},
    {"sdiag", "reset", {"", "set the counters back"}},
    {"sdiag", "sort-by-id", {"", "calls by their number"}},
    {"sdiag", "sort-by-time", {"", "calls by the time that they took in all"}},
    {"sdiag", "sort-by-time2", {"", "calls by the time that each took"}},
    {"sinfo", "Format", {"NAMES", "these columns, by name: NodeList:20,StateLong,CPUsState"}},
    {"sinfo", "Node", {"", "a line for each node"}},
    {"sinfo", "all", {"", "hidden partitions too"}},
    {"sinfo", "dead", {"", "nodes that do not respond"}},
    {"sinfo", "exact", {"", "nodes that differ are never on one line"}},
    {"sinfo", "format", {"FORMAT", "these columns: %P, %.6D, %20N; %all has each"}},
    {"sinfo", "list-reasons", {"", "why nodes are down or drained, who said so, and when"}},
    {"sinfo", "long", {"", "more columns"}},
    {"sinfo", "nodes", {"NODES", "these nodes"}},
    {"sinfo", "partition", {"NAMES", "these partitions"}},
    {"sinfo", "reservation", {"", "reservations instead"}},
    {"sinfo", "responding", {"", "nodes that respond"}},
    {"sinfo", "sort", {"FIELDS", "in the order of these letters of -o: P,-t"}},
    {"sinfo", "states", {"STATES", "nodes in these states: idle,drain or drain&alloc"}},
    {"sinfo", "summarize", {"", "a line for each partition"}},
    {"sprio", "format", {"FORMAT", "these columns: %i, %.10Y"}},
    {"sprio", "jobs", {"[=IDS]", "these jobs"}},
    {"sprio", "long", {"", "more columns"}},
    {"sprio", "norm", {"", "each factor as a part of one"}},
    {"sprio", "partition", {"NAMES", "jobs in these partitions"}},
    {"sprio", "sort", {"FIELDS", "in the order of these letters of -o: -Y,i"}},
    {"sprio", "user", {"NAMES", "jobs of these users"}},
    {"sprio", "users", {"NAMES", "as --user"}},
    {"sprio", "weights", {"", "the configured weights instead"}},
    {"squeue", "Format", {"NAMES", "these columns, by name: JobID,Name:30,tres-per-node"}},
    {"squeue", "account", {"NAMES", "jobs of these accounts"}},
    {"squeue", "all", {"", "hidden partitions too"}},
    {"squeue", "array-unique", {"", "each waiting task of an array on a line of its own"}},
    {"squeue", "format", {"FORMAT", "these columns: %i, %.9P, %20j; %all has each"}},
    {"squeue", "jobs", {"[=IDS]", "these jobs and tasks: 12,13_4,14+1"}},
    {"squeue", "licenses", {"NAMES", "jobs that ask for these licences"}},
    {"squeue", "long", {"", "more columns"}},
    {"squeue", "me", {"", "your own jobs"}},
    {"squeue", "name", {"NAMES", "jobs of these names"}},
    {"squeue", "nodelist", {"NODES", "jobs on any of these nodes"}},
    {"squeue", "notme", {"", "all jobs but your own"}},
    {"squeue", "only-job-state", {"", "ids and states alone, which asks less of the controller"}},
    {"squeue", "partition", {"NAMES", "jobs in these partitions"}},
    {"squeue", "priority", {"", "a job in several partitions is listed for each"}},
    {"squeue", "qos", {"NAMES", "jobs of these QOS"}},
    {"squeue", "reservation", {"NAMES", "jobs in these reservations"}},
    {"squeue", "running-over", {"TIME", "running jobs that have run longer: 30, 1:30:00, 2-12"}},
    {"squeue", "running-under", {"TIME", "running jobs that have not run so long"}},
    {"squeue", "sort", {"FIELDS", "in the order of these letters of -o: P,t,-p"}},
    {"squeue", "start", {"", "when waiting jobs are planned to start, and where"}},
    {"squeue", "states", {"STATES", "jobs in these states: R,PD, completed, all"}},
    {"squeue", "steps", {"[=STEPS]", "running steps: all, of these jobs, or these: 12.0"}},
    {"squeue", "user", {"NAMES", "jobs of these users"}},
    {"sreport", "all_clusters", {"", "all clusters; there is one"}},
    {"sreport", "quiet", {"", "do not say what is not kept"}},
    {"sreport", "tres", {"NAMES", "of these TRES: cpu,mem,gres/gpu, or ALL (cpu)"}},
    {"sshare", "Users", {"", "users without their accounts"}},
    {"sshare", "accounts", {"NAMES", "of these accounts"}},
    {"sshare", "all", {"", "all users (your own associations)"}},
    {"sshare", "format", {"FIELDS", "these fields; --helpformat lists all"}},
    {"sshare", "helpformat", {"", "list the fields"}},
    {"sshare", "long", {"", "more fields"}},
    {"sshare", "partition", {"", "no partition has shares of its own"}},
    {"sshare", "users", {"NAMES", "of these users"}},
    {"sstat", "allsteps", {"", "all running steps of a job"}},
    {"sstat", "fields", {"FIELDS", "as --format"}},
    {"sstat", "format", {"FIELDS", "these fields; --helpformat lists all"}},
    {"sstat", "helpformat", {"", "list the fields"}},
    {"sstat", "jobs", {"IDS", "these jobs or steps: 12, 12.0, 12.batch"}},
    {"sstat", "steps", {"IDS", "as --jobs"}},
});
// clang-format on

bool says_nothing_more(const option& one) {
    return std::strcmp(one.name, "help") == 0 || std::strcmp(one.name, "usage") == 0 ||
           std::strcmp(one.name, "version") == 0;
}

bool has_no_meaning(std::string_view option_name) {
    const auto all = options_without_meaning();
    return std::ranges::find(all, option_name, &OtherOption::name) != all.end();
}

// "  -j, --jobs=IDS                these jobs"
std::string help_line(const option& one, std::string_view letters, const OptionWords& words) {
    constexpr std::size_t kTextAt = 30;
    const auto letter = static_cast<char>(one.val);
    const bool has_letter = one.val > ' ' && one.val <= '~' &&
                            std::strcmp(one.name, "usage") != 0 &&
                            letters.find(letter) != std::string_view::npos;
    std::string line = has_letter ? std::string("  -") + letter + ", --" : std::string("      --");
    line += one.name;
    if (one.has_arg == required_argument) line += "=";
    line += words.value;
    line += line.size() + 2 > kTextAt ? "\n" + std::string(kTextAt, ' ')
                                      : std::string(kTextAt - line.size(), ' ');
    return line.append(words.text).append("\n");
}

}  // namespace

OptionWords option_words(std::string_view command, std::string_view option_name) {
    OptionWords words;
    for (const CommandHelp& row : kCommandHelp) {
        if (row.name != option_name) continue;
        if (row.command == command) return row.words;
        if (row.command == "*") words = row.words;
    }
    return words;
}

std::string command_help(const Invocation& call, std::span<const option> options,
                         std::string_view letters) {
    std::vector<const option*> ours;
    std::string help, ignored;
    for (const option& one : options) {
        if (one.name == nullptr || is_refused(call.name, one.name)) continue;
        const bool ends_here = says_nothing_more(one);
        const OptionWords words = option_words(call.name, one.name);
        if (ends_here) {
            const bool is_version = std::strcmp(one.name, "version") == 0;
            help +=
                help_line(one, letters,
                          {.value = "", .text = is_version ? "print the version" : "print this"});
        } else if (has_no_meaning(one.name) && words.text.empty()) {
            ignored += std::string(" --") + one.name;
        } else {
            ours.push_back(&one);
        }
    }
    std::ranges::sort(ours, {}, [](const option* one) { return to_lower(one->name); });
    std::string text = ours.empty() ? "" : "\nOptions:\n";
    for (const option* one : ours)
        text += help_line(*one, letters, option_words(call.name, one->name));
    text += "\nHelp options:\n" + help;
    if (!ignored.empty()) text += "\nAccepted, and without meaning here:\n " + ignored + "\n";
    return text;
}

}  // namespace berth::slurm
