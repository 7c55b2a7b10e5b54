// srun: runs a step within a job, and carries its tasks' input and output.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <thread>

#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/arguments.h"
#include "berth/slurm/job_environment.h"
#include "berth/slurm/job_options.h"
#include "berth/slurm/print.h"
#include "berth/slurm/step_listener.h"
#include "berth/slurm/step_output.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUsage =
    "Usage: srun [OPTIONS] executable [args...]      (inside a job)\n\n"
    "  -n ntasks  -N nodes  --ntasks-per-node  -c cpus-per-task  --mem  -w nodelist  -t time\n"
    "  --gres  -G gpus  --gpus-per-node  --gpus-per-task  --gpu-bind  --exact  --overlap\n"
    "  -o output  -e error  -i input  -l (label)  -u (unbuffered)  -D chdir  --export  --jobid\n";

// What srun takes over from the job's environment, as Slurm does. The rest of SLURM_* describes the
// job.
constexpr auto kInherited = std::to_array<std::string_view>(
    {"CPUS_PER_TASK", "EXACT", "OVERLAP", "GPU_BIND", "GPUS_PER_TASK", "LABELIO", "NTASKS",
     "NTASKS_PER_NODE", "UNBUFFEREDIO"});

class Srun {
public:
    Srun(const Invocation& call, Streams& streams)
        : call_(call), streams_(streams), client_(endpoint_of(call)) {}

    int run() {
        if (const auto code = read_options()) return *code;
        if (command_.empty()) return fail("No command given to execute.");
        if (!find_job()) return 1;
        auto listener = StepListener::open();
        if (!listener.ok()) return fail(listener.error().message);
        api::StepCall request = step_call(listener.value());
        const auto reply = create(request);
        if (!reply) return 1;
        return carry(listener.value(), *reply);
    }

private:
    int fail(const std::string& message) {
        streams_.err << "srun: error: " << message << '\n';
        return 1;
    }

    std::optional<int> read_options() {
        Invocation inherited{.name = call_.name, .arguments = {}, .environment = {}};
        for (const std::string_view name : kInherited) {
            if (const std::string* value = call_.variable("SLURM_" + std::string(name)))
                inherited.environment["SLURM_" + std::string(name)] = *value;
        }
        if (const std::string* cpus = call_.variable("SRUN_CPUS_PER_TASK"))
            inherited.environment["SLURM_CPUS_PER_TASK"] = *cpus;
        if (const Status read = apply_environment(inherited, kSrun, draft_); !read.ok())
            return fail(read.error().message);
        draft_.spec.name.clear();
        const auto rows = getopt_rows(kSrun);
        ArgumentReader reader(call_, rows, getopt_letters(kSrun), true);
        while (const auto argument = reader.next(streams_)) {
            if (argument->letter == 'V') return streams_.out << kVersion << '\n', 0;
            if (argument->letter == 'h') return streams_.out << kUsage, 0;
            const JobOption& row = *option_of(argument->letter);
            if (const Status set = apply_option(row, draft_, argument->value); !set.ok())
                return fail(set.error().message);
        }
        if (reader.failed()) {
            streams_.err << "Try \"srun --help\" for more information\n";
            return 255;
        }
        command_ = reader.operands();
        return std::nullopt;
    }

    bool find_job() {
        if (draft_.job_id) {
            job_ = *draft_.job_id;
        } else if (const std::string* id = call_.variable("SLURM_JOB_ID")) {
            job_ = *id;
        } else {
            fail(
                "srun outside of a job allocation is not supported yet; use sbatch or `berth run`");
            return false;
        }
        return true;
    }

    std::uint32_t default_tasks() const {
        const JobRequest& request = draft_.spec.request;
        if (request.tasks) return *request.tasks;
        const std::uint32_t nodes = request.nodes_given ? request.nodes_min : nodes_of_job();
        return request.tasks_per_node ? nodes * *request.tasks_per_node : nodes;
    }
    std::uint32_t nodes_of_job() const {
        const std::string* nodes = call_.variable("SLURM_JOB_NUM_NODES");
        const auto number = parse_int64(nodes == nullptr ? "1" : *nodes);
        return number.ok() && number.value() > 0 && number.value() < 65536
                   ? static_cast<std::uint32_t>(number.value())
                   : 1;
    }

    static std::int64_t total(const std::vector<GresRequest>& gpus) {
        std::int64_t count = 0;
        for (const GresRequest& gpu : gpus) count += gpu.count;
        return count;
    }

