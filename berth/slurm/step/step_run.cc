#include "berth/slurm/step/step_run.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <ostream>
#include <utility>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/shell.h"
#include "berth/slurm/options/submit_environment.h"
#include "berth/slurm/step/held_signals.h"
#include "berth/slurm/step/multi_prog.h"
#include "berth/slurm/step/run_program.h"
#include "berth/slurm/step/step_signals.h"
#include "berth/slurm/step/step_variables.h"
#include "berth/slurm/step/terminal.h"
#include "berth/slurm/text/print.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

constexpr auto kLaunchSoon = 5s;
constexpr auto kLaunchMost = 600s;  // Slurm's.
constexpr auto kAbortMore = 2s;     // Beyond KillWait; Slurm's.

// One of those that end srun, if it comes in that time; 0: none did. The listener holds them back.
int signal_within(std::chrono::milliseconds time) {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int one : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) sigaddset(&ending, one);
    const timespec length{.tv_sec = time.count() / 1000,
                          .tv_nsec = time.count() % 1000 * 1'000'000};
    return std::max(0, sigtimedwait(&ending, nullptr, &length));
}

OnInterrupt on_interrupt(const JobDraft& draft) {
    if (draft.of_step.quits_on_interrupt) return OnInterrupt::kill;
    return draft.of_step.interrupts_tasks ? OnInterrupt::pass_on : OnInterrupt::ask;
}

}  // namespace

StepRun::StepRun(const Invocation& call, Client& client, Streams& streams, const JobDraft& draft,
                 std::string job, std::vector<std::string> command, bool own_job)
    : call_(call),
      client_(client),
      look_(call),
      streams_(streams),
      draft_(draft),
      job_(std::move(job)),
      command_(std::move(command)),
      own_job_(own_job) {}

int StepRun::run() {
    if (draft_.of_step.reserves_ports) {
        return fail("Unable to create step for job " + job_ +
                    ": Requires more ports than can be reserved");
    }
    read_limits_of_shell();  // Before the listener raises a limit.
    if (!find_nodes()) return error_exit_code(call_);
    StepFiles files(job_);
    api::StepCall call = step_call();
    if (draft_.of_step.multi_prog) {
        const auto each = multi_prog_command_of(command_.front(), call.request.tasks,
                                                {command_.begin() + 1, command_.end()});
        if (!each.ok()) return fail(each.error().message);
        call.arguments = *each;
    }
    // A pipe nobody reads yet is waited for here, where Ctrl-C still ends us. What a terminal shows
    // goes to no file.
    const Status ready = draft_.pty ? Status(Done{}) : files.prepare(call, look_);
    if (!ready.ok()) return fail(ready.error().message);
    const auto controller = client_.ping();
    const api::Ping site = controller ? *controller : api::Ping();
    auto listener = StepListener::open(own_host(site.address));
    if (!listener.ok()) return fail(listener.error().message);
    call.io_address = listener.value().address();
    call.io_token = listener.value().token();
    run_here(draft_.of_step.prolog, site.srun_prolog);
    const auto reply = create(std::move(call));
    if (!reply) return error_exit_code(call_);
    abort_wait_ = reply->kill_wait + kAbortMore;
    kills_on_bad_exit_ = draft_.kill_on_bad_exit.value_or(reply->kill_on_bad_exit);
    wait_for_tasks_ = draft_.wait_for_tasks.value_or(
        std::chrono::floor<std::chrono::seconds>(reply->wait_for_tasks));
    if (draft_.verbose > 0) {
        say("launching StepId=" + job_ + "." + to_string(reply->step.id) + " on " +
            compress_hostlist_in_order(reply->step.nodes) + ", " +
            std::to_string(reply->step.tasks) + " tasks, " + std::to_string(reply->step.cpus) +
            " CPUs");
    }
    if (const Status opened = files.begin(*reply); !opened.ok()) {
        fail(opened.error().message);
        end(reply->step.id);
        return 1;
    }
    const int code = carry(listener.value(), *reply, files);
    run_here(draft_.of_step.epilog, site.srun_epilog);
    return code;
}

