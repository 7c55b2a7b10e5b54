// scancel: ends or signals jobs, array tasks and steps.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <istream>
#include <ostream>

#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/arguments.h"
#include "berth/slurm/clusters.h"
#include "berth/slurm/print.h"
#include "berth/slurm/values.h"

namespace berth::slurm {
namespace {

constexpr auto kOptions = std::to_array<option>({
    {"account", required_argument, nullptr, 'A'},
    {"batch", no_argument, nullptr, 'b'},
    {"full", no_argument, nullptr, 'f'},
    {"interactive", no_argument, nullptr, 'i'},
    {"me", no_argument, nullptr, 1},
    {"name", required_argument, nullptr, 'n'},
    {"jobname", required_argument, nullptr, 'n'},
    {"nodelist", required_argument, nullptr, 'w'},
    {"partition", required_argument, nullptr, 'p'},
    {"qos", required_argument, nullptr, 'q'},
    {"quiet", no_argument, nullptr, 'Q'},
    {"signal", required_argument, nullptr, 's'},
    {"state", required_argument, nullptr, 't'},
    {"user", required_argument, nullptr, 'u'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"help", no_argument, nullptr, 2},
    {"usage", no_argument, nullptr, 2},
    {"cron", no_argument, nullptr, 'c'},
    {"ctld", no_argument, nullptr, 3},
    {"hurry", no_argument, nullptr, 'H'},
    {"reservation", required_argument, nullptr, 'R'},
    {"clusters", required_argument, nullptr, 'M'},
    {"wckey", required_argument, nullptr, 4},
    {"sibling", required_argument, nullptr, 'S'},
    {nullptr, 0, nullptr, 0},
});

constexpr const char* kUsage =
    "Usage: scancel [-bfiQv] [-A account] [-n name] [-p partition] [-q qos] [-s signal]\n"
    "               [-t PENDING|RUNNING] [-u user | --me] [-w nodes] [job_id[_task][.step] ...]\n";

struct ScancelOptions {
    std::string clusters;
    api::CancelRequest request;
    std::vector<std::string> accounts, names, partitions, qos, users, nodes;
    bool interactive = false, quiet = false, verbose = false;

    bool selects() const {
        return !accounts.empty() || !names.empty() || !partitions.empty() || !qos.empty() ||
               !users.empty() || !nodes.empty() || !request.state.empty();
    }
};

Status read_state(const char* value, ScancelOptions& options) {
    const std::string_view state = state_from_text(value);
    if (state != "PENDING" && state != "RUNNING") {
        return Error{ErrorCode::invalid_argument,
                     "Invalid job state specified: " + std::string(value) +
                         " (PENDING and RUNNING can be cancelled)"};
    }
    options.request.state = state;
    return Done{};
}

Status read_signal(const char* value, ScancelOptions& options) {
    const auto number = parse_signal(value);
    if (!number)
        return Error{ErrorCode::invalid_argument, "Unknown job signal: " + std::string(value)};
    options.request.signal = *number;
    return Done{};
}

Status read_one(int letter, const char* value, ScancelOptions& options) {
    switch (letter) {
        case 'A': options.accounts = {value}; return Done{};
        case 'b': options.request.batch_only = true; return Done{};
        case 'f': options.request.whole_job = true; return Done{};
        case 'i': options.interactive = true; return Done{};
        case 1: options.users = {user_name_of(geteuid())}; return Done{};
        case 'n': options.names = {value}; return Done{};
        case 'p': options.partitions = {value}; return Done{};
        case 'q': options.qos = {value}; return Done{};
        case 'M': options.clusters = value; return Done{};
        case 'Q': options.quiet = true; return Done{};
        case 'v': options.verbose = true; return Done{};
        case 's': return read_signal(value, options);
        case 't': return read_state(value, options);
        case 'u': options.users = {value}; return Done{};
        case 'w': {
            BERTH_TRY(options.nodes, expand_node_argument(value));
            return Done{};
        }
        default: return not_supported(kOptions, letter);
    }
}

class Scancel {
public:
    Scancel(const Invocation& call, Streams& streams)
        : streams_(streams), client_(endpoint_of(call)) {}

    ScancelOptions options;

    // -M, where it is given: 1 if it names another cluster.
    int check_cluster() {
        if (options.clusters.empty()) return 0;
        const auto meant = cluster_meant(client_, options.clusters, "scancel");
        if (meant.ok()) return 0;
        streams_.err << "scancel: error: " << meant.error().message << '\n';
        return 1;
    }

