// sbcast: copies a file to all nodes of a running job, and the libraries of a program.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>

#include "berth/base/text.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/jobs/broadcast.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

constexpr const char* kSbcastUsage = "Usage: sbcast [-fpv] [-j JOB] SOURCE DEST\n";

constexpr auto kSbcastOptions = std::to_array<option>({
    {"compress", optional_argument, nullptr, 'C'},
    {"exclude", required_argument, nullptr, 'e'},
    {"fanout", required_argument, nullptr, 'F'},
    {"force", no_argument, nullptr, 'f'},
    {"jobid", required_argument, nullptr, 'j'},
    {"send-libs", optional_argument, nullptr, 'L'},
    {"preserve", no_argument, nullptr, 'p'},
    {"size", required_argument, nullptr, 's'},
    {"timeout", required_argument, nullptr, 't'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"help", no_argument, nullptr, 'h'},
    {"usage", no_argument, nullptr, 'h'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSbcastLetters = "CfF:j:ps:t:vV";

class Sbcast {
public:
    Sbcast(const Invocation& call, Streams& streams)
        : call_(call), streams_(streams), client_(endpoint_of(call)) {}

    int run() {
        if (const auto code = read_options()) return *code;
        if (names_.size() != 2) {
            streams_.err << "Need two file names, have " << names_.size() << " names\n"
                         << "Try \"sbcast --help\" for more information\n";
            return 1;
        }
        if (job_.empty()) {
            return fail(
                "Need a job id to run this command.  Run from within a Slurm job or use the "
                "--jobid option.");
        }
        if (names_[1].empty() || names_[1].back() == '/')
            return fail("Target filename cannot be a directory.");
        if (const auto code = open_source()) return *code;
        return send();
    }

private:
    int fail(const std::string& message, int code = 1) {
        streams_.err << "sbcast: error: " << message << '\n';
        return code;
    }

    void warn(const char* option) {
        streams_.err << "sbcast: warning: " << option
                     << " has no effect: the file goes to all nodes at once, uncompressed\n";
    }

    std::optional<int> read_options() {
        if (const std::string* id = call_.variable(kSlurmJobId)) job_ = *id;
        file_.force = call_.variable("SBCAST_FORCE") != nullptr;
        file_.preserve = call_.variable("SBCAST_PRESERVE") != nullptr;
        ArgumentReader reader(call_, kSbcastOptions, kSbcastLetters);
        for (const SetVariable& set : set_variables(call_, kSbcastOptions)) {
            if (const auto code = take(set.letter, set.value)) return code;
        }
        while (const auto argument = reader.next(streams_)) {
            if (argument->letter == 'V') return streams_.out << kVersion << '\n', 0;
            if (argument->letter == 'h') {
                return streams_.out << kSbcastUsage
                                    << command_help(call_, kSbcastOptions, kSbcastLetters),
                       0;
            }
            if (const auto code = take(argument->letter, argument->value)) return code;
        }
        if (reader.failed())
            return streams_.err << "Try \"sbcast --help\" for more information\n", 1;
        names_ = reader.operands();
        return std::nullopt;
    }

    // An exit code where it cannot be.
    std::optional<int> take(int letter, const char* value) {
        switch (letter) {
            case 'f': file_.force = true; return std::nullopt;
            case 'p': file_.preserve = true; return std::nullopt;
            case 'j': read_job(value); return std::nullopt;
            case 's':
                if (!parse_int64(value).ok())
                    streams_.err << "size specification is invalid, ignored\n";
                warn("--size");
                return std::nullopt;
            case 'F':
                if (!parse_int64(value).ok()) return fail("Invalid fanout: " + std::string(value));
                warn("--fanout");
                return std::nullopt;
            case 'C': warn("--compress"); return std::nullopt;
            case 'e': excluded_ = value; return std::nullopt;
            case 'L':
                if (const auto wanted = wants_libraries(value)) {
                    sends_libraries_ = *wanted;
                    return std::nullopt;
                }
                return fail("Invalid --send-libs specification");
            case 'v': return std::nullopt;
            default: return fail(not_supported(kSbcastOptions, letter).error().message);
        }
    }

    // "12", or "12.0": the nodes of that step alone.
    void read_job(const std::string& text) {
        const std::size_t dot = text.find('.');
        job_ = text.substr(0, dot);
        if (dot != std::string::npos) step_ = text.substr(dot + 1);
    }

    std::optional<int> open_source() {
        auto file = file_to_send(names_[0]);
        if (!file.ok()) return fail(file.error().message, 255);
        file->destination = names_[1];
        file->force = file_.force;
        file->preserve = file_.preserve;
        file_ = *std::move(file);
        return std::nullopt;
    }

    int send() {
        const auto jobs = client_.job(job_);
        if (!jobs)
            return fail("Slurm job " + job_ + " not found: " + slurm_message(jobs.problem()));
        const api::JobRow& job = jobs->front();
        if (job.state != "RUNNING")
            return fail("Slurm job " + job_ + " is " + to_lower(job.state) + ", not running");
        BroadcastNodes to{.job = job_, .count = job.node_count, .names = {}};
        if (step_) {
            const auto step = std::ranges::find_if(
                job.steps, [&](const api::StepRow& one) { return step_name(one.id) == *step_; });
            if (step == job.steps.end() || step->state != "RUNNING")
                return fail("Slurm job " + job_ + " has no running step " + *step_);
            to.count = static_cast<std::uint32_t>(step->nodes.size());
            to.names = step->nodes;
        }
        const int code = send_file(call_, client_, streams_, to, names_[0], file_);
        if (code == 0 && sends_libraries_)
            send_libraries(call_, client_, streams_, to, names_[0], file_, excluded_);
        return code;
    }

    const Invocation& call_;
    Streams& streams_;
    Client client_;
    std::string job_;
    std::optional<std::string> step_;
    std::vector<std::string> names_;
    BroadcastFile file_;
    bool sends_libraries_ = false;
    std::string excluded_{kNoLibrariesOf};
};

}  // namespace

int run_sbcast(const Invocation& call, Streams& streams) { return Sbcast(call, streams).run(); }

}  // namespace berth::slurm
