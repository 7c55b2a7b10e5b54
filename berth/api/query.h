// The part of a URL behind "?": written by clients, read by the server, from one place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::api {

// As the one partition of a JobQuery: hidden ones too. Without it those who are no operators are
// not shown the jobs of hidden partitions, unless the query names the partition or the job.
inline constexpr std::string_view kAllPartitions = "*";

using QueryPairs = std::vector<std::pair<std::string, std::string>>;

// "a b/c" -> "a%20b%2Fc": fit for a part of a path, or of a query.
std::string percent_encode(std::string_view text);
Result<std::string> percent_decode(std::string_view text);

// {{"user", "ann"}, {"user", "bob"}} <-> "user=ann&user=bob"
std::string format_query(const QueryPairs& pairs);
Result<QueryPairs> parse_query(std::string_view text);

// A list is its name once per member: "state=PENDING&state=RUNNING". An unknown name is refused.
std::string format_job_query(const JobQuery& query);
Result<JobQuery> parse_job_query(std::string_view text);
std::string format_accounting_query(const AccountingQuery& query);
Result<AccountingQuery> parse_accounting_query(std::string_view text);
std::string format_usage_query(const UsageQuery& query);
Result<UsageQuery> parse_usage_query(std::string_view text);
std::string format_node_event_query(const NodeEventQuery& query);
Result<NodeEventQuery> parse_node_event_query(std::string_view text);

}  // namespace berth::api
