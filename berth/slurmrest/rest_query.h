// RestQuery: the query of a request to slurmrestd, by its route's parameters. Others are refused by
// name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/slurmrest/rest_routes.h"

namespace berth::slurmrest {

class RestQuery {
public:
    static Result<RestQuery> parse(const RestRoute& route, std::string_view text);

    std::vector<std::string> words(std::string_view name) const;
    bool flag(std::string_view name) const;
    std::optional<Time> time(std::string_view name) const;  // nullopt: not given, or 0.
    // Whether the parameter was not given, or names this, without regard to case.
    bool takes(std::string_view name, std::string_view value) const;

private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// GET slurmdb/jobs as the query of /v1/accounting.
Result<api::AccountingQuery> accounting_query(const RestQuery& query);

// DELETE job/{job_id}?signal=&flags= as the body of /v1's cancel.
Result<api::CancelRequest> cancel_request(const RestQuery& query);

}  // namespace berth::slurmrest
