// srun: runs a step within a job. Outside of one it first gets a job of its own.
#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>

#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/model/exit_status.h"
#include "berth/model/mpi_kind.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/jobs/bcast_program.h"
#include "berth/slurm/jobs/interactive_job.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/options/option_fault.h"
#include "berth/slurm/options/option_help.h"
#include "berth/slurm/step/component_runs.h"
#include "berth/slurm/step/held_signals.h"
#include "berth/slurm/step/step_run.h"

namespace berth::slurm {
namespace {

constexpr const char* kSrunUsage =
    "Usage: srun [OPTIONS(0)... [executable(0) [args(0)...]]] [ : [OPTIONS(N)...] "
    "executable(N) [args(N)...]]\n\n"
    "Runs a step within the job that it is called in. Outside of a job it first requests one.\n";

class Srun {
public:
    // `of_group`: which component of a heterogeneous job it is for has been settled.
    Srun(const Invocation& call, Streams& streams, bool of_group = false)
        : call_(call), streams_(streams), client_(endpoint_of(call)), of_group_(of_group) {}

    int run() {
        if (const auto code = read_options()) return *code;
        if (draft_.mpi == "list") return list_mpi();
        if (command_.empty()) return fail("No command given to execute.");
        if (call_.variable("SLURM_TEST_EXEC") != nullptr &&
            find_program(command_.front(), call_, "").empty())
            return fail("can not execute " + command_.front());
        if (!of_group_ && (!parts_.empty() || !draft_.het_groups.empty())) {
            return job_.empty() ? run_in_own_components() : run_in_components(call_);
        }
        return job_.empty() ? run_in_own_job() : run_in_job();
    }

private:
    int list_mpi() {
        streams_.out << "MPI plugin types are...\n";
        for (const std::string_view kind : kMpiKinds) streams_.out << '\t' << kind << '\n';
        return 0;
    }

    int fail(const std::string& message, int code = 1) {
        streams_.err << "srun: error: " + message + "\n" << advice_on_error(call_, message);
        return error_exit_code(call_, code);
    }

    // Within a job SLURM_* describes the job, and only some of it is srun's too; outside of one it
    // all speaks to srun.
    Status read_environment() {
        if (const std::string* id = call_.variable(kSlurmJobId)) job_ = *id;
        draft_.in_a_job = !job_.empty();
        const Status read = apply_environment(call_, kSrun, draft_);
        if (draft_.in_a_job) {
            draft_.cpus_per_task_given = false;
            draft_.spec.name.clear();
        }
        return read;
    }

    std::optional<int> read_options() {
        if (const Status read = read_environment(); !read.ok()) return fail(read.error().message);
        draft_.of_job.clear();
        const auto rows = getopt_rows(kSrun);
        ArgumentReader reader(call_, rows, getopt_letters(kSrun), true);
        while (const auto argument = reader.next(streams_)) {
            if (argument->letter == 'V') return streams_.out << kVersion << '\n', 0;
            if (argument->letter == 'h')
                return streams_.out << kSrunUsage << job_options_help(kSrun), 0;
            const JobOption& row = *option_of(kSrun, argument->letter);
            if (const Status set = apply_option(row, draft_, argument->value); !set.ok()) {
                const OptionFault fault = option_fault(call_.name, set.error());
                const int code = fail(fault.text, fault.exit_code);
                streams_.err << advice_on_option(call_, row.name);
                return code;
            }
            defined_.emplace_back(row.name, argument->value == nullptr ? "set" : argument->value);
        }
        draft_.verbose += reader.verbosity();
        if (reader.failed()) {
            streams_.err << "Try \"srun --help\" for more information\n";
            return kOptionError;
        }
        command_ = reader.operands();
        split_components();
        if (draft_.verbose > 0 && !of_group_) {
            defined_.emplace_back("verbose", std::to_string(draft_.verbose));
            print_defined("srun", defined_, streams_.err);
        }
        if (draft_.job_id) job_ = *draft_.job_id;
        return std::nullopt;
    }

    // "a : b": what comes behind a ":" is a command line of its own.
    void split_components() {
        auto colon = std::ranges::find(command_, ":");
        const std::vector<std::string> rest(colon, command_.end());
        command_.erase(colon, command_.end());
        for (const std::string& word : rest) {
            if (word == ":") {
                parts_.emplace_back();
            } else {
                parts_.back().push_back(word);
            }
        }
    }

    // What this srun was called with, up to the first ":".
    std::vector<std::string> first_part() const {
        return {call_.arguments.begin(), std::ranges::find(call_.arguments, ":")};
    }

    // Which component each part is for: as it says (--het-group), else by its place.
    Result<std::vector<ComponentRun>> component_runs() const {
        std::vector<ComponentRun> runs;
        std::vector<std::vector<std::string>> parts{first_part()};
        parts.insert(parts.end(), parts_.begin(), parts_.end());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            Invocation part = call_;
            part.arguments = parts[i];
            Srun one(part, streams_, true);
            if (one.read_options() || one.command_.empty()) {
                return Error{ErrorCode::invalid_argument, "No command given to execute."};
            }
            std::vector<std::uint32_t> groups{static_cast<std::uint32_t>(i)};
            if (!one.draft_.het_groups.empty()) {
                BERTH_TRY(groups, parse_groups(one.draft_.het_groups));
            }
            for (const std::uint32_t group : groups) runs.push_back({group, parts[i]});
        }
        return runs;
    }

