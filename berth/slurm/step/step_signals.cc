#include "berth/slurm/step/step_signals.h"

#include <algorithm>
#include <csignal>
#include <ostream>
#include <utility>

#include "berth/base/hostlist.h"
#include "berth/slurm/step/held_signals.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

// From a signal to the question whether anybody answers. With one brief call before and one after
// it, that is within two seconds.
constexpr auto kAnswerWithin = 900ms;
constexpr auto kAskAgain = 1s;
constexpr std::size_t kNodesAskedMost = 4;

// Whether the step has ended: there is nothing to signal, which is no mistake.
bool is_step_over(const api::Problem& problem) {
    return problem.code == "job_finished" || problem.code == "job_not_running" || is_gone(problem);
}

// A client that gives up soon, as long as this lives.
class Briefly {
public:
    explicit Briefly(Client& client) : client_(client), before_(client.options()) {
        client_.set_options(kBrief);
    }
    ~Briefly() { client_.set_options(before_); }
    Briefly(const Briefly&) = delete;
    Briefly& operator=(const Briefly&) = delete;

private:
    Client& client_;
    ClientOptions before_;
};

}  // namespace

void StepSignals::take(int signal, const StepListener& listener) {
    const bool ends =
        signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP;
    if (ends) {
        signal_ = signal;
        asked_ = Clock::now();
    }
    if (signal == SIGINT) return interrupt();
    if (signal == SIGQUIT) return force();
    // A node that has not come yet has no tasks to pass it on to.
    if (ends && !listener.not_come().empty()) {
        held_back_ = signal;
        return probe();
    }
    (void)pass_on(signal);
}

// Ctrl-C once asks, twice within a second goes to the tasks, and once more kills them, as in Slurm.
// -X and --quit-on-interrupt leave steps out.
void StepSignals::interrupt() {
    const auto now = Clock::now();
    if (on_interrupt_ == OnInterrupt::kill) return force();
    if (on_interrupt_ == OnInterrupt::ask && now - interrupted_ >= 1s) {
        interrupted_ = now;
        streams_.err << "srun: interrupt (one more within 1 sec to abort)\n" << std::flush;
        return probe();
    }
    if (now - ctrl_c_sent_ < 1s) return force();
    ctrl_c_sent_ = interrupted_ = now;
    streams_.err << "srun: sending Ctrl-C to StepId=" + name() + "\n" << std::flush;
    (void)pass_on(SIGINT);
}

void StepSignals::force() {
    forced_ = true;
    streams_.err << "srun: forcing job termination\n" << std::flush;
    (void)pass_on(SIGKILL);
}

bool StepSignals::pass_on(int signal) {
    const Briefly briefly(client_);
    const auto sent = client_.cancel(job_, {.step = reply_.step.id, .signal = signal});
    if (sent || is_step_over(sent.problem())) return true;
    if (is_silent(sent.problem()) && signal_ != 0) {
        leave("cannot pass signal " + std::to_string(signal) +
              " on: " + slurm_message(sent.problem()));
    } else {
        streams_.err << "srun: error: cannot signal the step: " + slurm_message(sent.problem()) +
                            "\n";
    }
    return false;
}

void StepSignals::probe() {
    const Briefly briefly(client_);
    const auto answer = client_.ping();
    if (!answer && is_silent(answer.problem())) leave(slurm_message(answer.problem()));
}

bool StepSignals::leaves(const StepListener& listener) {
    if (leaves_ || !asked_) return leaves_;
    std::vector<std::uint32_t> silent = listener.not_come();
    const bool is_time = Clock::now() - *asked_ >= kAnswerWithin;
    if (held_back_ != 0 && (is_time || silent.empty()) && silent.size() < reply_.step.nodes.size())
        (void)pass_on(std::exchange(held_back_, 0));
    if (leaves_ || !is_time) return leaves_;
    bool one_answers = false;
    const std::vector<std::uint32_t> connected = listener.connected();
    for (std::size_t i = 0; i < connected.size() && !one_answers && !forced_; ++i) {
        one_answers = i >= kNodesAskedMost || responds(reply_.step.nodes.at(connected[i]));
    }
    if (one_answers) {
        asked_ = Clock::now() + kAskAgain - kAnswerWithin;
        return false;
    }
    silent.insert(silent.end(), connected.begin(), connected.end());
    if (silent.empty()) return false;  // Each node has told how its tasks ended.
    leave("no answer from " + names(silent));
    const Briefly briefly(client_);
    (void)client_.cancel(job_, {.step = reply_.step.id});  // As soon as the node can hear of it.
    return true;
}

// False only where the controller knows that it does not.
bool StepSignals::responds(const std::string& node) {
    const auto row = look_.node(node);
    return !row || std::ranges::find(row->flags, "NOT_RESPONDING") == row->flags.end();
}

void StepSignals::leave(const std::string& why) {
    if (std::exchange(leaves_, true)) return;
    streams_.err << "srun: error: " + why + "; leaving StepId=" + name() +
                        "; its tasks may still run\n"
                 << std::flush;
}

std::string StepSignals::names(const std::vector<std::uint32_t>& nodes) const {
    std::vector<std::string> all;
    all.reserve(nodes.size());
    for (const std::uint32_t node : nodes) all.push_back(reply_.step.nodes.at(node));
    return (all.size() == 1 ? "node " : "nodes ") + compress_hostlist_in_order(all);
}

}  // namespace berth::slurm
