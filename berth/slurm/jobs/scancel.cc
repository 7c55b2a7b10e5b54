// scancel: ends or signals jobs, array tasks and steps. Ids and filters are all conditions: a job
// is ended only if every one of them holds.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <istream>
#include <ostream>

#include "berth/api/job_name.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/jobs/job_conditions.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/option_values.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

constexpr auto kScancelOptions = std::to_array<option>({
    {"account", required_argument, nullptr, 'A'},
    {"admin-comment", required_argument, nullptr, 5},
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
constexpr const char* kScancelLetters = "A:bcfHiM:n:p:Qq:R:s:S:t:u:vVw:";

// Of a list of tasks in an URL.
constexpr std::size_t kRefMax = 4000;

constexpr const char* kJobForms =
    "a job is 12, a task of an array 12_3, several of them 12_[1-3,7], a step 12.0";

constexpr const char* kScancelUsage =
    "Usage: scancel [-bfiQv] [-A account] [-n name] [-p partition] [-q qos] [-s signal]\n"
    "               [-R reservation] [-t PENDING|RUNNING|SUSPENDED] [-u user | --me] [-w nodes]\n"
    "               [--wckey wckey] [job_id[_task][.step] ...]\n\n"
    "Cancels the jobs that match every filter; if job ids are given, only these.\n";

struct ScancelOptions {
    std::string clusters;
    api::CancelRequest request;
    std::optional<std::string> admin_comment;
    JobConditions conditions;
    bool interactive = false, quiet = false, verbose = false;
    bool sibling = false;  // --sibling: a job of a federation, and there is none.
};

Status read_signal(const char* value, ScancelOptions& options) {
    const auto number = parse_signal(value);
    if (!number)
        return Error{ErrorCode::invalid_argument, "Unknown job signal: " + std::string(value)};
    options.request.signal = *number;
    return Done{};
}

Status read_one(int letter, const char* value, ScancelOptions& options) {
    JobConditions& conditions = options.conditions;
    switch (letter) {
        case 'b': options.request.batch_only = true; return Done{};
        case 'f': options.request.whole_job = true; return Done{};
        case 'i': options.interactive = true; return Done{};
        case 'H':
        case 3: return Done{};  // other_options.cc
        case 'M': options.clusters = value; return Done{};
        case 'Q': options.quiet = true; return Done{};
        case 's': return read_signal(value, options);
        case 'S': options.sibling = true; return Done{};
        case 'A': conditions.account = value; return Done{};
        case 1: return conditions.set_user(user_name_of(geteuid()));
        case 'n': conditions.name = value; return Done{};
        case 'p': conditions.partition = value; return Done{};
        case 'q': conditions.qos = value; return Done{};
        case 'R': conditions.reservation = value; return Done{};
        case 't': return conditions.set_state(value);
        case 'u': return conditions.set_user(value);
        case 'w': return conditions.set_nodes(value);
        case 4: conditions.wckey = value; return Done{};
        case 5: options.admin_comment = value; return Done{};
        default: return not_supported(kScancelOptions, letter);
    }
}

class Scancel {
public:
    Scancel(const Invocation& call, Streams& streams)
        : call_(call), streams_(streams), client_(endpoint_of(call)) {}

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
        const auto jobs = client_.jobs(options.conditions.query());
        if (!jobs) {
            streams_.err << "scancel: error: " << slurm_message(jobs.problem()) << '\n';
            return 1;
        }
        int code = 0;
        for (const api::JobRow& job : *jobs) code |= cancel_row(job, {}, std::nullopt);
        return code;
    }

private:
    // "12_[1,3],14": commas within brackets do not divide.
    static std::vector<std::string> split_outside_brackets(const std::string& text) {
        std::vector<std::string> parts(1);
        int depth = 0;
        for (const char c : text) {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.emplace_back();
            } else {
                parts.back() += c;
            }
        }
        return parts;
    }

    // "12-" and "12_" lack something behind.
    static bool is_whole(const std::string& ref) {
        return std::string_view("_-,:+[").find(ref.back()) == std::string_view::npos;
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
            if (step_is_right) {
                step =
                    number.ok() ? StepId(static_cast<std::uint32_t>(number.value())) : kBatchStep;
            }
        }
        if (!has_id || !step_is_right || !is_whole(ref)) {
            streams_.err << "scancel: error: Invalid job id " << word << '\n'
                         << advice(call_, kJobForms);
            return 1;
        }
        const bool must_look = options.conditions.any() || options.interactive;
        return must_look ? cancel_if_meant(ref, step, word) : send(ref, step, word, {});
    }

    // A job that was named, and must meet the conditions as well.
    int cancel_if_meant(const std::string& ref, std::optional<StepId> step,
                        const std::string& word) {
        const auto rows = client_.job(ref);
        const auto name = api::parse_job_name(ref);
        if (!rows || !name.ok()) {
            streams_.err << "scancel: error: Kill job error on job id " << word << ": "
                         << (rows ? name.error().message : slurm_message(rows.problem())) << '\n';
            return 1;
        }
        int code = 0;
        for (const api::JobRow& job : *rows) code |= cancel_row(job, name->array_tasks, step);
        return code;
    }

    // `only`: these tasks of an array's record; empty: all that still wait in it.
    int cancel_row(const api::JobRow& job, const std::vector<std::uint32_t>& only,
                   std::optional<StepId> step) {
        const std::string shown = job_id_text(job);
        if (!options.conditions.hold_for(job)) {
            if (options.verbose)
                streams_.err << "scancel: job " << shown << " does not match the given filters\n";
            return 0;
        }
        api::JobName name{.job = job.id};
        if (!job.array_pending.empty()) {
            name.array_tasks = tasks_of(job.array_pending);
            if (!only.empty()) {
                std::erase_if(name.array_tasks, [&](std::uint32_t task) {
                    return !std::ranges::binary_search(only, task);
                });
            }
            if (name.array_tasks.empty()) return 0;
        }
        if (!is_confirmed(job, shown)) return 0;
        // All that still wait have a short name; tasks that were named must be named again.
        if (only.empty() && api::to_string(name).size() > kRefMax)
            return send(to_string(job.id), step, shown, "PENDING");
        return send_in_parts(std::move(name), step, shown);
    }

    // A list of tasks that is too long for one URL takes several.
    int send_in_parts(api::JobName name, std::optional<StepId> step, const std::string& shown) {
        const std::string ref = api::to_string(name);
        if (ref.size() <= kRefMax)
            return send(ref, step, shown, options.conditions.state_to_send());
        const auto middle =
            name.array_tasks.begin() + static_cast<std::ptrdiff_t>(name.array_tasks.size() / 2);
        api::JobName rest{.job = name.job, .array_tasks = {middle, name.array_tasks.end()}};
        name.array_tasks.erase(middle, name.array_tasks.end());
        const int code = send_in_parts(std::move(name), step, shown);
        return send_in_parts(std::move(rest), step, shown) | code;
    }

    bool is_confirmed(const api::JobRow& job, const std::string& name) {
        if (!options.interactive) return true;
        streams_.out << "Cancel job_id=" << name << " name=" << job.name
                     << " partition=" << job.partition << " [y/n]? " << std::flush;
        std::string answer;
        return std::getline(streams_.in, answer) && !answer.empty() && to_lower(answer[0]) == 'y';
    }

    // `state`: the controller checks it again, for the job may have started in between.
    int send(const std::string& ref, std::optional<StepId> step, const std::string& name,
             const std::string& state) {
        api::CancelRequest request = options.request;
        request.step = step;
        request.state = state;
        if (options.sibling && !step && client_.job(ref)) {
            streams_.err << "scancel: error: Kill job error on job id " << name
                         << ": Not a valid federated job\n";
            return 1;
        }
        if (options.verbose) streams_.err << "scancel: Terminating job " << name << '\n';
        if (options.admin_comment && !step) {  // First, as what has ended cannot be changed.
            const auto said = client_.update(ref, {.admin_comment = options.admin_comment});
            if (!said) return failed(said.problem(), name);
        }
        const auto sent = client_.cancel(ref, request);
        return sent ? 0 : failed(sent.problem(), name);
    }

    // What has ended, or is forgotten, is as good as cancelled: scripts that clean up rely on it.
    // At a terminal a number may be misspelt.
    int failed(const api::Problem& problem, const std::string& name) {
        const std::string& code = problem.code;
        const bool is_over = code == "job_finished" || code == "unknown_job";
        const bool may_be_wrong = code == "unknown_job" && wants_advice(call_);
        if ((!is_over || options.verbose || may_be_wrong) && !options.quiet) {
            streams_.err << "scancel: error: Kill job error on job id " << name << ": "
                         << slurm_message(problem) << '\n';
        }
        return is_over ? 0 : 1;
    }

    const Invocation& call_;
    Streams& streams_;
    Client client_;
};

}  // namespace

