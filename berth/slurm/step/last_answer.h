// LastAnswer: lets a command that a job runs read its answer, though the answer ends the job. A job
// that requeues itself is sent SIGTERM, and with it the scontrol that asked for that.
#pragma once

#include <csignal>

namespace berth::slurm {

// During its lifetime SIGTERM ends the process a second later than it would, so that a command
// whose controller is silent ends all the same. Only one at a time: signals belong to the process.
class LastAnswer {
public:
    LastAnswer();
    ~LastAnswer();  // Waits no longer: a SIGTERM that came was for what is done by now.
    LastAnswer(const LastAnswer&) = delete;
    LastAnswer& operator=(const LastAnswer&) = delete;

private:
    struct sigaction term_before_{}, alarm_before_{};
};

}  // namespace berth::slurm
