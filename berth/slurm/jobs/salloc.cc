// salloc: gets nodes, runs a command (or a shell) here that knows of them, and gives them back when
// it ends.
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "berth/base/hostlist.h"
#include "berth/client/client.h"
#include "berth/model/exit_status.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/jobs/interactive_job.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/jobs/login_variables.h"
#include "berth/slurm/jobs/option_variables.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/options/option_fault.h"
#include "berth/slurm/options/option_help.h"
#include "berth/slurm/step/held_signals.h"

namespace berth::slurm {
namespace {

constexpr const char* kSallocUsage =
    "Usage: salloc [OPTIONS(0)...] [ : [OPTIONS(N)...]] [command(0) [args(0)...]]\n\n"
    "Allocates what the options ask for and runs the command (or $SHELL) on this machine, with\n"
    "the job's variables, so that srun runs steps in the job. The job ends with the command.\n";

constexpr std::chrono::seconds kLongWait{10};  // Slurm's: from here on the bell rings.
constexpr int kLookEverySeconds = 2;           // Whether the job is still there.

class Salloc {
public:
    Salloc(const Invocation& call, Streams& streams)
        : call_(call), streams_(streams), client_(endpoint_of(call)) {}

    int run() {
        if (const auto code = read_options()) return *code;
        InteractiveJob allocation(call_, client_, streams_);
        const auto asked_at = std::chrono::steady_clock::now();
        if (!allocation.get(draft_, others_)) return allocation.exit_code();
        ring(std::chrono::steady_clock::now() - asked_at);
        say("Granted job allocation " + allocation.id());
        say("Nodes " + compress_hostlist_in_order(allocation.job().nodes) + " are ready for job");
        if (draft_.of_allocation.no_shell) return 0;
        const ExitStatus exit = run_command(allocation);
        if (!over_) {
            say("Relinquishing job allocation " + allocation.id());
            if (told_to_end_) client_.set_options(kBrief);
            allocation.give_back(exit);
        }
        return exit.signal != 0 ? 128 + exit.signal : exit.code;
    }

private:
    void say(const std::string& message) {
        if (!draft_.quiet) streams_.err << "salloc: " << message << '\n' << std::flush;
    }
    // --bell, --no-bell
    void ring(std::chrono::steady_clock::duration waited) const {
        if (!draft_.of_allocation.bell.value_or(waited > kLongWait) || ::isatty(STDOUT_FILENO) == 0)
            return;
        streams_.out << '\a' << std::flush;
    }
    int fail(const std::string& message, int code = 1) {
        streams_.err << "salloc: error: " << message << '\n' << std::flush;
        return error_exit_code(call_, code);
    }

    // The options up to the command, or to a ":"; the rest is in command_.
    std::optional<int> read_component(const Invocation& part, JobDraft& draft) {
        if (const Status read = apply_environment(call_, kSalloc, draft); !read.ok())
            return fail(read.error().message);
        const auto rows = getopt_rows(kSalloc);
        ArgumentReader reader(part, rows, getopt_letters(kSalloc), true);
        while (const auto argument = reader.next(streams_)) {
            if (argument->letter == 'V') return streams_.out << kVersion << '\n', 0;
            if (argument->letter == 'h')
                return streams_.out << kSallocUsage << job_options_help(kSalloc), 0;
            const JobOption& row = *option_of(kSalloc, argument->letter);
            if (const Status set = apply_option(row, draft, argument->value); !set.ok()) {
                const OptionFault fault = option_fault(call_.name, set.error());
                const int code = fail(fault.text, fault.exit_code);
                streams_.err << advice_on_option(call_, row.name);
                return code;
            }
            defined_.emplace_back(row.name, argument->value == nullptr ? "set" : argument->value);
        }
        draft.verbose += reader.verbosity();
        if (reader.failed()) {
            streams_.err << "Try \"salloc --help\" for more information\n";
            return kOptionError;
        }
        command_ = reader.operands();
        if (const Status checked = check_gpus_of_tasks(draft); !checked.ok())
            return fail(option_fault("salloc", checked.error()).text);
        if (const Status checked = check_together(draft, call_, streams_); !checked.ok())
            return fail(option_fault("salloc", checked.error()).text);
        return std::nullopt;
    }

    std::optional<int> read_options() {
        if (const auto code = read_component(call_, draft_)) return code;
        while (!command_.empty() && command_.front() == ":") {
            Invocation part = call_;
            part.arguments.assign(command_.begin() + 1, command_.end());
            if (const auto code = read_component(part, others_.emplace_back())) return code;
        }
        if (draft_.verbose > 0) {
            defined_.emplace_back("verbose", std::to_string(draft_.verbose));
            print_defined("salloc", defined_, streams_.err);
        }
        if (command_.empty()) {
            const std::string* shell = call_.variable("SHELL");
            command_ = {shell == nullptr || shell->empty() ? "/bin/sh" : *shell};
            if (draft_.spec.name.empty()) draft_.spec.name = "interactive";
        } else {
            JobCommand& asked = draft_.spec.command.edit();
            asked.script_name = command_.front();
            asked.arguments.assign(command_.begin() + 1, command_.end());
        }
        if (draft_.spec.name.empty())
            draft_.spec.name = std::filesystem::path(command_.front()).filename().string();
        if (const auto code = load_login()) return code;
        const std::string& folder = draft_.spec.command->work_dir;  // --chdir
        if (!folder.empty() && ::access(folder.c_str(), X_OK) != 0) {
            return fail("chdir(" + std::filesystem::absolute(folder).string() +
                        "): " + std::strerror(errno));
        }
        return std::nullopt;
    }

