// Notice: word of what became of a job, for its user (by mail) or the site (by its webhook). It is
// given at most once: a controller that dies between the record and the sending does not repeat it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/exit_status.h"
#include "berth/model/ids.h"

namespace berth {

// What the site's webhook is sent, as JSON.
struct JobNews {
    std::string event;  // "BEGIN", "END" … as --mail-type has it.
    std::string id;     // Of this piece of news: it is the same if it is sent again.
    Time at{};
    std::string cluster;
    JobId job{0};
    std::optional<JobId> array_job;
    std::optional<std::uint32_t> array_task;
    std::uint32_t attempt = 0;
    std::string name, user, account, partition, qos, state, reason;
    std::vector<std::string> nodes;
    std::optional<Time> started_at, ended_at;
    Time submitted_at{};
    ExitStatus exit;
    BERTH_FIELDS(JobNews, event, id, at, cluster, job, array_job, array_task, attempt, name, user,
                 account, partition, qos, state, reason, nodes, started_at, ended_at, submitted_at,
                 exit)
};

struct Mail {
    std::string program, to, subject;
    std::vector<std::string> environment;
    BERTH_FIELDS(Mail, program, to, subject, environment)
};

struct Notice {
    std::optional<Mail> mail;
    std::optional<JobNews> news;
    std::string webhook, secret_file;  // Where to, and what signs it.
    BERTH_FIELDS(Notice, mail, news, webhook, secret_file)
};

}  // namespace berth