// srun's prolog or epilog: its own, or that of the site, or "none". Slurm goes on if one fails; we
// say so.
void StepRun::run_here(const std::string& own, const std::string& of_site) {
    const std::string& program = own.empty() ? of_site : own;
    if (program.empty() || iequals(program, "none")) return;
    const Status ran = run_program(program, command_, call_.environment);
    if (!ran.ok()) say("warning: " + ran.error().message);
}

// Where the nodes find this srun. The controller is reached by all of them: what it sees of us, or
// where it is itself, they reach too. Empty: it takes no other hosts, so there are none.
std::string StepRun::own_host(const std::string& controller) {
    if (controller.empty()) return {};
    std::string seen = client_.own_address();
    if (StepListener::is_found_at(seen)) return seen;
    const std::string host = controller.substr(0, controller.rfind(':'));
    return StepListener::is_found_at(host) ? host : "";
}

// In one piece: standard error is unbuffered, and other sruns of the script write there too.
void StepRun::say(const std::string& message) {
    streams_.err << "srun: " + message + "\n" << std::flush;
}

int StepRun::fail(const std::string& message) {
    streams_.err << call_.name + ": error: " + message + "\n";
    return error_exit_code(call_);
}

api::StepCall StepRun::step_call() const {
    const JobCommand& files = draft_.spec.command;
    api::StepCall call{.request = this->request(), .arguments = command_};
    call.environment = exported_environment(call_, draft_.export_env);
    call.work_dir = work_dir_of(files.work_dir);
    call.std_out = files.std_out, call.std_err = files.std_err, call.std_in = files.std_in;
    call.append_output = files.append_output;
    call.truncate_output = files.truncate_output;
    call.inherited = inherited_from_shell(call_, draft_.propagate);
    add_step_variables(draft_, call, held_.count());
    call.label = draft_.label;
    if (draft_.pty) call.terminal = terminal_size();
    call.mpi = draft_.mpi;
    call.preserve_env = draft_.of_step.preserves_env;
    call.task_prolog = draft_.of_step.task_prolog;
    call.task_epilog = draft_.of_step.task_epilog;
    call.cpu_bind_verbose = draft_.of_step.binding.tells_cpu_bind;
    call.cpu_frequency = draft_.of_step.cpu_frequency;
    call.gpu_frequency = draft_.of_step.gpu_frequency;
    call.mem_bind = draft_.of_step.binding.mem_bind;
    return call;
}

std::optional<api::StepReply> StepRun::create(api::StepCall call) {
    // What the step before this one had comes free a moment after its srun has ended.
    const auto began = std::chrono::steady_clock::now();
    const auto told_from = began + 1s;
    bool said = false;
    for (auto pause = 20ms;; pause = std::min(pause * 2, std::chrono::milliseconds(1000))) {
        auto reply = client_.steps().create(job_, call);
        if (reply) {
            if (said) say("Step created for job " + job_);
            return std::move(*reply);
        }
        ++tries_;
        call.request = request();
        const api::Problem& problem = reply.problem();
        if (problem.code == "stopped") {
            fail("Cancelled pending job step with signal " + std::to_string(signal_within(0ms)));
            return std::nullopt;
        }
        if (problem.code != "step_resources_busy") {
            const bool expired =
                problem.code == "job_not_running" || problem.code == "job_finished";
            fail("Unable to create step for job " + job_ + ": " +
                 (expired ? "Job/step already completing or completed" : slurm_message(problem)));
            if (problem.code == "step_more_than_job") tell_of_cpus(call.request);
            return std::nullopt;
        }
        const auto waited = std::chrono::steady_clock::now() - began;
        if (draft_.patience && !own_job_ && waited >= *draft_.patience) {
            fail("Unable to create step for job " + job_ + ": " + slurm_message(problem));
            return std::nullopt;  // --immediate
        }
        if (!said && !draft_.quiet && std::chrono::steady_clock::now() >= told_from) {
            said = true;
            say("Job " + job_ + " step creation temporarily disabled, retrying (" +
                slurm_message(problem) + ")");
        }
        if (const int signal = signal_within(pause); signal != 0) {
            fail("Cancelled pending job step with signal " + std::to_string(signal));
            return std::nullopt;
        }
    }
}

