#include "berth/slurm/options/batch_script.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

using Words = std::vector<std::string>;

TEST(BatchScript, ReadsItsDirectivesUpToTheFirstCommand) {
    const auto directives = directives_of(
        "#!/bin/bash\n"
        "#SBATCH --job-name=\"my job\" -N 2\n"
        "# a comment\n"
        "\n"
        "#SBATCH\t--gres=gpu:2  # two of them\n"
        "##SBATCH --exclusive\n"
        "#SBATCH--exclusive\n"
        "module load cuda\n"
        "#SBATCH --time=5\n");
    ASSERT_EQ(directives.size(), 3U);
    EXPECT_EQ(directives[0].words, (Words{"--job-name=my job", "-N", "2"}));
    EXPECT_EQ(directives[0].line, 2U);
    EXPECT_EQ(directives[1].words, (Words{"--gres=gpu:2"}));
    EXPECT_EQ(directives[2].words, (Words{"--exclusive"})) << "Slurm wants no blank";
}

TEST(BatchScript, NamesAQuoteThatDoesNotEnd) {
    const auto directives = directives_of("#!/bin/sh\n#SBATCH -N1 --job-name=\"first run\n");
    ASSERT_EQ(directives.size(), 1U);
    EXPECT_EQ(directives[0].unmatched, "\"--job-name=\"first run");
}

TEST(BatchScript, RefusesInSlurmsWordsWhatIsNone) {
    struct Case {
        std::string script;
        const char* says;
    };
    const Case cases[] = {
        {"", "Batch script is empty!"},
        {" \n", "contains only whitespace"},
        {"echo hello\n", "This does not look like a batch script."},
        {"#!/bin/sh\r\necho\r\n", "DOS line breaks"},
        {std::string("#!/bin/sh\n\0", 11), "NULL character"},
        {"#!/bin/sh\n" + std::string(5 * 1024 * 1024, 'x'), "Job script is too large"},
    };
    for (const Case& c : cases) {
        const Status checked = check_script(c.script);
        ASSERT_FALSE(checked.ok()) << c.says;
        EXPECT_NE(checked.error().message.find(c.says), std::string::npos)
            << checked.error().message;
    }
    EXPECT_TRUE(check_script("#!/bin/sh\n").ok());
}

}  // namespace
}  // namespace berth::slurm
