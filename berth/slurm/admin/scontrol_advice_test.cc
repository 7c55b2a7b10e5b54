#include "berth/slurm/admin/scontrol_advice.h"

#include <gtest/gtest.h>

#include <sstream>

#include "berth/slurm/admin/admin_commands.h"
#include "berth/slurm/admin/scontrol_update.h"

namespace berth::slurm {
namespace {

using Words = std::vector<std::string>;

Invocation scontrol_call(const std::string& said, const Words& words = {}) {
    return {.name = "scontrol", .arguments = words, .environment = {{"BERTH_ADVICE", said}}};
}

// What scontrol says of words that it refuses before it asks the controller.
std::string refusal(const std::string& advice, const Words& words) {
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    const int code = run_scontrol(scontrol_call(advice, words), streams);
    return out.str() + err.str() + "[exit " + std::to_string(code) + "]";
}

TEST(ScontrolAdvice, NamesWhatWasMeantBelowSlurmsWords) {
    EXPECT_EQ(refusal("yes", {"shwo", "job"}),
              "invalid keyword: shwo\nscontrol: did you mean show?\n[exit 1]");
    EXPECT_EQ(refusal("yes", {"show", "jb", "1"}),
              "invalid entity:jb for keyword:show \nscontrol: did you mean job?\n[exit 1]");
    EXPECT_EQ(refusal("yes", {"update", "JobId=1", "TimeLimt=5"}),
              "Update of this parameter is not supported: TimeLimt=5\nRequest aborted\n"
              "scontrol: did you mean TimeLimit?\n[exit 1]");
    EXPECT_EQ(refusal("yes", {"update", "job", "1", "timelimt=5"}),
              "Update of this parameter is not supported: timelimt=5\nRequest aborted\n"
              "scontrol: did you mean TimeLimit?\n[exit 1]");
    EXPECT_EQ(refusal("yes", {"update", "NodeName=n1", "Sate=DRAIN"}),
              "Update of this parameter is not supported: Sate=DRAIN\nRequest aborted\n"
              "scontrol: did you mean State?\n[exit 1]");
}

TEST(ScontrolAdvice, ListsTheNamesWhereNoneIsNear) {
    EXPECT_EQ(advice_on_entity(scontrol_call("yes"), "colour"),
              "scontrol: show takes assoc_mgr, config, hostlist, hostlistsorted, hostnames, job, "
              "license, node, partition, reservation, step, topology\n");
    EXPECT_EQ(advice_on_update(scontrol_call("yes"), {"NodeName=n1", "Colour=red"}),
              "scontrol: a node has ActiveFeatures, AvailableFeatures, BerthGpus, Comment, Extra, "
              "Features, Reason, State, Weight\n");
}

TEST(ScontrolAdvice, IsSilentWhereItIsOffOrTheKeysAreKnown) {
    EXPECT_EQ(refusal("no", {"shwo"}), "invalid keyword: shwo\n[exit 1]");
    EXPECT_EQ(refusal("no", {"show", "jb"}), "invalid entity:jb for keyword:show \n[exit 1]");
    EXPECT_EQ(refusal("no", {"update", "JobId=1", "TimeLimt=5"}),
              "Update of this parameter is not supported: TimeLimt=5\nRequest aborted\n[exit 1]");
    EXPECT_EQ(advice_on_update(scontrol_call("yes"), {"JobId=1", "timelimit=soon"}), "");
    EXPECT_EQ(advice_on_update(scontrol_call("yes"), {"TimeLimt=5"}), "");
}

// Every key that advice may name is one that update takes.
TEST(ScontrolAdvice, NamesOnlyKeysThatUpdateTakes) {
    const auto is_taken = [](const std::string& entity, std::string_view key) {
        const auto update = parse_update({entity, std::string(key) + "=1"}, Time{});
        return update.ok() || update.error().message.find("not supported") == std::string::npos;
    };
    for (const std::string_view key : job_update_keys())
        EXPECT_TRUE(is_taken("JobId=1", key)) << key;
    for (const std::string_view key : node_update_keys())
        EXPECT_TRUE(is_taken("NodeName=n1", key)) << key;
    EXPECT_FALSE(is_taken("JobId=1", "Colour"));
}

TEST(ScontrolAdvice, SaysWhatToDoInsteadOfCommandsOfSlurms) {
    EXPECT_EQ(
        refusal("no", {"shutdown"}),
        "scontrol: error: scontrol shutdown is not supported: stop berthd with systemctl, or a "
        "cluster of berth up with berth down\n[exit 1]");
    EXPECT_EQ(instead_of_verb("SetDebug"),
              "start berthd with --verbose, or set SlurmctldDebug= in slurm.conf");
    EXPECT_EQ(instead_of_verb("show"), "");
}

}  // namespace
}  // namespace berth::slurm
