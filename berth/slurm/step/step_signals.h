// StepSignals: srun's handling of signals while its step runs. It passes them on to the tasks. If
// neither the controller nor a node answers, srun exits within two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/step/job_look.h"
#include "berth/slurm/step/step_listener.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// What the first Ctrl-C does.
enum class OnInterrupt : std::uint8_t { ask, pass_on, kill };

class StepSignals {
public:
    StepSignals(const std::string& job, const api::StepReply& reply, Client& client, JobLook& look,
                Streams& streams, OnInterrupt on_interrupt)
        : job_(job),
          reply_(reply),
          client_(client),
          look_(look),
          streams_(streams),
          on_interrupt_(on_interrupt) {}

    void take(int signal, const StepListener& listener);
    // True: no peer answers, a message was printed, and srun must exit with exit_code().
    bool leaves(const StepListener& listener);
    bool has_left() const { return leaves_; }
    bool is_forced() const { return forced_; }  // The tasks were sent SIGKILL.
    int exit_code() const { return 128 + signal_; }

private:
    using Clock = std::chrono::steady_clock;

    void interrupt();
    void force();
    bool pass_on(int signal);
    void probe();
    void leave(const std::string& why);
    bool responds(const std::string& node);
    std::string name() const { return job_ + "." + to_string(reply_.step.id); }
    std::string names(const std::vector<std::uint32_t>& nodes) const;

    const std::string& job_;
    const api::StepReply& reply_;
    Client& client_;
    JobLook& look_;
    Streams& streams_;
    OnInterrupt on_interrupt_;
    int signal_ = 0;                          // The last of those that end srun.
    int held_back_ = 0;                       // Kept until there are tasks to pass it on to.
    std::optional<Clock::time_point> asked_;  // When the signal arrived, or was last acted on.
    bool forced_ = false, leaves_ = false;
    Clock::time_point interrupted_{}, ctrl_c_sent_{};
};

}  // namespace berth::slurm
