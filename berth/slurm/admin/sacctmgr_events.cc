#include "berth/slurm/admin/sacctmgr_events.h"

#include <pwd.h>

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/when.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

bool among(const std::vector<std::string>& wanted, const std::string& text) {
    return wanted.empty() || std::ranges::any_of(wanted, [&](const std::string& one) {
               return to_lower(text).find(to_lower(one)) != std::string::npos;
           });
}

// An error where the word is none of show events.
Status take_word(EventChoice& choice, const std::string& word, Time now) {
    if (iequals(word, "where") || iequals(word, "events")) return Done{};
    if (means(word, "all_time", 5)) return choice.all_time = true, Done{};
    if (means(word, "all_clusters", 5)) return Done{};  // There is one.
    const auto [key, value] = key_and_value(word);
    if (means(key, "format", 1)) return choice.format = value, Done{};
    if (means(key, "start", 4) || means(key, "end", 2)) {
        BERTH_TRY(const Time at, parse_when(value, now));
        (means(key, "start", 4) ? choice.query.from : choice.query.until) = at;
        return Done{};
    }
    if (means(key, "nodes", 1)) {
        BERTH_TRY(choice.query.nodes, expand_hostlist(value));
        return Done{};
    }
    if (means(key, "states", 4)) return choice.states = names_listed(value), Done{};
    if (means(key, "reason", 1)) return choice.reasons = names_listed(value), Done{};
    if (means(key, "users", 1)) return choice.users = names_listed(value), Done{};
    if (means(key, "cond_flags", 2) && means(value, "open", 2)) return choice.open = true, Done{};
    if (means(key, "event", 2) && means(value, "node", 1)) return Done{};  // There is no other.
    if (means(key, "clusters", 1)) return Done{};
    return Error{ErrorCode::invalid_argument, "Unknown condition: " + word};
}

// "root(0)"; of a user that this host does not know the name alone.
std::string user_with_uid(const std::string& name) {
    const passwd* const known = ::getpwnam(name.c_str());
    return known == nullptr ? name : name + "(" + std::to_string(known->pw_uid) + ")";
}

struct EventLine {
    std::string cluster;
    api::NodeEventRow row;
    Time now;
};

const std::vector<SacctmgrColumn<EventLine>>& event_columns() {
    using Line = EventLine;
    static const std::vector<SacctmgrColumn<Line>> kColumns = {
        {"Cluster", "Cluster", 10, false, [](const Line& line) { return line.cluster; }},
        {"ClusterNodes", "Cluster Nodes", 20, false, [](const Line&) { return std::string(); }},
        {"Duration", "Duration", 13, false,
         [](const Line& line) {
             return format_duration(line.row.ended.value_or(line.now) - line.row.began);
         }},
        {"Event", "Event", 7, false, [](const Line&) { return std::string("Node"); }},
        {"EventRaw", "EventRaw", 8, false, [](const Line&) { return std::string("2"); }},
        {"NodeName", "NodeName", 15, true, [](const Line& line) { return line.row.node; }},
        {"Start,TimeStart", "TimeStart", 19, false,
         [](const Line& line) { return local_time(line.row.began, "Unknown"); }},
        {"End,TimeEnd", "TimeEnd", 19, false,
         [](const Line& line) { return local_time(line.row.ended, "Unknown"); }},
        {"State", "State", 6, false, [](const Line& line) { return line.row.state; }},
        {"Reason", "Reason", 30, false, [](const Line& line) { return line.row.reason; }},
        {"User", "User", 10, false,
         [](const Line& line) {
             return line.row.by.empty() ? "slurm" : user_with_uid(line.row.by);
         }},
    };
    return kColumns;
}

}  // namespace

bool EventChoice::takes(const api::NodeEventRow& row) const {
    if (open && row.ended) return false;
    return among(states, row.state) && among(reasons, row.reason) && among(users, row.by);
}

Result<EventChoice> parse_event_choice(const std::vector<std::string>& words, Time now) {
    EventChoice choice;
    for (const std::string& word : words) BERTH_CHECK(take_word(choice, word, now));
    if (!choice.query.from && !choice.all_time)
        choice.query.from = midnight_before(midnight_before(now) - std::chrono::hours(12));
    return choice;
}

int print_events(const std::string& cluster, const std::vector<api::NodeEventRow>& events,
                 const EventChoice& choice, Time now, const SacctmgrOptions& options,
                 Streams& streams) {
    SacctmgrTable<EventLine> table(options, streams);
    if (!table.choose(event_columns(), choice.format.empty()
                                           ? "Cluster,NodeName,Start,End,State,Reason,User"
                                           : choice.format))
        return 1;
    table.header();
    for (const api::NodeEventRow& row : events)
        if (choice.takes(row)) table.line({cluster, row, now});
    return 0;
}

int show_events(Client& client, const std::vector<std::string>& words,
                const SacctmgrOptions& options, Streams& streams) {
    const Time now = wall_time();
    const Result<EventChoice> choice = parse_event_choice(words, now);
    if (!choice.ok()) return streams.err << ' ' << choice.error().message << '\n', 1;
    const auto ping = client.ping();
    const auto events = client.accounts().node_events(choice->query);
    if (ping && events) return print_events(ping->cluster, *events, *choice, now, options, streams);
    streams.err << "sacctmgr: error: " << slurm_message(ping ? events.problem() : ping.problem())
                << '\n';
    return 1;
}

}  // namespace berth::slurm
