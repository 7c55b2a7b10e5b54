#include "berth/host/node/file_disk.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "berth/base/rng.h"
#include "berth/host/os/file_io.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

class FileDiskTest : public ::testing::Test {
protected:
    FileDiskTest() {
        char name[] = "/tmp/berth-disk.XXXXXX";
        folder = mkdtemp(name);
    }
    ~FileDiskTest() override { std::filesystem::remove_all(folder); }

    std::unique_ptr<FileDisk> open() {
        auto disk = FileDisk::open(folder);
        EXPECT_TRUE(disk.ok()) << (disk.ok() ? "" : disk.error().message);
        return disk.ok() ? std::move(disk).value() : nullptr;
    }
    static void write(FileDisk& disk, std::vector<MemoryWrite> writes) {
        const Status status = disk.write(writes);
        ASSERT_TRUE(status.ok()) << status.error().message;
    }
    std::map<std::string, std::string> read() {
        std::map<std::string, std::string> all;
        if (const auto disk = open()) {
            for (const MemoryWrite& one : disk->stored()) all[one.key] = *one.value;
        }
        return all;
    }
    std::string log() const { return folder + "/log"; }

    std::string folder;
};

using Kept = std::map<std::string, std::string>;

TEST_F(FileDiskTest, RemembersOverAStart) {
    {
        const auto disk = open();
        write(*disk, {{"boot", "b1"}, {"attempt.1.1", std::string("a\0b", 3)}});
        write(*disk, {{"boot", "b2"}, {"attempt.1.1", std::nullopt}, {"end.1.1", ""}});
    }
    EXPECT_EQ(read(), (Kept{{"boot", "b2"}, {"end.1.1", ""}}));
}

TEST_F(FileDiskTest, IsForOneAgentAtATime) {
    const auto disk = open();
    const auto second = FileDisk::open(folder);
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message.find("in use by another agent"), std::string::npos);
}

TEST_F(FileDiskTest, KeepsAllOrNoneOfABatchWhereverACrashCutsIt) {
    {
        const auto disk = open();
        write(*disk, {{"a", "1"}});
        write(*disk, {{"a", "2"}, {"b", std::string(40, 'x')}, {"c", "3"}});
    }
    const std::string whole = *read_file(log());
    const std::size_t first = 16 + static_cast<std::size_t>(whole[0]);
    for (std::size_t cut = first; cut <= whole.size(); ++cut) {
        std::ofstream(log(), std::ios::trunc | std::ios::binary) << whole.substr(0, cut);
        const Kept memory = read();
        if (cut < whole.size()) {
            EXPECT_EQ(memory, (Kept{{"a", "1"}})) << "cut at " << cut;
        } else {
            EXPECT_EQ(memory.size(), 3u);
        }
    }
}

TEST_F(FileDiskTest, GoesOnAfterATornBatch) {
    {
        const auto disk = open();
        write(*disk, {{"a", "1"}});
    }
    std::ofstream(log(), std::ios::app | std::ios::binary) << "torn";
    {
        const auto disk = open();
        write(*disk, {{"b", "2"}});
    }
    EXPECT_EQ(read(), (Kept{{"a", "1"}, {"b", "2"}}));
}

TEST_F(FileDiskTest, RefusesALogThatLostABatchInItsMiddle) {
    {
        const auto disk = open();
        write(*disk, {{"a", "1"}});
        write(*disk, {{"b", "2"}});
        write(*disk, {{"c", "3"}});
    }
    std::string bytes = *read_file(log());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x40);
    std::ofstream(log(), std::ios::trunc | std::ios::binary) << bytes;
    const auto disk = FileDisk::open(folder);
    ASSERT_FALSE(disk.ok());
    EXPECT_NE(disk.error().message.find("is damaged"), std::string::npos);
}

TEST_F(FileDiskTest, FoldsALongLogAndSurvivesACrashBeforeTheCut) {
    std::string before_the_cut;
    {
        const auto disk = open();
        disk->set_log_limit(2000);
        for (int i = 0; i < 100; ++i) {
            before_the_cut = *read_file(log());
            write(*disk, {{"n", std::to_string(i)}, {"pad", std::string(100, 'p')}});
        }
        EXPECT_LT(std::filesystem::file_size(log()), 2200u);
    }
    EXPECT_EQ(read()["n"], "99");
    std::ofstream(log(), std::ios::trunc | std::ios::binary) << before_the_cut;
    EXPECT_GE(std::stoi(read()["n"]), 90);  // Batches that the snapshot contains are skipped.
}

TEST_F(FileDiskTest, TakesNoMoreWritesOnceOneFailed) {
    const auto disk = open();
    write(*disk, {{"a", "1"}});
    struct Lower {  // The log file may not grow any more.
        rlimit before{};
        Lower() {
            getrlimit(RLIMIT_FSIZE, &before);
            rlimit tiny = before;
            tiny.rlim_cur = 10;
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &tiny);
        }
        ~Lower() { setrlimit(RLIMIT_FSIZE, &before); }
    };
    {
        const Lower lower;
        EXPECT_FALSE(disk->write(std::vector<MemoryWrite>{{"a", "2"}}).ok());
    }
    EXPECT_FALSE(disk->write(std::vector<MemoryWrite>{{"a", "3"}}).ok());
}

TEST_F(FileDiskTest, EqualsAMapAfterAnyBatches) {
    testing::for_each_seed(8, [&](Rng& rng) {
        std::filesystem::remove_all(folder);
        Kept model;
        for (int start = 0; start < 4; ++start) {
            const auto disk = open();
            disk->set_log_limit(static_cast<std::size_t>(rng.between(100, 3000)));
            for (auto batches = rng.between(0, 20); batches > 0; --batches) {
                std::vector<MemoryWrite> writes;
                for (auto n = rng.between(1, 5); n > 0; --n) {
                    const std::string key = "k" + std::to_string(rng.between(0, 9));
                    if (rng.chance(30)) {
                        writes.push_back({key, std::nullopt});
                        model.erase(key);
                    } else {
                        writes.push_back({key, std::to_string(rng.next())});
                        model[key] = *writes.back().value;
                    }
                }
                write(*disk, writes);
            }
        }
        EXPECT_EQ(read(), model);
    });
}

}  // namespace
}  // namespace berth
