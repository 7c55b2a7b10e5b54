#include "berth/api/query.h"

#include "berth/base/text.h"

namespace berth::api {
namespace {

constexpr std::size_t kPairsMax = 10'000;

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Error wrong(const std::string& key, std::string_view value, std::string_view right) {
    return {ErrorCode::invalid_argument,
            "query: " + key + " must be " + std::string(right) + ", not " + std::string(value)};
}

Result<JobId> parse_id(const std::string& key, const std::string& text) {
    const Result<std::int64_t> number = parse_int64(text);
    if (!number.ok() || !std::in_range<std::uint32_t>(*number)) return wrong(key, text, "a job id");
    return JobId(static_cast<std::uint32_t>(*number));
}

// One list of a query, by name.
struct ListOf {
    std::string_view key;
    std::vector<std::string>* list;
};

// Puts the value where its key belongs. False: none of these.
bool put_in(std::initializer_list<ListOf> lists, const std::pair<std::string, std::string>& pair) {
    for (const ListOf& one : lists) {
        if (one.key == pair.first) return one.list->push_back(pair.second), true;
    }
    return false;
}

void add_all(QueryPairs& pairs, const char* key, const std::vector<std::string>& values) {
    for (const std::string& value : values) pairs.emplace_back(key, value);
}

void add_ids(QueryPairs& pairs, const std::vector<JobId>& ids) {
    for (const JobId id : ids) pairs.emplace_back("job", to_string(id));
}

Error unknown(const std::string& key) {
    return {ErrorCode::invalid_argument, "query: this route has no parameter " + key};
}

Result<bool> parse_truth(const std::string& key, const std::string& text) {
    if (text == "true" || text == "false") return text == "true";
    return wrong(key, text, "true or false");
}

Result<Time> parse_time(const std::string& key, const std::string& text) {
    const Result<std::int64_t> at = parse_int64(text);
    constexpr std::int64_t kMost = seconds(kNever) - 1;
    if (!at.ok() || *at < -kMost || *at > kMost) return wrong(key, text, "seconds since 1970");
    return from_seconds(*at);
}

}  // namespace

std::string percent_encode(std::string_view text) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_plain(c)) {
            out += c;
        } else {
            out += {'%', kHex[byte >> 4], kHex[byte & 0xf]};
        }
    }
    return out;
}

