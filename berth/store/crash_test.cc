// kill -9 while the store is written: what was acknowledged must be there.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "berth/store/replay.h"
#include "berth/store/small_cluster.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using testing::at;
using testing::Folder;
using testing::SmallCluster;

StoreSettings busy_with_snapshots() {
    StoreSettings settings = testing::small_settings();
    settings.snapshot_records = 25;
    settings.slice_bytes = 2000;
    return settings;
}

// Submits jobs until it is killed, and writes each job to the pipe once it is durable.
[[noreturn]] void submit_for_ever(const std::string& folder, int acknowledge) {
    SmallCluster cluster(folder, busy_with_snapshots());
    if (!cluster.ok() || !cluster.become_leader(at(0)).ok()) _exit(1);
    while (true) {
        const std::uint32_t id = cluster.state().next_job_id().value();
        if (!cluster.submit(id, at(id)).ok()) _exit(2);
        if (write(acknowledge, &id, sizeof id) != sizeof id) _exit(3);
        if (!cluster.store().rest(cluster.state()).ok()) _exit(4);
    }
}

// One life of a controller, ended by SIGKILL; returns the last job that it acknowledged.
void live_and_be_killed(const std::string& folder, Rng& rng, std::uint32_t& acknowledged) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        close(pipe_ends[0]);
        submit_for_ever(folder, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    std::uint32_t id = 0;
    for (std::int64_t jobs = rng.between(0, 60); jobs > 0; --jobs) {
        if (read(pipe_ends[0], &id, sizeof id) == sizeof id) acknowledged = id;
    }
    usleep(static_cast<useconds_t>(rng.between(0, 3'000)));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    EXPECT_TRUE(WIFSIGNALED(how)) << "it ended by itself, with " << WEXITSTATUS(how);
    while (read(pipe_ends[0], &id, sizeof id) == sizeof id) acknowledged = id;
    close(pipe_ends[0]);
}

// BERTH_SEEDS=200 kills it 2000 times.
TEST(Crash, LosesNothingAcknowledgedWheneverTheControllerIsKilled) {
    std::uint32_t submitted = 0;
    testing::for_each_seed(4, [&](Rng& rng) {
        const Folder folder;
        std::uint32_t acknowledged = 0;
        for (int life = 0; life < 10; ++life) {
            live_and_be_killed(folder.path(), rng, acknowledged);
            const Result<Verified> verified = verify(folder.path());
            if (!verified.ok() && acknowledged == 0) continue;  // Killed before the file existed.
            ASSERT_TRUE(verified.ok()) << verified.error().message;
            const Result<Replayed> found = replay(folder.path());
            ASSERT_TRUE(found.ok()) << found.error().message;
            for (std::uint32_t id = 1; id <= acknowledged; ++id) {
                ASSERT_NE(found->state.find_job(JobId(id)), nullptr) << "lost job " << id;
            }
            // One more may be durable, whose acknowledgement was lost.
            ASSERT_LE(found->state.jobs().size(), acknowledged + 1);
            acknowledged = static_cast<std::uint32_t>(found->state.jobs().size());
        }
        submitted += acknowledged;
    });
    EXPECT_GT(submitted, testing::scaled(100u)) << "killed too early to prove anything";
}

}  // namespace
}  // namespace berth
