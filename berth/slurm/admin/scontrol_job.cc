#include "berth/slurm/admin/scontrol_job.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <ostream>
#include <thread>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/slurm/jobs/job_wait.h"
#include "berth/slurm/text/print.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {

using namespace std::chrono_literals;

// Until it runs. One that never will, or is held, is not waited for.
int wait_for_job(Client& client, const std::vector<std::string>& words, Streams& streams) {
    if (words.size() < 2) return streams.err << "too few arguments for keyword:wait_job\n", 1;
    const std::string& id = words[1];
    const auto number = parse_int64(id);
    if (!number.ok() || number.value() <= 0)
        return streams.err << "Invalid job_id " << id << '\n', 1;
    for (std::chrono::milliseconds pause = 50ms;;
         pause = std::min(pause * 3 / 2, kLongestWaitPause)) {
        const auto jobs = client.job(id);
        if (!jobs) return streams.err << "scontrol: Problem running job " << id << '\n', 1;
        const api::JobRow& job = jobs->front();
        if (job.state == "RUNNING")
            return streams.err << "scontrol: Nodes are ready for job " << id << '\n', 0;
        const bool is_held = job.state == "PENDING" && job.priority == 0;
        const bool waits = job.state == "PENDING" || job.state == "CONFIGURING";
        if (!waits || is_held)
            return streams.err << "scontrol: Job " << id << " no longer running\n", 1;
        std::this_thread::sleep_for(pause);
    }
}

// "write batch_script 12 [FILE]"; "-" is the standard output.
int write_script(Client& client, const std::vector<std::string>& words, Streams& streams) {
    if (words.size() < 2) return streams.err << "too few arguments for keyword:write\n", 1;
    if (!iequals(words[1], "batch_script"))
        return streams.err << "invalid write argument:" << words[1] << '\n', 1;
    if (words.size() < 3 || words.size() > 4)
        return streams.err << "write batch_script takes a job, and a file name or -\n", 1;
    const std::string& id = words[2];
    const auto script = client.script(id);
    if (!script) {
        streams.err << "job script retrieval failed: " << slurm_message(script.problem()) << '\n';
        return 1;
    }
    const std::string name = words.size() > 3 ? words[3] : "slurm-" + id + ".sh";
    if (name == "-") return streams.out << *script, 0;
    std::ofstream file(name, std::ios::binary | std::ios::trunc);
    file << *script;
    file.close();
    if (!file) return streams.err << "failed to write the script to " << name << '\n', 1;
    streams.out << "batch script for job " << id << " written to " << name << '\n';
    return 0;
}

int show_completing(Client& client, Streams& streams) {
    api::JobQuery query;
    query.states = {"COMPLETING"};
    const auto jobs = client.jobs(query);
    if (!jobs)
        return streams.err << "slurm_load_jobs error: " << slurm_message(jobs.problem()) << '\n', 1;
    const Time now = wall_time();
    for (const api::JobRow& job : *jobs) {
        const auto& ended = job.ended_at;
        streams.out << "JobId=" << to_string(job.id) << " EndTime=" << local_time(ended, "Unknown")
                    << " CompletingTime="
                    << (ended ? format_duration(std::max(Duration::zero(), now - *ended))
                              : "INVALID")
                    << " Nodes(COMPLETING)=" << nodes_text(job.nodes) << " \n";
    }
    return 0;
}

int put_on_top(Client& client, const std::vector<std::string>& words, Streams& streams) {
    if (words.size() != 2) {
        streams.err << (words.size() < 2 ? "too few" : "too many")
                    << " arguments for keyword:" << words[0] << '\n';
        return 1;
    }
    api::TopRequest request;
    for (const auto name : split(words[1], ',')) request.jobs.emplace_back(trim(name));
    const auto done = client.top(request);
    if (done) return 0;
    streams.err << slurm_message(done.problem()) << " for job " << words[1] << '\n';
    return 1;
}

int notify_job(Client& client, const std::vector<std::string>& words, Streams& streams) {
    if (words.size() < 3) {
        streams.err << "too few arguments for keyword:" << words[0] << '\n';
        return 1;
    }
    std::string text = words[2];
    for (std::size_t i = 3; i < words.size(); ++i) text += " " + words[i];
    const auto done = client.notify(words[1], {.message = text});
    if (done) return 0;
    streams.err << "job notify failure: " << slurm_message(done.problem()) << '\n';
    return 1;
}

}  // namespace berth::slurm