Result<std::string> percent_decode(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return Error{ErrorCode::invalid_argument,
                         "the URL has a % without two hexadecimal digits behind it"};
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::string format_query(const QueryPairs& pairs) {
    std::string text;
    for (const auto& [key, value] : pairs) {
        if (!text.empty()) text += '&';
        text += percent_encode(key) + '=' + percent_encode(value);
    }
    return text;
}

Result<QueryPairs> parse_query(std::string_view text) {
    QueryPairs pairs;
    if (text.empty()) return pairs;
    for (const std::string_view part : split(text, '&')) {
        if (part.empty()) continue;
        if (pairs.size() == kPairsMax) {
            return Error{ErrorCode::invalid_argument,
                         "query: more than " + std::to_string(kPairsMax) + " values"};
        }
        const std::size_t equals = part.find('=');
        BERTH_TRY(std::string key, percent_decode(part.substr(0, equals)));
        BERTH_TRY(std::string value,
                  percent_decode(equals == std::string_view::npos ? std::string_view()
                                                                  : part.substr(equals + 1)));
        pairs.emplace_back(std::move(key), std::move(value));
    }
    return pairs;
}

std::string format_job_query(const JobQuery& query) {
    QueryPairs pairs;
    add_ids(pairs, query.jobs);
    add_all(pairs, "user", query.users);
    add_all(pairs, "account", query.accounts);
    add_all(pairs, "partition", query.partitions);
    add_all(pairs, "state", query.states);
    add_all(pairs, "name", query.names);
    add_all(pairs, "node", query.nodes);
    add_all(pairs, "field", query.fields);
    return format_query(pairs);
}

Result<JobQuery> parse_job_query(std::string_view text) {
    BERTH_TRY(const QueryPairs pairs, parse_query(text));
    JobQuery query;
    for (const auto& pair : pairs) {
        if (pair.first == "job") {
            BERTH_TRY(query.jobs.emplace_back(), parse_id(pair.first, pair.second));
        } else if (!put_in({{"user", &query.users},
                            {"account", &query.accounts},
                            {"partition", &query.partitions},
                            {"state", &query.states},
                            {"name", &query.names},
                            {"node", &query.nodes},
                            {"field", &query.fields}},
                           pair)) {
            return unknown(pair.first);
        }
    }
    return query;
}

std::string format_accounting_query(const AccountingQuery& query) {
    QueryPairs pairs;
    add_ids(pairs, query.jobs);
    add_all(pairs, "user", query.users);
    add_all(pairs, "account", query.accounts);
    add_all(pairs, "partition", query.partitions);
    add_all(pairs, "state", query.states);
    add_all(pairs, "name", query.names);
    if (query.from) pairs.emplace_back("from", std::to_string(seconds(*query.from)));
    if (query.until) pairs.emplace_back("until", std::to_string(seconds(*query.until)));
    if (query.duplicates) pairs.emplace_back("duplicates", "true");
    return format_query(pairs);
}

Result<AccountingQuery> parse_accounting_query(std::string_view text) {
    BERTH_TRY(const QueryPairs pairs, parse_query(text));
    AccountingQuery query;
    for (const auto& pair : pairs) {
        const auto& [key, value] = pair;
        if (key == "job") {
            BERTH_TRY(query.jobs.emplace_back(), parse_id(key, value));
        } else if (key == "from") {
            BERTH_TRY(query.from, parse_time(key, value));
        } else if (key == "until") {
            BERTH_TRY(query.until, parse_time(key, value));
        } else if (key == "duplicates") {
            BERTH_TRY(query.duplicates, parse_truth(key, value));
        } else if (!put_in({{"user", &query.users},
                            {"account", &query.accounts},
                            {"partition", &query.partitions},
                            {"state", &query.states},
                            {"name", &query.names}},
                           pair)) {
            return unknown(key);
        }
    }
    return query;
}

std::string format_usage_query(const UsageQuery& query) {
    QueryPairs pairs;
    add_ids(pairs, query.jobs);
    add_all(pairs, "user", query.users);
    add_all(pairs, "account", query.accounts);
    add_all(pairs, "partition", query.partitions);
    add_all(pairs, "node", query.nodes);
    add_all(pairs, "group", query.groups);
    add_all(pairs, "wckey", query.wckeys);
    if (query.from) pairs.emplace_back("from", std::to_string(seconds(*query.from)));
    if (query.until) pairs.emplace_back("until", std::to_string(seconds(*query.until)));
    if (query.by_size) pairs.emplace_back("by_size", "true");
    if (query.reservations) pairs.emplace_back("reservations", "true");
    return format_query(pairs);
}

Result<UsageQuery> parse_usage_query(std::string_view text) {
    BERTH_TRY(const QueryPairs pairs, parse_query(text));
    UsageQuery query;
    for (const auto& pair : pairs) {
        const auto& [key, value] = pair;
        if (key == "job") {
            BERTH_TRY(query.jobs.emplace_back(), parse_id(key, value));
        } else if (key == "from") {
            BERTH_TRY(query.from, parse_time(key, value));
        } else if (key == "until") {
            BERTH_TRY(query.until, parse_time(key, value));
        } else if (key == "by_size") {
            BERTH_TRY(query.by_size, parse_truth(key, value));
        } else if (key == "reservations") {
            BERTH_TRY(query.reservations, parse_truth(key, value));
        } else if (!put_in({{"user", &query.users},
                            {"account", &query.accounts},
                            {"partition", &query.partitions},
                            {"node", &query.nodes},
                            {"group", &query.groups},
                            {"wckey", &query.wckeys}},
                           pair)) {
            return unknown(key);
        }
    }
    return query;
}

std::string format_node_event_query(const NodeEventQuery& query) {
    QueryPairs pairs;
    add_all(pairs, "node", query.nodes);
    if (query.from) pairs.emplace_back("from", std::to_string(seconds(*query.from)));
    if (query.until) pairs.emplace_back("until", std::to_string(seconds(*query.until)));
    return format_query(pairs);
}

Result<NodeEventQuery> parse_node_event_query(std::string_view text) {
    BERTH_TRY(const QueryPairs pairs, parse_query(text));
    NodeEventQuery query;
    for (const auto& pair : pairs) {
        const auto& [key, value] = pair;
        if (key == "from") {
            BERTH_TRY(query.from, parse_time(key, value));
        } else if (key == "until") {
            BERTH_TRY(query.until, parse_time(key, value));
        } else if (!put_in({{"node", &query.nodes}}, pair)) {
            return unknown(key);
        }
    }
    return query;
}

}  // namespace berth::api
