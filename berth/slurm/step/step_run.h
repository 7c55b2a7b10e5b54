// StepRun: one step of a running job from srun's side: creates it, carries its tasks' input and
// output, and returns its exit code.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/mpi/exchange.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/step/held_nodes.h"
#include "berth/slurm/step/job_look.h"
#include "berth/slurm/step/step_files.h"
#include "berth/slurm/step/step_listener.h"
#include "berth/slurm/step/step_output.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

class StepRun {
public:
    // `call`: srun's, with the job's variables in its environment. `own_job`: the job was made for
    // this step, so options that apply to a job are not repeated for the step.
    StepRun(const Invocation& call, Client& client, Streams& streams, const JobDraft& draft,
            std::string job, std::vector<std::string> command, bool own_job);

    int run();  // The highest exit code of its tasks, or 128 and the signal.

private:
    void say(const std::string& message);
    int fail(const std::string& message);
    bool find_nodes();
    bool exclude_nodes();
    bool begin_at(std::uint32_t first);
    void run_here(const std::string& own, const std::string& of_site);
    std::uint32_t nodes_wanted() const;
    void choose_among_the_rest(StepRequest& request) const;
    std::string own_host(const std::string& controller);
    bool counts_tasks_by_cpus() const;
    std::uint32_t default_tasks() const;
    StepRequest request() const;
    api::StepCall step_call() const;
    std::optional<api::StepReply> create(api::StepCall call);
    void take_end(const StepFrame& frame, const api::StepReply& reply, StepOutput& output);
    void tell_of_cpus(const StepRequest& request);
    void end_if_waited_enough(StepId step);
    void tell_of_preemption(const api::StepReply& reply);
    void end(StepId step);
    void tell_of_abort();
    void watch_launch(const StepListener& listener, const api::StepReply& reply);
    bool is_alive(StepId step);
    void serve_mpi(const StepFrame& frame, std::uint32_t node, StepListener& listener,
                   Exchange& exchange, StepId step);
    int carry(StepListener& listener, const api::StepReply& reply, StepFiles& files);

    const Invocation& call_;
    Client& client_;
    JobLook look_;
    Streams& streams_;
    const JobDraft& draft_;
    std::string job_;
    std::vector<std::string> command_;
    bool own_job_ = false;
    HeldNodes held_;           // Without those that --exclude names.
    std::uint32_t tries_ = 0;  // To create the step.
    int idle_seconds_ = 0;
    bool ended_by_us_ = false;
    std::optional<std::chrono::steady_clock::time_point> first_end_;  // Of its tasks.
    std::chrono::steady_clock::time_point launched_at_{};
    bool kills_on_bad_exit_ = false;
    std::chrono::seconds wait_for_tasks_{};  // 0: as long as it takes.
    Duration abort_wait_{};  // From a step's forced end until its processes are gone at the latest.
    bool said_waiting_ = false, said_silent_ = false, said_aborted_ = false;
};

}  // namespace berth::slurm
