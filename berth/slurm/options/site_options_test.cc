// What is said of options that a site would have to configure.
#include "berth/slurm/options/site_options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/option_fault.h"

namespace berth::slurm {
namespace {

// What srun says of it.
std::string said(const Status& set) {
    return set.ok() ? "" : option_fault("srun", set.error()).text;
}

TEST(SiteOptions, AskForTheDisplayAndThenRefuseX11) {
    const auto x11 = [](bool in_a_job, const char* display) {
        ::setenv("DISPLAY", display, 1);
        JobDraft draft;
        draft.in_a_job = in_a_job;
        const Status set = set_x11(draft, nullptr);
        EXPECT_EQ(draft.of_step.asks_for_x11, in_a_job && set.ok());
        return said(set);
    };
    EXPECT_EQ(x11(false, "login:10.0"),
              "Unable to allocate resources: X11 forwarding not available");
    EXPECT_EQ(x11(true, "login:10.0"), "");
    EXPECT_EQ(x11(false, ":4711.0"), "Cannot stat() local X11 socket `/tmp/.X11-unix/X4711`");
    EXPECT_EQ(x11(false, ":4711"), "Cannot stat() local X11 socket `/tmp/.X11-unix/X4711`");
    EXPECT_EQ(x11(true, "login"),
              "Error parsing DISPLAY environment variable. Cannot use X11 forwarding.");
    ::unsetenv("DISPLAY");
    JobDraft draft;
    EXPECT_EQ(option_fault("salloc", set_x11(draft, nullptr).error()).exit_code, kOptionError);
}

// An option may have two lines for what is wrong, each with the command's name.
TEST(OptionFault, HasTheCommandsNameBeforeEachLine) {
    const OptionFault fault = option_fault("srun", invalid_argument("too fast\nInvalid"));
    EXPECT_EQ(fault.text, "too fast\nsrun: error: Invalid");
    EXPECT_EQ(fault.exit_code, kOptionError);
}

TEST(SiteOptions, LetNobodyRebootNodes) {
    JobDraft draft;
    const std::string refused = said(set_reboot(draft, nullptr));
    if (::geteuid() == 0) {
        EXPECT_TRUE(refused.starts_with("--reboot is not supported: ")) << refused;
    } else {
        EXPECT_EQ(refused,
                  "rebooting of nodes is only allowed for admins\n"
                  "srun: error: Unable to allocate resources: Access/permission denied");
    }
    draft.in_a_job = true;
    EXPECT_TRUE(set_reboot(draft, nullptr).ok());
}

TEST(SiteOptions, ReadWhatTheyDoNotHeed) {
    JobDraft draft;
    EXPECT_TRUE(set_reserved_ports(draft, nullptr).ok());
    EXPECT_TRUE(set_reserved_ports(draft, "0").ok());
    EXPECT_FALSE(draft.of_step.reserves_ports);
    EXPECT_FALSE(set_reserved_ports(draft, "-1").ok());
    EXPECT_FALSE(set_reserved_ports(draft, "all").ok());
    EXPECT_TRUE(set_reserved_ports(draft, "2").ok());
    EXPECT_TRUE(draft.of_step.reserves_ports);
    EXPECT_TRUE(set_slurmd_debug(draft, "Debug2").ok());
    EXPECT_TRUE(set_slurmd_debug(draft, "3").ok());
    EXPECT_FALSE(set_slurmd_debug(draft, "soon").ok());
    EXPECT_FALSE(set_burst_buffer_file(draft, "/nosuch").ok());
    EXPECT_FALSE(set_burst_buffer_file(draft, "/").ok());
    EXPECT_TRUE(set_burst_buffer_file(draft, "/proc/self/exe").ok());
}

}  // namespace
}  // namespace berth::slurm
