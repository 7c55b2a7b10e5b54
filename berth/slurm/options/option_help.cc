#include "berth/slurm/options/option_help.h"

#include <algorithm>
#include <array>

#include "berth/slurm/options/other_options.h"

namespace berth::slurm {
namespace {

struct Help {
    std::string_view name;
    std::string_view value;  // What stands behind "=".
    std::string_view text;
    unsigned commands = kJobs;
};
struct Section {
    std::string_view heading;
    std::span<const Help> rows;
};

// clang-format off
constexpr auto kRunHelp = std::to_array<Help>({
    {"account", "NAME", "the account that the job is charged to"},
    {"array", "INDICES", "so many jobs of one script: 0-9, 1,3,5-7, 0-99%4 (four at a time)"},
    {"begin", "TIME", "no start before: now+1hour, 16:00, tomorrow, 2026-12-24T18:00"},
    {"bcast", "[=PATH]", "copy the program to the job's nodes, and run the copy"},
    {"bcast-exclude", "FOLDERS", "--send-libs leaves out what lies there; NONE: nothing"},
    {"bell", "", "ring the terminal's bell when the job starts"},
    {"chdir", "DIR", "the working directory"},
    {"clusters", "NAMES", "the cluster; there is one"},
    {"comment", "TEXT", "any words, shown by squeue and sacct"},
    {"compress", "[=lz4|none]", "no effect: --bcast sends the program as it is"},
    {"cpus-per-task", "N", "CPUs for each task"},
    {"deadline", "TIME", "end the job if it cannot be over by then"},
    {"dependency", "LIST", "wait for other jobs: afterok:12, afterany:12:13, singleton"},
    {"disable-status", "", "the first Ctrl-C goes to the tasks"},
    {"distribution", "HOW", "tasks over nodes: block, cyclic, plane=SIZE"},
    {"epilog", "PROGRAM", "run it here after the step"},
    {"error", "FILE", "standard error; %j is the job, %A and %a of an array, %t the task"},
    {"extra", "TEXT", "any words, shown by scontrol and sacct"},
    {"export", "NAMES", "variables to pass on: ALL, NONE, NAME, NAME=VALUE, with commas"},
    {"export-file", "FILE", "variables from a file, or a descriptor's number"},
    {"preserve-env", "", "tasks keep SLURM_NTASKS and SLURM_JOB_NUM_NODES as they are here"},
    {"task-epilog", "PROGRAM", "run it on the nodes after each task"},
    {"task-prolog", "PROGRAM", "run it on the nodes before each task"},
    {"gid", "GROUP", "submit with this group (root only)"},
    {"uid", "USER", "submit as this user (root only)"},
    {"get-user-env", "[=SECONDS]", "the variables that the user's login shell has on the node", kSbatch},
    {"get-user-env", "[=SECONDS]", "the variables that the user's login shell has here (root only)", kSalloc},
    {"ignore-pbs", "", "leave #PBS and #BSUB lines of the script out"},
    {"pack-group", "LIST", "as --het-group"},
    {"het-group", "LIST", "components of a heterogeneous job for the step: 0, 0,2, 0-1"},
    {"hold", "", "wait until scontrol release"},
    {"immediate", "[=SECONDS]", "give up if the job does not start in time (1 second)"},
    {"input", "FILE", "standard input"},
    {"job-name", "NAME", "the job's name"},
    {"jobid", "ID", "run the step in this job"},
    {"kill-command", "[=SIGNAL]", "send it to the command when the job ends first (SIGTERM)"},
    {"kill-on-bad-exit", "[=0|1]", "end the step when a task fails"},
    {"kill-on-invalid-dep", "yes|no", "cancel the job once its dependency has failed"},
    {"label", "", "write the task's number before each line"},
    {"mail-type", "TYPES", "when to write mail: BEGIN, END, FAIL, REQUEUE, ALL, TIME_LIMIT_80 …"},
    {"mail-user", "ADDRESS", "whom to write to"},
    {"mpi", "TYPE", "none, pmi2, pmix; list prints them"},
    {"multi-prog", "", "the command is a file that says what each task runs"},
    {"network", "TEXT", "what SLURM_NETWORK says to the job: no node reads it"},
    {"nice", "[=N]", "lower the priority by so much (100)"},
    {"no-bell", "", "never ring the terminal's bell"},
    {"no-kill", "[=off]", "go on when a node other than the first is lost"},
    {"no-requeue", "", "never run the job again"},
    {"no-shell", "", "leave the allocation without a command"},
    {"nodes", "N[-MAX]", "how many nodes"},
    {"ntasks", "N", "how many tasks"},
    {"open-mode", "append|truncate", "what becomes of an output file that exists"},
    {"output", "FILE", "standard output; see --error"},
    {"overlap", "", "the step shares its resources with other steps"},
    {"parsable", "", "print the job's number alone"},
    {"partition", "NAME", "the partition"},
    {"priority", "N", "the job's priority, as an operator sets it; TOP"},
    {"profile", "none", "profiles are not written"},
    {"prolog", "PROGRAM", "run it here before the step"},
    {"propagate", "[=LIMITS]", "limits of this shell for the job: ALL, NONE, NOFILE,STACK …"},
    {"pty", "", "the first task has a terminal"},
    {"qos", "NAME", "the quality of service"},
    {"quiet", "", "no words but errors"},
    {"quit-on-interrupt", "", "the first Ctrl-C ends the step"},
    {"reboot", "", "nodes rebooted first: refused, for users as in Slurm"},
    {"relative", "N", "begin with this node of the job; the first is 0"},
    {"requeue", "[=expedite]", "run the job again after a failure of its node"},
    {"resv-ports", "[=N]", "refused with a number: there are no ports to reserve"},
    {"send-libs", "[=yes|no]", "--bcast copies the program's libraries too"},
    {"signal", "[B:]SIGNAL[@SECONDS]", "send it before the time limit (60 seconds)"},
    {"switches", "N[@TIME]", "at most so many switches, for so long as it may wait for them"},
    {"tasks-per-node", "N", "as --ntasks-per-node"},
    {"test-only", "", "say when the job would start, and do not submit it"},
    {"time", "TIME", "the time limit: minutes, hours:minutes:seconds, days-hours"},
    {"time-min", "TIME", "the least time limit with which it may start earlier"},
    {"unbuffered", "", "pass output on at once, not by lines"},
    {"verbose", "", "say more; may be given again"},
    {"wait", "", "wait for the job's end, and exit as it does", kSbatch},
    {"wait", "SECONDS", "end the step so long after its first task has ended", kSrun},
    {"wckey", "KEY", "a key to account the job under"},
    {"wrap", "COMMAND", "the command is the script"},
    {"x11", "[=all|first|last]", "refused, as in Slurm without X11 forwarding: use ssh -X"},
});
constexpr auto kConstraintHelp = std::to_array<Help>({
    {"batch", "FEATURES", "of --constraint those that the script's node is to have"},
    {"constraint", "FEATURES", "features that nodes must have: a&b, a|b"},
    {"contiguous", "", "nodes that are neighbours"},
    {"cores-per-socket", "N", "nodes with at least so many cores in a socket"},
    {"exclude", "NODES", "not these nodes, or those that the file lists"},
    {"exclusive", "", "whole nodes; for a step: CPUs that no other step has"},
    {"extra-node-info", "S[:C[:T]]", "nodes with at least so many sockets, cores, threads; * for any"},
    {"hint", "WORD", "compute_bound: one thread of a core; multithread; memory_bound"},
    {"nodefile", "FILE", "a file that lists the nodes to have"},
    {"nodelist", "NODES", "nodes to have: n1, n[1-4,7], or a file"},
    {"oversubscribe", "", "share cores with other jobs that ask for it, and take turns"},
    {"prefer", "FEATURES", "features that nodes should have: a&b"},
    {"reservation", "NAME", "run in this reservation"},
    {"segment", "N", "nodes in groups of so many, each within a block"},
    {"sockets-per-node", "N", "nodes with at least so many sockets"},
    {"spread-job", "", "nodes wherever they are, under any switches"},
    {"threads-per-core", "N", "nodes with so many threads in a core; tasks use no more"},
    {"tres-per-task", "LIST", "what each task has: cpu=4,gres/gpu=1,license/matlab=1"},
    {"tmp", "SIZE", "nodes with at least so large a temporary disk"},
    {"use-min-nodes", "", "of --nodes=2-4 as few as it takes"},
});
constexpr auto kResourceHelp = std::to_array<Help>({
    {"core-spec", "N", "no effect, as where the site does not allow it"},
    {"cpu-bind", "[verbose,]HOW", "CPUs of each task: cores, sockets, none, rank, map_cpu:LIST, mask_cpu:LIST"},
    {"cpu-freq", "P[-Q[:GOVERNOR]]", "the speed of each step's CPUs: kHz, low, medium, high, performance"},
    {"cpu_bind", "[verbose,]HOW", "as --cpu-bind"},
    {"cpus-per-gpu", "N", "CPUs for each GPU"},
    {"exact", "", "the step has only what it asks for"},
    {"gres", "LIST", "of each node: gpu:2, gpu:a100:2, shard:4; none"},
    {"licenses", "LIST", "licences: matlab:2"},
    {"mem", "SIZE", "memory of each node: 500M, 4G; 0: all of it"},
    {"mem-bind", "HOW", "whose NUMA nodes' memory tasks use: local, rank, map_mem:…, mask_mem:…"},
    {"mincpus", "N", "so many CPUs on each node, at least"},
    {"mem-per-cpu", "SIZE", "memory for each CPU"},
    {"mem-per-gpu", "SIZE", "memory for each GPU"},
    {"overcommit", "", "CPUs of one task for all tasks of a node"},
    {"ntasks-per-core", "N", "tasks on each core, at most"},
    {"ntasks-per-node", "N", "tasks on each node"},
    {"ntasks-per-socket", "N", "tasks on each socket, at most"},
    {"thread-spec", "N", "no effect, as --core-spec"},
});
constexpr auto kGpuHelp = std::to_array<Help>({
    {"accel-bind", "g", "each task has the GPUs near its cores"},
    {"gpu-bind", "HOW", "GPUs of each task: closest, none, single:N, per_task:N, map_gpu:LIST"},
    {"gpu-freq", "[memory=]CLOCK", "clocks of each step's GPUs: MHz, low, medium, highm1 or high"},
    {"gres-flags", "disable-binding", "cores need not be near the GPUs, as in any case"},
    {"gpus", "[TYPE:]N", "GPUs of the whole job"},
    {"gpus-per-node", "[TYPE:]N", "GPUs of each node"},
    {"gpus-per-socket", "[TYPE:]N", "GPUs near each socket; with --sockets-per-node"},
    {"gpus-per-task", "[TYPE:]N", "GPUs for each task"},
    {"ntasks-per-gpu", "N", "tasks for each GPU"},
});
constexpr auto kBerthHelp = std::to_array<Help>({
    {"berth-affinity", "LIST", "beside these: node:JOB, gpu:JOB, feature:NAME; ? where only preferred"},
    {"berth-anti-affinity", "LIST", "away from these, written likewise"},
    {"berth-checkpoint", "FILE", "what the script saves when it is warned that it is preempted", kSbatch},
    {"berth-compact", "", "the fewest switches"},
    {"berth-compute-capability", "N.N", "GPUs of this compute capability or a later one"},
    {"berth-gpu-memory", "SIZE", "GPUs with at least this memory"},
    {"berth-max-wait", "TIME", "end the job if it has not started by then"},
    {"berth-pack", "", "the fullest nodes that have room"},
    {"berth-presume-dead", "", "end the job without proof when its node stops responding"},
    {"berth-priority-class", "NAME", "the priority class"},
    {"berth-restart-cost", "TIME", "what it takes to be where it was when it runs again", kSbatch},
});
// clang-format on

constexpr std::array<Section, 5> kSections{
    Section{"Parallel run options:", kRunHelp}, Section{"Constraint options:", kConstraintHelp},
    Section{"Consumable resources related options:", kResourceHelp},
    Section{"GPU scheduling options:", kGpuHelp}, Section{"Berth's own options:", kBerthHelp}};

const Help* row_of(const Section& section, std::string_view name, CommandBits command) {
    const auto found = std::ranges::find_if(section.rows, [&](const Help& row) {
        return row.name == name && (row.commands & command) != 0;
    });
    return found == section.rows.end() ? nullptr : &*found;
}

bool is_without_meaning(std::string_view name) {
    const auto all = options_without_meaning();
    return std::ranges::find(all, name, &OtherOption::name) != all.end();
}

// "  -N, --nodes=N[-MAX]         how many nodes"
std::string line_of(const JobOption& option, const Help& help) {
    constexpr std::size_t kTextAt = 34;
    std::string line =
        option.letter == 0 ? "      --" : std::string("  -") + option.letter + ", --";
    line += option.name;
    if (!help.value.empty()) line += option.argument == optional_argument ? "" : "=";
    line += help.value;
    line += line.size() + 2 > kTextAt ? "\n" + std::string(kTextAt, ' ')
                                      : std::string(kTextAt - line.size(), ' ');
    return line.append(help.text).append("\n");
}

}  // namespace

std::string_view help_on(std::string_view option_name, CommandBits command) {
    for (const Section& section : kSections) {
        if (const Help* const row = row_of(section, option_name, command)) return row->text;
    }
    return {};
}

std::string job_options_help(CommandBits command) {
    std::string text, ignored;
    const auto ours = [&](const JobOption& row) {
        return (row.commands & command) != 0 && row.set != nullptr;
    };
    for (const Section& section : kSections) {
        text.append("\n").append(section.heading).append("\n");
        for (const JobOption& option : job_options()) {
            const Help* const help = ours(option) ? row_of(section, option.name, command) : nullptr;
            if (help != nullptr) text += line_of(option, *help);
        }
    }
    constexpr std::size_t kWidth = 78;
    std::size_t width = 0;
    for (const JobOption& option : job_options()) {
        if (!ours(option) || !is_without_meaning(option.name)) continue;
        const std::string word = std::string(" --") + option.name;
        if (width == 0 || width + word.size() > kWidth) {
            ignored += "\n ";
            width = 1;
        }
        ignored += word;
        width += word.size();
    }
    return text +
           "\nHelp options:\n  -h, --help                      print this\n"
           "      --usage                     the same\n"
           "  -V, --version                   print the version\n\n"
           "Accepted, and without meaning here:" +
           ignored + "\n";
}

}  // namespace berth::slurm
