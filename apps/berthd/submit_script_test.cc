#include "apps/berthd/submit_script.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

std::string objection(std::vector<std::string> plugins, const std::string& script) {
    const Status done = check_submit_script("/etc/berth", {std::move(plugins), script});
    return done.ok() ? "" : done.error().message;
}

TEST(SubmitScript, IsCheckedWhereLuaIsNamed) {
    const std::string good =
        "function slurm_job_submit() return 0 end\nfunction slurm_job_modify() return 0 end\n";
    EXPECT_EQ(objection({"lua"}, good), "");
    EXPECT_EQ(objection({"all_partitions"}, ""), "");
    EXPECT_EQ(objection({}, "nonsense"), "");
    EXPECT_EQ(objection({"lua"}, ""),
              "the configuration in /etc/berth cannot be used: JobSubmitPlugins=lua needs "
              "/etc/berth/job_submit.lua, which is missing or empty");
    EXPECT_NE(objection({"lua"}, std::string((1 << 20) + 1, ' ')).find("longer than 1 MiB"),
              std::string::npos);
    EXPECT_NE(objection({"lua"}, "x =\n").find("job_submit.lua:2: unexpected symbol near <eof>"),
              std::string::npos);
    EXPECT_NE(objection({"lua"}, "function slurm_job_submit() end")
                  .find("it should define a function slurm_job_modify"),
              std::string::npos);
}

}  // namespace
}  // namespace berth
