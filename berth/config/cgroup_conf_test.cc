// Every key of cgroup.conf that is taken either changes how jobs are confined or is named in a
// finding.
#include "berth/config/cgroup_conf.h"

#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

using Use = CgroupUse;

Loaded load_cgroup(std::string_view key, std::string_view value) {
    return load_slurm(kSmall, "", std::string(key) + "=" + std::string(value) + "\n");
}

bool has_effect(const CgroupKey& key) { return key.use == Use::flag || key.use == Use::percent; }

TEST(CgroupConf, ThoseWithAnEffectChangeHowJobsAreConfined) {
    const ConfinementSpec base = load_slurm(kSmall).spec.confinement;
    for (const CgroupKey& key : cgroup_keys()) {
        if (!has_effect(key)) continue;
        bool changes = false;
        for (const char* const value : {"yes", "no", "37"}) {
            const Loaded loaded = load_cgroup(key.name, value);
            changes = changes || (text_of(loaded).empty() && loaded.spec.confinement != base);
        }
        EXPECT_TRUE(changes) << key.name;
    }
}

TEST(CgroupConf, AllOthersAreNamedInAFinding) {
    for (const CgroupKey& key : cgroup_keys()) {
        if (has_effect(key)) continue;
        const Loaded loaded = load_cgroup(key.name, "/some/thing");
        const std::string said = text_of(loaded);
        EXPECT_EQ(loaded.has_errors, key.use == Use::removed) << said;
        EXPECT_NE(said.find(key.name), std::string::npos) << key.name << ": " << said;
        if (key.use != Use::without_effect) continue;
        EXPECT_NE(said.find("cgroup.conf:1: warning: "), std::string::npos) << said;
        EXPECT_NE(said.find("/some/thing has no effect: "), std::string::npos) << said;
        EXPECT_FALSE(key.why.empty()) << key.name;
    }
}

TEST(CgroupConf, WhatIsSoAnywayIsNoWarning) {
    for (const CgroupKey& key : cgroup_keys()) {
        if (key.usual.empty()) continue;
        EXPECT_EQ(text_of(load_cgroup(key.name, key.usual)), "") << key.name;
    }
    EXPECT_EQ(text_of(load_cgroup("IgnoreSystemd", "FALSE")), "");
    EXPECT_EQ(text_of(load_cgroup("cgroupplugin", "AutoDetect")), "");
}

TEST(CgroupConf, NamesTheValueAndWhatIsSoInstead) {
    EXPECT_EQ(
        text_of(load_cgroup("MaxRAMPercent", "50")),
        "cgroup.conf:1: warning: MaxRAMPercent=50 has no effect: AllowedRAMSpace alone bounds "
        "a job's memory\n");
    EXPECT_EQ(text_of(load_cgroup("EnableControllers", "yes")),
              "cgroup.conf:1: warning: EnableControllers=yes has no effect: each level gets the "
              "controllers that it needs\n");
}

}  // namespace
}  // namespace berth::config
