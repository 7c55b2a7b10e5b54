// berth submit, run, logs, cancel: a person's own work, through the same options and rules as
// sbatch.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <ostream>
#include <sstream>
#include <thread>
#include <utility>

#include "berth/base/text.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/step/held_signals.h"

extern char** environ;

namespace berth::cli {
namespace {

using namespace std::chrono_literals;

// The command line of sbatch that says the same: one reading of options, #SBATCH lines and limits
// for both.
slurm::Invocation as_sbatch(const SubmitOptions& options) {
    slurm::Invocation call{.name = "sbatch", .arguments = {"--parsable"}, .environment = {}};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        call.environment[text.substr(0, text.find('='))] =
            text.find('=') == std::string::npos ? "" : text.substr(text.find('=') + 1);
    }
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty() && value != "0")
            call.arguments.push_back(std::string(name) + "=" + value);
    };
    add("--job-name", options.name), add("--partition", options.partition),
        add("--time", options.time), add("--gpus", options.gpus);
    add("--constraint", options.constraint), add("--nodes", std::to_string(options.nodes)),
        add("--ntasks", std::to_string(options.tasks));
    add("--cpus-per-task", std::to_string(options.cpus)), add("--mem", options.memory),
        add("--output", options.out);
    add("--account", options.account), add("--qos", options.qos);
    add("--berth-priority-class", options.terms.priority_class);
    add("--berth-max-wait", options.terms.max_wait);
    add("--berth-checkpoint", options.terms.checkpoint);
    add("--berth-restart-cost", options.terms.restart_cost);
    add("--berth-gpu-memory", options.place.gpu_memory);
    add("--berth-compute-capability", options.place.compute_capability);
    add("--switches", options.place.switches);
    add("--berth-affinity", options.place.affinity),
        add("--berth-anti-affinity", options.place.anti_affinity);
    if (options.place.pack) call.arguments.emplace_back("--berth-pack");
    if (options.place.compact) call.arguments.emplace_back("--berth-compact");
    if (!options.wrap.empty()) call.arguments.push_back("--wrap=" + options.wrap);
    if (!options.script.empty()) call.arguments.push_back(options.script);
    call.arguments.insert(call.arguments.end(), options.arguments.begin(), options.arguments.end());
    return call;
}

// The job's id, or nullopt after sbatch has said what was wrong.
std::optional<std::string> submitted(const SubmitOptions& options) {
    std::istringstream nothing;
    std::ostringstream out;
    slurm::Streams streams{options.script.empty() && options.wrap.empty() ? std::cin : nothing, out,
                           std::cerr};
    if (slurm::run_sbatch(as_sbatch(options), streams) != 0) return std::nullopt;
    return std::string(trim(out.str()));
}

bool is_over(const api::JobRow& job) {
    return job.state != "PENDING" && job.state != "RUNNING" && job.state != "SUSPENDED" &&
           job.state != "COMPLETING" && job.state != "CONFIGURING";
}

// "FAILED (Could not open stdout file /x: No such file or directory)"
std::string end_of(const api::JobRow& job) {
    if (job.reason.empty() || job.reason == "None") return job.state;
    return job.state + " (" + job.reason + ")";
}

// Prints what has been added to a file since `at`.
void print_new(const std::string& path, std::streamoff& at, std::ostream& out) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return;
    file.seekg(at);
    std::ostringstream text;
    text << file.rdbuf();
    at += static_cast<std::streamoff>(text.str().size());
    out << text.str() << std::flush;
}

// Follows the output until the job is over; its row as it ended. With `signals` the first of them
// cancels the job, and one more, or a controller that does not answer, ends the following.
CallResult<api::JobRow> followed(Client& client, const std::string& job, Output& output,
                                 const slurm::HeldSignals* signals) {
    std::streamoff at = 0;
    bool cancelled = false;
    for (;;) {
        const auto rows = client.job(job);
        if (!rows && rows.problem().code != "stopped") return rows.problem();
        if (rows) {
            const api::JobRow& row = rows->front();
            print_new(row.std_out, at, output.out());
            if (is_over(row)) return row;
        }
        if (signals == nullptr) {
            std::this_thread::sleep_for(100ms);
            continue;
        }
        const int signal = signals->wait(100ms);
        if (signal == 0) continue;
        if (std::exchange(cancelled, true))
            return api::Problem{.code = "stopped", .detail = "job " + job + " is still ending"};
        client.set_options(slurm::kBrief);
        const auto done = client.cancel(job);
        if (!done && slurm::is_silent(done.problem())) return done.problem();
        client.set_options({.stop_fd = signals->fd()});
    }
}

int exit_code_of(const api::JobRow& job) {
    if (job.exit.signal != 0) return 128 + job.exit.signal;
    if (job.exit.code != 0) return job.exit.code;
    return job.state == "COMPLETED" ? 0 : 1;
}

// One word of a shell command line, whatever it holds.
std::string shell_quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

int submit(const SubmitOptions& options, Output& output) {
    const auto job = submitted(options);
    if (!job) return 1;
    if (options.json) {
        output.out() << "{\"job\": " << *job << "}\n";
    } else {
        output.out() << "job " << *job << " submitted; berth why " << *job
                     << " says when it starts\n";
    }
    return 0;
}

int run(const SubmitOptions& options, Output& output) {
    SubmitOptions as_job = options;
    for (const std::string& word : options.arguments)
        as_job.wrap += (as_job.wrap.empty() ? "exec " : " ") + shell_quoted(word);
    as_job.arguments.clear();
    if (as_job.name.empty() && !options.arguments.empty())
        as_job.name = options.arguments.front().substr(options.arguments.front().rfind('/') + 1);
    const auto job = submitted(as_job);
    if (!job) return 1;
    const slurm::HeldSignals signals;
    Client client(find_endpoint(), {.stop_fd = signals.fd()});
    const auto row = followed(client, *job, output, &signals);
    if (!row) return output.fail(row.problem());
    if (row->state != "COMPLETED") output.fail("job " + *job + " ended: " + end_of(*row));
    return exit_code_of(*row);
}

int logs(const std::string& job, bool follow, Output& output) {
    Client client;
    if (follow) {
        const auto row = followed(client, job, output, nullptr);
        return row ? 0 : output.fail(row.problem());
    }
    const auto rows = client.job(job);
    if (!rows) return output.fail(rows.problem());
    const std::string& path = rows->front().std_out;
    if (!std::ifstream(path)) {
        const api::JobRow& row = rows->front();
        if (is_over(row)) return output.fail("no output at " + path + ": job " + end_of(row));
        return output.fail("there is no output yet: " + path);
    }
    std::streamoff at = 0;
    print_new(path, at, output.out());
    return 0;
}

int checkpoint_done(std::string job, Output& output) {
    const char* const own = std::getenv("SLURM_JOB_ID");
    if (job.empty() && own != nullptr) job = own;
    if (job.empty()) return output.fail("this runs in no job (SLURM_JOB_ID is not set): name one");
    const auto done = Client().own_job().checkpoint(job);
    return done ? 0 : output.fail(done.problem());
}

int cancel(const std::vector<std::string>& jobs, Output& output) {
    Client client;
    int code = 0;
    for (const std::string& job : jobs) {
        const auto done = client.cancel(job);
        if (!done) {
            code = output.fail(done.problem());
        } else {
            output.out() << "job " << job << " is cancelled\n";
        }
    }
    return code;
}

}  // namespace berth::cli
