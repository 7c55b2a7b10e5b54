#include <gtest/gtest.h>

#include "berth/config/config_rig.h"
#include "berth/config/load.h"

namespace berth::config {
namespace {

Loaded load_words(const std::string& words) {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf",
                             "ClusterName=lab\nNodeName=n1 CPUs=4\nPartitionName=main Nodes=ALL "
                             "Default=YES\nDependencyParameters=" +
                                 words + "\n"};
    return load(files);
}

TEST(DependencyParameters, KillInvalidDependIsOffUnlessSaid) {
    EXPECT_TRUE(load_words("Kill_Invalid_Depend").spec.scheduling.kill_invalid_depend);
    EXPECT_FALSE(load_words("max_depend_depth=5").spec.scheduling.kill_invalid_depend);
}

TEST(DependencyParameters, NameWhatHasNoEffectAndWhatIsNone) {
    for (const char* idle : {"max_depend_depth=5", "disable_remote_singleton"}) {
        const Loaded loaded = load_words(idle);
        ASSERT_EQ(loaded.findings.size(), 1U) << idle;
        EXPECT_EQ(loaded.findings[0].severity, Severity::warning) << idle;
        EXPECT_NE(loaded.findings[0].message.find(idle), std::string::npos);
    }
    const Loaded wrong = load_words("kill_invalid");
    ASSERT_EQ(wrong.findings.size(), 1U);
    EXPECT_EQ(wrong.findings[0].severity, Severity::error);
    EXPECT_EQ(wrong.findings[0].message.find("there is no option kill_invalid in"), 0U)
        << wrong.findings[0].message;
}

}  // namespace
}  // namespace berth::config
