// InteractiveJob: the job of salloc, or of srun outside of a job, from its client's side: request,
// wait, release.
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
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

class InteractiveJob {
public:
    // Messages begin with the command's name and go to streams.err.
    InteractiveJob(const Invocation& call, Client& client, Streams& streams);

    // Requests the job and waits until it has its nodes. False: there is no job: it failed or was
    // only to be tested (--test-only), and a message was printed. SIGINT, SIGTERM and SIGHUP end
    // the wait; the signal is in `interrupted`.
    bool get(const JobDraft& draft, const std::vector<JobDraft>& others = {});
    int interrupted() const { return interrupted_; }
    int exit_code() const { return exit_code_; }  // If there is no job.

    const api::JobRow& job() const { return job_; }
    std::string id() const { return to_string(job_.id); }

    // The caller's environment, with the variables of the job.
    std::map<std::string, std::string> environment() const;

    // The job's final state; nullopt while it runs, or if the controller cannot be reached now.
    std::optional<std::string> ended_as();
    // ended_as() returns as soon as this descriptor is readable; -1: none.
    void stop_looks_at(int fd) { look_.stop_at(fd); }

    // From now on sends keepalives to the controller, until destruction.
    void attend() { keepalive_.emplace(call_, id()); }

    void give_back(ExitStatus exit);

private:
    enum class Wait : std::uint8_t { granted, revoked, interrupted, out_of_time };
    bool submit(const JobDraft& draft, const std::vector<JobDraft>& others);
    api::SubmitRequest request_of(const JobDraft& draft, const std::vector<JobDraft>& others) const;
    Wait wait_for_nodes(std::optional<std::chrono::seconds> patience);
    Variables variables_of(const api::JobRow& job) const;
    bool say(const std::string& message);  // True, unless --quiet.
    bool fail(const std::string& message);
    void cancel();
    void advise_if_silent(const api::Problem& problem);  // The job may hold its nodes still.

    const Invocation& call_;
    Client& client_;
    JobLook look_;
    Streams& streams_;
    bool quiet_ = false;
    bool waited_ = false;      // A message said that the job waits …
    bool configured_ = false;  // … or that the site's prolog runs.
    int interrupted_ = 0, exit_code_ = 1;
    api::JobRow job_;
    std::vector<api::JobRow> components_;  // Of a heterogeneous job, this one included.
    std::string cluster_;
    std::optional<Keepalive> keepalive_;
};

}  // namespace berth::slurm
