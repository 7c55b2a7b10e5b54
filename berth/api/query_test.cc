#include "berth/api/query.h"

#include <gtest/gtest.h>

#include "berth/testing/seeds.h"

namespace berth::api {
namespace {

TEST(Query, IsEscapedAndReadBack) {
    const QueryPairs pairs = {{"name", "a b&c=d%"}, {"name", ""}, {"user", "j\xc3\xb6rg\xff"}};
    EXPECT_EQ(format_query(pairs), "name=a%20b%26c%3Dd%25&name=&user=j%C3%B6rg%FF");
    EXPECT_EQ(*parse_query(format_query(pairs)), pairs);
    EXPECT_FALSE(parse_query("a=%f").ok());
    EXPECT_FALSE(parse_query("a=%g0").ok());
    EXPECT_EQ(parse_query("a")->at(0), (std::pair<std::string, std::string>{"a", ""}));
}

TEST(Query, OfJobsGoesBothWays) {
    JobQuery query;
    query.jobs = {JobId(1), JobId(4'000'000'000)};
    query.users = {"ann", "bob"};
    query.states = {"PENDING"};
    query.nodes = {"gpu1"};
    query.fields = {"id", "state"};
    const Result<JobQuery> again = parse_job_query(format_job_query(query));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->jobs, query.jobs);
    EXPECT_EQ(again->users, query.users);
    EXPECT_EQ(again->states, query.states);
    EXPECT_EQ(again->nodes, query.nodes);
    EXPECT_EQ(again->fields, query.fields);
    EXPECT_EQ(parse_job_query("jbo=1").error().message, "query: this route has no parameter jbo");
    EXPECT_EQ(parse_job_query("job=-1").error().message, "query: job must be a job id, not -1");
}

TEST(Query, OfAccountingGoesBothWays) {
    AccountingQuery query;
    query.jobs = {JobId(3)};
    query.accounts = {"bio"};
    query.from = from_seconds(-5);
    query.until = from_seconds(1'800'000'000);
    query.duplicates = true;
    const Result<AccountingQuery> again = parse_accounting_query(format_accounting_query(query));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->jobs, query.jobs);
    EXPECT_EQ(again->accounts, query.accounts);
    EXPECT_EQ(again->from, query.from);
    EXPECT_EQ(again->until, query.until);
    EXPECT_TRUE(again->duplicates);
    EXPECT_FALSE(parse_accounting_query("from=yesterday").ok());
    EXPECT_FALSE(parse_accounting_query("duplicates=1").ok());
}

TEST(Query, OfUsageGoesBothWays) {
    UsageQuery query;
    query.from = from_seconds(1'700'000'000);
    query.until = from_seconds(1'700'086'400);
    query.jobs = {JobId(3)};
    query.users = {"ann"};
    query.accounts = {"bio", "physics"};
    query.partitions = {"main"};
    query.nodes = {"gpu1"};
    query.groups = {"100"};
    query.wckeys = {"beta"};
    query.by_size = query.reservations = true;
    const Result<UsageQuery> again = parse_usage_query(format_usage_query(query));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->from, query.from);
    EXPECT_EQ(again->until, query.until);
    EXPECT_EQ(again->jobs, query.jobs);
    EXPECT_EQ(again->users, query.users);
    EXPECT_EQ(again->accounts, query.accounts);
    EXPECT_EQ(again->partitions, query.partitions);
    EXPECT_EQ(again->nodes, query.nodes);
    EXPECT_EQ(again->groups, query.groups);
    EXPECT_EQ(again->wckeys, query.wckeys);
    EXPECT_TRUE(again->by_size && again->reservations);
    EXPECT_FALSE(parse_usage_query("by_size=true")->reservations);
    EXPECT_EQ(parse_usage_query("by_size=1").error().message,
              "query: by_size must be true or false, not 1");
    EXPECT_EQ(parse_usage_query("state=PENDING").error().message,
              "query: this route has no parameter state");
}

TEST(Query, OfNodeEventsComesBackAsItWas) {
    NodeEventQuery query;
    query.from = from_seconds(100);
    query.until = from_seconds(200);
    query.nodes = {"gpu1", "gpu2"};
    const Result<NodeEventQuery> again = parse_node_event_query(format_node_event_query(query));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->from, query.from);
    EXPECT_EQ(again->until, query.until);
    EXPECT_EQ(again->nodes, query.nodes);
    EXPECT_EQ(parse_node_event_query("user=ann").error().message,
              "query: this route has no parameter user");
}

}  // namespace
}  // namespace berth::api
