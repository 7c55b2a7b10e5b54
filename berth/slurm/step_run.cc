#include "berth/slurm/step_run.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <ostream>
#include <utility>

#include "berth/base/text.h"
#include "berth/slurm/job_environment.h"
#include "berth/slurm/print.h"
#include "berth/slurm/shell.h"
#include "berth/slurm/step_output.h"
#include "berth/slurm/terminal.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

// One of those that end srun, if it comes in that time; 0: none did. The listener holds them back.
int signal_within(std::chrono::milliseconds time) {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int one : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, one);
    const timespec length{.tv_sec = time.count() / 1000,
                          .tv_nsec = time.count() % 1000 * 1'000'000};
    return std::max(0, sigtimedwait(&ending, nullptr, &length));
}

std::int64_t total(const std::vector<GresRequest>& gpus) {
    std::int64_t count = 0;
    for (const GresRequest& gpu : gpus) count += gpu.count;
    return count;
}

}  // namespace

StepRun::StepRun(const Invocation& call, Client& client, Streams& streams, const Draft& draft,
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
    (void)inherited_from_shell({});  // Before the listener raises a limit.
    StepFiles files(job_);
    api::StepCall call = step_call();
    // A pipe nobody reads yet is waited for here, where Ctrl-C still ends us. What a terminal shows
    // goes to no file.
    const Status ready = draft_.pty ? Status(Done{}) : files.prepare(call, look_);
    if (!ready.ok()) return fail(ready.error().message);
    auto listener = StepListener::open(own_host());
    if (!listener.ok()) return fail(listener.error().message);
    call.io_address = listener.value().address();
    call.io_token = listener.value().token();
    const auto reply = create(call);
    if (!reply) return 1;
    if (const Status opened = files.begin(*reply); !opened.ok()) {
        fail(opened.error().message);
        end(reply->step.id);
        return 1;
    }
    return carry(listener.value(), *reply, files);
}

// Where the nodes find this srun. The controller is reached by all of them: what it sees of us, or
// where it is itself, they reach too. Empty: it takes no other hosts, so there are none.
std::string StepRun::own_host() {
    const auto controller = client_.ping();
    if (!controller || controller->address.empty()) return {};
    const std::string seen = client_.own_address();
    if (StepListener::is_found_at(seen)) return seen;
    const std::string host = controller->address.substr(0, controller->address.rfind(':'));
    return StepListener::is_found_at(host) ? host : "";
}

int StepRun::fail(const std::string& message) {
    streams_.err << call_.name << ": error: " << message << '\n';
    return 1;
}

std::uint32_t StepRun::default_tasks() const {
    const JobRequest& request = draft_.spec.request;
    if (request.tasks) return *request.tasks;
    const std::uint32_t nodes = request.nodes_given ? request.nodes_min : nodes_of_job();
    return request.tasks_per_node ? nodes * *request.tasks_per_node : nodes;
}

std::uint32_t StepRun::nodes_of_job() const {
    const std::string* nodes = call_.variable("SLURM_JOB_NUM_NODES");
    const auto number = parse_int64(nodes == nullptr ? "1" : *nodes);
    return number.ok() && number.value() > 0 && number.value() < 65536
               ? static_cast<std::uint32_t>(number.value())
               : 1;
}

StepRequest StepRun::request() const {
    const JobRequest& asked = draft_.spec.request;
    StepRequest request;
    request.name = draft_.spec.name.empty()
                       ? std::filesystem::path(command_.front()).filename().string()
                       : *draft_.spec.name;
    request.tasks = default_tasks();
    if (asked.nodes_given) request.nodes = asked.nodes_min;
    request.tasks_per_node = asked.tasks_per_node;
    request.cpus_per_task = asked.cpus_per_task;
    request.memory_per_node = asked.memory_per_node;
    for (const GresRequest& gres : asked.gres_per_node) {
        if (gres.count > 0) request.gres.push_back(gres);
    }
    for (const GresRequest& gres : asked.gpus_per_node) request.gres.push_back(gres);
    request.gres_none = draft_.gres_given && request.gres.empty();
    if (!asked.gpus.empty()) request.gpus = total(asked.gpus);
    if (!asked.gpus_per_task.empty()) request.gpus_per_task = total(asked.gpus_per_task);
    request.exact = draft_.exact || (asked.exclusive && !own_job_);
    request.overlap = draft_.overlap;
    request.nodelist = asked.nodelist;
    request.gpu_bind = draft_.spec.command->gpu_bind;
    if (asked.nearness->task_order != TaskOrder::as_fits) {
        request.task_order = asked.nearness->task_order;
        request.plane = asked.nearness->plane;
    }
    if (asked.time_limit && *asked.time_limit != Duration::max() && !own_job_)
        request.time_limit = asked.time_limit;
    return request;
}

api::StepCall StepRun::step_call() const {
    const JobCommand& files = draft_.spec.command;
    api::StepCall call{.request = this->request(), .arguments = command_};
    call.environment = exported_environment(call_, draft_.export_env);
    call.work_dir = work_dir_of(files.work_dir);
    call.std_out = files.std_out, call.std_err = files.std_err, call.std_in = files.std_in;
    call.append_output = files.append_output;
    call.truncate_output = files.truncate_output;
    call.inherited = inherited_from_shell(draft_.propagate);
    call.label = draft_.label;
    if (draft_.pty) call.terminal = terminal_size();
    call.mpi = draft_.mpi;
    return call;
}

