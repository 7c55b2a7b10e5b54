#include "berth/slurmrest/rest_query.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "berth/api/query.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/request_values.h"

namespace berth::slurmrest {
namespace {

constexpr std::int64_t kSecondsMost = std::int64_t{1} << 40;

constexpr auto kShowFlags = std::to_array<std::string_view>(
    {"ALL", "DETAIL", "FEDERATION", "FUTURE", "LOCAL", "MIXED", "SIBLING"});

Error wrong_value(const std::string& name, std::string_view right) {
    return invalid_argument("query: " + name + " must be " + std::string(right));
}

Result<std::int64_t> seconds_in(const std::string& name, const std::string& text) {
    const Result<std::int64_t> at = parse_int64(text);
    if (!at.ok() || *at < 0 || *at > kSecondsMost) return wrong_value(name, "seconds since 1970");
    return *at;
}

std::optional<bool> truth_of(std::string_view text) {
    for (const std::string_view yes : {"", "1", "true", "yes"})
        if (iequals(text, yes)) return true;
    for (const std::string_view no : {"0", "false", "no"})
        if (iequals(text, no)) return false;
    return std::nullopt;
}

Status check_parameter(const Parameter& parameter, const std::string& name,
                       const std::string& value) {
    switch (parameter.kind) {
        case ParameterKind::time:
        case ParameterKind::changed_since: BERTH_CHECK(seconds_in(name, value)); break;
        case ParameterKind::flag:
            if (!truth_of(value)) return wrong_value(name, "true or false");
            break;
        case ParameterKind::show_flags:
            for (const std::string_view word : split(value, ',')) {
                const bool known = std::ranges::any_of(
                    kShowFlags, [&](std::string_view flag) { return iequals(flag, word); });
                if (!known && !word.empty())
                    return wrong_value(name, "of " + join(kShowFlags, ", "));
            }
            break;
        case ParameterKind::words:
        case ParameterKind::without_meaning: break;
    }
    return Done{};
}

}  // namespace

Result<RestQuery> RestQuery::parse(const RestRoute& route, std::string_view text) {
    BERTH_TRY(const api::QueryPairs pairs, api::parse_query(text));
    RestQuery query;
    for (const auto& [name, value] : pairs) {
        const auto known = std::ranges::find(route.parameters, name, &Parameter::name);
        if (known == route.parameters.end()) {
            std::string all;
            for (const Parameter& one : route.parameters)
                (all += all.empty() ? "there are " : ", ") += one.name;
            return invalid_argument("query: " + name.substr(0, 100) + " is not supported; " +
                                    (all.empty() ? "this path takes no query" : all));
        }
        BERTH_CHECK(check_parameter(*known, name, value));
        query.values_[name].push_back(value);
    }
    return query;
}

std::vector<std::string> RestQuery::words(std::string_view name) const {
    std::vector<std::string> words;
    const auto found = values_.find(name);
    if (found == values_.end()) return words;
    for (const std::string& value : found->second) {
        for (const std::string_view word : split(value, ','))
            if (!word.empty()) words.emplace_back(word);
    }
    return words;
}

bool RestQuery::flag(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() && truth_of(found->second.back()).value_or(false);
}

std::optional<Time> RestQuery::time(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    const std::int64_t at = parse_int64(found->second.back()).value_or(0);
    return at == 0 ? std::nullopt : std::optional(from_seconds(at));
}

bool RestQuery::takes(std::string_view name, std::string_view value) const {
    const std::vector<std::string> wanted = words(name);
    return wanted.empty() || std::ranges::any_of(wanted, [&](const std::string& word) {
               return iequals(word, value);
           });
}

Result<api::AccountingQuery> accounting_query(const RestQuery& query) {
    api::AccountingQuery wanted;
    for (const std::string& word : query.words("step")) {
        const Result<std::int64_t> id = parse_int64(word);
        if (!id.ok() || *id < 1 || *id > UINT32_MAX)
            return wrong_value("step", "ids of jobs, such as 12,14");
        wanted.jobs.emplace_back(static_cast<std::uint32_t>(*id));
    }
    wanted.users = query.words("users");
    wanted.accounts = query.words("account");
    wanted.partitions = query.words("partition");
    wanted.states = query.words("state");
    wanted.names = query.words("job_name");
    wanted.from = query.time("start_time");
    wanted.until = query.time("end_time");
    wanted.duplicates = query.flag("show_duplicates");
    return wanted;
}

Result<api::CancelRequest> cancel_request(const RestQuery& query) {
    api::CancelRequest request;
    for (const std::string& flag : query.words("flags")) {
        if (flag == "BATCH_JOB") {
            request.batch_only = true;
        } else if (flag == "FULL_JOB") {
            request.whole_job = true;
        } else {
            return wrong_value("flags", "BATCH_JOB or FULL_JOB");
        }
    }
    const std::vector<std::string> signals = query.words("signal");
    if (signals.size() > 1) return wrong_value("signal", "one signal");
    if (signals.empty()) return request;
    const std::optional<std::int32_t> signal = parse_signal(signals.front());
    if (!signal) return wrong_value("signal", "a signal, such as TERM or 15");
    // KILL ends the job, as without a signal.
    if (*signal == SIGKILL && !request.batch_only) return request;
    request.signal = *signal;
    // Script and steps have it where no flag says otherwise, as of slurmrestd.
    if (query.words("flags").empty()) request.whole_job = true;
    return request;
}

}  // namespace berth::slurmrest
