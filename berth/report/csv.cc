// One row for each job and policy, for spreadsheets and data frames.
#include <cstdio>

#include "berth/report/simulation_json.h"

namespace berth::report {
namespace {

std::string seconds_text(Duration length) {
    const auto millis = length.count();
    std::string text = std::to_string(millis / 1000);
    if (millis % 1000 != 0) {
        const std::string part = std::to_string(1000 + millis % 1000);
        text += "." + part.substr(1);
    }
    return text;
}

// In quotes where it must be; with an apostrophe before what a spreadsheet would take for a
// formula.
std::string csv_quoted(std::string text) {
    if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos)
        text.insert(text.begin(), '\'');
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string all = "\"";
    for (const char letter : text) {
        all += letter;
        if (letter == '"') all += '"';
    }
    return all + "\"";
}

// Empty: it never ran.
std::string fairness_text(const sim::JobRecord& record, const workload::TraceJob& job,
                          std::int64_t gpus) {
    if (record.starts == 0 || !is_final(record.state)) return {};
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", finish_time_fairness(record, job, gpus));
    return text;
}

std::string_view name_of(const sim::JobRecord& record) {
    if (record.refused) return "refused";
    switch (record.state) {
        case JobState::completed: return "completed";
        case JobState::failed: return "failed";
        case JobState::cancelled: return "cancelled";
        case JobState::timeout: return "timeout";
        case JobState::node_fail: return "node_fail";
        case JobState::pending: return "never_ran";
        default: return "other";
    }
}

}  // namespace

std::string to_csv(const workload::Workload& workload, const std::vector<PolicyRun>& runs) {
    std::string text =
        "policy,job,user,account,gpus,submit_s,first_start_s,end_s,ran_s,starts,preemptions,"
        "lost_runs,finish_time_fairness,state\n";
    for (const PolicyRun& run : runs) {
        for (std::size_t i = 0; i < run.result.jobs.size(); ++i) {
            const sim::JobRecord& record = run.result.jobs[i];
            const workload::TraceJob& job = workload.jobs[i];
            const std::string fields[] = {csv_quoted(run.policy),
                                          std::to_string(job.number),
                                          csv_quoted(job.user),
                                          csv_quoted(job.account),
                                          std::to_string(job.gpus),
                                          seconds_text(record.submitted),
                                          seconds_text(record.first_start),
                                          seconds_text(record.ended),
                                          seconds_text(record.ran),
                                          std::to_string(record.starts),
                                          std::to_string(record.preemptions()),
                                          std::to_string(record.lost),
                                          fairness_text(record, job, run.result.gpus),
                                          std::string(name_of(record))};
            for (const std::string& field : fields) text += (&field == fields ? "" : ",") + field;
            text += '\n';
        }
    }
    return text;
}

}  // namespace berth::report
