#include "berth/slurm/text/prompt.h"

#include <gtest/gtest.h>

#include <sstream>

namespace berth::slurm {
namespace {

using Words = std::vector<std::string>;

TEST(Prompt, TakesLinesApart) {
    EXPECT_EQ(prompt_words("show job  12\t-d"), (Words{"show", "job", "12", "-d"}));
    EXPECT_EQ(prompt_words(R"(update JobId=1 Comment="a  b" Name='c "d')"),
              (Words{"update", "JobId=1", "Comment=a  b", "Name=c \"d"}));
    EXPECT_EQ(prompt_words(R"(x "" y)"), (Words{"x", "", "y"}));
    EXPECT_EQ(prompt_words(R"(open "quote)"), (Words{"open", "quote"}));
    EXPECT_EQ(prompt_words("  \t"), Words{});
}

// What was run, "a b|c", and what was printed.
struct PromptRun {
    std::string commands, printed;
    int code = 0;
};

PromptRun ran(const std::string& lines, bool echo) {
    std::istringstream in(lines);
    std::ostringstream out, err;
    Streams streams{in, out, err};
    PromptRun all;
    all.code = run_prompt("scontrol", echo, streams, [&](const Words& words) {
        for (const std::string& word : words) all.commands += word + " ";
        all.commands += "|";
        return words.front() == "fails" ? 1 : 0;
    });
    all.printed = out.str();
    return all;
}

TEST(Prompt, RunsEachLineAndRepeatsTheLast) {
    const PromptRun all = ran("ping\n\n!!\nfails\nshow job 1\nquit\nping\n", false);
    EXPECT_EQ(all.commands, "ping |ping |fails |show job 1 |");
    EXPECT_EQ(all.code, 1) << "one of them failed";
    EXPECT_EQ(all.printed, "scontrol: scontrol: scontrol: scontrol: scontrol: scontrol: ");
}

TEST(Prompt, EndsWithTheInput) {
    const PromptRun all = ran("!!\nping", true);
    EXPECT_EQ(all.commands, "ping |") << "there was nothing to repeat";
    EXPECT_EQ(all.code, 0);
    EXPECT_EQ(all.printed, "scontrol: !!\nscontrol: ping\nscontrol: \n");
    EXPECT_EQ(ran("exit\nping\n", true).commands, "");
}

}  // namespace
}  // namespace berth::slurm
