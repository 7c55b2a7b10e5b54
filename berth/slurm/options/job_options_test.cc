#include "berth/slurm/options/job_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "berth/slurm/options/arguments.h"

namespace berth::slurm {
namespace {

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
    const auto row =
        std::ranges::find(job_options(), std::string_view("requeue"),
                          [](const JobOption& one) { return std::string_view(one.name); });
    JobDraft plain, expedited;
    EXPECT_TRUE(row->set(plain, nullptr).ok());
    EXPECT_TRUE(plain.spec.requeue.value_or(false));
    EXPECT_FALSE(plain.spec.expedite);
    EXPECT_TRUE(row->set(expedited, "Expedite").ok());
    EXPECT_TRUE(expedited.spec.requeue.value_or(false));
    EXPECT_TRUE(expedited.spec.expedite);
    EXPECT_FALSE(row->set(plain, "later").ok());
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