int run_scancel(const Invocation& call, Streams& streams) {
    Scancel scancel(call, streams);
    ArgumentReader reader(call, kScancelOptions, kScancelLetters);
    reader.tell_from(3);  // As Slurm's.
    for (const SetVariable& set : set_variables(call, kScancelOptions)) {
        const Status read = set.letter == 'v' ? (reader.add_verbosity(), Status(Done{}))
                                              : read_one(set.letter, set.value, scancel.options);
        if (set.letter != 'v') reader.note(set.variable->option, set.value);
        if (read.ok()) continue;
        streams.err << "scancel: error: " << set.variable->name << ": " << read.error().message
                    << '\n';
        return 1;
    }
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 2) {
            return streams.out << kScancelUsage
                               << command_help(call, kScancelOptions, kScancelLetters),
                   0;
        }
        if (const Status read = read_one(argument->letter, argument->value, scancel.options);
            !read.ok()) {
            // As Slurm's: of states and signals without its name.
            const bool bare = argument->letter == 't' || argument->letter == 's';
            streams.err << (bare ? "" : "scancel: error: ") << read.error().message << '\n';
            return 1;
        }
    }
    scancel.options.verbose = reader.verbosity() > 0;
    if (reader.failed()) return streams.err << "Try \"scancel --help\" for more information\n", 1;
    if (const int code = scancel.check_cluster(); code != 0) return code;
    const std::vector<std::string> words = reader.operands();
    if (!words.empty()) return scancel.cancel_named(words);
    if (scancel.options.conditions.any()) return scancel.cancel_selected();
    const std::string none = "No job identification provided";
    streams.err << "scancel: error: " << none << '\n' << advice_on_error(call, none);
    return 1;
}

}  // namespace berth::slurm