std::optional<api::StepReply> StepRun::create(const api::StepCall& call) {
    // What the step before this one had comes free a moment after its srun has ended.
    const auto told_from = std::chrono::steady_clock::now() + 1s;
    bool said = false;
    for (auto pause = 20ms;; pause = std::min(pause * 2, std::chrono::milliseconds(1000))) {
        auto reply = client_.create_step(job_, call);
        if (reply) {
            if (said) streams_.err << "srun: Step created for job " << job_ << '\n';
            return std::move(*reply);
        }
        const api::Problem& problem = reply.problem();
        if (problem.code != "step_resources_busy") {
            const bool expired =
                problem.code == "job_not_running" || problem.code == "job_finished";
            fail("Unable to create step for job " + job_ + ": " +
                 (expired ? "Job/step already completing or completed" : slurm_message(problem)));
            return std::nullopt;
        }
        if (!said && !draft_.quiet && std::chrono::steady_clock::now() >= told_from) {
            said = true;
            streams_.err << "srun: Job " << job_
                         << " step creation temporarily disabled, retrying ("
                         << slurm_message(problem) << ")\n"
                         << std::flush;
        }
        if (const int signal = signal_within(pause); signal != 0) {
            fail("Cancelled pending job step with signal " + std::to_string(signal));
            return std::nullopt;
        }
    }
}

void StepRun::signalled(int signal, StepId step) {
    const auto now = std::chrono::steady_clock::now();
    const bool again = signal == SIGINT && now - last_interrupt_ < 1s;
    if (signal == SIGINT && !again) {
        last_interrupt_ = now;
        streams_.err << "srun: interrupt (one more within 1 sec to abort)\n" << std::flush;
        return;
    }
    api::CancelRequest request{.step = step};
    if (signal != SIGINT)
        request.signal = signal;
    else
        streams_.err << "srun: sending Ctrl-C to StepId=" << job_ << "." << to_string(step) << '\n';
    const auto sent = client_.cancel(job_, request);
    if (!sent) fail("cannot signal the step: " + slurm_message(sent.problem()));
}

void StepRun::end(StepId step) {
    if (std::exchange(ended_by_us_, true)) return;
    streams_.err << "srun: Terminating StepId=" << job_ << "." << to_string(step) << '\n'
                 << std::flush;
    const auto sent = client_.cancel(job_, {.step = step});
    const bool is_over = !sent && sent.problem().code == "job_finished";
    if (!sent && !is_over) fail("cannot end the step: " + slurm_message(sent.problem()));
}

void StepRun::task_ended(const ExitStatus& exit, StepId step) {
    if (!first_end_) first_end_ = std::chrono::steady_clock::now();
    if (draft_.kill_on_bad_exit && exit != ExitStatus{}) end(step);
}

void StepRun::end_if_waited_enough(StepId step) {
    const auto& most = draft_.wait_for_tasks;
    if (ended_by_us_ || !most || !first_end_) return;
    if (std::chrono::steady_clock::now() - *first_end_ < *most) return;
    streams_.err << "srun: First task exited " << most->count() << "s ago\n";
    end(step);
}

// The step as the controller has it; false once it is over there, though no shepherd came or
// said so.
bool StepRun::is_alive(StepId step) {
    if (++idle_seconds_ % 5 != 0) return true;
    return may_run_still(look_.at(job_), step);
}

// What the MPI servers of the step's nodes have to tell each other.
void StepRun::serve_mpi(const StepFrame& frame, std::uint32_t node, StepListener& listener,
                        Exchange& exchange, StepId step) {
    if (frame.kind == StepFrameKind::to_node) {
        listener.send_to(frame.task, encode_frame(StepFrameKind::to_node, node, frame.bytes));
    } else if (frame.kind == StepFrameKind::abort) {
        streams_.out << std::flush;
        streams_.err << "srun: error: task " << frame.task
                     << " aborts the step: " << trim(frame.bytes) << '\n';
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
    const StepListener::Events events{
        .frame =
            [&](const StepFrame& frame, std::uint32_t node) {
                serve_mpi(frame, node, listener, exchange, step);
                if (frame.kind == StepFrameKind::standard_out ||
                    frame.kind == StepFrameKind::standard_error)
                    output.write(frame);
                if (frame.kind != StepFrameKind::task_exit) return;
                const auto exit = read_exit(frame);
                if (!exit.ok()) return;
                output.task_ended(frame.task, exit.value());
                if (output.ended() < reply.step.tasks) task_ended(exit.value(), step);
            },
        .signal =
            [&](int signal) {
                if (signal != SIGWINCH) return signalled(signal, step);
                if (draft_.pty) listener.tell_window(terminal_size());
            },
        .tick = [&] { end_if_waited_enough(step); },
        .idle = [&] { return is_alive(step); },
    };
    const bool wants_stdin = draft_.spec.command->std_in.empty();
    std::optional<RawTerminal> raw;
    if (draft_.pty) raw.emplace();
    const bool finished = listener.run(reply.step.nodes.size(), wants_stdin, events);
    raw.reset();
    output.flush();
    if (draft_.tell_ends) output.print_failures(reply.task_nodes, streams_.err);
    if (const std::string lost = files.failure(); !lost.empty()) {
        fail(lost);
        return std::max(1, output.exit_code());
    }
    if (!finished || output.ended() < reply.step.tasks) {
        fail("StepId=" + job_ + "." + to_string(step) + " ended without word from " +
             std::to_string(reply.step.tasks - output.ended()) + " of its tasks");
        return std::max(1, output.exit_code());
    }
    return output.exit_code();
}

}  // namespace berth::slurm