void StepRun::end(StepId step) {
    if (ended_by_us_) return;
    ended_by_us_ = true;
    say("Terminating StepId=" + job_ + "." + to_string(step));
    tell_of_abort();
    const auto sent = client_.cancel(job_, {.step = step});
    const bool is_over = !sent && sent.problem().code == "job_finished";
    if (!sent && !is_over) fail("cannot end the step: " + slurm_message(sent.problem()));
}

// In Slurm's words, once: the step is ended before its tasks are done.
void StepRun::tell_of_abort() {
    if (std::exchange(said_aborted_, true) || draft_.quiet) return;
    say("Job step aborted: Waiting up to " +
        std::to_string(std::chrono::floor<std::chrono::seconds>(abort_wait_).count()) +
        " seconds for job step to finish.");
}

// With --kill-on-bad-exit or KillOnBadExit=1, the first task that fails ends the others, once it is
// named.
void StepRun::take_end(const StepFrame& frame, const api::StepReply& reply, StepOutput& output) {
    const auto exit = read_exit(frame);
    if (!exit.ok()) return;
    output.task_ended(frame.task, exit.value());
    if (output.ended() == reply.step.tasks) return;
    if (!first_end_) first_end_ = std::chrono::steady_clock::now();
    if (!kills_on_bad_exit_ || exit.value() == ExitStatus{}) return;
    if (!ended_by_us_ && draft_.tell_ends) output.print_failures(reply.task_nodes, streams_.err);
    end(reply.step.id);
}

void StepRun::end_if_waited_enough(StepId step) {
    if (ended_by_us_ || wait_for_tasks_ == std::chrono::seconds(0) || !first_end_) return;
    if (std::chrono::steady_clock::now() - *first_end_ < wait_for_tasks_) return;
    say("First task exited " + std::to_string(wait_for_tasks_.count()) + "s ago");
    end(step);
}

// Says which nodes srun waits for, and gives up on them as Slurm does, after ten minutes.
void StepRun::watch_launch(const StepListener& listener, const api::StepReply& reply) {
    const auto waited = std::chrono::steady_clock::now() - launched_at_;
    const bool is_time = waited >= (said_waiting_ ? kLaunchMost : kLaunchSoon);
    if (!is_time || ended_by_us_) return;
    const std::vector<std::uint32_t> missing = listener.not_come();
    if (missing.empty()) return;
    std::vector<std::string> names;
    names.reserve(missing.size());
    for (const std::uint32_t node : missing) names.push_back(reply.step.nodes.at(node));
    const std::string nodes = compress_hostlist_in_order(names);
    if (std::exchange(said_waiting_, true)) {
        fail("timeout waiting for task launch on " + nodes + ", started " +
             std::to_string(reply.step.nodes.size() - names.size()) + " of " +
             std::to_string(reply.step.nodes.size()) + " nodes");
        return end(reply.step.id);
    }
    say("waiting for " + nodes + " to start the tasks of StepId=" + job_ + "." +
        to_string(reply.step.id));
}

// The step as the controller has it; false once it is over there, though no shepherd came or
// said so.
bool StepRun::is_alive(StepId step) {
    if (++idle_seconds_ % 5 != 0) return true;
    const auto look = look_.at(job_);
    if (!look && is_silent(look.problem()) && !std::exchange(said_silent_, true)) {
        fail("no answer from the controller; the step continues: " + slurm_message(look.problem()));
    }
    if (look) said_silent_ = false;
    return may_run_still(look, step);
}

