#include "berth/slurm/options/job_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "berth/base/text.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/step_options.h"

namespace berth::slurm {
namespace {

auto row_of(std::string_view name) {
    return std::ranges::find(job_options(), name,
                             [](const JobOption& one) { return std::string_view(one.name); });
}

TEST(JobOptions, HaveEachNameAndLetterOnce) {
    for (const CommandBits command : {kSbatch, kSrun}) {
        std::set<std::string> names;
        std::set<char> letters;
        for (const JobOption& row : job_options()) {
            if ((row.commands & command) == 0) continue;
            EXPECT_TRUE(names.insert(row.name).second) << row.name;
            EXPECT_TRUE(row.letter == 0 || letters.insert(row.letter).second) << row.name;
        }
    }
}

TEST(JobOptions, TakeExpediteAsAWayToRequeue) {
    const auto row = row_of("requeue");
    JobDraft plain, expedited;
    EXPECT_TRUE(row->set(plain, nullptr).ok());
    EXPECT_TRUE(plain.spec.requeue.value_or(false));
    EXPECT_FALSE(plain.spec.expedite);
    EXPECT_TRUE(row->set(expedited, "Expedite").ok());
    EXPECT_TRUE(expedited.spec.requeue.value_or(false));
    EXPECT_TRUE(expedited.spec.expedite);
    EXPECT_FALSE(row->set(plain, "later").ok());
}

// "set" is for variables, which always have a value. Slurm 22.05 refuses other words, "1" too.
TEST(JobOptions, TakeNoKillInTheWordsOfSlurm) {
    const auto row = row_of("no-kill");
    const auto taken = [&](const char* value) -> std::optional<bool> {
        JobDraft draft;
        draft.spec.command.edit().no_kill = value != nullptr && !iequals(value, "set");
        if (!row->set(draft, value).ok()) return std::nullopt;
        return draft.spec.command->no_kill;
    };
    EXPECT_EQ(taken(nullptr), true);
    for (const char* const on : {"set", "SET"}) EXPECT_EQ(taken(on), true) << on;
    for (const char* const off : {"off", "no", "OFF"}) EXPECT_EQ(taken(off), false) << off;
    for (const char* const wrong : {"1", "yes"}) EXPECT_EQ(taken(wrong), std::nullopt) << wrong;
}

// How the tasks of a step within a job are bound, and whether each says so.
std::pair<std::string, bool> bound_by(std::map<std::string, std::string> variables) {
    JobDraft draft;
    draft.in_a_job = true;
    const Invocation call{.name = "srun", .arguments = {}, .environment = std::move(variables)};
    EXPECT_TRUE(apply_environment(call, kSrun, draft).ok());
    return {draft.of_step.binding.cpu_bind, draft.of_step.binding.tells_cpu_bind};
}

TEST(JobOptions, TakeTheBindingOfStepsFromTheScriptButNotFromATask) {
    EXPECT_EQ(bound_by({{"SLURM_CPU_BIND", "cores"}}), std::pair(std::string("cores"), false));
    EXPECT_EQ(bound_by({{"SLURM_CPU_BIND", "verbose,map_cpu:0,2"}}),
              std::pair(std::string("map_cpu:0,2"), true));
    std::map<std::string, std::string> of_a_task = {{"SLURM_CPU_BIND", "quiet,mask_cpu:0x1,0x2"},
                                                    {"SLURM_CPU_BIND_LIST", "0x1,0x2"},
                                                    {"SLURM_CPU_BIND_TYPE", "mask_cpu:"},
                                                    {"SLURM_CPU_BIND_VERBOSE", "quiet"}};
    EXPECT_EQ(bound_by(of_a_task), std::pair(std::string(), false));
    of_a_task["SLURM_CPU_BIND"] = "none";  // Set anew in the task.
    EXPECT_EQ(bound_by(of_a_task), std::pair(std::string("none"), false));
}

TEST(JobOptions, TakeTheBindingOfTasksWithItsList) {
    const auto bound = [](const char* value) {
        JobDraft draft;
        const Status done = set_cpu_bind(draft, value);
        return done.ok() ? draft.of_step.binding.cpu_bind +
                               (draft.of_step.binding.tells_cpu_bind ? " v" : "")
                         : done.error().message.substr(0, 40);
    };
    EXPECT_EQ(bound("verbose"), " v");
    EXPECT_EQ(bound("v,cores"), "cores v");
    EXPECT_EQ(bound("no,quiet"), "none");
    EXPECT_EQ(bound("Verbose,MASK_CPU:0xC,0x3*2"), "mask_cpu:0xc,0x3*2 v");
    EXPECT_EQ(bound("rank"), "rank");
    EXPECT_EQ(bound("map_cpu:0,x"), "unrecognized --cpu-bind argument \"map_cp");
    EXPECT_EQ(bound("v,threads"), "--cpu-bind=threads is not supported yet;");
}

TEST(Arguments, KeepGetoptsRules) {
    const Invocation call{
        .name = "sbatch",
        .arguments = {"-N2", "--nta", "3", "--time=5", "-n", "4", "script", "-N", "9"},
        .environment = {}};
    const auto rows = getopt_rows(kSbatch);
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    ArgumentReader reader(call, rows, getopt_letters(kSbatch), true);
    JobDraft draft;
    while (const auto argument = reader.next(streams)) {
        EXPECT_TRUE(
            apply_option(*option_of(kSbatch, argument->letter), draft, argument->value).ok());
    }
    // "--nta" could be --ntasks or --ntasks-per-node: glibc calls that ambiguous, unless one is an
    // exact match.
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(draft.spec.request->nodes_min, 2U);
}

// glibc's words, which people and programs know.
TEST(Arguments, SayWhatIsWrongAsGetoptDoes) {
    const std::pair<const char*, const char*> cases[] = {
        {"--hold=1", "option '--hold' doesn't allow an argument"},
        {"--hol=1", "option '--hold' doesn't allow an argument"},
        {"--wrap", "option '--wrap' requires an argument"},
        {"--wra", "option '--wrap' requires an argument"},
        {"--nosuch=3", "unrecognized option '--nosuch=3'"},
        {"--ope=3", ""},  // --open-mode alone.
        {"--wr=true", ""},
        {"--par", "option '--par' is ambiguous; possibilities: '--parsable' '--partition'"},
    };
    for (const auto& [word, says] : cases) {
        const Invocation call{.name = "sbatch", .arguments = {word}, .environment = {}};
        const auto rows = getopt_rows(kSbatch);
        std::istringstream in;
        std::ostringstream out, err;
        Streams streams{in, out, err};
        ArgumentReader reader(call, rows, getopt_letters(kSbatch), true);
        while (reader.next(streams)) {
        }
        EXPECT_EQ(err.str(), *says == '\0' ? "" : "sbatch: " + std::string(says) + "\n");
    }
}

}  // namespace
}  // namespace berth::slurm