    int cancel_named(const std::vector<std::string>& words) {
        int code = 0;
        for (const std::string& operand : words) {
            for (const std::string& word : split_outside_brackets(operand))
                code |= cancel_one(word);
        }
        return code;
    }

    int cancel_selected() {
        api::JobQuery query{.users = options.users,
                            .accounts = options.accounts,
                            .partitions = options.partitions,
                            .names = options.names,
                            .nodes = options.nodes};
        if (!options.request.state.empty()) query.states = {options.request.state};
        const auto jobs = client_.jobs(query);
        if (!jobs) {
            streams_.err << "scancel: error: " << slurm_message(jobs.problem()) << '\n';
            return 1;
        }
        int code = 0;
        for (const api::JobRow& job : *jobs) {
            const bool other_qos = !options.qos.empty() &&
                                   std::ranges::find(options.qos, job.qos) == options.qos.end();
            if (!other_qos && is_confirmed(job_id_text(job)))
                code |= send(to_string(job.id), std::nullopt, job_id_text(job));
        }
        return code;
    }

private:
    // "12_[1,3],14": commas within brackets do not divide.
    static std::vector<std::string> split_outside_brackets(const std::string& text) {
        std::vector<std::string> parts(1);
        int depth = 0;
        for (const char c : text) {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == ',' && depth == 0)
                parts.emplace_back();
            else
                parts.back() += c;
        }
        return parts;
    }

    int cancel_one(const std::string& word) {
        const std::size_t dot = word.find('.');
        std::string ref = word.substr(0, dot);
        if (ref.ends_with("_*")) ref.resize(ref.size() - 2);
        const bool has_id = !ref.empty() &&
                            ref.find_first_not_of("0123456789_[]-,:+") == std::string::npos &&
                            ref[0] >= '0' && ref[0] <= '9';
        std::optional<StepId> step;
        bool step_is_right = true;
        if (dot != std::string::npos) {
            const auto number = parse_int64(word.substr(dot + 1));
            step_is_right = word.substr(dot + 1) == "batch" ||
                            (number.ok() && number.value() >= 0 && number.value() < 0x7fff'ffff);
            if (step_is_right)
                step =
                    number.ok() ? StepId(static_cast<std::uint32_t>(number.value())) : kBatchStep;
        }
        if (!has_id || !step_is_right) {
            streams_.err << "scancel: error: Invalid job id " << word << '\n';
            return 1;
        }
        return is_confirmed(word) ? send(ref, step, word) : 0;
    }

    bool is_confirmed(const std::string& name) {
        if (!options.interactive) return true;
        streams_.out << "Cancel job_id=" << name << " [y/n]? " << std::flush;
        std::string answer;
        return std::getline(streams_.in, answer) && !answer.empty() && to_lower(answer[0]) == 'y';
    }

    int send(const std::string& ref, std::optional<StepId> step, const std::string& name) {
        api::CancelRequest request = options.request;
        request.step = step;
        if (options.verbose) streams_.err << "scancel: Terminating job " << name << '\n';
        const auto sent = client_.cancel(ref, request);
        if (sent) return 0;
        // What has ended already is as good as cancelled.
        if (sent.problem().code == "job_finished") {
            if (options.verbose)
                streams_.err << "scancel: error: Kill job error on job id " << name << ": "
                             << slurm_message(sent.problem()) << '\n';
            return 0;
        }
        if (!options.quiet)
            streams_.err << "scancel: error: Kill job error on job id " << name << ": "
                         << slurm_message(sent.problem()) << '\n';
        return 1;
    }

    Streams& streams_;
    Client client_;
};

}  // namespace

int run_scancel(const Invocation& call, Streams& streams) {
    Scancel scancel(call, streams);
    ArgumentReader reader(call, kOptions, "A:bcfHiM:n:p:Qq:R:s:S:t:u:vVw:");
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 2) return streams.out << kUsage, 0;
        if (const Status read = read_one(argument->letter, argument->value, scancel.options);
            !read.ok()) {
            streams.err << "scancel: error: " << read.error().message << '\n';
            return 1;
        }
    }
    if (reader.failed()) return streams.err << "Try \"scancel --help\" for more information\n", 1;
    if (const int code = scancel.check_cluster(); code != 0) return code;
    const std::vector<std::string> words = reader.operands();
    if (!words.empty()) return scancel.cancel_named(words);
    if (scancel.options.selects()) return scancel.cancel_selected();
    streams.err << "scancel: error: No job identification provided\n";
    return 1;
}

}  // namespace berth::slurm
