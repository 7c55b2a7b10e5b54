// The seed's worked example (three files, verbatim, in tests/config/seed_example): what real Slurm
// says of it, we say at the same lines. BERTH_BLESS=1 writes findings.txt anew; read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "berth/base/hostlist.h"
#include "berth/config/config_rig.h"
#include "berth/config/files.h"
#include "berth/config/load.h"

namespace berth::config {
namespace {

const std::string kExample = BERTH_SOURCE_DIR "/tests/config/seed_example";

Loaded load_example(const std::string& more = "") {
    ConfigFiles files = read_directory(kExample).value();
    files.slurm->text += more;
    return load(files);
}

TEST(SeedExample, HasTheErrorsAndWarningsOfRealSlurmAtTheirLines) {
    const std::string actual = text_of(load_example());
    if (std::getenv("BERTH_BLESS")) std::ofstream(kExample + "/findings.txt") << actual;
    std::ostringstream expected;
    expected << std::ifstream(kExample + "/findings.txt").rdbuf();
    EXPECT_EQ(actual, expected.str());
}

TEST(SeedExample, IsTheClusterThatItsAuthorMeant) {
    const Loaded loaded = load_example();
    const ClusterSpec& spec = loaded.spec;
    EXPECT_TRUE(loaded.has_errors);  // SwitchName and CgroupReleaseAgentDir: --lenient goes on.
    EXPECT_EQ(spec.name, "nvidia_ai_cluster");
    EXPECT_EQ(spec.controller_host, "master-node-01");
    ASSERT_EQ(spec.nodes.size(), 8U);
    std::int64_t gpus = 0;
    for (const NodeSpec& node : spec.nodes) {
        EXPECT_EQ(node.sockets, 2U);
        EXPECT_EQ(node.cores_per_socket, 64U);
        EXPECT_EQ(node.memory, mib(512000));
        ASSERT_EQ(node.devices.size(), 8U);
        gpus += node.capacity[spec.dimensions.find("gpu", "a100").value()];
        EXPECT_EQ(node.devices[0].file, "/dev/nvidia0");
        EXPECT_EQ(node.devices[0].cores.to_list(), "0-15");
        EXPECT_EQ(node.devices[0].links, (std::vector<std::int32_t>{-1, 1, 1, 1, 0, 0, 0, 0}));
        EXPECT_EQ(node.devices[7].links, (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, -1}));
    }
    EXPECT_EQ(gpus, 64);
    EXPECT_EQ(spec.nodes[0].switches, (std::vector<std::string>{"root", "rack1"}));
    EXPECT_EQ(spec.nodes[7].switches, (std::vector<std::string>{"root", "rack2"}));
}

TEST(SeedExample, HasItsTwoPartitions) {
    const ClusterSpec spec = load_example().spec;
    ASSERT_EQ(spec.partitions.size(), 2U);
    const PartitionSpec& interactive = spec.partitions[0];
    EXPECT_EQ(interactive.name, "interactive");
    EXPECT_EQ(interactive.max_time, std::chrono::hours(4));
    EXPECT_EQ(interactive.default_time, std::chrono::hours(1));
    EXPECT_EQ(interactive.max_nodes, 1U);
    EXPECT_EQ(interactive.priority_job_factor, 1000);  // Priority= sets both.
    EXPECT_EQ(interactive.priority_tier, 1000);
    EXPECT_EQ(interactive.nodes.size(), 2U);
    EXPECT_EQ(spec.partition(*spec.default_partition()).name, "training");
    EXPECT_TRUE(spec.confinement.devices && spec.confinement.cores && spec.confinement.memory &&
                spec.confinement.swap);
    EXPECT_EQ(spec.confinement.allowed_swap_percent, 0);
}

// The seed's tuning lines, pasted into slurm.conf as its text invites to.
TEST(SeedExample, RefusesEachTuningLineWithWhereItBelongs) {
    struct Case {
        const char* line;
        const char* says;
    };
    // clang-format off
    const Case cases[] = {
        {"bf_max_job_test=200",       "belongs in SchedulerParameters=bf_max_job_test"},
        {"bf_max_job_user=4",         "belongs in SchedulerParameters=bf_max_job_user"},
        {"bf_continue",               "belongs in SchedulerParameters=bf_continue"},
        {"batch_sched_delay=3",       "belongs in SchedulerParameters=batch_sched_delay"},
        {"ReservationOverride=Prompt", "there is no option ReservationOverride"},
        {"SchedulerTimeSlice=30",     "is the time slice of gang scheduling"},
    };
    // clang-format on
    const std::size_t lines_before = 77;
    for (const Case& c : cases) {
        SCOPED_TRACE(c.line);
        const Loaded loaded = load_example(std::string(c.line) + "\n");
        bool said = false;
        for (const Finding& finding : loaded.findings) {
            if (finding.message.find(c.says) == std::string::npos) continue;
            said = true;
            EXPECT_EQ(finding.file, "slurm.conf");
            EXPECT_EQ(finding.line, lines_before + 1);
        }
        EXPECT_TRUE(said) << text_of(loaded);
    }
}

TEST(SeedExample, TakesTheTuningLinesThatAreRight) {
    const Loaded before = load_example();
    const Loaded loaded = load_example("SchedulerParameters=defer,max_switch_wait=300\n");
    for (const Finding& finding : loaded.findings) {
        if (finding.line != 78) continue;
        EXPECT_EQ(finding.severity, Severity::note) << finding.message;
    }
    EXPECT_EQ(loaded.has_errors, before.has_errors);
}

}  // namespace
}  // namespace berth::config