// A signal ended tasks: it may be that the job makes room for another.
void StepRun::tell_of_preemption(const api::StepReply& reply) {
    const auto look = look_.at(job_);
    if (!look || look->empty() || !look->front().preempted_by) return;
    fail("*** STEP " + job_ + "." + to_string(reply.step.id) + " ON " +
         compress_hostlist_in_order(reply.step.nodes) + " CANCELLED AT " +
         local_time(look->front().preempted_at.value_or(wall_time()), "") +
         " DUE TO PREEMPTION ***");
}

// What the MPI servers of the step's nodes have to tell each other.
void StepRun::serve_mpi(const StepFrame& frame, std::uint32_t node, StepListener& listener,
                        Exchange& exchange, StepId step) {
    if (frame.kind == StepFrameKind::to_node) {
        listener.send_to(frame.task, encode_frame(StepFrameKind::to_node, node, frame.bytes));
    } else if (frame.kind == StepFrameKind::abort) {
        streams_.out << std::flush;
        say("error: task " + std::to_string(frame.task) +
            " aborts the step: " + std::string(trim(frame.bytes)));
        end(step);
    } else if (frame.kind == StepFrameKind::exchange) {
        const auto outcome = exchange.take(node, frame);
        if (!outcome.ok()) {
            fail(outcome.error().message);
            return end(step);
        }
        if (!*outcome) return;
        for (const std::uint32_t one : (*outcome)->nodes) {
            listener.send_to(one, (*outcome)->frames);
        }
    }
}

int StepRun::carry(StepListener& listener, const api::StepReply& reply, StepFiles& files) {
    const StepId step = reply.step.id;
    StepOutput output(
        {.label = draft_.label, .unbuffered = draft_.unbuffered, .tasks = reply.step.tasks},
        files.out(streams_.out), files.err(streams_.err));
    Exchange exchange(static_cast<std::uint32_t>(reply.step.nodes.size()));
    StepSignals signals(job_, reply, client_, look_, streams_, on_interrupt(draft_));
    launched_at_ = std::chrono::steady_clock::now();
    const StepListener::Events events{
        .frame =
            [&](const StepFrame& frame, std::uint32_t node) {
                serve_mpi(frame, node, listener, exchange, step);
                if (frame.kind == StepFrameKind::standard_out ||
                    frame.kind == StepFrameKind::standard_error)
                    output.write(frame);
                if (is_end_notice(frame)) tell_of_abort();
                if (frame.kind == StepFrameKind::task_exit) take_end(frame, reply, output);
            },
        .signal =
            [&](int signal) {
                if (signal == SIGWINCH && draft_.pty) listener.tell_window(terminal_size());
                if (signal == SIGWINCH) return;
                signals.take(signal, listener);
                if (signals.is_forced()) tell_of_abort();
            },
        .tick =
            [&] {
                end_if_waited_enough(step);
                watch_launch(listener, reply);
            },
        .idle = [&] { return is_alive(step); },
        .leaves = [&] { return signals.leaves(listener); },
    };
    const bool wants_stdin = is_from_srun(draft_.spec.command->std_in, reply.step.tasks);
    std::optional<RawTerminal> raw;
    if (draft_.pty) raw.emplace();
    const bool finished = listener.run(reply.step.nodes.size(), wants_stdin, events);
    raw.reset();
    output.flush();
    if (output.exit_code() > 128 && !ended_by_us_) tell_of_preemption(reply);
    if (draft_.tell_ends) output.print_failures(reply.task_nodes, streams_.err);
    if (const std::string lost = files.failure(); !lost.empty()) {
        fail(lost);
        return std::max(1, output.exit_code());
    }
    if (signals.has_left()) {
        client_.set_options(kBrief);  // For what is left to say.
        return std::max(signals.exit_code(), output.exit_code());
    }
    if (!finished || output.ended() < reply.step.tasks) {
        fail("StepId=" + job_ + "." + to_string(step) + " ended without a report from " +
             std::to_string(reply.step.tasks - output.ended()) + " of its tasks");
        return std::max(1, output.exit_code());
    }
    return output.exit_code();
}

}  // namespace berth::slurm
