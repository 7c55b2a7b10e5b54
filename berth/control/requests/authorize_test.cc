#include "berth/control/requests/authorize.h"

#include <gtest/gtest.h>

#include <set>

namespace berth {
namespace {

// The whole matrix, written out once more: which role may use which verb on its own and on others'
// objects. Columns: user own, user other, op own, op other, admin own, admin other.
struct VerbRow {
    Verb verb;
    std::string_view may;
};
constexpr std::string_view kAll = "yyyyyy";
constexpr std::string_view kOwnThenOp = "ynyyyy";
constexpr std::string_view kOwnThenAdmin = "ynynyy";
constexpr std::string_view kOps = "nnyyyy";
constexpr std::string_view kAdmins = "nnnnyy";

constexpr VerbRow kMatrix[] = {
    {Verb::ping, kAll},
    {Verb::view_jobs, kAll},
    {Verb::view_job_script, kOwnThenAdmin},
    {Verb::view_nodes, kAll},
    {Verb::view_partitions, kAll},
    {Verb::view_config, kAll},
    {Verb::view_accounting, kAll},
    {Verb::view_events, kAll},
    {Verb::view_metrics, kAll},
    {Verb::explain_job, kAll},
    {Verb::hash_state, kOps},
    {Verb::submit_job, kOwnThenAdmin},
    {Verb::cancel_job, kOwnThenOp},
    {Verb::signal_job, kOwnThenOp},
    {Verb::hold_job, kOwnThenOp},
    {Verb::hold_job_as_admin, kOps},
    {Verb::release_job, kOwnThenOp},
    {Verb::release_admin_hold, kOps},
    {Verb::requeue_job, kOwnThenOp},
    {Verb::update_job, kOwnThenOp},
    {Verb::raise_limits, kOps},
    {Verb::create_step, kOwnThenAdmin},
    {Verb::complete_job, kOwnThenAdmin},
    {Verb::update_node, kOps},
    {Verb::update_partition, kOps},
    {Verb::edit_nodes, kAdmins},
    {Verb::edit_reservation, kOps},
    {Verb::edit_accounting, kOwnThenOp},
    {Verb::reconfigure, kAdmins},
    {Verb::shutdown, kAdmins},
    {Verb::view_shares, kAll},
    {Verb::set_usage, kAdmins},
    {Verb::view_diagnostics, kAll},
    {Verb::reset_diagnostics, kOps},
    {Verb::create_join_token, kAdmins},
    {Verb::create_token, kOwnThenAdmin},
    {Verb::suspend_job, kOps},
    {Verb::top_job, kOwnThenOp},
    {Verb::notify_job, kOwnThenOp},
    {Verb::attach_step, kOwnThenAdmin},
    {Verb::checkpoint_job, kOwnThenAdmin},
};

TEST(Authorization, IsExactlyThisMatrix) {
    std::set<Verb> seen;
    for (const VerbRow& row : kMatrix) {
        seen.insert(row.verb);
        std::size_t column = 0;
        for (const Role role : {Role::user, Role::op, Role::admin}) {
            for (const bool own : {true, false}) {
                EXPECT_EQ(allowed(role, row.verb, own), row.may[column] == 'y')
                    << name(role) << " " << name(row.verb) << (own ? " own" : " other");
                ++column;
            }
        }
    }
    EXPECT_EQ(seen, std::set<Verb>(all_verbs().begin(), all_verbs().end()))
        << "a verb is missing from this test";
}

TEST(Authorization, GivesNothingToWhoeverHasNoRole) {
    for (const Verb verb : all_verbs()) {
        EXPECT_FALSE(allowed(Role::none, verb, true)) << name(verb);
        EXPECT_FALSE(allowed(Role::none, verb, false)) << name(verb);
    }
}

TEST(Authorization, DeniesWhatItDoesNotKnow) {
    const auto stranger = static_cast<Verb>(200);
    EXPECT_FALSE(allowed(Role::admin, stranger, true));
    EXPECT_EQ(name(stranger), "unknown");
    EXPECT_FALSE(allowed(static_cast<Role>(9), Verb::ping, true));
}

TEST(Authorization, NeverGivesALowerRoleMore) {
    for (const Verb verb : all_verbs()) {
        for (const bool own : {true, false}) {
            EXPECT_LE(allowed(Role::user, verb, own), allowed(Role::op, verb, own)) << name(verb);
            EXPECT_LE(allowed(Role::op, verb, own), allowed(Role::admin, verb, own)) << name(verb);
        }
        for (const Role role : {Role::user, Role::op, Role::admin}) {
            EXPECT_LE(allowed(role, verb, false), allowed(role, verb, true)) << name(verb);
        }
    }
}

ClusterSpec coordinated_site() {
    ClusterSpec spec;
    spec.accounts.push_back({.name = "lab", .parent = "root", .coordinators = {"ann"}});
    spec.accounts.push_back({.name = "optics", .parent = "lab"});
    spec.accounts.push_back({.name = "stars", .parent = "root"});
    return spec;
}

// Written out once more, as the matrix is.
TEST(Authorization, CoordinatorsManageTheJobsOfTheirAccounts) {
    const ClusterSpec spec = coordinated_site();
    const Principal ann{.uid = 1, .user = "ann", .role = Role::user};
    Job job;
    job.owner = Owner{.uid = 2, .user = "ben"};
    const std::set<Verb> as_owner = {Verb::cancel_job,  Verb::signal_job,  Verb::hold_job,
                                     Verb::release_job, Verb::requeue_job, Verb::update_job};
    for (const Verb verb : all_verbs()) {
        job.spec.account = "optics";
        EXPECT_EQ(acts_as_owner(spec, ann, verb, job), as_owner.contains(verb)) << name(verb);
        job.spec.account = "stars";
        EXPECT_FALSE(acts_as_owner(spec, ann, verb, job)) << name(verb);
    }
}

TEST(Authorization, CoordinatorsEditWhatIsBeneathTheirAccounts) {
    const ClusterSpec spec = coordinated_site();
    const Principal ann{.uid = 1, .user = "ann", .role = Role::user};
    const auto may = [&](const AccountingEdits& edits) {
        return coordinates_all(spec, ann, edits);
    };
    const AccountSpec new_below{.name = "lasers", .parent = "optics"};
    EXPECT_TRUE(may({.accounts = {new_below}}));
    EXPECT_TRUE(may({.accounts = {{.name = "Optics", .parent = "lab"}}}));
    EXPECT_TRUE(may({.removed_accounts = {"optics"}}));
    EXPECT_TRUE(may({.associations = {{.account = "lab", .user = "ben"}}}));
    EXPECT_TRUE(may({.removed_associations = {{"optics", "ben"}}}));
    EXPECT_FALSE(may({.accounts = {{.name = "lab", .parent = "root"}}})) << "its own";
    EXPECT_FALSE(may({.accounts = {{.name = "lab", .parent = "optics"}}}));
    EXPECT_FALSE(may({.accounts = {{.name = "stars", .parent = "lab"}}})) << "another's";
    EXPECT_FALSE(may({.accounts = {{.name = "optics", .parent = "root"}}}));
    EXPECT_FALSE(may({.removed_accounts = {"lab"}}));
    EXPECT_FALSE(may({.associations = {{.account = "stars", .user = "ben"}}}));
    EXPECT_FALSE(may({.accounts = {new_below}, .qos = {{.name = "normal"}}}));
    EXPECT_FALSE(may({.levels = {{"ann", true}}}));
    EXPECT_FALSE(may({.queues = {{.name = "optics"}}}));
    EXPECT_FALSE(may({.removed_queues = {"optics"}}));
}

TEST(Authorization, GoesByUidNotByName) {
    Job job;
    job.owner = Owner{.uid = 1000, .gid = 1000, .user = "alice", .group = "users"};
    EXPECT_TRUE(
        owns({.uid = 1000, .gid = 1, .user = "renamed", .group = "", .role = Role::user}, job));
    EXPECT_FALSE(owns(
        {.uid = 1001, .gid = 1000, .user = "alice", .group = "users", .role = Role::user}, job));
}

TEST(Authorization, NamesEveryVerbOnce) {
    std::set<std::string_view> names;
    for (const Verb verb : all_verbs()) names.insert(name(verb));
    EXPECT_EQ(names.size(), all_verbs().size());
}

}  // namespace
}  // namespace berth
