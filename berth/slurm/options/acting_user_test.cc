// --uid and --gid, as far as they change nothing. tests/effects has root submit as another user.
#include "berth/slurm/options/acting_user.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace berth::slurm {
namespace {

std::string said_on_acting(const ActingUser& wanted, const Endpoint& endpoint) {
    const Status done = become_acting_user(wanted, endpoint);
    return done.ok() ? "" : done.error().message;
}

TEST(ActingUser, IsKnownByNameOrNumber) {
    JobDraft draft;
    EXPECT_TRUE(set_uid(draft, "root").ok());
    EXPECT_TRUE(set_gid(draft, "0").ok());
    EXPECT_EQ(draft.of_submission.acting.user, "root");
    EXPECT_EQ(draft.of_submission.acting.group, "0");
    EXPECT_EQ(set_uid(draft, "no-such-user").error().message, "Invalid --uid specification");
    EXPECT_EQ(set_uid(draft, "-1").error().message, "Invalid --uid specification");
    EXPECT_EQ(set_gid(draft, "").error().message, "Invalid --gid specification");
}

const Endpoint kSocket{
    .socket = "/run/s", .host = {}, .authority = {}, .fingerprint = {}, .token = {}};
constexpr int kNoNamespace = 77;

bool put_over(const char* path, const std::string& text) {
    char name[] = "/tmp/berth-users-XXXXXX";
    const int fd = ::mkstemp(name);
    if (fd < 0 || ::write(fd, text.data(), text.size()) < 0 || ::fchmod(fd, 0644) != 0)
        return false;
    ::close(fd);
    const bool done = ::mount(name, path, nullptr, MS_BIND, nullptr) == 0;
    ::unlink(name);
    return done;
}

// The exit code of a process that sees these users and groups and becomes `wanted`: 0 if it has
// become `uid` and `gid`.
int become_among(const std::string& users, const std::string& groups, const ActingUser& wanted,
                 uid_t uid, gid_t gid) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            !put_over("/etc/passwd", users) || !put_over("/etc/group", groups)) {
            ::_exit(kNoNamespace);
        }
        if (!become_acting_user(wanted, kSocket).ok()) ::_exit(1);
        ::_exit(::getuid() == uid && ::getgid() == gid ? 0 : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ActingUser, IsSoughtByNameBeforeNumber) {
    const std::string users =
        "root:x:0:0::/:/bin/sh\n70001:x:70002:70003::/:/bin/sh\nann:x:70001:70001::/:/bin/sh\n"
        "0:x:70004:70004::/:/bin/sh\n";
    const std::string groups = "root:x:0:\n70005:x:70006:\nstaff:x:70005:\n";
    if (::geteuid() != 0 || become_among(users, groups, {}, 0, 0) == kNoNamespace)
        GTEST_SKIP() << "SKIPPED: needs root, to have users of its own";
    EXPECT_EQ(become_among(users, groups, {.user = "70001", .group = {}}, 70002, 70003), 0);
    EXPECT_EQ(become_among(users, groups, {.user = "70002", .group = {}}, 70002, 70003), 0);
    EXPECT_EQ(become_among(users, groups, {.user = "ann", .group = "70005"}, 70001, 70006), 0);
    EXPECT_EQ(become_among(users, groups, {.user = "ann", .group = "70006"}, 70001, 70006), 0);
    EXPECT_EQ(become_among(users, groups, {.user = {}, .group = "staff"}, 0, 70005), 0)
        << "the caller is no name";
}

TEST(ActingUser, IsThatOfTheFirstComponentThatNamesOne) {
    ActingUser whole;
    join_acting_user(whole, {.user = {}, .group = "news"});
    join_acting_user(whole, {.user = "ann", .group = "users"});
    join_acting_user(whole, {.user = "bob", .group = {}});
    EXPECT_EQ(whole.user, "ann");
    EXPECT_EQ(whole.group, "news");
}

TEST(ActingUser, IsTheCallerOrNobodyWithoutRoot) {
    EXPECT_EQ(said_on_acting({}, kSocket), "");
    EXPECT_EQ(
        said_on_acting({.user = std::to_string(::geteuid()), .group = std::to_string(::getegid())},
                       kSocket),
        "");
    if (::geteuid() != 0) {
        EXPECT_EQ(said_on_acting({.user = "root", .group = {}}, kSocket),
                  "Batch job submission failed: Invalid user id");
        return;
    }
    Endpoint network = kSocket;
    network.socket.clear();
    EXPECT_EQ(said_on_acting({.user = "nobody", .group = {}}, network),
              "--uid and --gid need the controller's Unix socket; over the network the token says "
              "whose job it is");
}

}  // namespace
}  // namespace berth::slurm
