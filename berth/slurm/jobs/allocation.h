// Allocation: an interactive job from its client's side: asked for, waited for, given back. What
// salloc is about, and what srun does first when it is called outside of a job.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/model/job_variables.h"
#include "berth/slurm/jobs/keepalive.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/step/job_look.h"
#include "berth/slurm/text/command.h"

namespace berth::slurm {

class Allocation {
public:
    // Its messages begin with the command's name, and go to streams.err.
    Allocation(const Invocation& call, Client& client, Streams& streams);

    // Asks for it, and waits until it has its nodes: true. False: it came to nothing, and that has
    // been said. SIGINT, SIGTERM and SIGHUP end the waiting; the signal is in `interrupted`.
    bool get(const Draft& draft, const std::vector<Draft>& others = {});
    int interrupted() const { return interrupted_; }
    int exit_code() const { return exit_code_; }  // Where it came to nothing.

    const api::JobRow& job() const { return job_; }
    std::string id() const { return to_string(job_.id); }

    // The caller's environment, with the variables of the job.
    std::map<std::string, std::string> environment() const;

    // The job's state as the controller has it; nullopt while it runs, or where that cannot be
    // asked just now.
    std::optional<std::string> ended_as();
    // ended_as() comes back as soon as this descriptor is readable; -1: none.
    void stop_looks_at(int fd) { look_.stop_at(fd); }

    // From here on the controller is told that this command is still there, until it is gone.
    void attend() { keepalive_.emplace(call_, id()); }

    void give_back(ExitStatus exit);

private:
    enum class Wait : std::uint8_t { granted, revoked, interrupted, out_of_time };
    bool submit(const Draft& draft, const std::vector<Draft>& others);
    Wait wait_for_nodes(std::optional<std::chrono::seconds> patience);
    Variables variables_of(const api::JobRow& job) const;
    bool say(const std::string& message);  // True, unless --quiet.
    bool fail(const std::string& message);
    void cancel();

    const Invocation& call_;
    Client& client_;
    JobLook look_;
    Streams& streams_;
    bool quiet_ = false;
    bool waited_ = false;      // It was said that the job waits …
    bool configured_ = false;  // … and likewise, for what the site does before it runs.
    int interrupted_ = 0, exit_code_ = 1;
    api::JobRow job_;
    std::vector<api::JobRow> components_;  // Of a heterogeneous job, this one included.
    std::string cluster_;
    std::optional<Keepalive> keepalive_;
};

}  // namespace berth::slurm
