// sacctmgr show events: when nodes took no work, and why.
#pragma once

#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/admin/sacctmgr_table.h"

namespace berth::slurm {

struct EventChoice {
    api::NodeEventQuery query;
    std::vector<std::string> states, reasons, users;  // Each names any part of it.
    std::string format;
    bool open = false, all_time = false;

    bool takes(const api::NodeEventRow& row) const;
};

// The words after "show events": "start=now-1day", "nodes=n[1-4]", "state=down", "cond_flags=open",
// "all_time", "format=…". Without start= and all_time it begins with yesterday, as in Slurm. The
// error is what Slurm says of a word that it does not know.
Result<EventChoice> parse_event_choice(const std::vector<std::string>& words, Time now);

int print_events(const std::string& cluster, const std::vector<api::NodeEventRow>& events,
                 const EventChoice& choice, Time now, const SacctmgrOptions& options,
                 Streams& streams);

int show_events(Client& client, const std::vector<std::string>& words,
                const SacctmgrOptions& options, Streams& streams);

}  // namespace berth::slurm
