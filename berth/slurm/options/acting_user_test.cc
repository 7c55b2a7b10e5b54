// --uid and --gid, as far as they change nothing. tests/effects has root submit as another user.
#include "berth/slurm/options/acting_user.h"

#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(ActingUser, IsThatOfTheFirstComponentThatNamesOne) {
    ActingUser whole;
    join_acting_user(whole, {.user = {}, .group = "news"});
    join_acting_user(whole, {.user = "ann", .group = "users"});
    join_acting_user(whole, {.user = "bob", .group = {}});
    EXPECT_EQ(whole.user, "ann");
    EXPECT_EQ(whole.group, "news");
}

TEST(ActingUser, IsTheCallerOrNobodyWithoutRoot) {
    const Endpoint socket{
        .socket = "/run/s", .host = {}, .authority = {}, .fingerprint = {}, .token = {}};
    EXPECT_EQ(said_on_acting({}, socket), "");
    EXPECT_EQ(
        said_on_acting({.user = std::to_string(::geteuid()), .group = std::to_string(::getegid())},
                       socket),
        "");
    if (::geteuid() != 0) {
        EXPECT_EQ(said_on_acting({.user = "root", .group = {}}, socket),
                  "Batch job submission failed: Invalid user id");
        return;
    }
    Endpoint network = socket;
    network.socket.clear();
    EXPECT_EQ(said_on_acting({.user = "nobody", .group = {}}, network),
              "--uid and --gid need the controller's Unix socket; over the network the token says "
              "whose job it is");
}

}  // namespace
}  // namespace berth::slurm
