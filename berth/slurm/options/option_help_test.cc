// --help of sbatch, srun and salloc: each option that has an effect is in it.
#include "berth/slurm/options/option_help.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/slurm/options/other_options.h"

namespace berth::slurm {
namespace {

TEST(OptionHelp, HasEachOption) {
    const auto without_meaning = options_without_meaning();
    for (const CommandBits command : {kSbatch, kSrun, kSalloc}) {
        const std::string help = job_options_help(command);
        for (const JobOption& row : job_options()) {
            const bool is_ours = (row.commands & command) != 0 && row.set != nullptr;
            const std::string name = std::string("--") + row.name;
            if (!is_ours) continue;
            EXPECT_NE(help.find(name), std::string::npos) << name;
            const bool has_meaning = std::ranges::find(without_meaning, std::string_view(row.name),
                                                       &OtherOption::name) == without_meaning.end();
            EXPECT_EQ(help_on(row.name, command).empty(), !has_meaning) << name;
        }
    }
}

TEST(OptionHelp, SaysNothingOfOptionsThatTheCommandHasNot) {
    EXPECT_EQ(job_options_help(kSbatch).find("--multi-prog"), std::string::npos);
    EXPECT_EQ(job_options_help(kSalloc).find("--wrap"), std::string::npos);
    EXPECT_EQ(job_options_help(kSrun).find("--container"), std::string::npos);  // Refused.
}

TEST(OptionHelp, FitsATerminal) {
    EXPECT_NE(job_options_help(kSbatch).find("  -N, --nodes=N[-MAX]             how many nodes\n"),
              std::string::npos);
    EXPECT_NE(job_options_help(kSrun).find("  -W, --wait=SECONDS              end the step"),
              std::string::npos);
    for (const CommandBits command : {kSbatch, kSrun, kSalloc}) {
        std::size_t width = 0;
        for (const char c : job_options_help(command)) {
            width = c == '\n' ? 0 : width + 1;
            if (width == 116) ADD_FAILURE() << "a line of --help is too long";
        }
    }
}

}  // namespace
}  // namespace berth::slurm
