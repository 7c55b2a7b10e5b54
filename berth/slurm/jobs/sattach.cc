// sattach: shows what the tasks of a running step write, and lets them read what is typed. It comes
// and goes beside the step's own srun.
#include <getopt.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <ostream>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/step/step_attachment.h"
#include "berth/slurm/step/step_output.h"
#include "berth/slurm/step/terminal.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

constexpr const char* kSattachUsage = "Usage: sattach [-lQv] [--pty] [--layout] JOB.STEP\n";

constexpr auto kSattachOptions = std::to_array<option>({
    {"help", no_argument, nullptr, 'h'},
    {"usage", no_argument, nullptr, 'u'},
    {"label", no_argument, nullptr, 'l'},
    {"quiet", no_argument, nullptr, 'Q'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"error-filter", required_argument, nullptr, 'E'},
    {"input-filter", required_argument, nullptr, 'I'},
    {"output-filter", required_argument, nullptr, 'O'},
    {"layout", no_argument, nullptr, 'L'},
    {"pty", no_argument, nullptr, 'p'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSattachLetters = "hlQuvV";

class Sattach {
public:
    Sattach(const Invocation& call, Streams& streams)
        : call_(call), streams_(streams), client_(endpoint_of(call)) {}

    int run() {
        if (const auto code = read_options()) return *code;
        const auto reply = client_.steps().attach(job_, {.step = step_});
        if (!reply) return fail(message_of(reply.problem()));
        if (layout_) return print_layout(reply->step), 0;
        for (const auto& filter : {input_, output_, error_}) {
            if (filter && *filter >= reply->step.step.tasks)
                return fail("there is no task " + std::to_string(*filter) + " in step " + name_);
        }
        auto attached = StepAttachment::to(reply->io_address, reply->io_token);
        if (!attached.ok()) return fail(attached.error().message);
        return carry(*attached, reply->step);
    }

private:
    int fail(const std::string& message) {
        streams_.err << "sattach: error: " << message << '\n';
        return 1;
    }

    // Of steps Slurm's own words say too little.
    static const std::string& message_of(const api::Problem& problem) {
        const bool is_ours = problem.code == "unknown_step" || problem.code == "job_finished";
        return is_ours ? problem.detail : slurm_message(problem);
    }

    std::optional<int> read_options() {
        ArgumentReader reader(call_, kSattachOptions, kSattachLetters);
        while (const auto argument = reader.next(streams_)) {
            switch (argument->letter) {
                case 'V': return streams_.out << kVersion << '\n', 0;
                case 'h':
                    return streams_.out << kSattachUsage
                                        << command_help(call_, kSattachOptions, kSattachLetters),
                           0;
                case 'u': return streams_.out << "Usage: sattach [options] <jobid.stepid>\n", 0;
                case 'l': label_ = true; break;
                case 'L': layout_ = true; break;
                case 'p': pty_ = true; break;
                case 'Q':
                case 'v': break;  // There is nothing more, or less, to say.
                default:
                    if (const auto code = read_filter(*argument)) return code;
            }
        }
        if (reader.failed())
            return streams_.err << "Try \"sattach --help\" for more information\n", 1;
        if (pty_ && (input_ || output_ || error_)) {
            return fail(
                "--pty is incompatible with --input-filter, --output-filter and "
                "--error-filter");
        }
        const std::vector<std::string> operands = reader.operands();
        if (operands.size() != 1) return fail("a step id is needed: sattach JOB.STEP");
        return read_step(operands.front());
    }

    std::optional<int> read_filter(const Argument& argument) {
        const auto number = parse_int64(argument.value);
        if (!number.ok() || *number < 0 || *number >= kAllTasks)
            return fail("\"" + std::string(argument.value) + "\" should be a task number");
        auto& filter = argument.letter == 'E' ? error_ : argument.letter == 'I' ? input_ : output_;
        filter = static_cast<std::uint32_t>(*number);
        return std::nullopt;
    }

    std::optional<int> read_step(const std::string& name) {
        name_ = name;
        const std::size_t dot = name.find('.');
        const auto step = parse_int64(dot == std::string::npos ? "" : name.substr(dot + 1));
        if (!step.ok() || *step < 0 || *step > 0x7fff'ffff)
            return fail("\"" + name + "\" should be a step of srun: JOB.STEP, like 12.0");
        job_ = name.substr(0, dot);
        step_ = StepId{static_cast<std::uint32_t>(*step)};
        return std::nullopt;
    }

    void print_layout(const api::StepReply& reply) {
        const std::vector<std::string>& nodes = reply.step.nodes;
        streams_.out << "Job step layout:\n\t" << reply.step.tasks << " tasks, " << nodes.size()
                     << " nodes (" << compress_hostlist_in_order(nodes) << ")\n\n";
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            std::string ranks;
            std::size_t count = 0;
            for (std::size_t rank = 0; rank < reply.task_nodes.size(); ++rank) {
                if (reply.task_nodes[rank] != nodes[node]) continue;
                ranks += std::to_string(rank) + " ";
                ++count;
            }
            streams_.out << "\tNode " << node << " (" << nodes[node] << "), " << count
                         << " task(s): " << ranks << '\n';
        }
    }

    void show(const StepFrame& frame, StepOutput& output) const {
        const bool is_err = frame.kind == StepFrameKind::standard_error;
        const auto& filter = is_err ? error_ : output_;
        if (is_err || frame.kind == StepFrameKind::standard_out) {
            if (!filter || *filter == frame.task) output.write(frame);
        } else if (frame.kind == StepFrameKind::task_exit) {
            const auto exit = read_exit(frame);
            if (exit.ok()) output.task_ended(frame.task, exit.value());
        }
    }

    // The end of our input is not that of the step's: its srun may have more.
    void pass_input(StepAttachment& attached) {
        std::array<char, kStepFrameBytesMax> bytes{};
        const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        reads_ = got > 0;
        if (reads_) {
            attached.send_input(pty_ ? 0 : input_.value_or(kAllTasks),
                                {bytes.data(), static_cast<std::size_t>(got)});
        }
    }

    int carry(StepAttachment& attached, const api::StepReply& reply) {
        const std::uint32_t tasks = reply.step.tasks;
        StepOutput output({.label = label_, .unbuffered = pty_, .tasks = tasks}, streams_.out,
                          streams_.err);
        std::optional<RawTerminal> raw;
        if (pty_) raw.emplace();
        while (output.ended() < tasks) {
            const auto heard = attached.wait(reads_ ? STDIN_FILENO : -1);
            if (heard.over) break;
            if (heard.frame) {
                show(*heard.frame, output);
            } else {
                pass_input(attached);
            }
        }
        raw.reset();
        output.flush();
        if (output.ended() == tasks) return output.exit_code();
        return fail("the srun of step " + name_ + " is gone");
    }

    const Invocation& call_;
    Streams& streams_;
    Client client_;
    std::string name_, job_;
    StepId step_{0};
    std::optional<std::uint32_t> input_, output_, error_;
    bool label_ = false, layout_ = false, pty_ = false;
    bool reads_ = true;
};

}  // namespace

int run_sattach(const Invocation& call, Streams& streams) { return Sattach(call, streams).run(); }

}  // namespace berth::slurm