    int run_in_components(const Invocation& within) {
        const auto runs = component_runs();
        if (!runs.ok()) return fail(runs.error().message);
        return run_components(
            within, *runs, draft_.kill_on_bad_exit.value_or(false), streams_,
            [this](const Invocation& call) { return Srun(call, streams_, true).run(); });
    }

    // Outside of a job: one with as many components as there are parts.
    int run_in_own_components() {
        if (!draft_.het_groups.empty()) {
            return fail("--het-group is for a step within a heterogeneous job");
        }
        std::vector<JobDraft> drafts;
        std::vector<std::vector<std::string>> parts{first_part()};
        parts.insert(parts.end(), parts_.begin(), parts_.end());
        for (const std::vector<std::string>& words : parts) {
            Invocation part = call_;
            part.arguments = words;
            Srun one(part, streams_, true);
            if (const auto code = one.read_options()) return *code;
            if (one.command_.empty()) return fail("No command given to execute.");
            if (const Status checked = check_together(one.draft_, call_, streams_); !checked.ok())
                return fail(option_fault("srun", checked.error()).text);
            drafts.push_back(one.job_draft());
        }
        InteractiveJob allocation(call_, client_, streams_);
        if (!allocation.get(drafts.front(), {drafts.begin() + 1, drafts.end()}))
            return allocation.exit_code();
        allocation.attend();
        Invocation within = call_;
        within.environment = allocation.environment();
        const int code = run_in_components(within);
        allocation.give_back(exit_of(code));
        return code;
    }

    int run_in_job() {
        for (const std::string& name : draft_.of_job) {
            // In one piece: two sruns may share their standard error.
            streams_.err << "srun: warning: --" + name +
                                " is the job's, and has no effect on a step\n";
        }
        if (draft_.of_step.asks_for_x11) {
            fail(
                "Ignoring --x11 option for a job step within an existing job. Set x11 options at "
                "job allocation time.");
        }
        if (draft_.test_only) {
            return fail("--test-only is for a job of its own: it tells nothing of a step in job " +
                        job_);
        }
        hold_signals();
        if (!broadcast(call_, job_)) return error_exit_code(call_);
        return StepRun(call_, client_, streams_, draft_, job_, command_, false).run();
    }

    // --bcast: from here on the command is that of the copy.
    bool broadcast(const Invocation& within, const std::string& job) {
        if (!draft_.of_step.broadcast.to) return true;
        if (draft_.spec.name.empty())
            draft_.spec.name = std::filesystem::path(command_.front()).filename().string();
        auto copied = broadcast_program(within, client_, streams_, draft_, job, command_);
        if (!copied.ok()) {
            fail(copied.error().message);
            return false;
        }
        command_ = *std::move(copied);
        return true;
    }

    // What it asks of a job of its own.
    JobDraft job_draft() const {
        JobDraft asked = draft_;
        JobCommand& files = asked.spec.command.edit();
        files.std_out.clear(), files.std_err.clear(), files.std_in.clear();  // The step's.
        files.script_name = command_.front();
        files.arguments.assign(command_.begin() + 1, command_.end());
        if (asked.spec.name.empty())
            asked.spec.name = std::filesystem::path(command_.front()).filename().string();
        return asked;
    }

    int run_in_own_job() {
        if (const Status checked = check_together(draft_, call_, streams_); !checked.ok())
            return fail(option_fault("srun", checked.error()).text);
        hold_signals();
        InteractiveJob allocation(call_, client_, streams_);
        if (!allocation.get(job_draft())) return allocation.exit_code();
        allocation.attend();
        Invocation within = call_;
        within.environment = allocation.environment();
        const int code =
            broadcast(within, allocation.id())
                ? StepRun(within, client_, streams_, draft_, allocation.id(), command_, true).run()
                : error_exit_code(call_);
        allocation.give_back(exit_of(code));
        return code;
    }

    // From here on signals are ours to answer, and end the waiting for the controller.
    void hold_signals() {
        held_.emplace();
        ClientOptions options = client_.options();
        options.stop_fd = held_->fd();
        client_.set_options(options);
    }

    // An exit code above 128 stands for a signal, as in a shell.
    static ExitStatus exit_of(int code) {
        return code > 128 && code < 128 + 65 ? exit_by_signal(code - 128) : exit_by_code(code);
    }

    const Invocation& call_;
    Streams& streams_;
    Client client_;
    std::optional<HeldSignals> held_;
    JobDraft draft_;
    bool of_group_ = false;
    std::vector<std::pair<std::string, std::string>> defined_;  // Options on the command line.
    std::vector<std::string> command_;
    std::vector<std::vector<std::string>> parts_;  // Behind each ":".
    std::string job_;
};

}  // namespace

int run_srun(const Invocation& call, Streams& streams) { return Srun(call, streams).run(); }

}  // namespace berth::slurm
