#include "berth/cli/up_config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "berth/cli/cluster_dir.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

class UpConfigured : public ::testing::Test {
protected:
    UpConfigured() {
        std::string pattern = ::testing::TempDir() + "berth-up-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~UpConfigured() override { fs::remove_all(folder_); }

    fs::path etc() const { return folder_ / "cluster" / "etc"; }
    void install(const UpOptions& options) const {
        const auto wanted = wanted_config(options);
        ASSERT_TRUE(wanted.ok()) << wanted.error().message;
        const Status installed = install_config(*wanted, etc());
        ASSERT_TRUE(installed.ok()) << installed.error().message;
    }
    // As one line; empty: nothing differs.
    std::string differs(const UpOptions& options) const {
        const auto wanted = wanted_config(options);
        if (!wanted.ok()) return wanted.error().message;
        std::string all;
        for (const std::string& one : differences(*wanted, options, etc())) all += one + '\n';
        return all;
    }
    std::string write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }
    static std::string text_of(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static UpOptions gpus(const char* text) { return {.simulate_gpus = text}; }

    fs::path folder_;
};

TEST_F(UpConfigured, WhatCannotBeRightIsRefused) {
    for (const char* const text : {"foo", "a100:-3", "a100:0", "a100", "", "a100:8x", "a100:900"}) {
        const auto wanted = wanted_config(gpus(text));
        ASSERT_FALSE(wanted.ok()) << text;
        EXPECT_NE(wanted.error().message.find("like a100:8"), std::string::npos) << text;
    }
    UpOptions both = gpus("a100:8");
    both.slurm_conf = write("given/slurm.conf", "ClusterName=x\n");
    EXPECT_NE(differs(both).find("omit --simulate-gpus"), std::string::npos);
    both = {};
    both.slurm_conf = folder_ / "nothing";
    EXPECT_FALSE(wanted_config(both).ok());
    EXPECT_FALSE(fs::exists(etc()));
}

TEST_F(UpConfigured, TheSameOptionsAskForNothingAndOthersAreNamed) {
    UpOptions first = gpus("a100:8");
    first.nodes = 2;
    install(first);
    EXPECT_EQ(differs(first), "");
    EXPECT_EQ(differs(gpus("a100:8")), "") << "what is not given asks for nothing";
    EXPECT_EQ(differs({}), "");
    EXPECT_EQ(differs(gpus("h100:4")), "--simulate-gpus is a100:8, not h100:4\n");
    EXPECT_EQ(differs({.nodes = 3, .cpus = 16}),
              "--nodes is 2, not 3\n--cpus is not given, not 16\n");
    UpOptions anew = gpus("a100:8");
    anew.replace_config = true;
    EXPECT_EQ(differs(anew), "--nodes is 2, not 1\n") << "a replacement is made of these alone";
    std::ofstream(etc() / "slurm.conf", std::ios::app) << "MaxJobCount=5\n";
    EXPECT_EQ(differs(first), "") << "an administrator's changes stay";
}

TEST_F(UpConfigured, AConfigurationOfBeforeIsComparedByItsLines) {
    install(gpus("a100:8"));
    fs::remove(etc() / "made-by-up");
    EXPECT_EQ(differs(gpus("a100:8")), "");
    const std::string other = differs(gpus("h100:4"));
    EXPECT_EQ(other.rfind("slurm.conf line ", 0), 0u) << other;
    EXPECT_NE(other.find("Gres=gpu:h100:4"), std::string::npos) << other;
}

TEST_F(UpConfigured, AGivenSlurmConfIsComparedByWhatItSays) {
    UpOptions given;
    given.slurm_conf = write("given/my.conf", "ClusterName=x\nInclude parts/nodes.conf\n");
    write("given/parts/nodes.conf", "NodeName=n1 CPUs=2\n");
    write("given/berth.yaml", "{}\n");
    install(given);
    EXPECT_EQ(text_of(etc() / "parts/nodes.conf"), "NodeName=n1 CPUs=2\n") << "included files too";
    EXPECT_TRUE(fs::exists(etc() / "berth.yaml"));
    EXPECT_EQ(differs(given), "");
    std::ofstream(etc() / "slurm.conf", std::ios::app) << "MaxJobCount=5\n";
    EXPECT_EQ(differs(given), "") << "the given file asks for nothing new";
    write("given/my.conf", "ClusterName=y\nInclude parts/nodes.conf\n");
    EXPECT_EQ(differs(given), "slurm.conf line 1 is \"ClusterName=x\", not \"ClusterName=y\"\n");
    EXPECT_NE(differs(gpus("a100:8")).find("is a copy of"), std::string::npos);
    install(given);
    EXPECT_EQ(text_of(etc() / "slurm.conf").rfind("ClusterName=y", 0), 0u);
    EXPECT_NE(text_of(etc().string() + ".previous/slurm.conf").find("MaxJobCount"),
              std::string::npos)
        << "what was there is kept";
}

TEST_F(UpConfigured, FilesWithoutAConfigurationAreNotMovedAway) {
    const auto refusal = [&](bool replaces) {
        const Status checked = check_foreign_files(etc(), replaces);
        return checked.ok() ? "" : checked.error().message;
    };
    EXPECT_EQ(refusal(false), "");
    fs::create_directories(etc());
    EXPECT_FALSE(has_config(etc()));
    EXPECT_EQ(refusal(false), "") << "an empty one";
    write("cluster/etc/job_submit.lua", "-- rules\n");
    for (const char* const name : {"b", "c", "d", "e", "f", "g"})
        write(std::string("cluster/etc/") + name + "/file", "");
    const std::string told = refusal(false);
    EXPECT_NE(told.find("/etc has no slurm.conf or berth.yaml, but b, c, d, e, f and 2 more: "),
              std::string::npos)
        << told;
    EXPECT_NE(told.find("--replace-config"), std::string::npos) << told;
    EXPECT_EQ(refusal(true), "") << "there is no former one that would go";
    install(gpus("a100:8"));
    EXPECT_TRUE(has_config(etc()));
    EXPECT_EQ(refusal(false), "");
    EXPECT_EQ(text_of(etc().string() + ".previous/job_submit.lua"), "-- rules\n");
    EXPECT_NE(refusal(true).find("etc.previous has no slurm.conf"), std::string::npos)
        << refusal(true);
}

TEST_F(UpConfigured, AnEmptyDirectoryIsFilled) {
    fs::create_directories(etc());
    write("cluster/etc.previous/precious", "kept\n");
    install(gpus("a100:8"));
    EXPECT_TRUE(has_config(etc()));
    EXPECT_EQ(text_of(etc().string() + ".previous/precious"), "kept\n");
}

TEST_F(UpConfigured, AFileInItsPlaceIsRefused) {
    write("cluster/etc", "");
    EXPECT_FALSE(check_foreign_files(etc(), false).ok());
}

TEST_F(UpConfigured, AnIncludeOutsideOfTheDirectoryIsNotWrittenThere) {
    UpOptions given;
    given.slurm_conf = write("given/slurm.conf", "ClusterName=x\nInclude ../nodes.conf\n");
    write("nodes.conf", "NodeName=n1 CPUs=2\n");
    const auto wanted = wanted_config(given);
    ASSERT_TRUE(wanted.ok());
    EXPECT_FALSE(install_config(*wanted, etc()).ok());
    EXPECT_FALSE(fs::exists(etc()));
    EXPECT_FALSE(fs::exists(etc().parent_path() / "nodes.conf"));
}

TEST_F(UpConfigured, ItsFilesAreNobodyElsesToChange) {
    const mode_t before = ::umask(0);
    install(gpus("a100:8"));
    ::umask(before);
    struct stat found{};
    ASSERT_EQ(::stat(etc().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, 0755u);
    for (const auto& entry : fs::directory_iterator(etc())) {
        ASSERT_EQ(::stat(entry.path().c_str(), &found), 0);
        EXPECT_EQ(found.st_mode & 07777, 0644u) << entry.path();
    }
}

TEST_F(UpConfigured, ADatabaseIsWhereTheControllerOfItsDirectoryLooks) {
    const fs::path dir = folder_ / "cluster";
    const auto found = [](const fs::path& path) { return ClusterDir::database_directory(path); };
    EXPECT_EQ(found(dir), dir / "state") << "as `berth up` would have it";
    EXPECT_EQ(found(dir / "state"), dir / "state");
    EXPECT_EQ(found(dir.string() + "/"), dir / "state");
    install(gpus("a100:8"));
    EXPECT_EQ(found(dir), dir / "state");
    EXPECT_EQ(found(dir / "state"), dir / "state") << "named itself";
    write("own/berth.db", "a database");
    EXPECT_EQ(found(folder_ / "own"), folder_ / "own") << "of berthd --state";
}

}  // namespace
}  // namespace berth::cli
