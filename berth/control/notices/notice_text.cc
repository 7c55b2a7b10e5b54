#include "berth/control/notices/notice_text.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/control/notices/site_variables.h"
#include "berth/model/node_names.h"

namespace berth {
namespace {

std::string_view verb_of(MailType type) {
    switch (type) {
        case MailType::begin: return "Began";
        case MailType::end: return "Ended";
        case MailType::fail: return "Failed";
        case MailType::requeue: return "Requeued";
        case MailType::time_limit: return "Reached time limit";
        case MailType::time_limit_90: return "Reached 90% of time limit";
        case MailType::time_limit_80: return "Reached 80% of time limit";
        case MailType::time_limit_50: return "Reached 50% of time limit";
        case MailType::stage_out: return "StageOut/Teardown";
        case MailType::invalid_depend: return "Invalid dependency";
        case MailType::array_tasks: break;
    }
    return "unknown";
}

bool is_end(MailType type) { return type == MailType::end || type == MailType::fail; }

// How long the job waited or ran; empty where Slurm prints nothing.
std::string queued_time(const Job& job) {
    return format_duration(std::max(Duration{}, *job.started_at - job.submitted_at));
}
std::string run_time(const Job& job, Time now) {
    return format_duration(job.started_at ? ran_for(job, now) : Duration{});
}

std::string time_part(const Job& job, MailType type, Time now) {
    if (type == MailType::invalid_depend) return "";
    if (type == MailType::begin) return ", Queued time " + queued_time(job);
    return ", Run time " + run_time(job, now);
}

std::string end_part(const Job& job) {
    const std::string state(slurm_name(end_of(job)));
    if (job.exit.signal != 0) return ", " + state;
    return ", " + state + ", ExitCode " + std::to_string(job.exit.code);
}

// Removes line ends from a job's name, since a mail header is one line.
std::string one_line(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    }
    return text;
}

}  // namespace

void ArrayOutcome::add(const Job& task) {
    const bool first = over++ == 0;
    const auto code = task.exit.code;
    least_code = first ? code : std::min(least_code, code);
    most_code = first ? code : std::max(most_code, code);
    most_signal = std::max(most_signal, task.exit.signal);
    const JobState end = end_of(task);
    failed = failed || (end != JobState::completed && end != JobState::cancelled);
}

JobState end_of(const Job& job) {
    return job.state == JobState::completing ? job.outcome : job.state;
}

std::string mail_subject(const Job& job, MailType type, Time now) {
    std::string text = "Slurm ";
    if (job.array_task) {
        text += "Array Task Job_id=" + to_string(job.array_job.value_or(job.id)) + "_" +
                std::to_string(*job.array_task) + " (" + to_string(job.id) + ")";
    } else {
        text += "Job_id=" + to_string(job.id);
    }
    text += " Name=" + std::string(job.spec.name) + " " + std::string(verb_of(type)) +
            time_part(job, type, now);
    if (is_end(type)) text += end_part(job);
    return one_line(std::move(text));
}

std::string array_subject(const Job& job, MailType type, const ArrayOutcome& outcome) {
    const std::string array = to_string(job.array_job.value_or(job.id));
    std::string text = "Slurm Array Summary Job_id=" + array + "_* (" + array +
                       ") Name=" + std::string(job.spec.name) + " " + std::string(verb_of(type));
    if (!is_end(type)) return one_line(std::move(text));
    const std::string codes =
        std::to_string(outcome.least_code) + "-" + std::to_string(outcome.most_code) + "]";
    if (outcome.most_signal != 0) {
        text += ", Mixed, MaxSignal [" + std::to_string(outcome.most_signal) + "]";
    } else if (outcome.least_code == 0 && outcome.most_code > 0) {
        text += ", Mixed, ExitCode [" + codes;
    } else {
        text += ", " + std::string(slurm_name(end_of(job))) + ", ExitCode [" + codes;
    }
    if (outcome.requeued) text += ", with requeued tasks";
    return one_line(std::move(text));
}

std::vector<std::string> mail_variables(const ClusterState& state, const Job& job, MailType type,
                                        const ArrayOutcome* array, Time now) {
    std::vector<std::string> all = site_variables(state, job, is_end(type));
    all.push_back("SLURM_JOB_MAIL_TYPE=" + std::string(verb_of(type)));
    all.push_back("SLURM_JOB_MAIL_USER=" + job.spec.command->mail_user);
    if (type == MailType::begin) {
        all.push_back("SLURM_JOB_QUEUED_TIME=" + queued_time(job));
    } else if (type != MailType::invalid_depend) {
        all.push_back("SLURM_JOB_RUN_TIME=" + run_time(job, now));
    }
    if (!is_end(type)) return all;
    const auto put = [&](const char* name, std::int16_t number) {
        all.push_back(name + ("=" + std::to_string(number)));
    };
    if (array == nullptr) {
        put("SLURM_JOB_EXIT_CODE_MAX", job.exit.signal != 0 ? std::int16_t{0} : job.exit.code);
    } else if (array->most_signal != 0) {
        put("SLURM_JOB_TERM_SIGNAL_MAX", array->most_signal);
    } else {
        put("SLURM_JOB_EXIT_CODE_MIN", array->least_code);
        put("SLURM_JOB_EXIT_CODE_MAX", array->most_code);
    }
    return all;
}

JobNews news_of(const ClusterState& state, const Job& job, MailType type, Time now) {
    const ClusterSpec& spec = state.spec();
    JobNews news{.event = to_text(MailTypes{static_cast<std::uint16_t>(type)})};
    news.at = now;
    news.cluster = spec.name;
    news.job = job.id;
    news.array_job = job.array_job.plain();
    news.array_task = job.array_task.plain();
    news.attempt = job.attempt.value();
    news.name = job.spec.name;
    news.user = job.owner->user;
    news.account = job.spec.account;
    news.partition = spec.partition(job.partition).name;
    news.qos = spec.qos[job.qos.index()].name;
    news.state = slurm_name(end_of(job));
    news.reason = job.state_reason;
    news.nodes = names_of(spec, *job.nodes);
    news.started_at = job.started_at.plain();
    news.ended_at = job.ended_at.plain();
    news.submitted_at = job.submitted_at;
    news.exit = job.exit;
    news.id = spec.name + "-" + to_string(job.id) + "-" + std::to_string(news.attempt) + "-" +
              news.event + "-" + std::to_string(seconds(now));
    return news;
}

}  // namespace berth