    // --get-user-env
    std::optional<int> load_login() {
        const std::string& how = draft_.of_script.get_user_env;
        if (how.empty()) return std::nullopt;
        const std::string& other = draft_.of_submission.acting.user;
        auto found = login_variables(other.empty() ? user_name_of(::geteuid()) : other, how);
        if (!found.ok()) return fail(found.error().message);
        login_ = *std::move(found);
        return std::nullopt;
    }

    [[noreturn]] static void give_up(const std::string& what) {
        const int error = errno;
        const std::string why = "salloc: error: " + what + ": " + std::strerror(error) + "\n";
        (void)!::write(STDERR_FILENO, why.data(), why.size());
        ::_exit(error == ENOENT ? 127 : 126);
    }

    [[noreturn]] void become_command(const std::map<std::string, std::string>& environment) const {
        const std::string& folder = draft_.spec.command->work_dir;  // --chdir
        if (!folder.empty() && ::chdir(folder.c_str()) != 0)
            give_up("Unable to change directory to \"" + folder + "\"");
        std::vector<std::string> settings;
        settings.reserve(environment.size());
        for (const auto& [name, value] : environment)
            settings.push_back((name + "=").append(value));
        std::vector<char*> arguments, variables;
        for (const std::string& one : command_) arguments.push_back(const_cast<char*>(one.c_str()));
        for (const std::string& one : settings) variables.push_back(const_cast<char*>(one.c_str()));
        arguments.push_back(nullptr);
        variables.push_back(nullptr);
        ::execvpe(arguments.front(), arguments.data(), variables.data());
        give_up("Unable to exec command \"" + command_.front() + "\"");
    }

    // The terminal's Ctrl-C goes to the command, which decides what it means.
    ExitStatus run_command(InteractiveJob& allocation) {
        sigset_t watched, before;
        sigemptyset(&watched);
        sigaddset(&watched, SIGCHLD);
        sigaddset(&watched, SIGINT);
        sigaddset(&watched, SIGQUIT);
        for (const int one : kForwardedSignals) sigaddset(&watched, one);
        sigprocmask(SIG_BLOCK, &watched, &before);
        auto environment = allocation.environment();
        for (const auto& [name, value] : login_) environment[name] = value;
        for (const auto& [name, value] : option_variables(draft_)) environment[name] = value;
        const pid_t child = ::fork();
        if (child == 0) {
            sigprocmask(SIG_SETMASK, &before, nullptr);
            become_command(environment);
        }
        ExitStatus exit{.code = 1, .signal = 0};
        const int signals = ::signalfd(-1, &watched, SFD_CLOEXEC);
        allocation.stop_looks_at(signals);
        if (child > 0) allocation.attend();
        if (child < 0) {
            fail("cannot start a process: " + std::string(std::strerror(errno)));
        } else {
            exit = wait_for(child, watched, allocation);
        }
        allocation.stop_looks_at(-1);
        ::close(signals);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return exit;
    }

    ExitStatus wait_for(pid_t child, const sigset_t& watched, InteractiveJob& allocation) {
        for (;;) {
            int status = 0;
            if (::waitpid(child, &status, WNOHANG) == child) {
                if (WIFSIGNALED(status)) return exit_by_signal(WTERMSIG(status));
                return exit_by_code(WEXITSTATUS(status));
            }
            const timespec pause{.tv_sec = kLookEverySeconds, .tv_nsec = 0};
            const int signal = sigtimedwait(&watched, nullptr, &pause);
            for (const int one : kForwardedSignals) {
                if (signal == one) ::kill(child, signal);
            }
            told_to_end_ |= signal == SIGTERM || signal == SIGHUP;
            if (signal < 0 && !over_) look_at_job(child, allocation);
        }
    }

    // Ended by scancel, its time limit, a lost node.
    void look_at_job(pid_t child, InteractiveJob& allocation) {
        const auto ended = allocation.ended_as();
        if (!ended) return;
        over_ = true;
        if (*ended == "TIMEOUT") {
            say("Job " + allocation.id() +
                " has exceeded its time limit and its allocation has been revoked.");
        } else {
            say("Job allocation " + allocation.id() + " has been revoked.");
        }
        if (draft_.of_allocation.kill_command) ::kill(child, *draft_.of_allocation.kill_command);
    }

    const Invocation& call_;
    Streams& streams_;
    Client client_;
    JobDraft draft_;
    std::vector<std::pair<std::string, std::string>> defined_;  // Options on the command line.
    std::vector<JobDraft> others_;                              // Of a heterogeneous job.
    std::vector<std::string> command_;
    std::map<std::string, std::string> login_;  // --get-user-env
    bool over_ = false;                         // The job ended before the command did.
    bool told_to_end_ = false;                  // By SIGTERM or SIGHUP, while the command ran.
};

}  // namespace

int run_salloc(const Invocation& call, Streams& streams) { return Salloc(call, streams).run(); }

}  // namespace berth::slurm