    StepRequest step_request() const {
        const JobRequest& asked = draft_.spec.request;
        StepRequest request;
        request.name = draft_.spec.name.empty()
                           ? std::filesystem::path(command_.front()).filename().string()
                           : draft_.spec.name;
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
        request.exact = draft_.exact || asked.exclusive;
        request.overlap = draft_.overlap;
        request.nodelist = asked.nodelist;
        request.gpu_bind = draft_.spec.command->gpu_bind;
        if (asked.nearness.task_order != TaskOrder::as_fits) {
            request.task_order = asked.nearness.task_order;
            request.plane = asked.nearness.plane;
        }
        if (asked.time_limit && *asked.time_limit != Duration::max())
            request.time_limit = asked.time_limit;
        return request;
    }

    api::StepCall step_call(const StepListener& listener) const {
        const JobCommand& files = draft_.spec.command;
        api::StepCall call{.request = step_request(), .arguments = command_};
        call.environment = exported_environment(call_, draft_.export_env);
        const std::string here = std::filesystem::current_path().string();
        call.work_dir =
            files.work_dir.empty()
                ? here
                : (std::filesystem::path(here) / files.work_dir).lexically_normal().string();
        call.std_out = files.std_out, call.std_err = files.std_err, call.std_in = files.std_in;
        call.append_output = files.append_output;
        call.label = draft_.label;
        call.io_address = listener.address();
        call.io_token = listener.token();
        return call;
    }

    std::optional<api::StepReply> create(const api::StepCall& call) {
        auto pause = 100ms;
        for (bool said = false;; said = true) {
            auto reply = client_.create_step(job_, call);
            if (reply) {
                if (said && !draft_.quiet)
                    streams_.err << "srun: Step created for job " << job_ << '\n';
                return std::move(*reply);
            }
            const api::Problem& problem = reply.problem();
            if (problem.code != "step_resources_busy") {
                const bool expired =
                    problem.code == "job_not_running" || problem.code == "job_finished";
                fail("Unable to create step for job " + job_ + ": " +
                     (expired ? "Job/step already completing or completed"
                              : slurm_message(problem)));
                return std::nullopt;
            }
            if (!said && !draft_.quiet) {
                streams_.err << "srun: Job " << job_
                             << " step creation temporarily disabled, retrying ("
                             << slurm_message(problem) << ")\n"
                             << std::flush;
            }
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 2, std::chrono::milliseconds(1000));
        }
    }

    void signalled(int signal, StepId step) {
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
            streams_.err << "srun: sending Ctrl-C to StepId=" << job_ << "." << to_string(step)
                         << '\n';
        const auto sent = client_.cancel(job_, request);
        if (!sent) fail("cannot signal the step: " + slurm_message(sent.problem()));
    }

    // The step as the controller has it; false once it is over there, though no shepherd came or
    // said so.
    bool is_alive(StepId step) {
        if (++idle_seconds_ % 5 != 0) return true;
        const auto jobs = client_.job(job_);
        if (!jobs)
            return jobs.problem().code == "unavailable" || jobs.problem().code == "timed_out";
        for (const api::JobRow& job : *jobs) {
            for (const api::StepRow& row : job.steps) {
                if (row.id == step) return row.state == "RUNNING";
            }
        }
        return false;
    }

    int carry(StepListener& listener, const api::StepReply& reply) {
        const StepId step = reply.step.id;
        StepOutput output(
            {.label = draft_.label, .unbuffered = draft_.unbuffered, .tasks = reply.step.tasks},
            streams_.out, streams_.err);
        const StepListener::Events events{
            .frame =
                [&](const StepFrame& frame) {
                    if (frame.kind == StepFrameKind::standard_out ||
                        frame.kind == StepFrameKind::standard_error)
                        output.write(frame);
                    if (frame.kind != StepFrameKind::task_exit) return;
                    if (const auto exit = read_exit(frame); exit.ok())
                        output.task_ended(frame.task, exit.value());
                },
            .signal = [&](int signal) { signalled(signal, step); },
            .idle = [&] { return is_alive(step); },
        };
        const bool wants_stdin = draft_.spec.command->std_in.empty();
        const bool finished = listener.run(reply.step.nodes.size(), wants_stdin, events);
        output.flush();
        output.print_failures(reply.task_nodes);
        if (!finished || output.ended() < reply.step.tasks) {
            fail("StepId=" + job_ + "." + to_string(step) + " ended without word from " +
                 std::to_string(reply.step.tasks - output.ended()) + " of its tasks");
            return std::max(1, output.exit_code());
        }
        return output.exit_code();
    }

    const Invocation& call_;
    Streams& streams_;
    Client client_;
    Draft draft_;
    std::vector<std::string> command_;
    std::string job_;
    int idle_seconds_ = 0;
    std::chrono::steady_clock::time_point last_interrupt_{};
};

}  // namespace

int run_srun(const Invocation& call, Streams& streams) { return Srun(call, streams).run(); }

}  // namespace berth::slurm
